package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// target is one column of a select list. Before grouping, e speaks of the
// columns of FROM and of aggregates (see grouping); after, of the Aggregate.
type target struct {
	name string
	e    *expr.Expr
	pos  ast.Pos
}

// selectQuery binds a SELECT block with the ORDER BY and LIMIT of its query,
// which may speak of columns that the block does not put out. From below:
// FROM, WHERE, GROUP BY, HAVING, select list, DISTINCT, ORDER BY, LIMIT, and a
// projection that takes the columns away that were there for ORDER BY alone.
func (b *binder) selectQuery(s *ast.Select, q *ast.Query, with *cte, keepUnknown bool) Node {
	if !b.count(1, s.Pos()) {
		return &Values{}
	}
	defer func(outer bool) { b.asksCommit = outer }(b.asksCommit)
	b.asksCommit = len(s.From) > 0 && (names(s, commitColumn) || namedIn(q.OrderBy, commitColumn))
	n, sc := b.from(s.From, with)
	if s.Where != nil {
		n = b.where(n, &sc, s.Where, with)
	}
	g := &grouping{sc: &sc, scalars: &scalars{with: with}}
	b.defineWindows(g, s.Windows)
	targets := b.selectList(s, &exprCtx{sc: &sc, clause: "SELECT", group: g, scalars: g.scalars})
	b.groupBy(g, s, targets)
	var having *expr.Expr
	if s.Having != nil {
		having = b.condition(s.Having, &exprCtx{sc: &sc, clause: "HAVING", group: g, scalars: g.scalars}, "HAVING")
	}
	on := b.orderTargets(onItems(s.On), targets, g)
	order := append(on, b.orderTargets(q.OrderBy, targets, g)...)

	grouped := len(s.GroupBy) > 0 || len(g.aggs) > 0 || len(g.asked) > 0 || s.Having != nil
	if grouped {
		n = b.group(n, g, len(s.GroupBy) == 0, targets, order, &having)
	}
	above := g.scalars.over(n)
	above.groups = grouped
	for i := range targets {
		targets[i].e = above.place(targets[i].e)
	}
	for i := range order {
		order[i].e = above.place(order[i].e)
	}
	having = above.place(having)
	g.eachWindow(above.place)
	n = above.n
	if having != nil {
		n = &Filter{Input: n, Pred: having}
	}
	if len(g.windows) > 0 {
		n = g.overWindow(n, targets, order)
	}
	if len(g.lists) > 0 {
		n = g.overLists(n, targets, order)
	}
	if s.Distinct || len(q.OrderBy) > 0 || !keepUnknown {
		b.settleTargets(targets)
	}
	p := &Project{Input: n}
	for _, t := range targets {
		p.Exprs, p.Names = append(p.Exprs, t.e), append(p.Names, t.name)
	}
	by := b.sortKeys(p, order, s.Distinct && len(s.On) == 0)
	n = p
	switch {
	case len(s.On) > 0 && len(by) >= len(on):
		b.matchOn(q.OrderBy, by[:len(on)], by[len(on):])
		n = b.firstOf(p, by[:len(on)], by[len(on):], s.Pos())
		by = by[len(on):]
	case s.Distinct:
		n = distinct(p)
	}
	if len(by) > 0 {
		n = &Sort{Input: n, By: by}
	}
	n = b.limit(n, q, &sc)
	if len(n.Schema()) > len(targets) {
		full := identity(n)
		n = &Project{Input: n, Exprs: full.Exprs[:len(targets)], Names: full.Names[:len(targets)]}
	}
	return n
}

// distinct is each row of n once.
func distinct(n Node) *Aggregate {
	p := identity(n)
	return &Aggregate{Input: n, Keys: p.Exprs, Names: p.Names}
}

// selectList binds the items and expands the stars.
func (b *binder) selectList(s *ast.Select, c *exprCtx) []target {
	var out []target
	for _, item := range s.Items {
		if star, ok := item.Expr.(*ast.Star); ok {
			out = append(out, b.star(star, c.sc)...)
			continue
		}
		e := b.expr(item.Expr, c)
		if e == nil {
			e = expr.Const(zset.NullOf(zset.TUnknown)).At(int(item.Pos()))
		}
		name := item.Alias.Text
		if name == "" {
			name = outputName(item.Expr)
		}
		out = append(out, target{name, e, item.Expr.Pos()})
	}
	return out
}

func (b *binder) star(s *ast.Star, sc *scope) []target {
	cols := sc.cols
	switch {
	case s.Table.Text != "":
		t := sc.table(s.Table.Text)
		if t == nil {
			if !sc.open {
				b.missingTable(s.Table.Text, s.Pos(), sc)
			}
			return nil
		}
		cols = t.cols
	case len(sc.tables) == 0 && !sc.open:
		b.errorf(codeSyntax, s.Pos(), "SELECT * with no tables specified is not valid")
	}
	var out []target
	for _, c := range cols {
		if c.hidden {
			continue
		}
		out = append(out, target{c.name, c.e.At(int(s.Pos())), s.Pos()})
	}
	return out
}

// settleTargets makes TEXT of the untyped literals in a select list.
func (b *binder) settleTargets(ts []target) {
	for i := range ts {
		if ts[i].e.Typ.Kind == zset.Unknown {
			ts[i].e = b.cast(ts[i].e, zset.TText, expr.Implicit, ts[i].pos)
		}
	}
}

// condition binds x and makes it BOOLEAN; nil if it cannot be. what is how
// PostgreSQL names the place.
func (b *binder) condition(x ast.Expr, c *exprCtx, what string) *expr.Expr {
	e := b.expr(x, c)
	if e == nil {
		return nil
	}
	if e.Typ.Kind == zset.Unknown {
		return b.cast(e, zset.TBool, expr.Implicit, x.Pos())
	}
	if e.Typ.Kind != zset.Bool {
		b.errorf(zset.CodeTypeMismatch, startOf(x), "argument of %s must be type boolean, not type %s", what, e.Typ)
		return nil
	}
	return e
}

// startOf is where x begins in the text; an operator stands at its sign.
func startOf(x ast.Expr) ast.Pos {
	start := x.Pos()
	for {
		var left ast.Expr
		switch n := x.(type) {
		case *ast.Binary:
			left = n.L
		case *ast.Cast:
			left = n.X
		case *ast.Collate:
			left = n.X
		case *ast.Like:
			left = n.X
		case *ast.In:
			left = n.X
		case *ast.Between:
			left = n.X
		case *ast.IsDistinct:
			left = n.L
		case *ast.Quantified:
			left = n.X
		case *ast.Subscript:
			left = n.X
		case *ast.Call: // x AT TIME ZONE zone
			if len(n.Args) == 2 {
				left = n.Args[1]
			}
		}
		if left == nil {
			return min(start, x.Pos())
		}
		start, x = min(start, x.Pos()), left
	}
}
