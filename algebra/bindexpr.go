package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// exprCtx is where an expression stands.
type exprCtx struct {
	sc     *scope
	clause string    // as PostgreSQL's messages name it
	group  *grouping // takes the aggregates; nil: none are allowed here
	inAgg  bool      // inside the argument of one
	// inWindow: inside OVER (..).
	inWindow bool
	rows     bool   // a function that gives rows is its list
	branch   string // within what leaves arguments out: no function that gives rows
	// scalars takes the queries that are values; nil: none are allowed here.
	scalars *scalars
}

// expr binds x; nil after a complaint.
func (b *binder) expr(x ast.Expr, c *exprCtx) *expr.Expr {
	if b.stopped() {
		return nil
	}
	switch x := x.(type) {
	case *ast.Ident:
		return b.identifier(x, c)
	case *ast.Literal:
		return b.literal(x, "")
	case *ast.TypedLiteral:
		return b.typedLiteral(x)
	case *ast.Param:
		return b.param(x)
	case *ast.Binary:
		return b.binary(x, c)
	case *ast.Unary:
		if l, ok := x.X.(*ast.Literal); ok && x.Op == "-" && l.Kind == ast.NumberLit {
			return b.literal(l, "-")
		}
		return b.apply(x.Op, x.Pos(), c, x.X)
	case *ast.Call:
		return b.call(x, c)
	case *ast.Case:
		return b.caseExpr(x, c)
	case *ast.Cast:
		return b.castExpr(x, c)
	case *ast.Collate:
		e := b.expr(x.X, c)
		if e != nil && !slices.Contains([]zset.Kind{zset.Unknown, zset.Text, zset.Varchar, zset.Char}, e.Typ.Kind) {
			b.errorf(zset.CodeTypeMismatch, x.Pos(), "collations are not supported by type %s", e.Typ)
			return nil
		}
		return e
	case *ast.Is:
		if row, ok := x.X.(*ast.Row); ok && x.What == "null" {
			return b.rowIs(x, row, c)
		}
		return b.apply("is "+not(x.Not)+x.What, x.Pos(), c, x.X)
	case *ast.IsDistinct:
		if l, r, ok := rows("is "+not(x.Not)+"distinct from", x.L, x.R); ok {
			return b.compareRows("is "+not(x.Not)+"distinct from", x.Pos(), l, r, c)
		}
		return b.apply("is "+not(x.Not)+"distinct from", x.Pos(), c, x.L, x.R)
	case *ast.In:
		return b.in(x, c)
	case *ast.Between:
		return b.between(x, c)
	case *ast.Like:
		return b.like(x, c)
	case *ast.Extract:
		return b.extract(x, c)
	case *ast.Exists:
		return b.exists(x, c)
	case *ast.Subquery:
		return b.scalarQuery(x, c)
	case *ast.Window:
		return b.window(x, c)
	case *ast.Row:
		b.unsupported(x.Pos(), "a row as a value", "Rows are compared with rows: (a, b) = (1, 2), (a, b) IN ((1, 2), (3, 4)).")
	case *ast.Array:
		return b.array(x, c)
	case *ast.Subscript:
		return b.subscript(x, c)
	case *ast.Quantified:
		return b.quantified(x, c)
	case *ast.Star:
		b.errorf(codeSyntax, x.Pos(), "* is allowed in a select list and in count(*) only")
	default:
		b.unsupported(x.Pos(), "this expression", "")
	}
	return nil
}

func not(yes bool) string {
	if yes {
		return "not "
	}
	return ""
}

// exprs binds all of xs, so that each complaint is heard; nil if one fails.
func (b *binder) exprs(xs []ast.Expr, c *exprCtx) []*expr.Expr {
	out := make([]*expr.Expr, len(xs))
	ok := true
	for i, x := range xs {
		out[i] = b.expr(x, c)
		ok = ok && out[i] != nil
	}
	if !ok {
		return nil
	}
	return out
}

// apply binds xs and calls a function or operator on them.
func (b *binder) apply(name string, pos ast.Pos, c *exprCtx, xs ...ast.Expr) *expr.Expr {
	args := b.exprs(xs, c)
	if args == nil && len(xs) > 0 {
		return nil
	}
	return b.callOn(name, pos, args)
}

func (b *binder) callOn(name string, pos ast.Pos, args []*expr.Expr) *expr.Expr {
	e, err := b.env.Functions.Call(name, args, int(pos))
	if err != nil {
		b.fail(err, pos)
		return nil
	}
	return e
}

// binary binds a chain of operators that leans to the left in a loop, so that
// its length costs no stack, and a run of one of AND and OR as one call.
func (b *binder) binary(x *ast.Binary, c *exprCtx) *expr.Expr {
	var spine []*ast.Binary
	var first ast.Expr = x
	for {
		op, ok := first.(*ast.Binary)
		if !ok {
			break
		}
		spine = append(spine, op)
		first = op.L
	}
	i := len(spine) - 1
	var acc *expr.Expr
	if l, r, ok := rows(spine[i].Op, first, spine[i].R); ok {
		acc = b.compareRows(spine[i].Op, spine[i].Pos(), l, r, c)
		i--
	} else {
		acc = b.expr(first, c)
	}
	for ; i >= 0; i-- {
		op := spine[i]
		args := []*expr.Expr{acc, b.expr(op.R, c)}
		bad := args[0] == nil || args[1] == nil
		for (op.Op == "and" || op.Op == "or") && i > 0 && spine[i-1].Op == op.Op {
			i--
			r := b.expr(spine[i].R, c)
			args = append(args, r)
			bad = bad || r == nil
		}
		acc = nil
		if !bad {
			acc = b.callOn(op.Op, op.Pos(), args)
		}
	}
	return acc
}

func (b *binder) castExpr(x *ast.Cast, c *exprCtx) *expr.Expr {
	t, err := TypeOf(x.Type)
	if a, ok := x.X.(*ast.Array); ok && err == nil && t.Kind == zset.Array {
		return b.arrayAs(a, t, c)
	}
	e := b.expr(x.X, c)
	if err != nil {
		b.fail(err, x.Type.Pos())
		return nil
	}
	if e == nil {
		return nil
	}
	out, err := expr.Cast(e, t, expr.Explicit, int(x.Pos()))
	if err != nil {
		b.fail(err, x.Pos())
		return nil
	}
	return out
}

// caseExpr binds CASE; with an operand, each condition is operand = condition.
func (b *binder) caseExpr(x *ast.Case, c *exprCtx) *expr.Expr {
	ok := true
	in := *c
	in.branch = "CASE"
	bind := func(y ast.Expr) *expr.Expr {
		e := b.expr(y, &in)
		ok = ok && e != nil
		return e
	}
	var operand, els *expr.Expr
	if x.Operand != nil {
		operand = bind(x.Operand)
	}
	var conds, thens []*expr.Expr
	for _, w := range x.Whens {
		var cond *expr.Expr
		switch {
		case x.Operand == nil:
			cond = b.condition(w.Cond, c, "CASE/WHEN")
			ok = ok && cond != nil
		default:
			if r := bind(w.Cond); r != nil && operand != nil {
				cond = b.callOn("=", w.Cond.Pos(), []*expr.Expr{operand, r})
				ok = ok && cond != nil
			}
		}
		conds, thens = append(conds, cond), append(thens, bind(w.Then))
	}
	if x.Else != nil {
		els = bind(x.Else)
	}
	if !ok {
		return nil
	}
	e, err := expr.Case(conds, thens, els, int(x.Pos()))
	if err != nil {
		b.fail(err, x.Pos())
		return nil
	}
	return e
}

func (b *binder) in(x *ast.In, c *exprCtx) *expr.Expr {
	if x.Query != nil {
		return b.inQuery(x, c)
	}
	if row, ok := x.X.(*ast.Row); ok {
		return b.rowIn(x, row, c)
	}
	args := b.exprs(append([]ast.Expr{x.X}, x.List...), c)
	if args == nil {
		return nil
	}
	e := b.callOn("in", x.Pos(), args)
	if e == nil || !x.Not {
		return e
	}
	return b.callOn("not", x.Pos(), []*expr.Expr{e})
}

// between is x >= low AND x <= high; with SYMMETRIC, low and high may change places.
func (b *binder) between(x *ast.Between, c *exprCtx) *expr.Expr {
	args := b.exprs([]ast.Expr{x.X, x.Low, x.High}, c)
	if args == nil {
		return nil
	}
	within := func(low, high *expr.Expr) *expr.Expr {
		return b.together("and", x.Pos(), []*expr.Expr{
			b.callOn(">=", x.Pos(), []*expr.Expr{args[0], low}), b.callOn("<=", x.Pos(), []*expr.Expr{args[0], high})})
	}
	e := within(args[1], args[2])
	if x.Symmetric && e != nil {
		e = b.together("or", x.Pos(), []*expr.Expr{e, within(args[2], args[1])})
	}
	if e == nil || !x.Not {
		return e
	}
	return b.callOn("not", x.Pos(), []*expr.Expr{e})
}

func (b *binder) like(x *ast.Like, c *exprCtx) *expr.Expr {
	name := "like"
	if x.Fold {
		name = "ilike"
	}
	xs := []ast.Expr{x.X, x.Pattern}
	if x.Escape != nil {
		xs = append(xs, x.Escape)
	}
	return b.apply(not(x.Not)+name, x.Pos(), c, xs...)
}

// extract is EXTRACT(field FROM x): a function of the field's name and x.
func (b *binder) extract(x *ast.Extract, c *exprCtx) *expr.Expr {
	e := b.expr(x.X, c)
	if e == nil {
		return nil
	}
	field := expr.Const(zset.TextValue(x.Field)).At(int(x.Pos()))
	return b.callOn("extract", x.Pos(), []*expr.Expr{field, e})
}

// call binds a function, or an aggregate: that becomes a column of the
// Aggregate to come.
func (b *binder) call(x *ast.Call, c *exprCtx) *expr.Expr {
	if b.absent(x) {
		return nil
	}
	if x.Name.Text == "grouping" && len(x.Args) > 0 && len(x.Within) == 0 && aggregateOnly(x) == "" {
		return b.groupingCall(x, c)
	}
	switch {
	case expr.IsOrderedSet(x.Name.Text):
		return b.orderedSet(x, c)
	case len(x.Within) > 0:
		b.refusedWithin(x)
		return nil
	}
	if !expr.IsAggregate(x.Name.Text) {
		if expr.FindWindowFunction(x.Name.Text) != nil {
			b.errorf(codeWindowing, x.Pos(), "window function %s requires an OVER clause", x.Name.Text)
			return nil
		}
		if what := aggregateOnly(x); what != "" {
			b.errorf(codeWrongObject, x.Pos(), "%s specified, but %s is not an aggregate function", what, x.Name.Text)
			return nil
		}
		in := c
		if c.rows || x.Name.Text == "coalesce" {
			inner := *c
			if inner.rows = false; x.Name.Text == "coalesce" {
				inner.branch = "COALESCE"
			}
			in = &inner
		}
		e := b.apply(x.Name.Text, x.Pos(), in, x.Args...)
		if e != nil && e.Rows() {
			return b.listed(e, x, c)
		}
		if e != nil && len(x.Args) == 0 && !b.env.Now.IsZero() {
			e = e.Freeze(b.env.Now.UnixMicro())
		}
		return e
	}
	return b.aggregate(x, c)
}

// absent reports whether the call is of a function that is known not to be there.
func (b *binder) absent(x *ast.Call) bool {
	err := b.env.Functions.Absent(x.Name.Text, len(x.Args), int(x.Pos()))
	if err != nil {
		b.fail(err, x.Pos())
	}
	return err != nil
}

// aggregateOnly is what of a call makes sense for an aggregate alone; "" for nothing.
func aggregateOnly(x *ast.Call) string {
	switch {
	case x.Star:
		return "*"
	case x.Distinct:
		return "DISTINCT"
	case len(x.OrderBy) > 0:
		return "ORDER BY"
	case x.Filter != nil:
		return "FILTER"
	}
	return ""
}
