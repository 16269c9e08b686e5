package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// aggregate binds a call of an aggregate: it becomes a column of the Aggregate
// to come.
func (b *binder) aggregate(x *ast.Call, c *exprCtx) *expr.Expr {
	in := *c
	in.inAgg = true
	args := b.exprs(x.Args, &in)
	by := b.aggOrder(x.OrderBy, &in)
	filter, _ := b.aggFilter(x, c)
	switch {
	case c.inAgg:
		b.errorf(codeGrouping, x.Pos(), "aggregate function calls cannot be nested")
		return nil
	case c.group == nil:
		b.errorf(codeGrouping, x.Pos(), "aggregate functions are not allowed in %s", c.clause)
		return nil
	case args == nil && len(x.Args) > 0, by == nil && len(x.OrderBy) > 0, filter == nil && x.Filter != nil:
		return nil
	}
	if b.ofOuter(args, by, filter) {
		b.unsupported(x.Pos(), "an aggregate of columns of the query around alone", "It is one of that query: compute it there, in a query in FROM.")
		return nil
	}
	a, err := expr.ResolveAggregate(x.Name.Text, args, x.Star, int(x.Pos()))
	if err != nil {
		b.fail(err, x.Pos())
		return nil
	}
	if x.Distinct && !b.distinctOrder(&a, args, by, x) {
		return nil
	}
	switch {
	case a.Class() == expr.List:
		a.By, a.Filter = by, filter
		if filter != nil {
			a = spared(a)
		}
	case len(by) > 0 && raisesIn(by):
		b.unsupported(x.OrderBy[0].Pos(), "ORDER BY inside "+x.Name.Text, "The order does not change what it returns: leave it out.")
		return nil
	case filter != nil:
		if a, err = filteredBy(a, filter); err != nil {
			b.fail(err, x.Pos())
			return nil
		}
	}
	// An extreme of values is that of their set.
	a.Distinct = x.Distinct && a.Class() != expr.Ordered
	return c.group.add(a)
}

// aggOrder binds ORDER BY inside an aggregate; nil after a complaint. A constant
// is a constant there, not a position.
func (b *binder) aggOrder(items []ast.OrderItem, c *exprCtx) []expr.AggKey {
	var by []expr.AggKey
	ok := true
	for _, it := range items {
		e := b.expr(it.Expr, c)
		if e != nil && e.Typ.Kind == zset.Unknown {
			e = b.cast(e, zset.TText, expr.Implicit, it.Expr.Pos())
		}
		ok = ok && e != nil
		by = append(by, expr.AggKey{Expr: e, Desc: it.Desc, NullsFirst: it.NullsFirst})
	}
	if !ok {
		return nil
	}
	return by
}

// ofOuter reports whether an aggregate reads columns of queries around and none of
// its own query: in SQL it belongs to one of those.
func (b *binder) ofOuter(args []*expr.Expr, by []expr.AggKey, filter *expr.Expr) bool {
	es := append([]*expr.Expr{filter}, args...)
	for _, k := range by {
		es = append(es, k.Expr)
	}
	outer := false
	for _, e := range es {
		if e == nil {
			continue
		}
		for _, c := range e.Cols() {
			if c < outerBase || c >= scalarBase {
				return false
			}
			outer = true
		}
	}
	return outer
}

func raisesIn(by []expr.AggKey) bool {
	for _, k := range by {
		if k.Expr.Raises() {
			return true
		}
	}
	return false
}

// distinctOrder checks that the order of an aggregate with DISTINCT is one of
// its arguments, as they were written or as they were cast.
func (b *binder) distinctOrder(a *expr.AggCall, args []*expr.Expr, by []expr.AggKey, x *ast.Call) bool {
	for i := range by {
		ok := a.Arg != nil && by[i].Expr.Equal(a.Arg) || a.Sep != nil && by[i].Expr.Equal(a.Sep)
		for _, arg := range args {
			ok = ok || by[i].Expr.Equal(arg)
		}
		if !ok {
			b.errorf(codeBadReference, x.OrderBy[i].Expr.Pos(),
				"in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list")
			return false
		}
	}
	return true
}

// spared is the list a so that what can raise is not computed for rows that its
// filter does not take.
func spared(a expr.AggCall) expr.AggCall {
	pred := a.Filter
	a = a.Map(func(e *expr.Expr) *expr.Expr {
		if !e.Raises() {
			return e
		}
		null := expr.Const(zset.NullOf(e.Typ)).At(int(e.Pos))
		if c, err := expr.Case([]*expr.Expr{pred}, []*expr.Expr{e}, null, int(e.Pos)); err == nil {
			return c
		}
		return e
	})
	a.Filter = pred
	return a
}

// filteredBy is a over the rows that pred takes: for the others the argument is
// NULL, which no aggregate but a list sees, and is not computed.
func filteredBy(a expr.AggCall, pred *expr.Expr) (expr.AggCall, error) {
	arg := a.Arg
	if arg == nil {
		arg = expr.Const(zset.BoolValue(true)).At(int(a.Pos))
	}
	e, err := expr.Case([]*expr.Expr{pred}, []*expr.Expr{arg}, expr.Const(zset.NullOf(arg.Typ)).At(int(a.Pos)), int(a.Pos))
	a.Arg = e
	return a, err
}
