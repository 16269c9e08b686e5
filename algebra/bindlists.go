package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// listBase is the column that stands for the elements of the first list of a
// select list, as aggBase does for aggregates: what a function that gives rows
// gives. The lists of a block go side by side, over everything else that it says
// but DISTINCT, ORDER BY and LIMIT.
const listBase = 1 << 41

// inFrom is the clause of the arguments of a function in FROM.
const inFrom = "functions in FROM"

// listed takes a call e of a function that gives rows.
func (b *binder) listed(e *expr.Expr, x *ast.Call, c *exprCtx) *expr.Expr {
	refuse := func(msg string) *expr.Expr {
		b.errorf(codeUnsupported, x.Pos(), "%s", msg).Hint = "You might be able to move the set-returning function into a LATERAL FROM item."
		return nil
	}
	nested := slices.ContainsFunc(e.Cols(), func(c int) bool { return c >= listBase })
	switch {
	case c.rows && !nested:
		return e
	case c.clause == inFrom:
		return refuse("set-returning functions must appear at top level of FROM")
	case c.inAgg:
		return refuse("aggregate function calls cannot contain set-returning function calls")
	case c.inWindow:
		return refuse("window function calls cannot contain set-returning function calls")
	case c.branch != "":
		return refuse("set-returning functions are not allowed in " + c.branch)
	case c.group == nil || c.clause != "SELECT" && c.clause != "ORDER BY":
		return refuse("set-returning functions are not allowed in " + c.clause)
	case nested:
		b.unsupported(x.Pos(), "a set-returning function in an argument of another", "Put the inner one into FROM.")
		return nil
	}
	g := c.group
	i := slices.IndexFunc(g.lists, e.Equal)
	if i < 0 {
		i = len(g.lists)
		g.lists, g.listNames = append(g.lists, e), append(g.listNames, x.Name.Text)
	}
	return expr.Col(listBase+i, e.Typ.Element()).At(int(x.Pos()))
}

// overLists puts the lists of a block beside the rows of n.
func (g *grouping) overLists(n Node, targets []target, order []orderKey) Node {
	width := len(n.Schema())
	place := func(e *expr.Expr) *expr.Expr {
		return e.MapCols(func(c int) int {
			if c >= listBase {
				return width + c - listBase
			}
			return c
		})
	}
	for i := range targets {
		targets[i].e = place(targets[i].e)
	}
	for i := range order {
		order[i].e = place(order[i].e)
	}
	return &Unnest{Input: n, Lists: g.lists, Names: g.listNames}
}

// funcTable binds a function in FROM: its rows or, of one that gives none, its
// value as the only row. unnest of several arrays goes through them side by side.
func (b *binder) funcTable(t *ast.FuncTable) (Node, scope) {
	name := t.Call.Name.Text
	as := t.Alias
	if as.Text == "" {
		as = t.Call.Name
	}
	calls := []*ast.Call{t.Call}
	if name == "unnest" && len(t.Call.Args) > 1 {
		calls = nil
		for _, arg := range t.Call.Args {
			one := *t.Call
			one.Args = []ast.Expr{arg}
			calls = append(calls, &one)
		}
	}
	c := &exprCtx{sc: &scope{}, clause: inFrom, rows: true}
	errs := len(b.errs)
	var es []*expr.Expr
	for _, call := range calls {
		if e := b.call(call, c); e != nil {
			if e.Typ.Kind == zset.Unknown {
				e = b.cast(e, zset.TText, expr.Implicit, call.Pos())
			}
			es = append(es, e)
		}
	}
	if len(b.errs) > errs || len(es) < len(calls) {
		_, sc := lost()
		sc.tables = []scopeTable{{name: as.Text, pos: t.Pos()}}
		return &Values{}, sc
	}
	column := name
	if t.Alias.Text != "" && len(es) == 1 {
		column = t.Alias.Text
	}
	names := slices.Repeat([]string{column}, len(es))
	if t.Ordinality {
		names = append(names, "ordinality")
	}
	var n Node = &Values{Rows: [][]*expr.Expr{{}}}
	if es[0].Rows() {
		n = &Unnest{Input: n, Lists: es, Names: names, Placed: t.Ordinality}
	} else {
		if t.Ordinality {
			es = append(es, expr.Const(zset.IntValue(1)))
		}
		n = &Project{Input: n, Exprs: es, Names: names}
	}
	return b.entry(n, as, t.Columns, nil, t.Pos())
}
