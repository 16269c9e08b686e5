package algebra

import (
	"strings"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// outerBase is the column that stands, while a subquery is bound, for the first
// column of the query around it: no node has that many columns.
const outerBase = 1 << 28

// around is the query around a subquery: what its WHERE may read, and the
// conjuncts that did. They become conjuncts of the semi or anti join.
type around struct {
	sc    *scope
	conj  []*expr.Expr // over the subquery's columns, and from outerBase on sc's
	width int          // columns that the subquery shows; those that conj reads come after them
}

func readsOuter(e *expr.Expr) bool {
	for _, c := range e.Cols() {
		if c >= outerBase && c < scalarBase {
			return true
		}
	}
	return false
}

// knows reports whether id, as far as its table goes, means something in s.
func (s *scope) knows(id *ast.Ident) bool {
	if s.open || len(id.Parts) > 2 {
		return true
	}
	if len(id.Parts) == 2 {
		return s.table(id.Parts[0].Text) != nil
	}
	return len(columnsNamed(s.cols, id.Parts[0].Text)) > 0
}

// identifier is a column of the query or, in WHERE of a subquery, of the one around.
func (b *binder) identifier(id *ast.Ident, c *exprCtx) *expr.Expr {
	if c.sc.knows(id) {
		return b.column(id, c.sc)
	}
	if c.around == nil || !c.around.sc.knows(id) {
		if b.outOfSight(id) {
			return nil
		}
		return b.column(id, c.sc)
	}
	e := b.column(id, c.around.sc)
	if e == nil {
		return nil
	}
	return e.MapCols(func(i int) int { return i + outerBase })
}

// where filters n by x. Its conjuncts that are EXISTS or IN of a query become
// semi and anti joins above the filter of the others.
func (b *binder) where(n Node, sc *scope, x ast.Expr, with *cte, a *around) Node {
	s := &scalars{with: with}
	ctx := &exprCtx{sc: sc, clause: "WHERE", around: a, scalars: s}
	over := s.over(len(n.Schema()))
	plain, queries := astConjuncts(x)
	if len(queries) == 0 && a == nil {
		if pred := over.place(b.condition(x, ctx, "WHERE")); pred != nil {
			n = &Filter{Input: over.node(n), Pred: pred}
		}
		return n
	}
	var own []*expr.Expr
	for _, p := range plain {
		pred := over.place(b.condition(p, ctx, "WHERE"))
		switch {
		case pred == nil:
		case readsOuter(pred):
			a.conj = append(a.conj, conjuncts(pred)...)
		default:
			own = append(own, pred)
		}
	}
	n = filtered(over.node(n), own)
	for _, q := range queries {
		n = b.matched1(n, sc, q, with)
	}
	return n
}

// astConjuncts parts the conjuncts of x into those that are a test of a query
// and the others.
func astConjuncts(x ast.Expr) (plain, queries []ast.Expr) {
	var parts []ast.Expr
	for {
		and, ok := x.(*ast.Binary)
		if !ok || and.Op != "and" {
			break
		}
		parts = append(parts, and.R)
		x = and.L
	}
	parts = append(parts, x)
	for i := len(parts) - 1; i >= 0; i-- {
		if in, ok := parts[i].(*ast.Binary); ok && in.Op == "and" { // in parentheses
			p, q := astConjuncts(in)
			plain, queries = append(plain, p...), append(queries, q...)
			continue
		}
		if q, _ := queryTest(parts[i]); q != nil {
			queries = append(queries, parts[i])
		} else {
			plain = append(plain, parts[i])
		}
	}
	return plain, queries
}

// queryTest is the EXISTS or IN of a query that x is, and whether it is negated.
func queryTest(x ast.Expr) (q ast.Expr, anti bool) {
	for {
		u, ok := x.(*ast.Unary)
		if !ok || u.Op != "not" {
			break
		}
		anti, x = !anti, u.X
	}
	switch x := x.(type) {
	case *ast.Exists:
		return x, anti
	case *ast.In:
		if x.Query != nil {
			return x, anti != x.Not
		}
	}
	return nil, false
}

// matched1 is the rows of n for which x, a test of a query, is TRUE.
func (b *binder) matched1(n Node, sc *scope, x ast.Expr, with *cte) Node {
	q, anti := queryTest(x)
	if e, ok := q.(*ast.Exists); ok {
		r, on, _ := b.correlated(n, sc, e.Query, with)
		return &Match{L: n, R: r, On: on, Anti: anti}
	}
	in := q.(*ast.In)
	if row, ok := in.X.(*ast.Row); ok {
		return b.matchedRow(n, sc, in, row, anti, with)
	}
	s := &scalars{with: with}
	over := s.over(len(n.Schema()))
	left := over.place(b.expr(in.X, &exprCtx{sc: sc, clause: "WHERE", scalars: s}))
	n = over.node(n)
	errs := len(b.errs)
	r, on, width := b.correlated(n, sc, in.Query, with)
	switch {
	case left == nil || len(b.errs) > errs:
		return n
	case width > 1:
		b.errorf(codeSyntax, in.Pos(), "subquery has too many columns")
		return n
	}
	at := len(n.Schema())
	y := expr.Col(at, r.Schema()[0].Type).At(int(in.Query.Pos()))
	eq := b.callOn("=", in.Pos(), []*expr.Expr{left, y})
	if eq == nil {
		return n
	}
	out := &Match{L: n, R: r, On: append([]*expr.Expr{eq}, on...), Anti: anti}
	if !anti {
		return out
	}
	return b.notIn(out, left, on)
}

// notIn is x NOT IN (query), with m the rows of which x equals no y of the query:
// a NULL among the y, or a NULL x unless there is no y at all, makes it unknown.
func (b *binder) notIn(m *Match, x *expr.Expr, on []*expr.Expr) Node {
	at, rs := len(m.L.Schema()), m.R.Schema()
	var out Node = m
	if !rs[0].NotNull {
		if null := b.callOn("is null", ast.Pos(x.Pos), []*expr.Expr{expr.Col(0, rs[0].Type)}); null != nil {
			out = &Match{L: out, R: &Filter{Input: m.R, Pred: null}, On: on, Anti: true}
		}
	}
	if notNull(x, m.L.Schema()) {
		return out
	}
	// As a key: x IS NULL equals a column that is TRUE in every row.
	null := b.callOn("is null", ast.Pos(x.Pos), []*expr.Expr{x})
	r := identity(m.R)
	r.Exprs, r.Names = append(r.Exprs, expr.Const(zset.BoolValue(true))), append(r.Names, "any")
	if null == nil {
		return out
	}
	eq := b.callOn("=", ast.Pos(x.Pos), []*expr.Expr{null, expr.Col(at+len(rs), zset.TBool)})
	if eq == nil {
		return out
	}
	return &Match{L: out, R: r, On: append([]*expr.Expr{eq}, on...), Anti: true}
}

// correlated binds a subquery in the scope of n: its rows, the conjuncts over
// the columns of n and then its own that connect the two, and how many columns
// it shows.
func (b *binder) correlated(n Node, sc *scope, q *ast.Query, with *cte) (r Node, on []*expr.Expr, width int) {
	a := &around{sc: sc, width: -1}
	r = b.inside(sc, a, q, with)
	if a.width < 0 {
		a.width = len(r.Schema())
	}
	at := len(n.Schema())
	for _, c := range a.conj {
		on = append(on, c.MapCols(func(i int) int {
			if i >= outerBase {
				return i - outerBase
			}
			return i + at
		}))
	}
	return r, on, a.width
}

// show makes p, the select list of a correlated subquery, show the columns that
// its correlated conjuncts read too; they then speak of p.
func (a *around) show(p *Project) *Project {
	in := p.Input.Schema()
	a.width = len(p.Exprs)
	places := map[int]int{}
	out := &Project{Input: p.Input, Exprs: p.Exprs[:a.width:a.width], Names: p.Names[:a.width:a.width]}
	for k, c := range a.conj {
		a.conj[k] = c.MapCols(func(i int) int {
			if i >= outerBase {
				return i
			}
			if _, ok := places[i]; !ok {
				places[i] = len(out.Exprs)
				out.Exprs = append(out.Exprs, expr.Col(i, in[i].Type))
				out.Names = append(out.Names, in[i].Name)
			}
			return places[i]
		})
	}
	return out
}

// queryElsewhere refuses a test of a query that is no conjunct of WHERE.
func (b *binder) queryElsewhere(x ast.Expr) {
	q, anti := queryTest(x)
	what := "EXISTS"
	if _, ok := q.(*ast.In); ok {
		what = strings.ToUpper(not(anti)) + "IN (query)"
	}
	b.unsupported(x.Pos(), what+" other than as a condition of WHERE joined by AND",
		"Left join a SELECT DISTINCT of the query's columns, and test one of them for NULL.")
}
