package delta

import (
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Outer join.
//
// Identity: L ⟕ R = L ⋈ R + pad(L ▷ R), and R ⟖ L the same with the sides turned;
// a full join is L ⋈ R + pad(L ▷ R) + pad(R ▷ L). All three are linear in what
// their own rules yield.
// Class: D.
// State: that of the join and of the anti joins.
// Cost: that of the join and of the anti joins.
// Careful: a pair that goes and the padded row that comes are two rows: what is
// above must not see one without the other, and does not, since both are in one
// delta. Under a condition that is not all keys, the pairs are made once, for
// the result and for the anti joins.
// See: docs/citations.md, "joins".

func deriveOuter(d *deriver, n *algebra.Outer, need []bool, path string) stream {
	d.share(n.L, path+".l")
	d.share(n.R, path+".r")
	pairs := &algebra.Join{Ins: n.Inputs(), On: n.On}
	if len(n.On) > 0 && len(keyPairs(n.L, n.R, n.On)) < len(n.On) {
		d.share(pairs, path+".p")
	}
	schema := n.Schema()
	width, left := len(schema), len(n.L.Schema())
	cols := wanted(need, width)
	ins := []*Node{d.node(pairs, need, path+".p").arrange(cols)}
	if d.opts.Off["outer join"] {
		return stream{node: ins[0], at: positions(cols, width)}
	}
	if need == nil {
		need = marks(width)
		for i := range need {
			need[i] = true
		}
	}
	if n.Left {
		s := d.anti(d.matching(n.L, n.R, n.On, pairs, path), need[:left], path+".a")
		ins = append(ins, padded(s, cols, schema, 0, left))
	}
	if n.Right {
		right := width - left
		turned := make([]*expr.Expr, len(n.On))
		for i, c := range n.On {
			turned[i] = c.MapCols(func(k int) int {
				if k < left {
					return k + right
				}
				return k - left
			})
		}
		s := d.anti(d.matching(n.R, n.L, turned, pairs, path), need[left:], path+".b")
		ins = append(ins, padded(s, cols, schema, left, width))
	}
	node := &Node{Op: OpUnion, Class: ClassDelta, Types: ins[0].Types, Ins: ins, Union: &Union{}}
	return stream{node: node, at: positions(cols, width)}
}

// padded is s, which has columns from up to to of the schema, with NULLs for the
// others; of these columns cols.
func padded(s stream, cols []int, schema zset.Schema, from, to int) *Node {
	es := make([]*expr.Expr, len(cols))
	for i, c := range cols {
		if c >= from && c < to {
			es[i] = expr.Col(s.col(c-from), schema[c].Type)
		} else {
			es[i] = expr.Const(zset.NullOf(schema[c].Type))
		}
	}
	return &Node{Op: OpProject, Class: ClassDelta, Types: typesOf(es), Ins: []*Node{s.node}, Project: &Project{Exprs: es}}
}

func printOuter(c *canon, n *algebra.Outer) {
	c.add("%v %v ", n.Left, n.Right)
	c.exprs(n.On)
}
