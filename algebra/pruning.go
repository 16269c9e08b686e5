package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// pruneColumns (PruneColumns) drops columns and aggregates that nobody reads,
// down to the columns of the scans. Legal because no operator looks at columns
// it does not name, but for DISTINCT (all are keys) and for a sort under a
// limit, whose ties all columns decide (I13). Must not fire:
//
//	SELECT count(*) FROM (SELECT DISTINCT a, b FROM t) s
//	SELECT b FROM (SELECT a, b FROM t ORDER BY b LIMIT 1) s
func pruneColumns(n Node) Node {
	m, _ := prune(n, allOf(len(n.Schema())))
	return m
}

// columnMap gives for each column of the old node its place in the new one, -1
// if it went. Columns that stay keep their order.
type columnMap []int

func (m columnMap) of(i int) int { return m[i] }

func allOf(n int) []bool { return slices.Repeat([]bool{true}, n) }

// want adds the columns of es to need.
func want(need []bool, es ...*expr.Expr) {
	for _, e := range es {
		for _, c := range e.Cols() {
			need[c] = true
		}
	}
}

// places is the map for keeping just the columns of keep.
func places(keep []bool) (m columnMap, n int) {
	m = make(columnMap, len(keep))
	for i, k := range keep {
		m[i] = -1
		if k {
			m[i] = n
			n++
		}
	}
	return m, n
}

// atLeastOne keeps a column where none is needed: rows without columns are
// trouble for files and for people. It takes one of fixed width if there is one.
func atLeastOne(keep []bool, s zset.Schema) []bool {
	if len(keep) == 0 || slices.Contains(keep, true) {
		return keep
	}
	out := slices.Clone(keep)
	best := max(0, slices.IndexFunc(s[:len(keep)], func(f zset.Field) bool { return f.Type.Phys() != zset.PhysBytes }))
	out[best] = true
	return out
}

// taken is the members of xs that keep marks.
func taken[T any](xs []T, keep []bool) []T {
	var out []T
	for i, x := range xs {
		if keep[i] {
			out = append(out, x)
		}
	}
	return out
}

// prune is n without the columns that are not in need, as far as it can do
// without; n itself if nothing goes.
func prune(n Node, need []bool) (Node, columnMap) {
	switch n := n.(type) {
	case *Scan:
		return pruneScan(n, need)
	case *Values:
		return pruneValues(n, need)
	case *Filter:
		need = slices.Clone(need)
		want(need, n.Pred)
		in, m := prune(n.Input, need)
		if in == n.Input {
			return n, m
		}
		return &Filter{Input: in, Pred: n.Pred.MapCols(m.of)}, m
	case *Project:
		return pruneProject(n, need)
	case *Join:
		return pruneJoin(n, need)
	case *Outer:
		return pruneSides(n, n.On, need)
	case *Match:
		return pruneSides(n, n.On, need)
	case *UnionAll:
		return pruneUnion(n, need)
	case *Aggregate:
		return pruneAggregate(n, need)
	case *GroupingSets:
		return pruneGroupingSets(n)
	case *Unnest:
		return pruneUnnest(n, need)
	}
	// Sort, Window and Limit: every column may decide a tie. INTERSECT and EXCEPT compare all.
	out := mapInputs(n, pruneColumns)
	m, _ := places(allOf(len(n.Schema())))
	return out, m
}

func pruneScan(n *Scan, need []bool) (Node, columnMap) {
	addr := n.Addr && need[len(n.Fields)]
	keep := need[:len(n.Fields)]
	if !addr {
		keep = atLeastOne(keep, n.Fields)
	}
	m, width := places(append(slices.Clone(keep), need[len(n.Fields):]...))
	if width == len(n.Schema()) {
		return n, m
	}
	out := *n
	out.Cols, out.Fields, out.Addr = taken(n.Cols, keep), taken(n.Fields, keep), addr
	return &out, m
}

func pruneValues(n *Values, need []bool) (Node, columnMap) {
	keep := atLeastOne(need, n.Fields)
	m, width := places(keep)
	if width == len(n.Fields) {
		return n, m
	}
	out := &Values{Fields: taken(n.Fields, keep)}
	for _, row := range n.Rows {
		out.Rows = append(out.Rows, taken(row, keep))
	}
	return out, m
}

func pruneProject(n *Project, need []bool) (Node, columnMap) {
	keep := atLeastOne(need, n.Schema())
	m, width := places(keep)
	below := make([]bool, len(n.Input.Schema()))
	want(below, taken(n.Exprs, keep)...)
	in, im := prune(n.Input, below)
	if in == n.Input && width == len(n.Exprs) {
		return n, m
	}
	out := &Project{Input: in, Names: taken(n.Names, keep)}
	for _, e := range taken(n.Exprs, keep) {
		out.Exprs = append(out.Exprs, e.MapCols(im.of))
	}
	return out, m
}

func pruneJoin(n *Join, need []bool) (Node, columnMap) {
	need = slices.Clone(need)
	want(need, n.On...)
	off := n.Offsets()
	ins := make([]Node, len(n.Ins))
	var m columnMap
	at := 0
	for k, in := range n.Ins {
		out, im := prune(in, need[off[k]:off[k+1]])
		ins[k] = out
		for _, p := range im {
			if p >= 0 {
				p += at
			}
			m = append(m, p)
		}
		at += len(out.Schema())
	}
	if slices.Equal(ins, n.Ins) {
		return n, m
	}
	out := &Join{Ins: ins}
	for _, c := range n.On {
		out.On = append(out.On, c.MapCols(m.of))
	}
	return out, m
}

// pruneUnion prunes each summand; one that cannot drop a column itself gets a
// projection, so that all keep the same ones.
func pruneUnion(n *UnionAll, need []bool) (Node, columnMap) {
	s := n.Schema()
	keep := atLeastOne(need, s)
	m, width := places(keep)
	ins := make([]Node, len(n.Ins))
	for k, in := range n.Ins {
		out, im := prune(in, keep)
		if len(out.Schema()) > width {
			p := &Project{Input: out}
			for i, f := range in.Schema() {
				if keep[i] {
					p.Exprs, p.Names = append(p.Exprs, expr.Col(im[i], f.Type)), append(p.Names, f.Name)
				}
			}
			out = p
		}
		ins[k] = out
	}
	if slices.Equal(ins, n.Ins) {
		return n, m
	}
	return &UnionAll{Ins: ins}, m
}

// pruneAggregate keeps all keys. Without its last aggregate it is a DISTINCT of
// the keys, which are the same rows.
func pruneAggregate(n *Aggregate, need []bool) (Node, columnMap) {
	keep := slices.Clone(need)
	for i := range n.Keys {
		keep[i] = true
	}
	keep = atLeastOne(keep, n.Schema())
	m, width := places(keep)
	aggs := taken(n.Aggs, keep[len(n.Keys):])
	below := make([]bool, len(n.Input.Schema()))
	want(below, n.Keys...)
	for _, a := range aggs {
		for _, e := range a.Exprs() {
			if e != nil {
				want(below, e)
			}
		}
	}
	in, im := prune(n.Input, below)
	if in == n.Input && width == len(n.Names) {
		return n, m
	}
	out := &Aggregate{Input: in, Names: taken(n.Names, keep), Global: n.Global}
	for _, k := range n.Keys {
		out.Keys = append(out.Keys, k.MapCols(im.of))
	}
	for _, a := range aggs {
		out.Aggs = append(out.Aggs, a.Map(func(e *expr.Expr) *expr.Expr { return e.MapCols(im.of) }))
	}
	return out, m
}

// pruneGroupingSets keeps all columns of n, and drops those of its input that it
// does not read.
func pruneGroupingSets(n *GroupingSets) (Node, columnMap) {
	below := make([]bool, len(n.Input.Schema()))
	want(below, n.Keys...)
	for _, a := range n.Aggs {
		for _, e := range a.Exprs() {
			if e != nil {
				want(below, e)
			}
		}
	}
	m, _ := places(allOf(len(n.Schema())))
	in, im := prune(n.Input, below)
	if in == n.Input {
		return n, m
	}
	out := mapExprs(n, func(e *expr.Expr) *expr.Expr {
		if e == nil {
			return nil
		}
		return e.MapCols(im.of)
	}).with([]Node{in})
	return out, m
}

// pruneUnnest keeps the elements and drops columns of the input.
func pruneUnnest(n *Unnest, need []bool) (Node, columnMap) {
	width := len(n.Input.Schema())
	below := slices.Clone(need[:width])
	want(below, n.Lists...)
	in, m := prune(n.Input, below)
	now := len(in.Schema())
	for i := width; i < len(need); i++ {
		m = append(m[:len(m):len(m)], now+i-width)
	}
	if in == n.Input {
		return n, m
	}
	out := *n
	out.Input, out.Lists = in, make([]*expr.Expr, len(n.Lists))
	for i, l := range n.Lists {
		out.Lists[i] = l.MapCols(m.of)
	}
	return &out, m
}
