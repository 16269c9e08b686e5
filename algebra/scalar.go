package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
)

// scalarBase is the column that stands, while an expression is bound, for the
// first query that is used as a value in it: no node has that many columns.
const scalarBase = 1 << 29

// scalars is the queries that the expressions of one clause use as values. Such
// a query is a relation of one row and one column: it is joined, without a
// condition, to what the expressions are over, and they read its column.
type scalars struct {
	with  *cte
	nodes []Node
	texts []string // equal queries of one scope are one
}

// scalarQuery is the value of a query.
func (b *binder) scalarQuery(x *ast.Subquery, c *exprCtx) *expr.Expr {
	if c.scalars == nil {
		b.unsupported(x.Pos(), "a query as an expression in "+c.clause, "")
		return nil
	}
	text := ast.Print(x.Query)
	for i, t := range c.scalars.texts {
		if t == text {
			return expr.Col(scalarBase+i, c.scalars.nodes[i].Schema()[0].Type).At(int(x.Pos()))
		}
	}
	errs := len(b.errs)
	n := b.inside(c.sc, nil, x.Query, c.scalars.with)
	switch {
	case len(b.errs) > errs:
		return nil
	case len(n.Schema()) != 1:
		b.errorf(codeSyntax, x.Pos(), "subquery must return only one column")
		return nil
	case !oneRow(n):
		if n = b.single(n, x.Pos()); n == nil {
			return nil
		}
	}
	c.scalars.nodes, c.scalars.texts = append(c.scalars.nodes, n), append(c.scalars.texts, text)
	return expr.Col(scalarBase+len(c.scalars.nodes)-1, n.Schema()[0].Type).At(int(x.Pos()))
}

// single is one row with the value of the only row of n, which has one column:
// NULL if there is none, 21000 if there are more. Of one value any_value is that
// value, so that a count beside it is all there is to check.
func (b *binder) single(n Node, pos ast.Pos) Node {
	f := n.Schema()[0]
	col := expr.Col(0, f.Type).At(int(pos))
	v, err := expr.ResolveAggregate("any_value", []*expr.Expr{col}, false, int(pos))
	if err != nil {
		b.unsupported(pos, "a query as an expression of type "+f.Type.String()+" that is no aggregate of all rows", "")
		return nil
	}
	rows, err := expr.ResolveAggregate("count", nil, true, int(pos))
	if err != nil {
		b.fail(err, pos)
		return nil
	}
	g := &Aggregate{Input: n, Aggs: []expr.AggCall{v, rows}, Names: []string{f.Name, "rows"}, Global: true}
	one := expr.OneRow(expr.Col(1, rows.Typ), int(pos))
	x, err := expr.Case([]*expr.Expr{one}, []*expr.Expr{expr.Col(0, v.Typ)}, nil, int(pos))
	if err == nil && v.Typ != f.Type {
		x, err = expr.Cast(x, f.Type, expr.Implicit, int(pos))
	}
	if err != nil {
		b.fail(err, pos)
		return nil
	}
	return &Project{Input: g, Exprs: []*expr.Expr{x}, Names: []string{f.Name}}
}

// oneRow reports whether n has one row whatever is stored.
func oneRow(n Node) bool {
	switch n := n.(type) {
	case *Aggregate:
		return n.Global
	case *Project:
		return oneRow(n.Input)
	case *Sort:
		return oneRow(n.Input)
	case *Values:
		return len(n.Rows) == 1
	case *Join:
		for _, in := range n.Ins {
			if !oneRow(in) {
				return false
			}
		}
		return len(n.On) == 0
	}
	return false
}

// joined is the queries among s that are read over one node.
type joined struct {
	s      *scalars
	at     int // columns of the node before them
	ins    []Node
	places map[int]int
}

// over begins to join queries to a node of that many columns.
func (s *scalars) over(width int) *joined { return &joined{s: s, at: width, places: map[int]int{}} }

// place is e with the columns of the queries for what stood for them.
func (j *joined) place(e *expr.Expr) *expr.Expr {
	if e == nil {
		return nil
	}
	return e.MapCols(func(c int) int {
		if c < scalarBase || c >= aggBase {
			return c
		}
		i := c - scalarBase
		if _, ok := j.places[i]; !ok {
			j.places[i] = j.at + len(j.ins)
			j.ins = append(j.ins, clone(j.s.nodes[i]))
		}
		return j.places[i]
	})
}

// node is n with the columns of the queries that were placed.
func (j *joined) node(n Node) Node {
	if len(j.ins) == 0 {
		return n
	}
	return &Join{Ins: append([]Node{n}, j.ins...)}
}

// inside binds a query that stands in an expression over sc; a, if not nil, lets
// its WHERE read sc.
func (b *binder) inside(sc *scope, a *around, q *ast.Query, with *cte) Node {
	before := b.around
	b.around = a
	b.outer = append(b.outer, sc)
	n := b.query(q, with, false)
	b.outer = b.outer[:len(b.outer)-1]
	b.around = before
	return n
}

// outOfSight reports, and refuses, a name that means a column of a query around.
func (b *binder) outOfSight(id *ast.Ident) bool {
	for i := len(b.outer) - 1; i >= 0; i-- {
		if sc := b.outer[i]; !sc.open && len(id.Parts) <= 2 && sc.knows(id) {
			b.unsupported(id.Pos(), "a column of the query around a subquery, other than in WHERE of EXISTS and IN,",
				"Join the query, by the columns that connect the two.")
			return true
		}
	}
	return false
}
