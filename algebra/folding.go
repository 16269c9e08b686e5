package algebra

import "github.com/ivmc/ivmc/expr"

// foldConstants (FoldConstants) computes what depends on no row, and drops the
// arguments of AND and OR that do not matter. Legal because the value is the
// same for every row. A part that fails is left as it is: it must fail when,
// and only if, a row gets there. Must not fire:
//
//	SELECT CASE WHEN b = 0 THEN 0 ELSE 1/0 END FROM t   -- no error while all b are 0
func foldConstants(n Node) Node { return mapExprs(n, expr.Fold) }

// mapExprs is n with f of each of its expressions; n itself if f changes none.
func mapExprs(n Node, f func(*expr.Expr) *expr.Expr) Node {
	changed := false
	each := func(es []*expr.Expr) []*expr.Expr {
		out := make([]*expr.Expr, len(es))
		for i, e := range es {
			out[i] = f(e)
			changed = changed || out[i] != e
		}
		return out
	}
	var out Node
	switch n := n.(type) {
	case *Filter:
		out = &Filter{Input: n.Input, Pred: each([]*expr.Expr{n.Pred})[0]}
	case *Project:
		out = &Project{Input: n.Input, Exprs: each(n.Exprs), Names: n.Names}
	case *Join:
		out = &Join{Ins: n.Ins, On: each(n.On)}
	case *Outer:
		out = onOver(n, n.L, n.R, each(n.On))
	case *Match:
		out = onOver(n, n.L, n.R, each(n.On))
	case *Apply:
		a := *n
		a.Params = each(n.Params)
		out = &a
	case *Aggregate:
		a := *n
		a.Keys, a.Aggs = each(n.Keys), append([]expr.AggCall(nil), n.Aggs...)
		for i := range a.Aggs {
			a.Aggs[i] = a.Aggs[i].Map(func(e *expr.Expr) *expr.Expr { return each([]*expr.Expr{e})[0] })
		}
		out = &a
	case *GroupingSets:
		g := *n
		g.Keys, g.Aggs = each(n.Keys), append([]expr.AggCall(nil), n.Aggs...)
		for i := range g.Aggs {
			g.Aggs[i] = g.Aggs[i].Map(func(e *expr.Expr) *expr.Expr { return each([]*expr.Expr{e})[0] })
		}
		out = &g
	case *Sort:
		s := &Sort{Input: n.Input, By: append([]SortKey(nil), n.By...)}
		for i := range s.By {
			s.By[i].Expr = each([]*expr.Expr{s.By[i].Expr})[0]
		}
		out = s
	case *Window:
		w := &Window{Input: n.Input, Calls: append([]WindowCall(nil), n.Calls...), Pos: n.Pos}
		for i := range w.Calls {
			w.Calls[i] = w.Calls[i].Map(func(e *expr.Expr) *expr.Expr { return each([]*expr.Expr{e})[0] })
		}
		out = w
	case *Unnest:
		u := *n
		u.Lists = each(n.Lists)
		out = &u
	case *Values:
		v := &Values{Fields: n.Fields, Rows: make([][]*expr.Expr, len(n.Rows))}
		for i, row := range n.Rows {
			v.Rows[i] = each(row)
		}
		out = v
	}
	if !changed {
		return n
	}
	return out
}
