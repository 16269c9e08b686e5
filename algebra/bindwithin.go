package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
)

// orderedSet binds an aggregate with WITHIN GROUP: a function of its direct
// arguments, which are constant in a group, and of the list of the values in order,
// without NULLs, which is an aggregate of its own.
func (b *binder) orderedSet(x *ast.Call, c *exprCtx) *expr.Expr {
	name := x.Name.Text
	switch {
	case len(x.Within) == 0:
		if len(x.Args) == 0 {
			_, err := expr.ResolveAggregate(name, nil, false, int(x.Pos()))
			b.fail(err, x.Pos())
		} else if args := b.exprs(x.Args, c); args != nil {
			last := len(args) - 1
			if _, err := expr.OrderedSetArg(name, args[:last], args[last], int(x.Pos())); err != nil {
				b.fail(err, x.Pos())
				return nil
			}
			b.errorf(codeWrongObject, x.Pos(), "WITHIN GROUP is required for ordered-set aggregate %s", name)
		}
		return nil
	case x.Distinct:
		b.errorf(codeSyntax, x.Pos(), "cannot use DISTINCT with WITHIN GROUP")
		return nil
	case len(x.OrderBy) > 0:
		b.errorf(codeSyntax, x.OrderBy[0].Pos(), "cannot use multiple ORDER BY clauses with WITHIN GROUP")
		return nil
	case c.inAgg:
		b.errorf(codeGrouping, x.Pos(), "aggregate function calls cannot be nested")
		return nil
	case c.group == nil:
		b.errorf(codeGrouping, x.Pos(), "aggregate functions are not allowed in %s", c.clause)
		return nil
	}
	in := *c
	in.inAgg = true
	direct, by := b.exprs(x.Args, c), b.aggOrder(x.Within, &in)
	filter, ok := b.aggFilter(x, c)
	if !ok || by == nil || direct == nil && len(x.Args) > 0 {
		return nil
	}
	var value *expr.Expr
	var err error
	if len(by) == 1 {
		value, err = expr.OrderedSetArg(name, direct, by[0].Expr, int(x.Pos()))
	} else {
		keys := direct
		for _, k := range by {
			keys = append(keys, k.Expr)
		}
		_, err = expr.ResolveAggregate(name, keys, false, int(x.Pos()))
	}
	if err != nil {
		b.fail(err, x.Pos())
		return nil
	}
	if b.ofOuter([]*expr.Expr{value}, nil, filter) {
		b.unsupported(x.Pos(), "an aggregate of columns of the query around alone", "It is one of that query: compute it there, in a query in FROM.")
		return nil
	}
	list, err := expr.ResolveAggregate("array_agg", []*expr.Expr{value}, false, int(x.Pos()))
	if err != nil {
		b.fail(err, x.Pos())
		return nil
	}
	by[0].Expr = value
	there := b.callOn("is not null", x.Pos(), []*expr.Expr{value})
	if there == nil {
		return nil
	}
	// The filter decides which rows are looked at, NULL or not.
	list.By, list.Filter = by, there
	if filter != nil {
		list.Filter = expr.And(filter, there)
		list = spared(list)
	}
	e, err := expr.OrderedSet(name, direct, c.group.add(list), int(x.Pos()))
	if err != nil {
		b.fail(err, x.Pos())
		return nil
	}
	return e
}

// aggFilter binds FILTER of an aggregate; ok is false after a complaint.
func (b *binder) aggFilter(x *ast.Call, c *exprCtx) (filter *expr.Expr, ok bool) {
	if x.Filter == nil {
		return nil, true
	}
	filter = b.condition(x.Filter, &exprCtx{sc: c.sc, clause: "FILTER", scalars: c.scalars}, "FILTER")
	return filter, filter != nil
}

// refusedWithin is WITHIN GROUP of what is no ordered-set aggregate.
func (b *binder) refusedWithin(x *ast.Call) {
	name := x.Name.Text
	switch {
	case expr.FindWindowFunction(name) != nil:
		b.unsupported(x.Within[0].Expr.Pos(), "WITHIN GROUP of "+name, "Count the rows that come before: count(*) FILTER (WHERE ..).")
	case expr.IsAggregate(name):
		b.errorf(codeWrongObject, x.Pos(), "%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP", name)
	default:
		b.errorf(codeWrongObject, x.Pos(), "WITHIN GROUP specified, but %s is not an aggregate function", name)
	}
}
