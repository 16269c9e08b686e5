package delta

import (
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Intersect and except.
//
// Identity: over the not-distinct keys of whole rows, INTERSECT is δL ⋉ R and
// EXCEPT is δL ▷ R, with δ for DISTINCT. With ALL, the counts of both sides are
// joined by that key, outer for EXCEPT, and the row is repeated min(l, r) or
// max(0, l - r) times.
// Class: D.
// State: that of the aggregates and the joins.
// Cost: O(|ΔL| + |ΔR| + touched groups).
// Careful: NULL is not distinct from NULL here, so the key is the key encoding
// of the row as one value, which is never NULL. The row shown is the least by
// identity, which the aggregate keeps.
// See: docs/citations.md, "aggregates", "joins".

// Repeat multiplies weights: by the lesser of columns Of and Than, or with Less
// by Of - Than, at least 0. NULL counts as 0. All columns are handed on.
type Repeat struct {
	Of   int  `json:"of"`
	Than int  `json:"than"`
	Less bool `json:"less,omitempty"`
}

func deriveCombine(d *deriver, n *algebra.Combine, need []bool, path string) stream {
	s := n.Schema()
	width := len(s)
	cols := make([]*expr.Expr, width)
	left := &algebra.Aggregate{Input: n.L}
	for i, f := range s {
		cols[i] = expr.Col(i, f.Type)
		left.Names = append(left.Names, f.Name)
	}
	left.Keys = cols
	rs := n.R.Schema()
	rcols, beside := make([]*expr.Expr, width), make([]*expr.Expr, width)
	for i, f := range rs {
		rcols[i], beside[i] = expr.Col(i, f.Type), expr.Col(width+i, f.Type)
	}
	if !n.All {
		m := &algebra.Match{L: left, R: n.R, On: []*expr.Expr{same(keyOf(cols), keyOf(beside))}, Anti: n.Except}
		return d.node(m, need, path)
	}
	count := expr.AggCall{Name: "count", Typ: zset.TInt8, Pos: -1}
	left.Aggs, left.Names = []expr.AggCall{count}, append(left.Names, "l")
	right := &algebra.Aggregate{Input: n.R, Keys: []*expr.Expr{keyOf(rcols)}, Aggs: []expr.AggCall{count}, Names: []string{"row", "r"}}
	ins, on := []algebra.Node{left, right}, []*expr.Expr{same(keyOf(cols), expr.Col(width+1, zset.TText))}
	var both algebra.Node = &algebra.Join{Ins: ins, On: on}
	if n.Except {
		both = &algebra.Outer{L: left, R: right, On: on, Left: true}
	}
	t := d.node(both, nil, path+".c")
	rep := &Repeat{Of: t.col(width), Than: t.col(width + 2), Less: n.Except}
	node := &Node{Op: OpRepeat, Class: ClassDelta, Types: t.node.Types, Ins: []*Node{t.node}, Repeat: rep}
	return stream{node: node, at: firstCols(t, width)}
}

func keyOf(cols []*expr.Expr) *expr.Expr {
	if len(cols) == 0 {
		return expr.Const(zset.TextValue(""))
	}
	return expr.KeyBytes(cols)
}

func printCombine(c *canon, n *algebra.Combine) { c.add("%v %v ", n.Except, n.All) }
