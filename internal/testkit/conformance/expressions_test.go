package conformance

import (
	"fmt"
	"testing"

	"github.com/ivmc/ivmc/expr"
)

// rowsOfEdges is the size of the table that expressions read.
const rowsOfEdges = 40

// TestEdges: every type has edge values.
func TestEdges(t *testing.T) {
	for _, typ := range types() {
		if len(edgesOf(typ)) == 0 {
			t.Errorf("no edge values of %s", typ)
		}
	}
}

// TestExpressions: every function, operator and cast over the edges of its
// types, constants and columns, gives PostgreSQL's value, type, name and error.
func TestExpressions(t *testing.T) {
	p := newPair(t)
	cols, ddl, of := columns()
	if !p.both("CREATE TABLE e (id integer, " + ddl + ")") {
		t.Fatal("no table")
	}
	fill := newGenerator(5, nil)
	for id := range rowsOfEdges {
		p.both(fmt.Sprintf("INSERT INTO e VALUES (%d, %s)", id, fill.row(of)))
	}
	p.log = nil
	agree, answered := 0, 0
	for p.seed = *seedFlag; p.seed < *seedFlag+uint64(cases()); p.seed++ {
		g := newGenerator(p.seed, nil)
		from := ""
		if g.r.IntN(2) == 0 {
			g.cols = cols
			from = fmt.Sprintf(" FROM e WHERE id = %d", g.r.IntN(rowsOfEdges))
			if g.r.IntN(5) == 0 {
				from = " FROM e ORDER BY id"
			}
		}
		depth := 1 + g.r.IntN(3)
		// Each row of the table has its turn.
		q := "SELECT " + g.call(g.funcs[p.seed%uint64(len(g.funcs))], pick(g, arrayKinds), depth) + from
		ours, pg := p.answers(q)
		// Of two arguments that fail, who is asked first is reported.
		if ours.code != "" && pg.code != "" && depth > 1 {
			continue
		}
		bad := p.bad
		p.judge(q, ours, pg)
		if p.bad == bad {
			agree++
			if ours.code == "" {
				answered++
			}
		}
	}
	t.Logf("%d expressions agree, %d of them with a value; %d rows in the table of functions", agree, answered, len(expr.Functions()))
}
