package delta

import "github.com/ivmc/ivmc/algebra"

// Union all.
//
// Identity: Δ(R + S) = ΔR + ΔS.
// Class: D.
// State: none.
// Cost: O(|ΔR| + |ΔS|).
// Careful: a row may leave one summand and enter another: not consolidated.
// See: docs/citations.md, "linear operators".

// Union is the sum of the inputs, read one after the other, in order.
type Union struct {
	// Terms says that the inputs are the terms of one join's delta.
	Terms bool `json:"terms,omitempty"`
}

func deriveUnion(d *deriver, n *algebra.UnionAll, need []bool, path string) stream {
	width := len(n.Schema())
	cols := wanted(need, width)
	ins := make([]*Node, 0, len(n.Ins))
	for i, in := range n.Ins {
		if d.opts.Off["union all"] && i > 0 {
			break
		}
		s := d.node(in, need, child(path, i))
		ins = append(ins, s.arrange(cols))
	}
	node := &Node{Op: OpUnion, Class: ClassDelta, Types: ins[0].Types, Ins: ins, Union: &Union{}}
	return stream{node: node, at: positions(cols, width)}
}

// positions inverts cols: where each of n columns stands in it, -1: nowhere.
func positions(cols []int, n int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = -1
	}
	for k, c := range cols {
		at[c] = k
	}
	return at
}

func printUnion(c *canon, n *algebra.UnionAll) {}
