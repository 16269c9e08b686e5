package runtime_test

import (
	"testing"

	"github.com/ivmc/ivmc/internal/testkit/querygen"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
)

// TestExtendedBuilds: a build that was taken on within its commit has the rows and the
// states of one that was made there, whatever was written since it began: of a view that
// is new, that has no rows, and that has those of another definition.
func TestExtendedBuilds(t *testing.T) {
	n := uint64(*seeds)
	if testing.Short() {
		n = 12
	}
	extended, inPlace := 0, 0
	for seed := *first; seed < *first+n; seed++ {
		w := newWorld(t, seed, querygen.Options{Distinct: true, Joined: true, Windows: true, Top: true})
		w.change()
		for round := range *rounds {
			query := w.g.Query(w.tables)
			node, err := w.bind(query)
			if err != nil || len(node.Schema()) == 0 {
				continue
			}
			obj := &storage.Object{Kind: storage.View, Name: "v", Schema: node.Schema(), Payload: []byte(query)}
			if old, ok := w.store.Catalog().ByName("v"); ok {
				w.drop(old.ID)
			}
			obj.ID = w.store.NewID()
			if w.r.IntN(3) > 0 { // it has the rows and states of a definition that stood
				if _, err := w.engine.Create(ctx, *obj, true); err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, query)
				}
				w.engine.Drop(obj.ID) // what is in memory
				w.change()
				inPlace++
			}
			p, err := w.Plans(obj)
			if err != nil || p.Incremental == nil {
				continue
			}
			v, err := runtime.OpenView(w.store, obj, p.Incremental, p.Full)
			if err != nil {
				t.Fatal(err)
			}
			at, unpin := w.store.PinApplied()
			step, err := v.Build(ctx, &runtime.Base{At: at}, true)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, query)
			}
			for range w.r.IntN(3) {
				w.change()
			}
			c, err := step.Writes()
			if err != nil {
				t.Fatal(err)
			}
			catalog := c.Catalog
			loads := v.Inputs()
			if _, err := w.store.Relation(obj.ID); err == nil {
				loads = append(loads, obj.ID)
			}
			move := func(tso storage.TSO, also func(*storage.Commit) error) error {
				if err := step.Extend(ctx, &runtime.Base{At: tso}); err != nil {
					return err
				}
				c, err := step.Writes()
				if err != nil {
					return err
				}
				c.Catalog = nil
				return also(c)
			}
			o := storage.CommitOptions{OnInstall: func(tso storage.TSO) { step.Settle(tso) }}
			if _, err := w.store.Commit(ctx, &storage.Commit{Catalog: catalog, Follow: &storage.Following{Loads: loads, Move: move}}, o); err != nil {
				t.Fatalf("seed %d round %d: %v\n%s", seed, round, err, query)
			}
			unpin()
			extended++
			bad := func(err error, what string) {
				t.Helper()
				if err != nil {
					t.Fatalf("seed %d round %d: %s: %v\n%s", seed, round, what, err, query)
				}
			}
			compare := func(what string) {
				t.Helper()
				bad(w.check("v"), what)
				if a, b := w.state("v"), w.state("f"); a != b {
					t.Fatalf("seed %d round %d: %s\n%s\n%s\n-- afresh:\n%s", seed, round, what, query, a, b)
				}
			}
			_, err = w.view("f", query)
			bad(err, "afresh")
			compare("at once")
			// What is in memory goes on, and so does what the store has.
			w.change()
			if w.r.IntN(2) == 0 {
				w.reopen()
				_, err = w.refresh("v", refresh.Incremental)
				bad(err, "refresh")
			} else {
				next, err := v.Step(ctx, nil)
				bad(err, "step")
				_, err = next.Commit(ctx, false)
				bad(err, "commit")
			}
			_, err = w.refresh("f", refresh.Incremental)
			bad(err, "refresh")
			compare("after a step")
			w.drop(w.id("f"))
		}
		w.close()
	}
	t.Logf("%d builds, %d in place", extended, inPlace)
	if extended < int(n) {
		t.Errorf("%d builds of %d worlds", extended, n)
	}
}

// drop drops a view.
func (w *world) drop(id storage.ID) {
	w.t.Helper()
	if _, err := w.store.Commit(ctx, &storage.Commit{Catalog: []storage.CatalogChange{{Drop: id}}}, storage.CommitOptions{}); err != nil {
		w.t.Fatal(err)
	}
	w.engine.Drop(id)
}
