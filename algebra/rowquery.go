package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
)

// matchedRow is the rows of n for which (x, y) IN (query) is TRUE or, with anti,
// FALSE: a pair of rows of which one field differs is FALSE whatever is NULL in the
// others, so that NOT IN drops those for which some equality is not FALSE.
func (b *binder) matchedRow(n Node, sc *scope, in *ast.In, row *ast.Row, anti bool, with *cte) Node {
	s := &scalars{with: with}
	over := s.over(len(n.Schema()))
	left := b.exprs(row.Items, &exprCtx{sc: sc, clause: "WHERE", scalars: s})
	for i := range left {
		left[i] = over.place(left[i])
	}
	n = over.node(n)
	errs := len(b.errs)
	r, on, width := b.correlated(n, sc, in.Query, with)
	switch {
	case left == nil || len(b.errs) > errs:
		return n
	case width > len(left):
		b.errorf(codeSyntax, in.Pos(), "subquery has too many columns")
		return n
	case width < len(left):
		b.errorf(codeSyntax, in.Pos(), "subquery has too few columns")
		return n
	}
	var eqs []*expr.Expr
	for i, x := range left {
		y := expr.Col(len(n.Schema())+i, r.Schema()[i].Type).At(int(in.Query.Pos()))
		eq := b.callOn("=", in.Pos(), []*expr.Expr{x, y})
		if eq == nil {
			return n
		}
		eqs = append(eqs, eq)
	}
	if anti {
		all := b.together("and", in.Pos(), eqs)
		if all == nil {
			return n
		}
		maybe := b.callOn("is not false", in.Pos(), []*expr.Expr{all})
		if maybe == nil {
			return n
		}
		eqs = []*expr.Expr{maybe}
	}
	return &Match{L: n, R: r, On: append(eqs, on...), Anti: anti}
}
