package refresh_test

import (
	"testing"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
)

// TestCostChoice: AUTO takes what is held to be cheaper, says so with both
// estimates, and plans the same when it is only asked; no other mode weighs.
func TestCostChoice(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	all := make([][3]int64, 5000)
	for i := range all {
		all[i] = [3]int64{int64(i % 50), int64(i), 1}
	}
	d.change(tab, all...)
	v := d.view("v", grouped)
	for _, c := range []struct {
		mode       refresh.Mode
		full, step float64
		executed   refresh.Mode
		reason     string
	}{
		{refresh.Auto, 1, 1000, refresh.Complete, delta.CodeCost},
		{refresh.Incremental, 1, 1000, refresh.Incremental, ""},
		{refresh.Fallback, 1, 1000, refresh.Incremental, ""},
		{refresh.Auto, 1000, 1000.0 / 50, refresh.Incremental, ""},
		{refresh.Auto, 0.001, 0.01, refresh.Incremental, ""}, // ten times dearer, and yet nothing
	} {
		d.change(tab, all...)
		d.engine.Believe(v, c.full, c.step)
		plan, err := d.engine.Weigh(ctx, v, c.mode)
		if err != nil {
			t.Fatal(err)
		}
		is(t, "planned", []any{plan.Planned, plan.Reason}, []any{c.executed, c.reason})
		rep := d.refresh(v, c.mode)
		is(t, "executed", []any{rep.Planned, rep.Executed, rep.Reason}, []any{c.executed, c.executed, c.reason})
		if e := rep.Estimates; e.Pending != 5000 || e.Delta <= 0 || e.Complete <= 0 || e != plan.Estimates {
			t.Errorf("%v: %+v, planned with %+v", c.mode, e, plan.Estimates)
		}
		tasks, _ := d.engine.Tasks(v)
		last := tasks[len(tasks)-1]
		is(t, "task", []any{last.Executed, last.Reason, last.Estimates == rep.Estimates}, []any{c.executed, c.reason, true})
		d.verified(v)
	}
}

// TestTouchedGroups: as many changes of one group are estimated to take less than of many, and
// it is seen from the changes, not from what a step was measured to take.
func TestTouchedGroups(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	rows := func(group func(i int) int64) (out [][3]int64) {
		for i := range 20_000 {
			out = append(out, [3]int64{group(i), int64(i), 1})
		}
		return out
	}
	each := func(i int) int64 { return int64(i) }
	d.change(tab, rows(each)...)
	v := d.view("v", grouped)
	estimate := func(group func(i int) int64) float64 {
		d.change(tab, rows(group)...)
		defer d.refresh(v, refresh.Incremental)
		d.engine.Believe(v, 100, 100)
		plan, err := d.engine.Weigh(ctx, v, refresh.Auto)
		if err != nil || plan.Estimates.Pending != 20_000 {
			t.Fatal(plan, err)
		}
		return float64(plan.Estimates.Delta)
	}
	one, many := estimate(func(int) int64 { return 7 }), estimate(each)
	if many < 2*one {
		t.Errorf("%.1f ms for changes of one group, %.1f ms for changes of 20 000", one/1e6, many/1e6)
	}
	d.verified(v)
}
