package proptest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/internal/testkit/querygen"
)

// TestViewEqualsQuery: after any transactions and refreshes, each view is its query.
func TestViewEqualsQuery(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rt, rapid.Uint64().Draw(rt, "seed"), querygen.Options{Distinct: true, Joined: true, Windows: true, Top: true}, 2, 3)
		defer w.close()
		for range rapid.IntRange(1, 6).Draw(rt, "steps") {
			for range 1 + w.r.IntN(3) {
				w.transaction()
			}
			w.refreshAll("INCREMENTAL")
			w.checkAll()
		}
	})
}

// TestEmptied: deleting everything brings every view to what it is over empty tables.
func TestEmptied(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		w := newWorld(rt, seed, querygen.Options{Distinct: true, Joined: true, Windows: true, Top: true}, 2, 3)
		defer w.close()
		empty := map[string]string{}
		for _, v := range w.views {
			empty[v.name] = w.rows("SELECT * FROM " + v.name)
		}
		for range rapid.IntRange(1, 4).Draw(rt, "steps") {
			w.transaction()
			w.refreshAll("INCREMENTAL")
		}
		for _, tab := range w.tables {
			w.must("DELETE FROM " + tab.Name)
		}
		w.refreshAll("INCREMENTAL")
		for _, v := range w.views {
			if got := w.rows("SELECT * FROM " + v.name); got != empty[v.name] {
				w.fail("view %s (%s) over emptied tables:\n%s\nover new ones:\n%s", v.name, v.query, got, empty[v.name])
			}
		}
	})
}

// TestSplit: the same changes in one step, or in one step each, or by COMPLETE,
// give the same views.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		opt := querygen.Options{Distinct: true, Joined: true, Windows: true, Top: true}
		each := newWorld(rt, seed, opt, 2, 3)
		defer each.close()
		once := newWorld(rt, seed, opt, 2, 3)
		defer once.close()
		full := newWorld(rt, seed, opt, 2, 3)
		defer full.close()
		for range rapid.IntRange(2, 8).Draw(rt, "transactions") {
			for _, sql := range each.transaction() {
				once.must(sql)
				full.must(sql)
			}
			each.refreshAll("INCREMENTAL")
		}
		once.refreshAll("INCREMENTAL")
		full.refreshAll("COMPLETE")
		for _, v := range each.views {
			a := each.rows("SELECT * FROM " + v.name)
			if b := once.rows("SELECT * FROM " + v.name); a != b {
				each.fail("view %s (%s): a step for each transaction:\n%s\none step:\n%s", v.name, v.query, a, b)
			}
			if b := full.rows("SELECT * FROM " + v.name); a != b {
				each.fail("view %s (%s): a step for each transaction:\n%s\nCOMPLETE:\n%s", v.name, v.query, a, b)
			}
		}
	})
}
