package algebra

import (
	"slices"
	"strconv"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// aggBase is the column that stands for the first aggregate of a block while
// its expressions are bound: no node has that many columns. group replaces them
// by the columns of the Aggregate.
const aggBase = 1 << 30

// grouping is the GROUP BY and the aggregates of one block.
type grouping struct {
	sc        *scope
	keys      []*expr.Expr
	names     []string
	sets      [][]int // positions in keys; nil: one set, of all keys
	asked     []asked // calls of GROUPING
	aggs      []expr.AggCall
	found     []string     // names of the aggregates
	lists     []*expr.Expr // what functions that give rows give in the select list
	listNames []string
	windows   []WindowCall
	windowPos ast.Pos                   // of the first
	named     map[string]ast.WindowSpec // the WINDOW clause
	bad       bool                      // a key could not be bound: whether a column is one is not known
	// scalars is the queries that are values in the block: those in keys and
	// aggregates are joined below the Aggregate, the others above it.
	scalars *scalars
}

// add returns the column that stands for a; equal aggregates are one.
func (g *grouping) add(a expr.AggCall) *expr.Expr {
	i := slices.IndexFunc(g.aggs, a.Equal)
	if i < 0 {
		i = len(g.aggs)
		g.aggs, g.found = append(g.aggs, a), append(g.found, a.Name)
	}
	return expr.Col(aggBase+i, a.Typ).At(int(a.Pos))
}

// hasAgg reports whether e reads an aggregate.
func hasAgg(e *expr.Expr) bool {
	cols := e.Cols()
	return len(cols) > 0 && cols[len(cols)-1] >= aggBase
}

// groupBy binds the keys, and the sets of them if they are not one.
func (b *binder) groupBy(g *grouping, s *ast.Select, targets []target) {
	if slices.ContainsFunc(s.GroupBy, func(x ast.Expr) bool { _, ok := x.(*ast.GroupingSets); return ok }) {
		g.sets = b.groupingSets(g, s.GroupBy, targets, s.GroupOnce)
		return
	}
	for _, x := range s.GroupBy {
		b.key(g, x, targets)
	}
}

// key binds a key: a position in the select list, the name of a column of FROM or,
// failing that, of the select list, or an expression over FROM. It is the position
// in keys, -1 after a complaint.
func (b *binder) key(g *grouping, x ast.Expr, targets []target) int {
	k, name := b.groupKey(x, g, targets)
	if k == nil {
		g.bad = true
		return -1
	}
	if hasAgg(k) {
		what := "aggregate functions"
		switch cols := k.Cols(); {
		case cols[len(cols)-1] >= listBase:
			b.unsupported(x.Pos(), "a set-returning function in GROUP BY", "Put it into FROM.")
			g.bad = true
			return -1
		case cols[len(cols)-1] >= winBase:
			what = "window functions"
		case cols[len(cols)-1] >= setBase:
			what = "grouping operations"
		}
		b.errorf(codeGrouping, x.Pos(), "%s are not allowed in GROUP BY", what)
		g.bad = true
		return -1
	}
	if k.Typ.Kind == zset.Unknown {
		k = b.cast(k, zset.TText, expr.Implicit, x.Pos())
	}
	i := slices.IndexFunc(g.keys, k.Equal)
	if i < 0 {
		i = len(g.keys)
		g.keys, g.names = append(g.keys, k), append(g.names, name)
	}
	return i
}

func (b *binder) groupKey(x ast.Expr, g *grouping, targets []target) (*expr.Expr, string) {
	if i, ok := b.position(x, "GROUP BY", len(targets)); ok {
		if i < 0 {
			return nil, ""
		}
		return targets[i].e, targets[i].name
	}
	if id, ok := x.(*ast.Ident); ok && len(id.Parts) == 1 && len(columnsNamed(g.sc.cols, id.Parts[0].Text)) == 0 {
		if e := b.outputNamed(id, "GROUP BY", targets); e != nil {
			return e, id.Parts[0].Text
		}
	}
	return b.expr(x, &exprCtx{sc: g.sc, clause: "GROUP BY", scalars: g.scalars}), outputName(x)
}

// position reads a constant in GROUP BY or ORDER BY as a place in the select
// list of n columns: ok says that x is a constant, i is -1 after a complaint.
func (b *binder) position(x ast.Expr, clause string, n int) (i int, ok bool) {
	switch l := x.(type) {
	case *ast.TypedLiteral:
	case *ast.Literal:
		if l.Kind == ast.NumberLit {
			if p, err := strconv.ParseInt(l.Text, 10, 32); err == nil {
				if p < 1 || p > int64(n) {
					b.errorf(codeBadReference, x.Pos(), "%s position %d is not in select list", clause, p)
					return -1, true
				}
				return int(p - 1), true
			}
		}
	default:
		return -1, false
	}
	b.errorf(codeSyntax, x.Pos(), "non-integer constant in %s", clause)
	return -1, true
}

// outputNamed finds the column of the select list that id names; nil if there
// is none, or (42702) several that differ.
func (b *binder) outputNamed(id *ast.Ident, clause string, targets []target) *expr.Expr {
	var e *expr.Expr
	for _, t := range targets {
		switch {
		case t.name != id.Parts[0].Text:
		case e == nil:
			e = t.e
		case !e.Equal(t.e):
			b.errorf(codeAmbiguousColumn, id.Pos(), "%s %q is ambiguous", clause, t.name)
			return e
		}
	}
	return e
}

// group puts the Aggregate over n, and makes targets, order and having speak of
// its columns.
func (b *binder) group(n Node, g *grouping, global bool, targets []target, order []orderKey, having **expr.Expr) Node {
	for i := range targets {
		targets[i].e = b.overGroups(targets[i].e, g)
	}
	for i := range order {
		order[i].e = b.overGroups(order[i].e, g)
	}
	if *having != nil {
		*having = b.overGroups(*having, g)
	}
	g.eachWindow(func(e *expr.Expr) *expr.Expr { return b.overGroups(e, g) })
	b.paramsOverGroups(g, targets, order, *having)
	asked := b.askedKeys(g)
	if g.sets == nil && len(asked) > 0 {
		g.sets = [][]int{span(0, len(g.keys))}
	}
	// Only now the number of keys is final: a primary key may have brought columns in.
	place := func(e *expr.Expr) *expr.Expr {
		return e.MapCols(func(c int) int {
			switch {
			case c >= winBase || c < aggBase:
				return c
			case c >= setBase:
				return len(g.keys) + len(g.aggs) + c - setBase
			}
			return len(g.keys) + c - aggBase
		})
	}
	for i := range targets {
		targets[i].e = place(targets[i].e)
	}
	for i := range order {
		order[i].e = place(order[i].e)
	}
	if *having != nil {
		*having = place(*having)
	}
	g.eachWindow(place)
	g.eachParam(place)
	below := g.scalars.over(n)
	for i := range g.keys {
		g.keys[i] = below.place(g.keys[i])
	}
	for i := range g.aggs {
		g.aggs[i] = g.aggs[i].Map(below.place)
	}
	names := append(g.names[:len(g.names):len(g.names)], g.found...)
	if g.sets == nil && len(g.asked) == 0 {
		return &Aggregate{Input: below.n, Keys: g.keys, Aggs: g.aggs, Global: global, Names: names}
	}
	for range g.asked {
		names = append(names, "grouping")
	}
	return &GroupingSets{Input: below.n, Keys: g.keys, Sets: g.sets, Aggs: g.aggs, Asked: asked, Names: names}
}

// overGroups makes e, over the columns of FROM, an expression over the groups:
// the largest parts that are keys become columns, and no other column of FROM
// may be left (42803).
func (b *binder) overGroups(e *expr.Expr, g *grouping) *expr.Expr {
	for k, key := range g.keys {
		if key.Equal(e) {
			return expr.Col(k, key.Typ).At(int(e.Pos))
		}
	}
	if e.Op == expr.OpCol {
		if e.Col >= outerBase { // of a query around, a query, an aggregate or a window call
			return e
		}
		return b.ungrouped(e, g, "column %q must appear in the GROUP BY clause or be used in an aggregate function")
	}
	if len(e.Args) == 0 {
		return e
	}
	out := *e
	out.Args = make([]*expr.Expr, len(e.Args))
	for i, a := range e.Args {
		out.Args[i] = b.overGroups(a, g)
	}
	return &out
}

// ungrouped is a column that is no key. If the primary key of its table is
// grouped by, the column has one value in a group: it becomes a key too, which
// splits no group. complaint is what is said of it else.
func (b *binder) ungrouped(e *expr.Expr, g *grouping, complaint string) *expr.Expr {
	t, name := g.sc.source(e.Col)
	if t != nil && len(t.key) > 0 && g.hasAll(t) {
		g.keys, g.names = append(g.keys, e), append(g.names, name)
		for i := range g.sets {
			g.sets[i] = append(slices.Clone(g.sets[i]), len(g.keys)-1)
		}
		return expr.Col(len(g.keys)-1, e.Typ).At(int(e.Pos))
	}
	if !g.bad && !g.sc.open {
		shown := name
		if t != nil && t.name != "" {
			shown = t.name + "." + name
		}
		b.errorf(codeGrouping, ast.Pos(e.Pos), complaint, shown)
	}
	return expr.Const(zset.NullOf(e.Typ))
}

// hasAll reports whether every column of the table's primary key is a key of every set.
func (g *grouping) hasAll(t *scopeTable) bool {
	for _, k := range t.key {
		i := slices.IndexFunc(g.keys, t.cols[k].e.Equal)
		if i < 0 || slices.ContainsFunc(g.sets, func(set []int) bool { return !slices.Contains(set, i) }) {
			return false
		}
	}
	return true
}
