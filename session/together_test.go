package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/ast"
)

// TestTogetherIsLinear: moving all views reads each definition once, not once for
// every other view.
func TestTogetherIsLinear(t *testing.T) {
	allocs := func(n int) float64 {
		e := newEngine(t)
		s := e.Session()
		var b strings.Builder
		b.WriteString(sales)
		for i := range n {
			fmt.Fprintf(&b, "CREATE MATERIALIZED VIEW v%d AS SELECT shop, count(*) + %d AS n FROM sale GROUP BY shop;\n", i, i)
		}
		do(t, s, b.String())
		for _, below := range []bool{false, true} {
			for _, rep := range e.together(context.Background(), nil, ast.ModeDefault, below) {
				if rep.Err != nil || !rep.NoOp {
					t.Fatal(rep.View, rep.Err, rep.NoOp)
				}
			}
		}
		return testing.AllocsPerRun(3, func() { e.together(context.Background(), nil, ast.ModeDefault, true) })
	}
	if few, many := allocs(20), allocs(160); many > 12*few {
		t.Fatalf("%.0f allocations for 20 views, %.0f for 160", few, many)
	}
}

// TestTogetherBelow: what is below the named views moves first, by its own mode, and
// nothing else does.
func TestTogetherBelow(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, two+`CREATE VIEW plain AS SELECT * FROM a;
CREATE MATERIALIZED VIEW c REFRESH COMPLETE AS SELECT max(n) AS n FROM plain;
INSERT INTO sale VALUES (4, 'c', 100)`)
	var got []string
	for _, rep := range e.together(context.Background(), []string{"c"}, ast.ModeIncremental, true) {
		got = append(got, fmt.Sprint(rep.View, " ", rep.Requested, " ", rep.Err))
	}
	is(t, "moved", strings.Join(got, "; "), "a AUTO <nil>; c INCREMENTAL <nil>")
}
