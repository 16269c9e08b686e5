package runtime_test

import (
	"testing"

	"github.com/ivmc/ivmc/internal/testkit/querygen"
	"github.com/ivmc/ivmc/refresh"
)

// TestRaisingQueries: a step fails only where the definition does, whatever came
// and went; a failed step leaves the view alone, and the next one that can
// succeed brings it right.
func TestRaisingQueries(t *testing.T) {
	n := uint64(200)
	if testing.Short() {
		n = 40
	}
	failed, steps := 0, 0
	for seed := *first; seed < *first+n; seed++ {
		w := newWorld(t, seed, querygen.Options{Distinct: true, Raise: true})
		w.change()
		query := w.g.Query(w.tables)
		if _, err := w.view("v", query); err != nil {
			if _, oerr := w.oracle(query); oerr == nil {
				t.Fatalf("seed %d: create: %v\n%s", seed, err, query)
			}
			w.close()
			continue
		}
		for round := range 8 {
			w.change()
			_, oerr := w.oracle(query)
			steps++
			before := w.state("v")
			if _, err := w.refresh("v", refresh.Incremental); err != nil {
				failed++
				if oerr == nil {
					t.Fatalf("seed %d round %d: only the step fails: %v\n%s", seed, round, err, query)
				}
				if w.state("v") != before {
					t.Fatalf("seed %d round %d: a failed step left state", seed, round)
				}
				continue
			}
			if oerr != nil {
				continue // the plan spared the row
			}
			if err := w.check("v"); err != nil {
				t.Fatalf("seed %d round %d: %v", seed, round, err)
			}
		}
		w.close()
	}
	t.Logf("%d of %d steps failed", failed, steps)
	if failed == 0 {
		t.Error("no step failed: nothing was tested")
	}
}
