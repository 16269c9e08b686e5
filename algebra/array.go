package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// array binds ARRAY[..].
func (b *binder) array(x *ast.Array, c *exprCtx) *expr.Expr {
	if x.Query != nil {
		b.unsupported(x.Pos(), "ARRAY (query)", "Use array_agg in a query as a value: (SELECT array_agg(x ORDER BY x) FROM ..).")
		return nil
	}
	args := b.exprs(x.Items, c)
	if args == nil && len(x.Items) > 0 {
		return nil
	}
	return b.made(x.Pos())(expr.Array(args, int(x.Pos())))
}

// arrayAs binds a cast of ARRAY[..], which says what the elements are.
func (b *binder) arrayAs(x *ast.Array, t zset.Type, c *exprCtx) *expr.Expr {
	if x.Query != nil {
		return b.array(x, c)
	}
	args := b.exprs(x.Items, c)
	if args == nil && len(x.Items) > 0 {
		return nil
	}
	return b.made(x.Pos())(expr.ArrayAs(args, t, int(x.Pos())))
}

// subscript binds x[i] and x[low:high].
func (b *binder) subscript(x *ast.Subscript, c *exprCtx) *expr.Expr {
	bad := false
	bind := func(y ast.Expr) *expr.Expr {
		if y == nil {
			return nil
		}
		e := b.expr(y, c)
		bad = bad || e == nil
		return e
	}
	a, low, high := bind(x.X), bind(x.Low), bind(x.High)
	switch {
	case bad:
		return nil
	case x.Slice:
		return b.made(x.Pos())(expr.Slice(a, low, high, int(x.Pos())))
	}
	return b.made(x.Pos())(expr.Subscript(a, low, int(x.Pos())))
}

// overArray binds x op ANY (array) and x op ALL (array).
func (b *binder) overArray(x *ast.Quantified, c *exprCtx) *expr.Expr {
	args := b.exprs([]ast.Expr{x.X, x.Array}, c)
	if args == nil {
		return nil
	}
	return b.made(x.Pos())(expr.Quantified(x.Op, x.All, args[0], args[1], int(x.Pos())))
}

// made reports the error of a constructor of expressions.
func (b *binder) made(pos ast.Pos) func(*expr.Expr, error) *expr.Expr {
	return func(e *expr.Expr, err error) *expr.Expr {
		if err != nil {
			b.fail(err, pos)
			return nil
		}
		return e
	}
}
