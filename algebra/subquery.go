package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// outerBase is the column that stands, while a subquery is bound, for the first
// param of the outermost query around it: no node has that many columns. Those of
// the next query inwards begin levelWidth further.
const (
	outerBase  = 1 << 28
	levelWidth = 1 << 20
	maxLevels  = (scalarBase - outerBase) / levelWidth
)

// level is a query around the one that is bound: what an expression there is over,
// and what of it the subquery reads.
type level struct {
	sc     *scope
	base   int
	params []*expr.Expr // over the columns of sc
}

// param is the column that stands for e.
func (l *level) param(e *expr.Expr) *expr.Expr {
	k := 0
	for k < len(l.params) && !l.params[k].Equal(e) {
		k++
	}
	if k == len(l.params) {
		l.params = append(l.params, e)
	}
	return expr.Col(l.base+k, e.Typ).At(int(e.Pos))
}

// knows reports whether id, as far as its table goes, means something in s.
func (s *scope) knows(id *ast.Ident) bool {
	if s.open {
		return true
	}
	if n := len(id.Parts); n > 1 {
		t := s.table(id.Parts[n-2].Text)
		return t != nil && (n == 2 || n == 3 && t.schema == id.Parts[0].Text)
	}
	return len(columnsNamed(s.cols, id.Parts[0].Text)) > 0
}

// identifier is a column of the query or, failing that, of the nearest query around
// it that has it.
func (b *binder) identifier(id *ast.Ident, c *exprCtx) *expr.Expr {
	if c.sc.knows(id) {
		return b.column(id, c.sc)
	}
	for i := len(b.outer) - 1; i >= 0; i-- {
		if l := b.outer[i]; l.sc.knows(id) {
			e := b.column(id, l.sc)
			if e == nil {
				return nil
			}
			return l.param(e)
		}
	}
	return b.column(id, c.sc)
}

// inside binds a query that stands in an expression over sc.
func (b *binder) inside(sc *scope, q *ast.Query, with *cte) (Node, *level) {
	l := &level{sc: sc, base: outerBase + len(b.outer)*levelWidth}
	if len(b.outer) == maxLevels {
		b.errorf(codeTooComplex, q.Pos(), "statement too complex").Hint = "Subqueries stand in subqueries too deep."
		return &Values{}, l
	}
	b.outer = append(b.outer, l)
	n := b.query(q, with, false)
	b.outer = b.outer[:len(b.outer)-1]
	return n, l
}

// where filters n by x. What reads no query comes first. Its conjuncts that are
// EXISTS or IN of a query become semi and anti joins, after the others.
func (b *binder) where(n Node, sc *scope, x ast.Expr, with *cte) Node {
	s := &scalars{with: with}
	ctx := &exprCtx{sc: sc, clause: "WHERE", scalars: s}
	plain, queries := astConjuncts(x)
	var preds []*expr.Expr
	if len(queries) == 0 {
		plain = []ast.Expr{x}
	}
	for _, p := range plain {
		if pred := b.condition(p, ctx, "WHERE"); pred != nil {
			preds = append(preds, pred)
		}
	}
	n = s.filter(n, preds)
	for _, q := range queries {
		n = b.tested(n, sc, q, with)
	}
	return n
}

// filter is n filtered by preds, those that read queries last.
func (s *scalars) filter(n Node, preds []*expr.Expr) Node {
	if len(s.queries) == 0 {
		return filtered(n, preds)
	}
	var cs []*expr.Expr
	for _, p := range preds {
		cs = append(cs, conjuncts(p)...)
	}
	late, early := split(cs, readsQuery)
	over := s.over(filtered(n, early))
	for i := range late {
		late[i] = over.place(late[i])
	}
	return filtered(over.n, late)
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

// test is a query that rows of n are matched with: a semi or anti join, or an Apply
// where the query reads n.
type test struct {
	n       Node
	r       Node
	l       *level
	applied bool
}

// tested is the rows of n for which x, a test of a query, is TRUE.
func (b *binder) tested(n Node, sc *scope, x ast.Expr, with *cte) Node {
	q, anti := queryTest(x)
	if e, ok := q.(*ast.Exists); ok {
		r, l := b.inside(sc, e.Query, with)
		t := &test{n: n, l: l, applied: readsAny(r, l.base, levelWidth)}
		if !t.applied {
			r = presence(r)
		}
		return t.match(r, nil, anti)
	}
	in := q.(*ast.In)
	s := &scalars{with: with}
	over := s.over(n)
	left := b.exprs(items(in.X), &exprCtx{sc: sc, clause: "WHERE", scalars: s})
	for i := range left {
		left[i] = over.place(left[i])
	}
	n = over.n
	errs := len(b.errs)
	r, l := b.inside(sc, in.Query, with)
	if left == nil || len(b.errs) > errs || !b.fits1(len(r.Schema()), len(left), in.Pos()) {
		return n
	}
	t := &test{n: n, r: r, l: l, applied: readsAny(r, l.base, levelWidth)}
	if !anti {
		return t.match(r, b.compared("=", in, t.lefts(left), t.rights()), false)
	}
	return b.notIn(t, in, left)
}

// items is the fields of a row, or x alone.
func items(x ast.Expr) []ast.Expr {
	if row, ok := x.(*ast.Row); ok {
		return row.Items
	}
	return []ast.Expr{x}
}

// fits1 checks the number of columns of a query that is compared with count values.
func (b *binder) fits1(columns, count int, pos ast.Pos) bool {
	switch {
	case columns > count:
		b.errorf(codeSyntax, pos, "subquery has too many columns")
	case columns < count:
		b.errorf(codeSyntax, pos, "subquery has too few columns")
	}
	return columns == count
}

// compared is op of each field of two rows; nil after a complaint.
func (b *binder) compared(op string, in *ast.In, left, right []*expr.Expr) []*expr.Expr {
	var out []*expr.Expr
	for i, x := range left {
		eq := b.callOn(op, in.Pos(), []*expr.Expr{x, right[i].At(int(in.Query.Pos()))})
		if eq == nil {
			return nil
		}
		out = append(out, eq)
	}
	return out
}

// lefts is es, over n, as the conditions of match read them.
func (t *test) lefts(es []*expr.Expr) []*expr.Expr {
	if !t.applied {
		return es
	}
	out := make([]*expr.Expr, len(es))
	for i, e := range es {
		out[i] = t.l.given(e)
	}
	return out
}

// given is e as a subquery reads it: as a param, but where it is the same for all rows.
func (l *level) given(e *expr.Expr) *expr.Expr {
	for _, c := range e.Cols() {
		if c < outerBase || c >= scalarBase {
			return l.param(e)
		}
	}
	return e
}

// rights is the columns of the query as the conditions of match read them.
func (t *test) rights() []*expr.Expr {
	at := 0
	if !t.applied {
		at = len(t.n.Schema())
	}
	var out []*expr.Expr
	for i, f := range t.r.Schema() {
		out = append(out, expr.Col(at+i, f.Type))
	}
	return out
}

// match is the rows of n for which a row of r meets conds, or with anti none does.
func (t *test) match(r Node, conds []*expr.Expr, anti bool) Node {
	if !t.applied {
		return &Match{L: t.n, R: r, On: conds, Anti: anti}
	}
	kind := Some
	if anti {
		kind = None
	}
	return &Apply{L: t.n, R: filtered(r, conds), Params: t.l.params, Base: t.l.base, Kind: kind}
}

// notIn is x NOT IN (query): the rows of which x equals no y of the query, and for
// which that is not unknown: for a NULL among the y, or a NULL x unless there is no
// y at all. Rows are unequal if one field is, whatever is NULL in the others.
func (b *binder) notIn(t *test, in *ast.In, left []*expr.Expr) Node {
	eqs := b.compared("=", in, t.lefts(left), t.rights())
	if eqs == nil {
		return t.n
	}
	if len(left) > 1 {
		all := b.together("and", in.Pos(), eqs)
		maybe := b.callOn("is not false", in.Pos(), []*expr.Expr{all})
		return t.match(t.r, []*expr.Expr{maybe}, true)
	}
	x, xNull, yNull := left[0], !notNull(left[0], t.n.Schema()), !t.r.Schema()[0].NotNull
	t.n = t.match(t.r, eqs, true)
	if yNull {
		null := b.callOn("is null", in.Pos(), []*expr.Expr{expr.Col(0, t.r.Schema()[0].Type)})
		t.n = t.match(&Filter{Input: clone(t.r), Pred: null}, nil, true)
	}
	if !xNull {
		return t.n
	}
	// As a key: x IS NULL equals a column that is TRUE in every row.
	r := identity(clone(t.r))
	r.Exprs, r.Names = append(r.Exprs, expr.Const(zset.BoolValue(true))), append(r.Names, "any")
	null := b.callOn("is null", ast.Pos(x.Pos), t.lefts(left))
	t.r = r
	any := t.rights()
	eq := b.callOn("=", ast.Pos(x.Pos), []*expr.Expr{null, any[len(any)-1]})
	return t.match(r, []*expr.Expr{eq}, true)
}
