package delta

import (
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Semi and anti join.
//
// Identity: with D the distinct keys of R, L ⋉ R = L ⋈ D and L ▷ R = L - L ⋈ D, so
// Δ(L ▷ R) = ΔL ▷ D - L' ⋈ ΔD. Where not all of ON is equalities of keys, D is the
// distinct rows of L, by identity, that have a partner: those in L ⋈ R.
// Class: D.
// State: that of a DISTINCT, a count per key, and D and L as private relations
// where they are no stored ones.
// Cost: O(|ΔL| + |ΔR| + rows of L whose key got its first or lost its last row
// of R). A change of a key with many rows costs no more than one of a key with few.
// Careful: a NULL in a key matches nothing, so its row stays in L ▷ R. The delta
// of L is told from D before the step, and the new D from L after it: the sum
// counts the pairs of changes once. D of whole rows is by row encoding: 1.0 and
// 1.00 may differ in ON.
// See: docs/citations.md, "joins".

func deriveMatch(d *deriver, n *algebra.Match, need []bool, path string) stream {
	d.share(n.L, path+".l")
	j := d.matching(n.L, n.R, n.On, nil, path)
	if n.Anti {
		return d.anti(j, need, path+".m")
	}
	width := len(n.L.Schema())
	s := d.node(j, sideNeed(j, need, width), path+".m")
	return stream{node: s.node, at: firstCols(s, width), unique: s.unique}
}

// sideNeed is need, of the first input of j, for all of j.
func sideNeed(j *algebra.Join, need []bool, width int) []bool {
	out := make([]bool, len(j.Schema()))
	for _, c := range wanted(need, width) {
		out[c] = true
	}
	return out
}

func firstCols(s stream, n int) []int {
	if s.at == nil {
		return all(n)
	}
	return s.at[:n]
}

// matching is the join of l with the D of r, which has at most one row for each
// of l. pairs, if not nil, is l ⋈ r with its columns as they are.
func (d *deriver) matching(l, r algebra.Node, on []*expr.Expr, pairs *algebra.Join, path string) *algebra.Join {
	width := len(l.Schema())
	keys := &algebra.Aggregate{Input: r}
	out := &algebra.Join{}
	for _, k := range keyPairs(l, r, on) {
		eq := *on[len(out.On)]
		eq.Args = []*expr.Expr{k.Left, expr.Col(width+len(keys.Keys), k.Right.Typ)}
		out.On = append(out.On, &eq)
		keys.Keys, keys.Names = append(keys.Keys, k.Right), append(keys.Names, "key")
	}
	switch {
	case len(on) == 0:
		keys.Keys, keys.Names = []*expr.Expr{expr.Const(zset.BoolValue(true))}, []string{"any"}
	case len(out.On) < len(on):
		if pairs == nil {
			pairs = &algebra.Join{Ins: []algebra.Node{l, r}, On: on}
			d.share(pairs, path+".p")
		}
		out.On = nil
		at := 0
		if pairs.Ins[0] != l {
			at = len(pairs.Ins[0].Schema())
		}
		keys = &algebra.Aggregate{Input: pairs, Keys: []*expr.Expr{wholeRow(l, at)}, Names: []string{"row"}}
		if width > 0 {
			out.On = append(out.On, same(wholeRow(l, 0), expr.Col(width, keys.Keys[0].Typ)))
		}
	}
	out.Ins = []algebra.Node{l, keys}
	return out
}

// wholeRow is the identity of a row of n, whose columns begin at column at.
func wholeRow(n algebra.Node, at int) *expr.Expr {
	s := n.Schema()
	if len(s) == 0 {
		return expr.Const(zset.BoolValue(true))
	}
	es := make([]*expr.Expr, len(s))
	for i, f := range s {
		es[i] = expr.Col(at+i, f.Type)
	}
	return expr.RowBytes(es)
}

// same is a = b of two rows as values.
func same(a, b *expr.Expr) *expr.Expr {
	return &expr.Expr{Op: expr.OpCall, Typ: zset.TBool, Fn: "=(text,text)", Args: []*expr.Expr{a, b}, Pos: -1}
}

// keyPairs is the conjuncts that are equalities of a key of l and one of r, if
// all of them are; those can stand for ON as a whole.
func keyPairs(l, r algebra.Node, on []*expr.Expr) []algebra.Equi {
	j := &algebra.Join{Ins: []algebra.Node{l, r}, On: on}
	var out []algebra.Equi
	for i, c := range on {
		eq, ok := j.Equi(i)
		if !ok || c.Raises() || c.Volatile() || !isEqual(c) {
			return nil
		}
		if eq.L != 0 {
			eq.L, eq.R, eq.Left, eq.Right = 0, 1, eq.Right, eq.Left
		}
		out = append(out, eq)
	}
	return out
}

// anti is the rows of the first input of j that have none in the second.
func (d *deriver) anti(n *algebra.Join, need []bool, path string) stream {
	width := len(n.Ins[0].Schema())
	j := newJoin(d, n, sideNeed(n, need, width), path)
	left := j.antiTerm()
	at := positions(j.out, j.width)[:width]
	if d.full || d.opts.Off["anti"] {
		return stream{node: left, at: at}
	}
	gone := &Node{Op: OpNegate, Class: ClassDelta, Types: left.Types, Ins: []*Node{j.term(1)}}
	return stream{at: at, node: &Node{Op: OpUnion, Class: ClassDelta, Types: left.Types,
		Ins: []*Node{left, gone}, Union: &Union{}}}
}

// antiTerm is the rows of input 0 that find nothing in input 1, which is private.
func (j *join) antiTerm() *Node {
	t := &term{join: j, node: j.ins[0].node, layout: j.ins[0].cols, bound: []bool{true, false}, used: make([]bool, len(j.on))}
	keys := j.keys(t.bound, t.used)[1]
	probes := make([]*expr.Expr, len(keys))
	for i, key := range keys {
		probes[i] = t.local(key.probe)
		t.used[key.conjunct] = true
	}
	live := t.live()
	var keep, layout []int
	for p, c := range t.layout {
		if live[c] {
			keep, layout = append(keep, p), append(layout, c)
		}
	}
	if keep == nil {
		keep = []int{}
	}
	types := make([]zset.Type, len(keep))
	for i, p := range keep {
		types[i] = t.node.Types[p]
	}
	if j.d.full {
		t.hashJoin(1, keys, probes, keep, layout, live)
		t.node.HashJoin.Anti, t.node.HashJoin.Right = true, []int{}
	} else {
		t.private(1, keys, probes, keep, layout)
		t.node.Lookup.Anti = true
	}
	t.node.Types = types
	return t.node
}

func printMatch(c *canon, n *algebra.Match) {
	c.add("%v ", n.Anti)
	c.exprs(n.On)
}
