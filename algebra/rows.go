package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
)

// Row values are compared cell by cell. They are values of no column, so a row
// stands beside a row only: (a, b) = (1, 2), (a, b) IN ((1, 2), (3, 4)).

// rowOperators are the comparisons of rows. An ordering decides at the first
// cells that differ: a < c OR (a = c AND b < d), which is also unknown exactly
// where PostgreSQL's is.
var rowOperators = map[string]struct {
	join   string // puts the cells together; "" for an ordering
	strict string // of the cells before the last, in an ordering
}{
	"=": {join: "and"}, "<>": {join: "or"},
	"<": {strict: "<"}, "<=": {strict: "<"}, ">": {strict: ">"}, ">=": {strict: ">"},
	"is distinct from": {join: "or"}, "is not distinct from": {join: "and"},
}

// maxRowCells is PostgreSQL's, and bounds how deep an ordering nests.
const maxRowCells = 1664

// rows gives both sides if they are rows that op can compare.
func rows(op string, l, r ast.Expr) (left, right *ast.Row, ok bool) {
	if _, known := rowOperators[op]; !known {
		return nil, nil, false
	}
	left, ok = l.(*ast.Row)
	if !ok {
		return nil, nil, false
	}
	right, ok = r.(*ast.Row)
	return left, right, ok
}

// compareRows binds l op r.
func (b *binder) compareRows(op string, pos ast.Pos, l, r *ast.Row, c *exprCtx) *expr.Expr {
	ls, rs := b.exprs(l.Items, c), b.exprs(r.Items, c)
	if ls == nil || rs == nil {
		return nil
	}
	return b.compareCells(op, pos, ls, rs)
}

func (b *binder) compareCells(op string, pos ast.Pos, ls, rs []*expr.Expr) *expr.Expr {
	switch {
	case len(ls) != len(rs):
		b.errorf(codeSyntax, pos, "unequal number of entries in row expressions")
		return nil
	case len(ls) > maxRowCells:
		b.errorf(codeTooManyColumns, pos, "ROW expressions can have at most %d entries", maxRowCells)
		return nil
	case len(ls) == 0:
		b.errorf(codeUnsupported, pos, "cannot compare rows of zero length")
		return nil
	}
	row := rowOperators[op]
	pair := func(op string, i int) *expr.Expr { return b.callOn(op, pos, []*expr.Expr{ls[i], rs[i]}) }
	if row.join != "" {
		cells := make([]*expr.Expr, len(ls))
		for i := range ls {
			cells[i] = pair(op, i)
		}
		return b.together(row.join, pos, cells)
	}
	last := len(ls) - 1
	acc := pair(op, last)
	for i := last - 1; i >= 0 && acc != nil; i-- {
		tie := b.together("and", pos, []*expr.Expr{pair("=", i), acc})
		acc = b.together("or", pos, []*expr.Expr{pair(row.strict, i), tie})
	}
	return acc
}

// together is one AND or OR of all of es; nil if one of them is.
func (b *binder) together(op string, pos ast.Pos, es []*expr.Expr) *expr.Expr {
	for _, e := range es {
		if e == nil {
			return nil
		}
	}
	if len(es) == 1 {
		return es[0]
	}
	return b.callOn(op, pos, es)
}

// rowIn is (a, b) [NOT] IN ((1, 2), (3, 4)).
func (b *binder) rowIn(x *ast.In, row *ast.Row, c *exprCtx) *expr.Expr {
	ls := b.exprs(row.Items, c)
	arms := make([]*expr.Expr, len(x.List))
	for i, item := range x.List {
		r, ok := item.(*ast.Row)
		if !ok {
			if e := b.expr(item, c); e != nil {
				b.errorf(codeNoOperator, x.Pos(), "operator does not exist: record = %s", e.Typ)
			}
			continue
		}
		if rs := b.exprs(r.Items, c); ls != nil && rs != nil {
			arms[i] = b.compareCells("=", x.Pos(), ls, rs)
		}
	}
	e := b.together("or", x.Pos(), arms)
	if e == nil || !x.Not {
		return e
	}
	return b.callOn("not", x.Pos(), []*expr.Expr{e})
}

// rowIs is (a, b) IS [NOT] NULL: all cells are, or all are not.
func (b *binder) rowIs(x *ast.Is, row *ast.Row, c *exprCtx) *expr.Expr {
	var cells []*expr.Expr
	for _, item := range row.Items {
		cells = append(cells, b.apply("is "+not(x.Not)+x.What, x.Pos(), c, item))
	}
	if len(cells) == 0 {
		b.unsupported(row.Pos(), "a row without values", "")
		return nil
	}
	return b.together("and", x.Pos(), cells)
}
