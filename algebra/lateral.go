package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
)

// tableBeside binds an entry of FROM that stands behind others, of which a LATERAL
// query may read the columns. The level is that of such a query which does; else nil.
func (b *binder) tableBeside(t ast.TableExpr, before *scope, with *cte) (Node, scope, *level) {
	if !hasLateral(t) {
		n, sc := b.tableExpr(t, with)
		return n, sc, nil
	}
	l := &level{sc: before, base: outerBase + len(b.outer)*levelWidth}
	if len(b.outer) == maxLevels {
		n, sc := lost()
		return n, sc, nil
	}
	b.outer = append(b.outer, l)
	n, sc := b.tableExpr(t, with)
	b.outer = b.outer[:len(b.outer)-1]
	if !readsAny(n, l.base, levelWidth) {
		return n, sc, nil
	}
	return n, sc, l
}

func hasLateral(t ast.TableExpr) bool {
	switch t := t.(type) {
	case *ast.Derived:
		return t.Lateral
	case *ast.FuncTable:
		return true
	case *ast.Join:
		return hasLateral(t.Left) || hasLateral(t.Right)
	}
	return false
}

// applied is a join of l with a LATERAL query r that reads it, over sc.
func (b *binder) applied(t *ast.Join, l, r Node, lv *level, using []*expr.Expr, sc *scope, with *cte) Node {
	a := &Apply{L: l, R: r, Base: lv.base, Kind: Each}
	left := len(l.Schema())
	s := &scalars{with: with}
	on := using
	if t.On != nil {
		cond := b.condition(t.On, &exprCtx{sc: sc, clause: "JOIN conditions", scalars: s}, "JOIN/ON")
		if cond == nil {
			return a
		}
		on = conjuncts(cond)
	}
	switch t.Kind {
	case ast.RightJoin, ast.FullJoin:
		b.errorf(codeBadReference, t.Right.Pos(), "invalid reference to FROM-clause entry of the left side").Detail =
			"The combining JOIN type must be INNER or LEFT for a LATERAL reference."
		return a
	case ast.LeftJoin:
		if len(s.queries) > 0 {
			b.unsupported(t.On.Pos(), "a query in ON of a LEFT JOIN with LATERAL", "Put the condition into the query that is joined.")
			return a
		}
		a.Kind = EachOrNull
		a.R = filtered(r, overRight(on, left, lv))
		a.Params = lv.params
		return a
	}
	a.Params = lv.params
	n := s.filter(a, on)
	sc.width = len(n.Schema())
	return n
}

// overRight is conditions over a join, as a LATERAL query on its right reads them.
func overRight(on []*expr.Expr, left int, lv *level) []*expr.Expr {
	out := make([]*expr.Expr, len(on))
	for i, c := range on {
		out[i] = c.ReplaceCols(func(x *expr.Expr) *expr.Expr {
			switch {
			case x.Col < left:
				return lv.param(x)
			case x.Col < outerBase:
				return expr.Col(x.Col-left, x.Typ).At(int(x.Pos))
			}
			return x
		})
	}
	return out
}
