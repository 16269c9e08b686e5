package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// exists is EXISTS (query) as a value: a mark.
func (b *binder) exists(x *ast.Exists, c *exprCtx) *expr.Expr {
	if !b.takesQuery(x.Pos(), c) {
		return nil
	}
	return c.scalars.once("exists "+ast.Print(x.Query), x.Pos(), func() *expr.Expr {
		errs := len(b.errs)
		n, l := b.inside(c.sc, x.Query, c.scalars.with)
		if len(b.errs) > errs {
			return nil
		}
		return c.scalars.mark(n, l, x.Pos())
	})
}

// mark is whether n has a row.
func (s *scalars) mark(n Node, l *level, pos ast.Pos) *expr.Expr {
	return s.add(valueQuery{node: n, l: l, mark: true, value: expr.Col(0, zset.TBool)}, pos)
}

// inQuery is x [NOT] IN (query) as a value.
func (b *binder) inQuery(x *ast.In, c *exprCtx) *expr.Expr {
	e := b.anyOf("=", items(x.X), x.Query, x.Pos(), c)
	if e == nil || !x.Not {
		return e
	}
	return b.callOn("not", x.Pos(), []*expr.Expr{e})
}

// negators are the comparisons that are TRUE where others are FALSE.
var negators = map[string]string{"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// quantified is x op ANY (query), or x op ALL (query), which is that the negation
// holds of none.
func (b *binder) quantified(x *ast.Quantified, c *exprCtx) *expr.Expr {
	if x.Query == nil {
		return b.overArray(x, c)
	}
	word := " ANY"
	if x.All {
		word = " ALL"
	}
	op := x.Op
	if op == "!=" {
		op = "<>"
	}
	neg, ok := negators[op]
	if !ok {
		b.expr(x.X, c)
		b.unsupported(x.Pos(), x.Op+word, "Write an operator of =, <>, <, <=, >, >=, or EXISTS and a condition.")
		return nil
	}
	if !x.All {
		return b.anyOf(op, items(x.X), x.Query, x.Pos(), c)
	}
	e := b.anyOf(neg, items(x.X), x.Query, x.Pos(), c)
	if e == nil {
		return nil
	}
	return b.callOn("not", x.Pos(), []*expr.Expr{e})
}

// anyOf is whether op holds of xs and some row of q: TRUE if so; else unknown if it
// is of one of them; FALSE otherwise, so where there is no row.
func (b *binder) anyOf(op string, xs []ast.Expr, q *ast.Query, pos ast.Pos, c *exprCtx) *expr.Expr {
	if !b.takesQuery(pos, c) {
		b.exprs(xs, c)
		return nil
	}
	text := list(len(xs), ", ", func(i int) string { return ast.PrintExpr(xs[i]) }) + " " + op + " any " + ast.Print(q)
	return c.scalars.once(text, pos, func() *expr.Expr {
		left := b.exprs(xs, c)
		errs := len(b.errs)
		n, l := b.inside(c.sc, q, c.scalars.with)
		if left == nil || len(b.errs) > errs || !b.fits1(len(n.Schema()), len(left), pos) {
			return nil
		}
		given, cols := make([]*expr.Expr, len(left)), make([]*expr.Expr, len(left))
		for i, f := range n.Schema() {
			given[i], cols[i] = l.given(left[i]), expr.Col(i, f.Type).At(int(q.Pos()))
		}
		holds := b.compareCells(op, pos, given, cols)
		if holds == nil {
			return nil
		}
		var yes *expr.Expr
		if len(left) == 1 {
			yes = b.byExtreme(op, left[0], n, l, pos, c)
		}
		if yes == nil {
			yes = c.scalars.mark(&Filter{Input: n, Pred: holds}, l, pos)
		}
		return b.threeValued(yes, b.unknown(holds, left, n, l, pos, c), pos)
	})
}

// byExtreme is whether an ordering holds of x and some row of n, by the least or the
// greatest of them; nil if op is none, or the type has neither.
func (b *binder) byExtreme(op string, x *expr.Expr, n Node, l *level, pos ast.Pos, c *exprCtx) *expr.Expr {
	name := "min"
	switch op {
	case "<", "<=":
		name = "max"
	case ">", ">=":
	default:
		return nil
	}
	f := n.Schema()[0]
	agg, err := expr.ResolveAggregate(name, []*expr.Expr{expr.Col(0, f.Type)}, false, int(pos))
	if err != nil {
		return nil
	}
	g := &Aggregate{Input: clone(n), Aggs: []expr.AggCall{agg}, Names: []string{name}, Global: true}
	y := c.scalars.add(valueQuery{node: g, l: l, value: expr.Col(0, agg.Typ)}, pos)
	e, err := expr.Call(op, []*expr.Expr{x, y}, int(pos))
	if err != nil {
		return nil
	}
	return b.callOn("is true", pos, []*expr.Expr{e})
}

// unknown is whether holds, a comparison of left and a row of n, is unknown for some
// row; nil if it is of none.
func (b *binder) unknown(holds *expr.Expr, left []*expr.Expr, n Node, l *level, pos ast.Pos, c *exprCtx) *expr.Expr {
	null := func(e *expr.Expr) *expr.Expr { return b.callOn("is null", pos, []*expr.Expr{e}) }
	if len(left) > 1 {
		return c.scalars.mark(&Filter{Input: clone(n), Pred: null(holds)}, l, pos)
	}
	var out *expr.Expr
	if f := n.Schema()[0]; !f.NotNull {
		out = c.scalars.mark(&Filter{Input: clone(n), Pred: null(expr.Col(0, f.Type))}, l, pos)
	}
	x := left[0]
	if x.Op == expr.OpConst && !x.Val.Null {
		return out
	}
	any := b.together("and", pos, []*expr.Expr{null(x), c.scalars.mark(clone(n), l, pos)})
	if out == nil {
		return any
	}
	return b.together("or", pos, []*expr.Expr{out, any})
}

// threeValued is TRUE if yes, else unknown if maybe, else FALSE.
func (b *binder) threeValued(yes, maybe *expr.Expr, pos ast.Pos) *expr.Expr {
	if maybe == nil {
		return yes
	}
	e, err := expr.Case([]*expr.Expr{yes, maybe},
		[]*expr.Expr{expr.Const(zset.BoolValue(true)), expr.Const(zset.NullOf(zset.TBool))},
		expr.Const(zset.BoolValue(false)), int(pos))
	if err != nil {
		b.fail(err, pos)
		return nil
	}
	return e
}
