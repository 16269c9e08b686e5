package querygen

import (
	"fmt"

	"github.com/ivmc/ivmc/zset"
)

// listed is an entry of FROM that gives rows for each row beside it, of which the
// columns are cols: the elements of an array, or numbers.
func (g *Gen) listed(cols []column) (join string, out []column) {
	as := fmt.Sprintf("r%d", g.tab)
	g.tab++
	call, kind := fmt.Sprintf("generate_series(%d, %d)", g.r.IntN(2), g.r.IntN(4)), zset.Int4
	for range 4 {
		if c := pick(g, cols); c.kind == zset.Array {
			call, kind = "unnest("+c.ref+")", g.elem
			break
		} else if c.kind == zset.Int4 || c.kind == zset.Int8 {
			call, kind = "generate_series(1, "+c.ref+")", c.kind
		}
	}
	names := as + "(x)"
	out = []column{{as + ".x", kind}}
	if g.chance(30) {
		call, names = call+" WITH ORDINALITY", as+"(x, n)"
		out = append(out, column{as + ".n", zset.Int8})
	}
	join = pick(g, []string{" CROSS JOIN ", " CROSS JOIN LATERAL ", " LEFT JOIN "}) + call + " AS " + names
	return join, out
}

// unnested is an array of cols as rows of a select list; false if there is none.
func (g *Gen) unnested(cols []column) (string, bool) {
	for _, c := range cols {
		if c.kind == zset.Array {
			return "unnest(" + c.ref + ")", true
		}
	}
	return "", false
}
