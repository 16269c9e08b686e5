package delta

import (
	"fmt"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
)

// Values.
//
// Identity: Δ(constant) = 0.
// Class: D.
// State: none.
// Cost: none; from empty O(rows).
// Careful: volatile expressions are no constants.
// See: docs/citations.md, "linear operators".

// Values yields constant rows; the expressions read no columns.
type Values struct {
	Rows  [][]*expr.Expr `json:"rows"`
	Names []string       `json:"names,omitempty"` // of the columns; for people
}

func deriveValues(d *deriver, n *algebra.Values, need []bool, path string) stream {
	for _, r := range n.Rows {
		d.volatile(r...)
	}
	if !d.full {
		return stream{node: nothing(n.Fields)}
	}
	var names []string
	for _, f := range n.Fields {
		names = append(names, f.Name)
	}
	return stream{node: &Node{Op: OpValues, Class: ClassDelta, Types: n.Fields.Types(), Values: &Values{Rows: n.Rows, Names: names}}}
}

func printValues(c *canon, n *algebra.Values) {
	for _, r := range n.Rows {
		c.exprs(r)
		c.add(";")
	}
}

func child(path string, i int) string { return fmt.Sprintf("%s.%d", path, i) }
