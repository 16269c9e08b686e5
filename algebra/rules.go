package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// BindDefault binds the DEFAULT of a column, which reads no column, and casts it
// by assignment. The error is an [Errors].
func BindDefault(x ast.Expr, f zset.Field, env Env) (*expr.Expr, error) {
	b := &binder{env: env}
	e := b.expr(x, &exprCtx{sc: &scope{}, clause: "DEFAULT expressions"})
	if e == nil {
		return nil, b.outcome()
	}
	c, err := expr.Cast(e, f.Type, expr.Assignment, int(startOf(x)))
	if ze, ok := err.(*zset.Error); ok && ze.Code == codeCannotCoerce {
		b.errorf(zset.CodeTypeMismatch, startOf(x), "column %q is of type %s but default expression is of type %s", f.Name, f.Type, e.Typ).Hint =
			"You will need to rewrite or cast the expression."
	} else if err != nil {
		b.fail(err, startOf(x))
	}
	if c != nil {
		c = c.InZone(env.TimeZone)
	}
	return c, b.outcome()
}

// BindCheck binds the condition of a CHECK over the columns of a table called
// name. Without a zone in env, [expr.Expr.InZone] is the caller's to do. The error is an [Errors].
func BindCheck(x ast.Expr, name string, s zset.Schema, env Env) (*expr.Expr, error) {
	b := &binder{env: env}
	sc := newScope(name, &Values{Fields: s}, nil, x.Pos())
	e := b.condition(x, &exprCtx{sc: &sc, clause: "check constraints"}, "CHECK")
	if e != nil && env.TimeZone != "" {
		e = e.InZone(env.TimeZone)
	}
	return e, b.outcome()
}

// defaultOf is what column i of r holds where a statement gives it no value.
func (b *binder) defaultOf(r Relation, i int, pos ast.Pos) *expr.Expr {
	f := r.Schema[i]
	if i >= len(r.Defaults) || r.Defaults[i] == "" {
		return expr.Const(zset.NullOf(f.Type))
	}
	x, err := ParseExpr(r.Defaults[i])
	if err == nil {
		var e *expr.Expr
		if e, err = BindDefault(x, f, Env{Now: b.env.Now, TimeZone: b.env.TimeZone}); err == nil {
			return e.At(int(pos))
		}
	}
	b.fail(err, pos)
	return expr.Const(zset.NullOf(f.Type))
}

// ParseExpr reads an expression that is kept as SQL.
func ParseExpr(text string) (ast.Expr, error) {
	stmt, err := ast.Parse("SELECT " + text)
	if err != nil {
		return nil, err
	}
	q, ok := stmt.(*ast.Query)
	if ok {
		if s, ok := q.Body.(*ast.Select); ok && len(s.Items) == 1 && s.From == nil {
			return s.Items[0].Expr, nil
		}
	}
	return nil, zset.Errorf("XX001", -1, "%q is no expression", text)
}
