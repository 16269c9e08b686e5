package refresh_test

import (
	"testing"

	"github.com/ivmc/ivmc/refresh"
)

// TestChain: a view over a view reads from where it stopped itself; its frontier
// is the base TSO that its parent stands for.
func TestChain(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	d.change(tab, [3]int64{1, 10, 1}, [3]int64{2, 20, 1})
	v := d.view("v", grouped)
	w := d.view("w", "SELECT n, count(*) AS groups FROM v GROUP BY n")
	x := d.view("x", "SELECT v.k, w.groups FROM v JOIN w ON v.n = w.n")
	is(t, "built", d.rows(x), "1|2 2|2")

	hi := d.change(tab, [3]int64{1, 5, 1})
	if rep := d.refresh(w, refresh.Auto); !rep.NoOp {
		t.Errorf("the parent did not move, the child did: %+v", rep)
	}
	lag, behind := d.engine.Behind(w, d.store.Applied())
	is(t, "behind by the base", []any{behind, lag.Changes, lag.Exact}, []any{true, 1, true})
	d.refresh(v, refresh.Auto)
	d.change(tab, [3]int64{3, 1, 1})
	d.refresh(v, refresh.Auto) // two steps of the parent, one of the child
	rep := d.refresh(w, refresh.Incremental)
	is(t, "rows in", rep.RowsIn, 3) // k=1 before and after, k=3
	is(t, "rows", d.rows(w), "1|2 2|1")
	pf, _ := d.engine.Frontier(v)
	is(t, "frontier is the parent's", rep.To, pf)
	if rep.To <= hi {
		t.Errorf("the child stands for %d, the second change came after %d", rep.To, hi)
	}
	is(t, "not moved", d.rows(x), "1|2 2|2")
	d.verified(x) // of its own offsets
	d.refresh(x, refresh.Incremental)
	is(t, "moved", d.rows(x), "1|1 2|2 3|2")
	d.verified(v)
	d.verified(w)
	d.verified(x)
}

// TestReopen: offsets, frontiers and states survive; what was pending still is.
func TestReopen(t *testing.T) {
	d := newDB(t)
	tab := d.table("t")
	d.change(tab, [3]int64{1, 10, 1})
	v := d.view("v", grouped)
	d.change(tab, [3]int64{1, 1, 1})
	d.refresh(v, refresh.Auto)
	d.change(tab, [3]int64{1, 10, -1}, [3]int64{2, 2, 1})
	before, _ := d.engine.Frontier(v)
	d.reopen()
	f, built := d.engine.Frontier(v)
	is(t, "frontier", []any{f, built}, []any{before, true})
	lag, behind := d.engine.Behind(v, d.store.Applied())
	is(t, "behind, uncounted", []any{behind, lag.Exact, lag.Frontier}, []any{true, false, before})
	st, err := d.store.Stats(tab)
	if err != nil || st.Loaded {
		t.Errorf("a look at the lag loaded the table: %v", err)
	}
	rep := d.refresh(v, refresh.Incremental)
	is(t, "rows in", rep.RowsIn, 2)
	is(t, "rows", d.rows(v), "1|1|1 2|1|2")
	if _, behind := d.engine.Behind(v, d.store.Applied()); behind {
		t.Error("a refreshed view is behind")
	}
	d.verified(v)
}

// TestDropDuringRefresh drops a view at every batch of its refresh: the refresh
// says so, and nothing of the view is left, not even offsets, which would keep
// the log for ever.
func TestDropDuringRefresh(t *testing.T) {
	for _, sql := range []string{grouped, "SELECT k FROM t WHERE v > 1000000"} { // the second has no rows to write, offsets alone
		for n := 1; ; n++ {
			d := newDB(t)
			tab := d.table("t")
			d.change(tab, [3]int64{1, 1, 1})
			v := d.view("v", sql)
			d.change(tab, [3]int64{2, 2, 1})
			done := false
			c := &probed{Context: ctx, n: n, at: func() error {
				done = true
				d.drop(v)
				return nil
			}}
			_, err := d.engine.Refresh(c, v, refresh.Auto)
			if !done {
				if err != nil {
					t.Fatal(err)
				}
				if n < 3 {
					t.Errorf("dropped at %d places only", n-1)
				}
				break
			}
			is(t, "refresh", code(err), "42P01")
			for range 2 {
				if _, ok := d.store.Offsets(v); ok {
					t.Fatalf("offsets of a view that is gone (dropped at %d)", n)
				}
				if _, err := d.engine.Refresh(ctx, v, refresh.Auto); code(err) != "42P01" {
					t.Errorf("afterwards: %v", err)
				}
				d.reopen()
			}
		}
	}
}
