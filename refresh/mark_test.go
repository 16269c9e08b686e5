package refresh_test

import (
	"testing"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/refresh"
)

// TestMark: a view that a verification found wrong says so, also after a restart;
// strict INCREMENTAL is refused, AUTO computes it anew, and that clears the mark.
func TestMark(t *testing.T) {
	for _, parts := range []int{1, 7} {
		d := newDB(t)
		tab := d.table("t")
		for i := range int64(100) {
			d.change(tab, [3]int64{i, i, 1})
		}
		v := d.view("v", "SELECT k, v FROM t")
		verify := func() (differing int64) {
			t.Helper()
			for range parts {
				rep, err := d.engine.VerifySample(ctx, v, parts)
				if err != nil {
					t.Fatal(err)
				}
				differing += rep.Differing
			}
			return differing
		}
		is(t, "right", verify(), 0)
		if d.engine.Marked(v) != nil {
			t.Fatal("a right view is marked")
		}
		d.change(v, [3]int64{500, 1, 2}, [3]int64{7, 7, -1}) // what nobody may do
		is(t, "wrong", verify(), 2)
		for range 2 {
			k := d.engine.Marked(v)
			if k == nil {
				t.Fatal("no mark")
			}
			if parts == 1 {
				is(t, "evidence", []any{k.Differing, k.Rows}, []any{2, []string{"+1|7|7", "-2|500|1"}})
			}
			if _, err := d.engine.Refresh(ctx, v, refresh.Incremental); code(err) != "0A000" {
				t.Errorf("strict: %v", err)
			}
			is(t, "stale", d.engine.Stale(v), delta.CodeMismatch)
			d.reopen()
		}
		rep := d.refresh(v, refresh.Auto)
		is(t, "rebuilt", []any{rep.Executed, rep.Reason, rep.RowsOut}, []any{refresh.Complete, delta.CodeMismatch, 3})
		if parts == 1 {
			is(t, "detail", rep.Detail, "a verification found 2 rows that differ: +1|7|7, -2|500|1")
		}
		is(t, "right again", []any{verify(), d.engine.Marked(v) == nil, d.engine.Stale(v)}, []any{0, true, ""})
		d.reopen()
		is(t, "cleared for good", d.engine.Marked(v) == nil, true)
		d.change(tab, [3]int64{1000, 1, 1})
		is(t, "incremental", d.refresh(v, refresh.Auto).Executed, refresh.Incremental)
	}
}
