package refresh_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
)

// told is what the history says of a view, a task a line.
func (d *db) told(id storage.ID) string {
	d.t.Helper()
	tasks, err := d.engine.Tasks(id)
	if err != nil {
		d.t.Fatal(err)
	}
	var out []string
	for _, k := range tasks {
		if k.Finished.Before(k.Started) || k.Started.Before(k.Queued) || k.Queued.IsZero() {
			d.t.Errorf("times of %+v", k)
		}
		out = append(out, strings.Trim(fmt.Sprintln(k.Trigger, k.Status, k.Requested, k.Planned, k.Executed, k.Reason, k.Code, k.RowsIn, k.RowsOut), "\n"))
	}
	return strings.Join(out, "\n")
}

// TestHistory: every refresh that did something or failed leaves a task, which
// survives; one that found nothing is counted.
func TestHistory(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	d.change(tab, [3]int64{1, 1, 1}, [3]int64{2, 2, 1})
	v, w := d.view("v", limited), d.view("w", grouped)
	d.change(tab, [3]int64{3, 3, 1})
	at := d.store.Applied()
	for range 3 {
		if _, err := d.engine.Refresh(ctx, v, refresh.Incremental); err == nil {
			t.Fatal("strict")
		}
	}
	is(t, "a failure is no commit", d.store.Applied(), at)
	d.refresh(v, refresh.Auto)
	canceled := &probed{Context: ctx, n: 1, at: func() error { return context.Canceled }}
	if _, err := d.engine.Refresh(canceled, v, refresh.Complete); err == nil {
		t.Fatal("cancelled")
	}
	d.cascade(ctx, refresh.Auto, w, v)
	d.refresh(w, refresh.Auto)
	n, last := d.engine.Idle(w)
	is(t, "idle", []any{n, last.IsZero()}, []any{1, false})
	n, _ = d.engine.Idle(v)
	is(t, "idle, though not incremental", n, 1)
	of := func() []string { return []string{d.told(v), d.told(w)} }
	want := []string{`CREATE SUCCESS COMPLETE COMPLETE COMPLETE   2 2
MANUAL FAILED INCREMENTAL INCREMENTAL INCREMENTAL OPERATOR_NOT_SUPPORTED 0A000 0 0
MANUAL FAILED INCREMENTAL INCREMENTAL INCREMENTAL OPERATOR_NOT_SUPPORTED 0A000 0 0
MANUAL FAILED INCREMENTAL INCREMENTAL INCREMENTAL OPERATOR_NOT_SUPPORTED 0A000 0 0
MANUAL SUCCESS AUTO COMPLETE COMPLETE OPERATOR_NOT_SUPPORTED  3 2
MANUAL CANCELED COMPLETE COMPLETE COMPLETE  57014 0 0`,
		`CREATE SUCCESS COMPLETE COMPLETE COMPLETE   2 2
CASCADE SUCCESS AUTO INCREMENTAL INCREMENTAL   1 1`}
	is(t, "tasks", of(), want)
	ids := map[uint64]bool{}
	for _, id := range []storage.ID{v, w} {
		tasks, _ := d.engine.Tasks(id)
		for _, k := range tasks {
			ids[k.ID] = true
		}
	}
	is(t, "ids", len(ids), 8)
	d.reopen()
	is(t, "tasks, reopened", of(), want)
	d.change(tab, [3]int64{4, 4, 1})
	d.refresh(w, refresh.Auto)
	is(t, "goes on", d.told(w), want[1]+"\nMANUAL SUCCESS AUTO INCREMENTAL INCREMENTAL   1 1")
	d.drop(w)
	is(t, "dropped", d.told(w), "")
}

// TestHistoryBound: the last tasks are kept, also where the bound was another before.
func TestHistoryBound(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	v := d.view("v", grouped)
	count := func() int { return strings.Count(d.told(v), "\n") + 1 }
	step := func(n int) {
		for i := range n {
			d.change(tab, [3]int64{int64(i), 1, 1})
			d.refresh(v, refresh.Incremental)
		}
	}
	d.engine.Remember(20)
	step(50)
	is(t, "kept", count(), 20)
	d.reopen()
	d.engine.Remember(5)
	step(1)
	is(t, "fewer", count(), 5)
	step(7)
	is(t, "fewer", count(), 5)
	tasks, _ := d.engine.Tasks(v)
	f, _ := d.engine.Frontier(v)
	is(t, "the last", tasks[4].To, f)
}
