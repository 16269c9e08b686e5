package algebra

import "github.com/ivmc/ivmc/expr"

// mergeProjects (MergeProjects) makes one projection of two. Legal because both
// look at rows one by one; a computed column is put in only where it is read
// once, so that nothing is computed twice; one that is not read goes. Must not
// fire:
//
//	SELECT q + q FROM (SELECT a / b AS q FROM t) s
func mergeProjects(n Node) Node {
	up, ok := n.(*Project)
	if !ok {
		return n
	}
	low, ok := up.Input.(*Project)
	if !ok {
		return n
	}
	read := make([]int, len(low.Exprs))
	for _, e := range up.Exprs {
		e.Walk(func(x *expr.Expr) bool {
			if x.Op == expr.OpCol {
				read[x.Col]++
			}
			return true
		})
	}
	for i, e := range low.Exprs {
		if read[i] > 1 && !plain(e) {
			return n
		}
	}
	out := &Project{Input: low.Input, Names: up.Names}
	for _, e := range up.Exprs {
		out.Exprs = append(out.Exprs, e.Substitute(low.Exprs))
	}
	return out
}

// dropIdentity (DropIdentity) removes projections that pass all columns on as
// they are. Legal because columns are known by position; the names of the
// result are put back by [Normalize]. Must not fire:
//
//	SELECT b, a FROM t   -- of t(a, b)
func dropIdentity(n Node) Node {
	if p, ok := n.(*Project); ok && isIdentity(p) {
		return p.Input
	}
	return n
}

func isIdentity(p *Project) bool {
	return areColumns(p.Exprs) && len(p.Exprs) == len(p.Input.Schema())
}

// flattenUnionAll (FlattenUnionAll) adds up the summands of a summand directly.
// Legal because addition is associative. Must not fire:
//
//	SELECT a FROM t UNION ALL (SELECT a FROM u UNION SELECT a FROM v)
func flattenUnionAll(n Node) Node {
	u, ok := n.(*UnionAll)
	if !ok {
		return n
	}
	var ins []Node
	for _, in := range u.Ins {
		if inner, ok := in.(*UnionAll); ok {
			ins = append(ins, inner.Ins...)
		} else {
			ins = append(ins, in)
		}
	}
	if len(ins) == len(u.Ins) {
		return n
	}
	return &UnionAll{Ins: ins}
}

// dropUnreadSort (DropUnreadSort) removes sorts whose order nobody sees. Legal
// because as a Z-set a sort is its input. The order is seen by whoever gets the
// rows of the whole query and by LIMIT, past projections and filters. Must not
// fire:
//
//	SELECT count(*) FROM (SELECT a FROM t ORDER BY a LIMIT 5) s
func dropUnreadSort(n Node) Node { return keepOrder(n, true) }

// Unordered is n for a reader that keeps a Z-set: without the sorts that no LIMIT sees.
func Unordered(n Node) Node { return keepOrder(n, false) }

func keepOrder(n Node, seen bool) Node {
	switch s := n.(type) {
	case *Sort:
		if !seen {
			return keepOrder(s.Input, false)
		}
		seen = false
	case *Limit:
		seen = true
	case *Project, *Filter:
	default:
		seen = false
	}
	return mapInputs(n, func(in Node) Node { return keepOrder(in, seen) })
}
