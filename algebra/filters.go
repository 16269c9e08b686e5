package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// splitConjuncts (SplitConjuncts) makes one flat list of nested ANDs in a
// filter and in a join, each conjunct once. Legal because AND is associative,
// for NULL as well, and evaluates from left to right either way. Must not fire:
//
//	SELECT * FROM t WHERE (a AND b) OR c   -- an AND that is no conjunct
func splitConjuncts(n Node) Node {
	switch n := n.(type) {
	case *Filter:
		if n.Pred.Op != expr.OpAnd {
			return n
		}
		cs := once(conjuncts(n.Pred))
		if len(cs) == len(n.Pred.Args) {
			return n
		}
		return filtered(n.Input, cs)
	case *Join:
		var all []*expr.Expr
		for _, c := range n.On {
			all = append(all, conjuncts(c)...)
		}
		if all = once(all); len(all) != len(n.On) {
			return &Join{Ins: n.Ins, On: all}
		}
	}
	return n
}

// once drops later repeats. What is equal prints alike, so that of many conditions
// few are compared.
func once(cs []*expr.Expr) []*expr.Expr {
	var out []*expr.Expr
	alike := map[string][]*expr.Expr{}
	for _, c := range cs {
		text := c.String()
		if !slices.ContainsFunc(alike[text], c.Equal) {
			alike[text] = append(alike[text], c)
			out = append(out, c)
		}
	}
	return out
}

// dropTrueFilter (DropTrueFilter) removes WHERE TRUE, and TRUE among the
// conjuncts of a join. Legal because it keeps every row. Must not fire:
//
//	SELECT * FROM t WHERE NULL   -- keeps none
func dropTrueFilter(n Node) Node {
	switch n := n.(type) {
	case *Filter:
		if isTrueConst(n.Pred) {
			return n.Input
		}
	case *Join:
		if t, rest := split(n.On, isTrueConst); len(t) > 0 {
			return &Join{Ins: n.Ins, On: rest}
		}
	case *Outer:
		if t, rest := split(n.On, isTrueConst); len(t) > 0 {
			return onOver(n, n.L, n.R, rest)
		}
	case *Match:
		if t, rest := split(n.On, isTrueConst); len(t) > 0 {
			return onOver(n, n.L, n.R, rest)
		}
	}
	return n
}

func isTrueConst(e *expr.Expr) bool { return e.IsConst() && !e.Val.Null && e.Val.I == 1 }

// mergeFilters (MergeFilters) makes one filter of two, the lower one's conjuncts
// first. Legal if the upper one cannot raise: AND looks at it for rows where the
// lower one is NULL too, which the lower filter would have dropped. Must not fire:
//
//	SELECT * FROM (SELECT * FROM t WHERE b <> 0) s WHERE 1 / coalesce(b, 0) > 0   -- b NULL
func mergeFilters(n Node) Node {
	up, ok := n.(*Filter)
	if !ok {
		return n
	}
	low, ok := up.Input.(*Filter)
	if !ok || up.Pred.Raises() {
		return n
	}
	return filtered(low.Input, append(conjuncts(low.Pred), conjuncts(up.Pred)...))
}

// pushFilterThroughProject (PushFilterThroughProject) moves conjuncts below a
// projection, written over its input. Legal because a projection looks at rows
// one by one; errors of the projection are spared, none are added. A conjunct
// over a computed column moves only if that cannot raise: it would be computed
// twice. Must not fire:
//
//	SELECT * FROM (SELECT a / b AS q FROM t) s WHERE q > 1
func pushFilterThroughProject(n Node) Node {
	f, ok := n.(*Filter)
	if !ok {
		return n
	}
	p, ok := f.Input.(*Project)
	if !ok {
		return n
	}
	down, stay := split(conjuncts(f.Pred), func(c *expr.Expr) bool {
		for _, i := range c.Cols() {
			if !plain(p.Exprs[i]) && !fixed(p.Exprs[i]) {
				return false
			}
		}
		return !c.Volatile()
	})
	if len(stay) > 0 {
		// A conjunct that raises must not overtake one that stays and may spare it.
		var late []*expr.Expr
		down, late = split(down, fixed)
		stay = ordered(conjuncts(f.Pred), stay, late)
	}
	if len(down) == 0 {
		return n
	}
	for i, c := range down {
		down[i] = c.Substitute(p.Exprs)
	}
	return filtered(&Project{Input: filtered(p.Input, down), Exprs: p.Exprs, Names: p.Names}, stay)
}

// ordered lists the members of all that are in a or b, in the order of all.
func ordered(all []*expr.Expr, parts ...[]*expr.Expr) []*expr.Expr {
	var out []*expr.Expr
	for _, c := range all {
		for _, p := range parts {
			if slices.Contains(p, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// pushFilterIntoUnionAll (PushFilterIntoUnionAll) filters each summand. Legal
// because a filter is linear. A conjunct that raises stays: over a change, rows
// of two summands may cancel before it sees them (I4). Must not fire:
//
//	SELECT * FROM (SELECT a FROM t UNION ALL SELECT a FROM u) s WHERE 1 / a > 0
func pushFilterIntoUnionAll(n Node) Node {
	f, ok := n.(*Filter)
	if !ok {
		return n
	}
	u, ok := f.Input.(*UnionAll)
	if !ok {
		return n
	}
	down, stay := split(conjuncts(f.Pred), fixed)
	if len(down) == 0 {
		return n
	}
	ins := make([]Node, len(u.Ins))
	for i, in := range u.Ins {
		ins[i] = filtered(in, down)
	}
	return filtered(&UnionAll{Ins: ins}, stay)
}

// pushFilterThroughAggregate (PushFilterThroughAggregate) filters the rows
// instead of the groups by what HAVING says of keys. Legal if every row of a
// group gives the answer that the group's shown key gives: the conjunct reads
// keys alone, cannot raise, and does not tell apart what the key encoding does
// not (I8). A conjunct that reads no key stays too: a global aggregate has its row
// whatever is filtered below. Must not fire:
//
//	SELECT k FROM t GROUP BY k HAVING k::text = '1.0'   -- k numeric: 1.00 is in the group
//	SELECT count(*) FROM t HAVING false                 -- no row; filtered below, one row
func pushFilterThroughAggregate(n Node) Node {
	f, ok := n.(*Filter)
	if !ok {
		return n
	}
	a, ok := f.Input.(*Aggregate)
	if !ok {
		return n
	}
	down, stay := split(conjuncts(f.Pred), func(c *expr.Expr) bool {
		cols := c.Cols()
		for _, i := range cols {
			if i >= len(a.Keys) || !fixed(a.Keys[i]) {
				return false
			}
		}
		return len(cols) > 0 && fixed(c) && respects(c)
	})
	if len(down) == 0 {
		return n
	}
	for i, c := range down {
		down[i] = c.Substitute(a.Keys)
	}
	out := *a
	out.Input = filtered(a.Input, down)
	return filtered(&out, stay)
}

// respects reports whether e has one value for cells that are not distinct: it
// reads columns whose key encoding is exact, or others only in comparisons and
// tests for NULL.
func respects(e *expr.Expr) bool {
	switch {
	case e.Op == expr.OpCol:
		return zset.KeyExact(e.Typ)
	case e.Op == expr.OpIsNull || e.Op == expr.OpIsNotNull || isComparison(e):
		for _, a := range e.Args {
			if a.Op != expr.OpCol && !respects(a) {
				return false
			}
		}
		return true
	}
	for _, a := range e.Args {
		if !respects(a) {
			return false
		}
	}
	return true
}
