package delta

import (
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
)

// Filter.
//
// Identity: Δ(σp R) = σp(ΔR).
// Class: D.
// State: none.
// Cost: O(|ΔR|).
// Careful: a predicate that can raise must not see a row that came and went:
// the delta is consolidated first (I4).
// See: docs/citations.md, "linear operators".

// Filter keeps the rows for which Pred is TRUE.
type Filter struct {
	Pred *expr.Expr `json:"pred"`
}

func deriveFilter(d *deriver, n *algebra.Filter, need []bool, path string) stream {
	d.volatile(n.Pred)
	width := len(n.Input.Schema())
	inner := marks(width, n.Pred)
	for _, c := range wanted(need, width) {
		inner[c] = true
	}
	s := d.node(n.Input, inner, path+".0")
	if d.opts.Off["filter"] {
		return s
	}
	if scan, ok := n.Input.(*algebra.Scan); ok && d.full {
		if keys := findKeys(n.Pred, scan); keys != nil {
			f := *s.node
			f.Op, f.Find = OpFind, &Find{Keys: keys}
			s.node = &f
		}
	}
	pred := s.expr(n.Pred)
	if pred.Raises() {
		s = d.settled(s)
	}
	s.node = filtered(s.node, pred)
	return s
}

func filtered(n *Node, pred *expr.Expr) *Node {
	return &Node{Op: OpFilter, Class: ClassDelta, Types: n.Types, Ins: []*Node{n}, Filter: &Filter{Pred: pred}}
}

func printFilter(c *canon, n *algebra.Filter) { c.expr(n.Pred) }
