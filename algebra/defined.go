package algebra

import (
	"errors"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// defined is the nodes of a relation that is not stored: its definition is bound
// in place of its name, each time anew, so that every use has scans of its own.
// What is wrong with it is reported at the name.
func (b *binder) defined(r Relation, pos ast.Pos) (Node, bool) {
	n, err := r.Define(Env{Now: b.env.Now, TimeZone: b.env.TimeZone, Functions: b.env.Functions, Read: b.env.Read, System: b.env.System, Call: b.called})
	if err != nil {
		var ze *zset.Error
		if !errors.As(err, &ze) {
			ze = zset.Errorf("XX000", int(pos), "%s", err.Error())
		}
		c := *ze
		c.Pos, c.Msg = int(pos), "relation \""+r.Name+"\": "+c.Msg
		b.errs = append(b.errs, &c)
		return nil, false
	}
	if !b.count(size(n), pos) {
		return nil, false
	}
	return n, true
}

// BindView binds the query of a plain view and gives its columns the names and
// types of s, which is what it had when it was made; columns that its query has
// gained since are left out. The places of its scans and expressions are those
// in its own text. The error is an [Errors].
func BindView(q *ast.Query, s zset.Schema, env Env) (Node, error) {
	b := &binder{env: env}
	n := b.query(q, nil, false)
	if err := b.outcome(); err != nil {
		return nil, err
	}
	p := identity(n)
	if len(p.Exprs) < len(s) {
		return nil, zset.Errorf("XX001", -1, "the query has %d columns, not %d", len(p.Exprs), len(s))
	}
	p.Exprs, p.Names = p.Exprs[:len(s)], p.Names[:len(s)]
	for i, f := range s {
		p.Names[i] = f.Name
		if p.Exprs[i].Typ != f.Type {
			p.Exprs[i] = b.cast(p.Exprs[i], f.Type, expr.Explicit, -1)
		}
	}
	return p, b.outcome()
}

// NewRows is rows of constants with columns s, for a relation called name that is
// made up when it is asked for.
func NewRows(name string, s zset.Schema, rows [][]zset.Value) Node {
	v := &Values{Fields: s, Source: name}
	for _, row := range rows {
		es := make([]*expr.Expr, len(row))
		for i := range row {
			es[i] = expr.Const(row[i])
		}
		v.Rows = append(v.Rows, es)
	}
	return v
}
