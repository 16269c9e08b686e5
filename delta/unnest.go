package delta

import (
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
)

// Unnest.
//
// Identity: Δ(unnest R) = unnest(ΔR).
// Class: D.
// State: none.
// Cost: O(|ΔR| × elements of a list).
// Careful: equal elements of a list are equal rows, whose weights add up: what comes
// out is consolidated only where the place of each stands beside it. A list that can
// raise needs a consolidated delta.
// See: docs/citations.md, "linear operators".

// Unnest yields each row beside the elements of its lists, place by place.
type Unnest struct {
	Lists   []*expr.Expr `json:"lists"`
	Names   []string     `json:"names"`
	Placed  bool         `json:"placed,omitempty"`
	OrNulls bool         `json:"or_nulls,omitempty"`
}

func deriveUnnest(d *deriver, n *algebra.Unnest, need []bool, path string) stream {
	d.volatile(n.Lists...)
	schema := n.Schema()
	width := len(n.Input.Schema())
	below := marks(width, n.Lists...)
	for _, c := range wanted(need, len(schema)) {
		if c < width {
			below[c] = true
		}
	}
	s := d.node(n.Input, below, path+".0")
	lists := s.exprs(n.Lists)
	if raises(lists) {
		s = d.settled(s)
	}
	at := make([]int, len(schema))
	types := s.node.Types[:len(s.node.Types):len(s.node.Types)]
	for i := range schema {
		if i < width {
			at[i] = s.col(i)
			continue
		}
		at[i], types = len(types), append(types, schema[i].Type)
	}
	node := &Node{Op: OpUnnest, Class: ClassDelta, Types: types, Ins: []*Node{s.node},
		Unnest: &Unnest{Lists: lists, Names: n.Names, Placed: n.Placed, OrNulls: n.OrNulls}}
	return stream{node: node, at: at, unique: s.unique && n.Placed}
}

func printUnnest(c *canon, n *algebra.Unnest) {
	c.add("%t %t ", n.Placed, n.OrNulls)
	c.exprs(n.Lists)
}
