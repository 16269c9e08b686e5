package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
)

// scalarBase is the column that stands, while an expression is bound, for the
// first query that is used as a value in it: no node has that many columns.
const scalarBase = 1 << 29

// scalars is the queries that the expressions of one clause use as values. Each is
// a relation of one row for a row of what the expressions are over, and they read
// its columns.
type scalars struct {
	with    *cte
	queries []valueQuery
	known   map[string]*expr.Expr // by text: equal queries of one scope are one
}

// valueQuery is a query as a value: of one row, or with mark of as many as there are.
type valueQuery struct {
	node    Node
	l       *level
	mark    bool
	value   *expr.Expr   // over its columns, or the mark, and the params of l
	grouped []*expr.Expr // the params over groups; nil: they are over FROM
}

func readsQuery(e *expr.Expr) bool { return reads(e, scalarBase, aggBase-scalarBase) }

// add is what stands for the value of q.
func (s *scalars) add(q valueQuery, pos ast.Pos) *expr.Expr {
	s.queries = append(s.queries, q)
	return expr.Col(scalarBase+len(s.queries)-1, q.value.Typ).At(int(pos))
}

// once is the value of f, or what an equal text had before.
func (s *scalars) once(text string, pos ast.Pos, f func() *expr.Expr) *expr.Expr {
	if e := s.known[text]; e != nil {
		return e.At(int(pos))
	}
	e := f()
	if e != nil {
		if s.known == nil {
			s.known = map[string]*expr.Expr{}
		}
		s.known[text] = e
	}
	return e
}

// takesQuery reports, and refuses, a query in a clause that takes none.
func (b *binder) takesQuery(pos ast.Pos, c *exprCtx) bool {
	if c.scalars == nil {
		b.unsupported(pos, "a query as an expression in "+c.clause, "")
	}
	return c.scalars != nil
}

// scalarQuery is the value of a query.
func (b *binder) scalarQuery(x *ast.Subquery, c *exprCtx) *expr.Expr {
	if !b.takesQuery(x.Pos(), c) {
		return nil
	}
	return c.scalars.once(ast.Print(x.Query), x.Pos(), func() *expr.Expr {
		errs := len(b.errs)
		n, l := b.inside(c.sc, x.Query, c.scalars.with)
		switch {
		case len(b.errs) > errs:
			return nil
		case len(n.Schema()) != 1:
			b.errorf(codeSyntax, x.Pos(), "subquery must return only one column")
			return nil
		}
		value := expr.Col(0, n.Schema()[0].Type)
		if !oneRow(n) {
			if n, value = b.single(n, x.Pos()); value == nil {
				return nil
			}
		}
		for { // what is computed from the row is computed where it is read, and if it is
			p, ok := n.(*Project)
			if !ok {
				break
			}
			n, value = p.Input, value.ReplaceCols(func(x *expr.Expr) *expr.Expr {
				if x.Col < outerBase {
					return p.Exprs[x.Col]
				}
				return x
			})
		}
		return c.scalars.add(valueQuery{node: n, l: l, value: value}, x.Pos())
	})
}

// single is one row, and over it the value of the only row of n, which has one
// column: NULL if there is none, 21000 if there are more. Of one value any_value is
// that value, so that a count beside it is all there is to check.
func (b *binder) single(n Node, pos ast.Pos) (Node, *expr.Expr) {
	f := n.Schema()[0]
	col := expr.Col(0, f.Type).At(int(pos))
	v, err := expr.ResolveAggregate("any_value", []*expr.Expr{col}, false, int(pos))
	if err != nil {
		b.unsupported(pos, "a query as an expression of type "+f.Type.String()+" that is no aggregate of all rows", "")
		return n, nil
	}
	rows, err := expr.ResolveAggregate("count", nil, true, int(pos))
	if err != nil {
		b.fail(err, pos)
		return n, nil
	}
	g := &Aggregate{Input: n, Aggs: []expr.AggCall{v, rows}, Names: []string{f.Name, "rows"}, Global: true}
	one := expr.OneRow(expr.Col(1, rows.Typ), int(pos))
	x, err := expr.Case([]*expr.Expr{one}, []*expr.Expr{expr.Col(0, v.Typ)}, nil, int(pos))
	if err == nil && v.Typ != f.Type {
		x, err = expr.Cast(x, f.Type, expr.Implicit, int(pos))
	}
	if err != nil {
		b.fail(err, pos)
		return n, nil
	}
	return g, x
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
		return len(n.On) == 0 && !slices.ContainsFunc(n.Ins, func(in Node) bool { return !oneRow(in) })
	case *Apply:
		return oneRow(n.L) && (n.Kind == Mark || n.Kind == Each && oneRow(n.R))
	}
	return false
}

// joined is a node with the queries among s that are read over it.
type joined struct {
	s      *scalars
	n      Node
	at     int // how many columns stand between column low of n and the one before it
	low    int
	flat   *Join // n, if it is a join made here
	places map[int]*expr.Expr
	groups bool // params are over groups
}

// over begins to join queries to n.
func (s *scalars) over(n Node) *joined { return &joined{s: s, n: n, places: map[int]*expr.Expr{}} }

// place is e with the values of the queries for what stood for them.
func (j *joined) place(e *expr.Expr) *expr.Expr {
	if e == nil || !readsQuery(e) {
		return e
	}
	if e = expr.Fold(e); !readsQuery(e) { // no row asks for it: it is not joined
		return e
	}
	return e.ReplaceCols(func(x *expr.Expr) *expr.Expr {
		if x.Col < scalarBase || x.Col >= aggBase {
			return x
		}
		i := x.Col - scalarBase
		if j.places[i] == nil {
			j.places[i] = j.value(&j.s.queries[i])
		}
		return j.places[i]
	})
}

// value joins q to the node and is its value there.
func (j *joined) value(q *valueQuery) *expr.Expr {
	params := make([]*expr.Expr, len(q.l.params))
	copy(params, q.l.params)
	if j.groups {
		copy(params, q.grouped)
	}
	for k := range params {
		params[k] = j.place(params[k])
	}
	width := columnsOf(j.n)
	over := params
	if j.at > 0 {
		over = make([]*expr.Expr, len(params))
		for k, p := range params {
			over[k] = p.MapCols(func(c int) int {
				if c < j.low {
					return c
				}
				return moved(c, -j.at)
			})
		}
	}
	a := &Apply{L: j.n, R: clone(q.node), Params: over, Base: q.l.base}
	switch {
	case q.mark:
		a.Kind = Mark
		j.n, j.flat = a, nil
	case readsAny(q.node, q.l.base, len(params)):
		j.n, j.flat = a, nil
	case j.flat != nil:
		j.flat.Ins = append(j.flat.Ins, a.R)
	default:
		j.flat = &Join{Ins: []Node{j.n, a.R}}
		j.n = j.flat
	}
	return q.value.ReplaceCols(func(x *expr.Expr) *expr.Expr {
		switch k := x.Col - q.l.base; {
		case k >= 0 && k < len(params):
			return params[k]
		case x.Col < outerBase:
			return expr.Col(j.at+width+x.Col, x.Typ).At(int(x.Pos))
		}
		return x
	})
}
