package runtime_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/internal/testkit/querygen"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// around are queries over a query of n columns, named c0 and so on.
func around(query string, n int, table string) []string {
	cols := make([]string, n)
	for i := range cols {
		cols[i] = fmt.Sprintf("c%d", i)
	}
	x := func(as string) string { return "(" + query + ") AS " + as + "(" + strings.Join(cols, ", ") + ")" }
	return []string{
		query,
		"SELECT * FROM " + x("x"),
		"SELECT * FROM " + x("x") + " WHERE c0 IS NOT NULL",
		"SELECT * FROM " + x("x") + " JOIN " + table + " ON " + table + ".a > 3",
		"SELECT x.*, count(*) FROM " + x("x") + " LEFT JOIN " + table + " ON c0 IS NULL AND " + table + ".a > 3 GROUP BY " + strings.Join(cols, ", "),
		"SELECT c0, count(*), min(c0), count(DISTINCT c0) FROM " + x("x") + " GROUP BY c0",
		"SELECT count(*), max(c0), count(DISTINCT c0) FROM " + x("x"),
		"SELECT c0 FROM " + x("x") + " UNION ALL SELECT c0 FROM " + x("y"),
		"SELECT DISTINCT * FROM " + x("x"),
		"SELECT * FROM " + x("x") + " ORDER BY c0 DESC LIMIT 7 OFFSET 1",
		"SELECT *, count(*) OVER (PARTITION BY c0) FROM " + x("x"),
		"SELECT *, rank() OVER (PARTITION BY c0 ORDER BY c0), row_number() OVER (PARTITION BY c0) FROM " + x("x"),
		"SELECT x.c0 FROM " + x("x") + ", " + x("y") + " WHERE x.c0 = y.c0",
		"SELECT c0 FROM " + x("x") + " WHERE EXISTS (SELECT 1 FROM " + table + " WHERE " + table + ".a > 3)",
	}
}

// replaceBy gives view v another definition.
func (w *world) replaceBy(query string) *refresh.Report {
	w.t.Helper()
	n, err := w.bind(query)
	if err != nil {
		w.t.Fatalf("%v\n%s", err, query)
	}
	old, _ := w.store.Catalog().ByName("v")
	obj := storage.Object{Kind: storage.View, Name: "v", Schema: n.Schema(), Payload: []byte(query)}
	same := slices.EqualFunc(old.Schema, obj.Schema, func(a, b zset.Field) bool { return a.Name == b.Name && a.Type == b.Type })
	var rep *refresh.Report
	if same {
		obj.ID, obj.SchemaVersion = old.ID, old.SchemaVersion
		rep, err = w.engine.Redefine(ctx, obj, nil)
	} else {
		rep, err = w.engine.Replace(ctx, obj, true, old.ID, nil)
	}
	if err != nil {
		w.t.Fatalf("%v\n%s\n%s", err, old.Payload, query)
	}
	return rep
}

// TestInheritedStates: a view that took states over from the one whose place it took
// has the states and the rows of one that was built afresh, and moves on like it.
func TestInheritedStates(t *testing.T) {
	n := uint64(*seeds)
	if testing.Short() {
		n = 6
	}
	kept, renumbered, views := 0, 0, 0
	for seed := *first; seed < *first+n; seed++ {
		w := newWorld(t, seed, querygen.Options{Distinct: true, Joined: true, Windows: true, Top: true})
		w.change()
		w.change()
		query := w.g.Query(w.tables)
		node, err := w.bind(query)
		if err != nil || len(node.Schema()) == 0 {
			w.close()
			continue
		}
		var all []string
		for _, q := range around(query, len(node.Schema()), w.tables[0].Name) {
			if _, err := w.bind(q); err == nil { // no max of a boolean
				all = append(all, q)
			}
		}
		var last string
		for round := range *rounds {
			next := all[w.r.IntN(len(all))]
			if round == 0 {
				if _, err := w.view("v", next); err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, next)
				}
				last = next
				continue
			}
			if w.r.IntN(3) > 0 {
				w.change()
			}
			if w.r.IntN(4) == 0 {
				w.reopen()
			}
			before := w.id("v")
			rep := w.replaceBy(next)
			views++
			if kept += min(rep.Kept, 1); rep.Kept > 0 && before == w.id("v") {
				renumbered++
			}
			bad := func(what string, args ...any) {
				t.Helper()
				t.Fatalf("seed %d round %d: %s\nbefore: %s\nafter: %s", seed, round, fmt.Sprintf(what, args...), last, next)
			}
			if err := w.check("v"); err != nil {
				bad("%v", err)
			}
			fresh := fmt.Sprintf("f%d", round)
			if _, err := w.view(fresh, next); err != nil {
				bad("%v", err)
			}
			compare := func(when string) {
				t.Helper()
				if a, b := w.state("v"), w.state(fresh); a != b {
					bad("%s: %d states kept\n%s\n-- afresh:\n%s", when, rep.Kept, a, b)
				}
			}
			compare("at once")
			if w.r.IntN(2) == 0 {
				w.reopen()
			}
			w.change()
			for _, v := range []string{"v", fresh} {
				if _, err := w.refresh(v, refresh.Incremental); err != nil {
					bad("%v", err)
				}
				if err := w.check(v); err != nil {
					bad("%v", err)
				}
			}
			compare("after a step")
			if rep, err := w.engine.Verify(ctx, w.id("v")); err != nil || !rep.Equal {
				bad("verify %v %v", rep, err)
			}
			last = next
		}
		w.close()
	}
	t.Logf("%d of %d views took states over, %d of them in place", kept, views, renumbered)
	if 4*kept < views || renumbered == 0 {
		t.Errorf("%d of %d views took states over, %d of them in place: too few to test anything", kept, views, renumbered)
	}
}
