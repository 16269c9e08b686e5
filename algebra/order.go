package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// orderKey is a bound item of ORDER BY. at is the column of the select list
// that it means, -1 if it is an expression of its own.
type orderKey struct {
	ast.OrderItem
	at int
	e  *expr.Expr
}

// maxSortKeys is PostgreSQL's: each key is looked for among the ones before.
const maxSortKeys = 1664

// orderTargets binds ORDER BY over a SELECT block: a position, the name of an
// output column, or an expression over FROM and the groups.
func (b *binder) orderTargets(items []ast.OrderItem, targets []target, g *grouping) []orderKey {
	var out []orderKey
	if len(items) > maxSortKeys {
		b.errorf(codeTooManyColumns, startOf(items[maxSortKeys].Expr), "target lists can have at most %d entries", maxSortKeys)
		return nil
	}
	for _, it := range items {
		k := orderKey{OrderItem: it, at: -1}
		if i, ok := b.position(it.Expr, "ORDER BY", len(targets)); ok {
			if i < 0 {
				continue
			}
			k.at, k.e = i, targets[i].e
		} else if id, ok := it.Expr.(*ast.Ident); ok && len(id.Parts) == 1 {
			k.e = b.outputNamed(id, "ORDER BY", targets)
		}
		if k.e == nil {
			k.e = b.expr(it.Expr, &exprCtx{sc: g.sc, clause: "ORDER BY", group: g, scalars: g.scalars})
		}
		if k.e != nil {
			out = append(out, k)
		}
	}
	return out
}

// sortKeys makes sort keys over the columns of p; an expression that is not
// among them is added to p.
func (b *binder) sortKeys(p *Project, order []orderKey, distinct bool) []SortKey {
	var by []SortKey
	for _, k := range order {
		at := k.at
		if k.e.Typ.Kind == zset.Unknown {
			k.e = b.cast(k.e, zset.TText, expr.Implicit, k.Pos())
		}
		if at < 0 {
			at = slices.IndexFunc(p.Exprs, k.e.Equal)
		}
		if at < 0 {
			if distinct {
				b.errorf(codeBadReference, startOf(k.Expr), "for SELECT DISTINCT, ORDER BY expressions must appear in select list")
				continue
			}
			at = len(p.Exprs)
			p.Exprs, p.Names = append(p.Exprs, k.e), append(p.Names, outputName(k.Expr))
		}
		by = append(by, SortKey{Expr: expr.Col(at, p.Exprs[at].Typ), Desc: k.Desc, NullsFirst: k.NullsFirst})
	}
	return by
}

// orderOutput binds ORDER BY over a set operation or VALUES, where only the
// names and positions of output columns mean something.
func (b *binder) orderOutput(n Node, items []ast.OrderItem) Node {
	if len(items) == 0 {
		return n
	}
	var targets []target
	for i, f := range n.Schema() {
		targets = append(targets, target{name: f.Name, e: expr.Col(i, f.Type)})
	}
	var by []SortKey
	for _, it := range items {
		var e *expr.Expr
		if i, ok := b.position(it.Expr, "ORDER BY", len(targets)); ok {
			if i < 0 {
				continue
			}
			e = targets[i].e
		} else if id, ok := it.Expr.(*ast.Ident); ok && len(id.Parts) == 1 {
			if e = b.outputNamed(id, "ORDER BY", targets); e == nil {
				if len(b.errs) == 0 {
					b.errorf(zset.CodeNoColumn, id.Pos(), "column %q does not exist", id.Parts[0].Text)
				}
				continue
			}
		} else {
			err := b.errorf(codeUnsupported, startOf(it.Expr), "invalid UNION/INTERSECT/EXCEPT ORDER BY clause")
			err.Detail = "Only result column names can be used, not expressions or functions."
			err.Hint = "Add the expression/function to every SELECT, or move the UNION into a FROM clause."
			continue
		}
		by = append(by, SortKey{Expr: e, Desc: it.Desc, NullsFirst: it.NullsFirst})
	}
	return &Sort{Input: n, By: by}
}

// mostRows is more rows than any list has. Counts end there, so that a limit and its
// offset add up.
const mostRows = 1 << 60

// limit puts LIMIT and OFFSET over n, but where they leave all rows. Without an order
// the row encoding gives one (I13).
func (b *binder) limit(n Node, q *ast.Query, sc *scope) Node {
	l := &Limit{Input: n, Count: NoCount}
	if v, ok := b.rowCount(q.Limit, "LIMIT", sc); ok {
		if v < 0 {
			b.errorf(codeBadLimit, q.Limit.Pos(), "LIMIT must not be negative")
		}
		l.Count = min(v, mostRows)
	}
	if v, ok := b.rowCount(q.Offset, "OFFSET", sc); ok {
		if v < 0 {
			b.errorf(codeBadOffset, q.Offset.Pos(), "OFFSET must not be negative")
		}
		l.Offset = min(v, mostRows)
	}
	if l.Offset == 0 && (l.Count == NoCount || l.Count == mostRows) {
		return n
	}
	if q.Limit != nil {
		l.Pos = int32(q.Limit.Pos())
	} else {
		l.Pos = int32(q.Offset.Pos())
	}
	if !Ordered(n) {
		l.Input = &Sort{Input: n}
	}
	return l
}

// rowCount is the value of LIMIT's or OFFSET's argument; not ok if it is absent
// or NULL, which both mean no limit. Columns are looked up only to say that none
// may stand here.
func (b *binder) rowCount(x ast.Expr, clause string, sc *scope) (int64, bool) {
	if x == nil {
		return 0, false
	}
	e := b.expr(x, &exprCtx{sc: sc, clause: clause})
	if e == nil {
		return 0, false
	}
	c, err := expr.Cast(e, zset.TInt8, expr.Assignment, int(x.Pos()))
	if err != nil {
		if e.Typ.Kind == zset.Unknown {
			b.fail(err, x.Pos())
		} else {
			b.errorf(zset.CodeTypeMismatch, x.Pos(), "argument of %s must be type bigint, not type %s", clause, e.Typ)
		}
		return 0, false
	}
	if at := columnIn(c); at != nil && at.Col >= outerBase {
		b.unsupported(ast.Pos(at.Pos), clause+" of a column of the query around", "")
		return 0, false
	} else if at != nil {
		b.errorf(codeBadReference, ast.Pos(at.Pos), "argument of %s must not contain variables", clause)
		return 0, false
	}
	v, err := constant(c)
	if err != nil {
		b.fail(err, x.Pos())
		return 0, false
	}
	return v.I, !v.Null
}

// columnIn is the first column that e reads; nil if it reads none.
func columnIn(e *expr.Expr) *expr.Expr {
	if e.Op == expr.OpCol {
		return e
	}
	for _, a := range e.Args {
		if c := columnIn(a); c != nil {
			return c
		}
	}
	return nil
}

// constant is the value of an expression that reads no column.
func constant(e *expr.Expr) (zset.Value, error) {
	if e.IsConst() {
		return e.Val, nil
	}
	p, err := expr.Compile([]*expr.Expr{e})
	if err != nil {
		return zset.Value{}, err
	}
	cols, err := p.New().Eval(&zset.Batch{N: 1})
	if err != nil {
		return zset.Value{}, err
	}
	return cols[0].Value(0), nil
}
