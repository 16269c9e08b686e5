package refresh_test

import (
	"context"
	"errors"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

const (
	grouped = "SELECT k, count(*) AS n, sum(v) AS s FROM t GROUP BY k"
	limited = "SELECT k, v FROM (SELECT k, v, row_number() OVER (ORDER BY v DESC) AS r FROM t) AS x WHERE r <= 2"
)

// TestStrictPlace: the places of blockers are places in the view's query, and
// none of the statement that refreshes it.
func TestStrictPlace(t *testing.T) {
	d := newDB(t)
	d.table("t")
	v := d.view("v", "SELECT k, now() AS n FROM t")
	_, err := d.engine.Refresh(ctx, v, refresh.Incremental)
	var e *zset.Error
	if !errors.As(err, &e) || e.Code != "0A000" || e.Pos != -1 {
		t.Errorf("%+v", e)
	}
}

func TestIncremental(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	d.change(tab, [3]int64{1, 10, 2}, [3]int64{2, 5, 1})
	v := d.view("v", grouped)
	is(t, "built", d.rows(v), "1|2|20 2|1|5")
	hi := d.change(tab, [3]int64{1, 10, -1}, [3]int64{3, 7, 1})
	before, _ := d.engine.Frontier(v)
	rep := d.refresh(v, refresh.Incremental)
	is(t, "rows", d.rows(v), "1|1|10 2|1|5 3|1|7")
	is(t, "modes", []any{rep.Requested, rep.Executed, rep.Reason, rep.NoOp}, []any{refresh.Incremental, refresh.Incremental, "", false})
	is(t, "rows in, out", []int64{rep.RowsIn, rep.RowsOut}, []int64{2, 3})
	is(t, "from", rep.From, before)
	is(t, "to", rep.To, hi)
	if rep.Commit <= hi || rep.Commit != d.store.Applied() {
		t.Errorf("the step's records carry %d, its inputs ended at %d", rep.Commit, hi)
	}
	if len(rep.Operators) == 0 {
		t.Error("no operators")
	}
	d.verified(v)
}

// TestNothingPending: no commit, and the frontier moves all the same.
func TestNothingPending(t *testing.T) {
	d := newDB(t)
	tab, other := d.table("t"), d.table("u")
	d.change(tab, [3]int64{1, 1, 1})
	v := d.view("v", grouped)
	at := d.change(other, [3]int64{1, 1, 1})
	rep := d.refresh(v, refresh.Auto)
	is(t, "no-op", []any{rep.NoOp, rep.Commit, rep.RowsIn, rep.RowsOut, rep.Executed}, []any{true, storage.TSO(0), 0, 0, refresh.Incremental})
	is(t, "nothing was committed", d.store.Applied(), at)
	f, _ := d.engine.Frontier(v)
	is(t, "frontier", f, at)
	if _, behind := d.engine.Behind(v, at); behind {
		t.Error("a current view is behind")
	}
	d.change(tab, [3]int64{1, 1, 1})
	is(t, "then a change", d.refresh(v, refresh.Auto).RowsIn, 1)
	is(t, "rows", d.rows(v), "1|2|2")
}

// TestStrict: INCREMENTAL fails with every reason and moves nothing; AUTO runs
// COMPLETE and records the reason.
func TestStrict(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	d.change(tab, [3]int64{1, 1, 1}, [3]int64{2, 2, 1})
	v := d.view("v", limited)
	d.change(tab, [3]int64{3, 3, 1})
	before, _ := d.store.Offsets(v)
	at := d.store.Applied()
	_, err := d.engine.Refresh(ctx, v, refresh.Incremental)
	if code(err) != "0A000" || !strings.Contains(err.Error(), `"v" cannot be refreshed incrementally`) {
		t.Errorf("strict: %v", err)
	}
	after, _ := d.store.Offsets(v)
	is(t, "offsets", after, before)
	is(t, "nothing was committed", d.store.Applied(), at)
	is(t, "rows", d.rows(v), "1|1 2|2")
	rep := d.refresh(v, refresh.Auto)
	is(t, "auto", []any{rep.Requested, rep.Executed, rep.Reason}, []any{refresh.Auto, refresh.Complete, delta.CodeNotSupported})
	if rep.Detail == "" {
		t.Error("a reason without words")
	}
	is(t, "net difference", []int64{rep.RowsOut}, []int64{2})
	is(t, "rows", d.rows(v), "2|2 3|3")
	rep = d.refresh(v, refresh.Complete)
	is(t, "asked for", []any{rep.Executed, rep.Reason, rep.RowsOut}, []any{refresh.Complete, "", 0})
	d.verified(v)
}

// TestNoBaseline: a deferred view is built by its first refresh, whatever the mode.
func TestNoBaseline(t *testing.T) {
	for _, c := range []struct{ mode, executed refresh.Mode }{
		{refresh.Auto, refresh.Complete}, {refresh.Incremental, refresh.Complete}, {refresh.Complete, refresh.Complete},
	} {
		d := newDB(t)
		tab := d.table("t")
		d.change(tab, [3]int64{1, 4, 1})
		rep, err := d.engine.Create(ctx, d.object("v", grouped), false)
		if err != nil {
			t.Fatal(err)
		}
		if _, built := d.engine.Frontier(rep.ID); built {
			t.Error("a deferred view has a frontier")
		}
		if _, err := d.engine.Verify(ctx, rep.ID); code(err) != "55000" {
			t.Errorf("verify: %v", err)
		}
		got := d.refresh(rep.ID, c.mode)
		is(t, "executed", got.Executed, c.executed)
		want := delta.CodeNoBaseline
		if c.mode == refresh.Complete {
			want = ""
		}
		is(t, "reason", got.Reason, want)
		is(t, "rows", d.rows(rep.ID), "1|1|4")
	}
}

// TestOtherPlan: a state that another plan built is not read; AUTO rebuilds, and
// is incremental from then on.
func TestOtherPlan(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	d.change(tab, [3]int64{1, 4, 1})
	v := d.view("v", grouped)
	d.change(tab, [3]int64{2, 4, 1})
	d.hide = func(p *refresh.Plans) {
		n, err := d.bind("SELECT k, count(*) AS n, sum(v + 1) AS s FROM t GROUP BY k")
		if err != nil {
			t.Fatal(err)
		}
		p.Incremental, _ = delta.Derive(n, delta.Options{})
		p.Full, _ = delta.Derive(n, delta.Options{FromEmpty: true})
	}
	d.reopen()
	if _, err := d.engine.Refresh(ctx, v, refresh.Incremental); code(err) != "0A000" {
		t.Errorf("strict: %v", err)
	}
	rep := d.refresh(v, refresh.Auto)
	is(t, "auto", []any{rep.Executed, rep.Reason}, []any{refresh.Complete, delta.CodePlanMismatch})
	d.change(tab, [3]int64{2, 9, 1})
	is(t, "then", d.refresh(v, refresh.Incremental).Executed, refresh.Incremental)
	is(t, "rows", d.rows(v), "1|1|5 2|2|15")
}

// TestFailingBuild: nothing is left of a view whose first build fails, in the
// catalog or behind it; the name and even the id can be used again.
func TestFailingBuild(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	d.change(tab, [3]int64{1, 0, 1})
	obj := d.object("v", "SELECT k / v AS q FROM t")
	if _, err := d.engine.Create(ctx, obj, true); code(err) != "22012" {
		t.Fatalf("build: %v", err)
	}
	if _, ok := d.store.Catalog().ByName("v"); ok {
		t.Error("the view is in the catalog")
	}
	if _, ok := d.store.Offsets(obj.ID); ok {
		t.Error("the view has offsets")
	}
	d.change(tab, [3]int64{1, 0, -1}, [3]int64{6, 3, 1})
	if _, err := d.engine.Create(ctx, obj, true); err != nil {
		t.Fatal(err)
	}
	is(t, "rows", d.rows(obj.ID), "2")
}

// TestFailingStep: the view stays where it is, and goes on when the data is right.
func TestFailingStep(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	d.change(tab, [3]int64{6, 3, 1})
	v := d.view("v", "SELECT k / v AS q FROM t")
	before, _ := d.store.Offsets(v)
	d.change(tab, [3]int64{8, 2, 1}, [3]int64{1, 0, 1})
	for _, m := range []refresh.Mode{refresh.Incremental, refresh.Auto, refresh.Complete} {
		if _, err := d.engine.Refresh(ctx, v, m); code(err) != "22012" {
			t.Errorf("%s: %v", m, err)
		}
		after, _ := d.store.Offsets(v)
		is(t, "offsets", after, before)
		is(t, "rows", d.rows(v), "2")
	}
	d.change(tab, [3]int64{1, 0, -1})
	d.refresh(v, refresh.Incremental)
	is(t, "rows", d.rows(v), "2 4")
}

// TestCancel ends a refresh, and a build, at every batch: nothing moves, and the
// next one works as if nothing had been.
func TestCancel(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	rows := make([][3]int64, 10_000)
	for i := range rows {
		rows[i] = [3]int64{int64(i % 100), int64(i), 1}
	}
	d.change(tab, rows...)
	v := d.view("v", grouped)
	for _, mode := range []refresh.Mode{refresh.Incremental, refresh.Complete} {
		d.change(tab, rows[:9000]...)
		before, was := d.rows(v), d.store.Applied()
		n := 1
		for ; ; n++ {
			c := &probed{Context: ctx, n: n, at: func() error { return context.Canceled }}
			rep, err := d.engine.Refresh(c, v, mode)
			if err == nil {
				is(t, "executed", rep.Executed, mode)
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s at %d: %v", mode, n, err)
			}
			is(t, "rows", d.rows(v), before)
			is(t, "commits", d.store.Applied(), was)
		}
		if n < 4 {
			t.Errorf("%s: cancelled at %d places only", mode, n-1)
		}
		d.verified(v)
	}
	for n := 1; ; n++ {
		c := &probed{Context: ctx, n: n, at: func() error { return context.Canceled }}
		if _, err := d.engine.Create(c, d.object("w", grouped), true); err == nil {
			break
		}
		if _, ok := d.store.Catalog().ByName("w"); ok {
			t.Fatal("a cancelled build left a view")
		}
	}
}

// TestWaiting: who waits for another refresh stops waiting with its context.
func TestWaiting(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	v := d.view("v", grouped)
	d.change(tab, [3]int64{1, 1, 1})
	c := &probed{Context: ctx, n: 1, at: func() error {
		late, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := d.engine.Refresh(late, v, refresh.Auto); !errors.Is(err, context.Canceled) {
			t.Errorf("a second refresh: %v", err)
		}
		if _, ok := d.engine.Frontier(v); !ok {
			t.Error("no frontier during a refresh")
		}
		return nil
	}}
	if _, err := d.engine.Refresh(c, v, refresh.Auto); err != nil {
		t.Fatal(err)
	}
}

// TestSerial: refreshes of one view from many goroutines, while rows arrive,
// take turns: each begins where the one before ended, and every change is read
// once.
func TestSerial(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	v := d.view("v", grouped)
	w := d.view("w", "SELECT a.k, a.v FROM t a WHERE a.v >= 0")
	var wg sync.WaitGroup
	var mu sync.Mutex
	var reps []*refresh.Report
	const writers, each = 2, 60
	for g := range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range int64(each) {
				d.change(tab, [3]int64{i % 7, i, 1}, [3]int64{int64(g), -i, 1})
			}
		}()
	}
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 40 {
				id := v
				if i%4 == 0 {
					id = w
				}
				rep, err := d.engine.Refresh(ctx, id, refresh.Incremental)
				if err != nil {
					t.Error(err)
					return
				}
				if id == v && !rep.NoOp {
					mu.Lock()
					reps = append(reps, rep)
					mu.Unlock()
				}
			}
		}()
	}
	wg.Wait()
	reps = append(reps, d.refresh(v, refresh.Incremental))
	sort.SliceStable(reps, func(i, j int) bool { return reps[i].To < reps[j].To })
	in := int64(0)
	for i, r := range reps {
		in += r.RowsIn
		if i > 0 && r.From < reps[i-1].To {
			t.Errorf("a refresh began at %d, the one before ended at %d", r.From, reps[i-1].To)
		}
	}
	is(t, "changes read", in, 2*writers*each)
	d.refresh(w, refresh.Auto)
	d.verified(v)
	d.verified(w)
}
