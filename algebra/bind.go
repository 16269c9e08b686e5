package algebra

import (
	"errors"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Bind gives a query its meaning: names become positions, types are resolved
// and casts put in as PostgreSQL would, every construct becomes nodes. The
// error is an [Errors] with all complaints. The nodes follow the query as it is
// written; [Normalize] brings them into the form that plans are made from.
func Bind(q *ast.Query, env Env) (Node, error) {
	b := &binder{env: env}
	n := b.query(q, nil, false)
	b.onceOnly(n, true)
	if err := b.outcome(); err != nil {
		return nil, err
	}
	b.wide(n)
	b.joinable(n)
	return b.zoned(n), b.outcome()
}

// joinable reports a query that [Decorrelate] would make too much of.
func (b *binder) joinable(n Node) {
	if len(b.errs) > 0 || n == nil {
		return
	}
	applied := false
	Walk(n, func(m Node) bool {
		_, ok := m.(*Apply)
		applied = applied || ok
		return !applied
	})
	if !applied {
		return
	}
	d := &decorrelator{}
	if d.node(n); d.crowded() {
		b.errorf(codeTooComplex, 0, "statement too complex").Hint =
			"The query has more than 20000 operators once its subqueries are joined."
	}
}

// zoned is n with the session's time zone in the expressions that read it.
func (b *binder) zoned(n Node) Node {
	if n == nil {
		return nil
	}
	return rewrite(n, func(n Node) Node {
		return mapExprs(n, func(e *expr.Expr) *expr.Expr {
			if e == nil {
				return nil
			}
			return e.InZone(b.env.TimeZone)
		})
	})
}

// maxNodes bounds the nodes of one statement: a chain of CTEs that each read
// the one before twice doubles at every link.
const maxNodes = 20000

// maxTables bounds the tables of one join: a view has a term for each of them,
// and each term a look-up in each of the others.
const maxTables = 200

// binder binds one statement. A piece that cannot be bound is reported and
// replaced: nodes by an empty one over an open scope, expressions by nil, so
// that the rest is looked at too and no complaint follows from another.
type binder struct {
	env   Env
	errs  Errors
	nodes int
	// outer is the queries around the one that is bound, the innermost last.
	outer []*level
	// called is what the function that is bound now, in place of a table, is called with.
	called []ast.Property
	// asked counts what was bound since Stop was asked; ended is what it said.
	asked int
	ended error
	// asksCommit: the SELECT that is bound, or one in it, names commitColumn.
	asksCommit bool
}

// stopped asks now and then whether to go on. When not, whatever is left is
// bound to nothing, and what was complained of does not count.
func (b *binder) stopped() bool {
	if b.asked++; b.ended == nil && b.env.Stop != nil && b.asked%64 == 0 {
		b.ended = b.env.Stop()
	}
	return b.ended != nil
}

// outcome is the error of the whole.
func (b *binder) outcome() error {
	if b.ended != nil {
		return b.ended
	}
	return b.errs.settled()
}

func (b *binder) errorf(code string, pos ast.Pos, format string, args ...any) *zset.Error {
	e := zset.Errorf(code, int(pos), format, args...)
	b.errs = append(b.errs, e)
	return e
}

// fail records an error of another package, at pos if it has no place.
func (b *binder) fail(err error, pos ast.Pos) {
	var ze *zset.Error
	if !errors.As(err, &ze) {
		ze = zset.Errorf("XX000", int(pos), "%s", err.Error())
	}
	if ze.Pos < 0 {
		c := *ze
		c.Pos = int(pos)
		ze = &c
	}
	b.errs = append(b.errs, ze)
}

// unsupported records a construct of SQL that has no meaning here, and what to
// write instead if there is something.
func (b *binder) unsupported(pos ast.Pos, what, instead string) {
	b.errorf(codeUnsupported, pos, "%s is not supported", what).Hint = instead
}

// count adds n nodes to the statement and reports, once, when there are too many.
func (b *binder) count(n int, pos ast.Pos) bool {
	before := b.nodes
	b.nodes += n
	if b.nodes <= maxNodes {
		return true
	}
	if before <= maxNodes {
		b.errorf(codeTooComplex, pos, "statement too complex").Hint =
			"The query has more than 20000 operators once its WITH queries are put in place."
	}
	return false
}

// cte is a bound WITH query; they are looked up from the innermost.
type cte struct {
	name   string
	node   Node // nil: it could not be bound
	size   int
	parent *cte
}

func (c *cte) find(name string) *cte {
	for ; c != nil; c = c.parent {
		if c.name == name {
			return c
		}
	}
	return nil
}

// query binds q. With keepUnknown, columns that are untyped literals stay so,
// for a set operation or a table to give them a type; else they become TEXT.
func (b *binder) query(q *ast.Query, with *cte, keepUnknown bool) Node {
	q = b.unwrap(q)
	with = b.with(q.With, with)
	if s, ok := q.Body.(*ast.Select); ok {
		return b.selectQuery(s, q, with, keepUnknown)
	}
	n := b.body(q.Body, with, keepUnknown && len(q.OrderBy) == 0)
	return b.limit(b.orderOutput(n, q.OrderBy), q, &scope{})
}

// body binds what stands in a query's or a set operation's place.
func (b *binder) body(body ast.Body, with *cte, keepUnknown bool) Node {
	var n Node
	switch body := body.(type) {
	case *ast.Select:
		return b.selectQuery(body, &ast.Query{At: body.At, Body: body}, with, keepUnknown)
	case *ast.Query:
		return b.query(body, with, keepUnknown)
	case *ast.SetOp:
		n = b.setOp(body, with)
	case *ast.Values:
		n = b.values(body, with)
	}
	if !keepUnknown {
		n = b.settleUnknown(n)
	}
	return n
}

// unwrap takes the parentheses off a query, as PostgreSQL does: clauses outside
// join those inside, and none may be there twice.
func (b *binder) unwrap(q *ast.Query) *ast.Query {
	for {
		in, ok := q.Body.(*ast.Query)
		if !ok || len(in.With) > 0 && len(q.With) > 0 {
			return q
		}
		m := *in
		if len(q.With) > 0 {
			m.With = q.With
		}
		twice := func(what string, pos ast.Pos) { b.errorf(codeSyntax, pos, "multiple %s clauses not allowed", what) }
		if len(q.OrderBy) > 0 {
			if len(in.OrderBy) > 0 {
				twice("ORDER BY", q.OrderBy[0].Pos())
			}
			m.OrderBy = q.OrderBy
		}
		if q.Limit != nil {
			if in.Limit != nil {
				twice("LIMIT", q.Limit.Pos())
			}
			m.Limit = q.Limit
		}
		if q.Offset != nil {
			if in.Offset != nil {
				twice("OFFSET", q.Offset.Pos())
			}
			m.Offset = q.Offset
		}
		q = &m
	}
}

// with binds WITH queries in order; each sees those before it.
func (b *binder) with(ctes []ast.CTE, outer *cte) *cte {
	chain := outer
	seen := make(map[string]bool, len(ctes))
	for i := range ctes {
		c := &ctes[i]
		if seen[c.Name.Text] {
			b.errorf(codeDuplicateAlias, c.Name.Pos(), "WITH query name %q specified more than once", c.Name.Text)
		}
		seen[c.Name.Text] = true
		errs := len(b.errs)
		n := b.query(c.Query, chain, false)
		n = b.rename(n, c.Name, c.Columns)
		link := &cte{name: c.Name.Text, parent: chain}
		if len(b.errs) == errs {
			link.node, link.size = n, size(n)
		}
		chain = link
	}
	return chain
}

func size(n Node) int {
	total := 0
	Walk(n, func(Node) bool { total++; return true })
	return total
}

// clone copies n, so that every use of a WITH query has scans of its own.
func clone(n Node) Node {
	ins := n.Inputs()
	if ins == nil {
		return n.with(nil)
	}
	out := make([]Node, len(ins))
	for i, in := range ins {
		out[i] = clone(in)
	}
	return n.with(out)
}

// rename gives the first columns of n other names.
func (b *binder) rename(n Node, table ast.Name, names []ast.Name) Node {
	if len(names) == 0 {
		return n
	}
	s := n.Schema()
	if len(names) > len(s) {
		b.errorf(codeBadReference, names[0].Pos(), "table %q has %d columns available but %d columns specified",
			table.Text, len(s), len(names))
		return n
	}
	p := identity(n)
	for i, name := range names {
		p.Names[i] = name.Text
	}
	return p
}

// identity is a projection of n to its own columns.
func identity(n Node) *Project {
	s := n.Schema()
	p := &Project{Input: n}
	for i, f := range s {
		p.Exprs = append(p.Exprs, expr.Col(i, f.Type))
		p.Names = append(p.Names, f.Name)
	}
	return p
}

// outputs lists the columns of n as expressions over n; an untyped literal of a
// projection appears as itself, so that it can still take a type.
func outputs(n Node) []*expr.Expr {
	es := identity(n).Exprs
	if p, ok := n.(*Project); ok {
		for i, e := range p.Exprs {
			if e.IsConst() && e.Typ.Kind == zset.Unknown {
				es[i] = e
			}
		}
	}
	return es
}

// areColumns reports whether es are just columns 0, 1, ..
func areColumns(es []*expr.Expr) bool {
	for i, e := range es {
		if e.Op != expr.OpCol || e.Col != i {
			return false
		}
	}
	return true
}

// retype projects n to es, expressions over n, unless they are just its columns.
func retype(n Node, es []*expr.Expr) Node {
	if areColumns(es) {
		return n
	}
	p := identity(n)
	p.Exprs = es
	return p
}

// settleUnknown makes TEXT of the untyped literals among the columns of n.
func (b *binder) settleUnknown(n Node) Node {
	es := outputs(n)
	for i, e := range es {
		if e.Typ.Kind == zset.Unknown {
			es[i] = b.cast(e, zset.TText, expr.Implicit, ast.Pos(e.Pos))
		}
	}
	return retype(n, es)
}

// cast casts and reports; what cannot be cast becomes a NULL.
func (b *binder) cast(e *expr.Expr, t zset.Type, ctx expr.CastContext, pos ast.Pos) *expr.Expr {
	c, err := expr.Cast(e, t, ctx, int(pos))
	if err != nil {
		b.fail(err, pos)
		return expr.Const(zset.NullOf(t))
	}
	return c
}
