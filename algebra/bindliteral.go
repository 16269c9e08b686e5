package algebra

import (
	"math"
	"strconv"
	"strings"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// literal is a constant as written, after sign: an integer of the least type
// that holds it, or a NUMERIC; strings and NULL have no type yet.
func (b *binder) literal(l *ast.Literal, sign string) *expr.Expr {
	var v zset.Value
	switch l.Kind {
	case ast.NullLit:
		v = zset.NullOf(zset.TUnknown)
	case ast.BoolLit:
		v = zset.BoolValue(l.Text == "true")
	case ast.StringLit:
		v = zset.Value{Type: zset.TUnknown, S: l.Text}
	case ast.NumberLit:
		if i, err := strconv.ParseInt(sign+l.Text, 10, 64); err == nil {
			v = zset.Value{Type: zset.TInt8, I: i}
			if i >= math.MinInt32 && i <= math.MaxInt32 {
				v.Type = zset.TInt4
			}
			break
		}
		d, err := zset.ParseDecimal(sign + l.Text)
		if err == nil {
			v = numericValue(d)
			break
		}
		// A NUMERIC has 76 digits at most; 1e300 can only be meant for a DOUBLE.
		f, ferr := strconv.ParseFloat(sign+l.Text, 64)
		if ferr != nil || !strings.ContainsAny(l.Text, "eE") {
			b.fail(err, l.Pos())
			return nil
		}
		v = zset.FloatValue(f)
	}
	return expr.Const(v).At(int(l.Pos()))
}

func (b *binder) typedLiteral(l *ast.TypedLiteral) *expr.Expr {
	if fields, ok := fieldsOf(l.Type); ok {
		return b.intervalLiteral(l, fields)
	}
	written := l.Type
	if len(written.Args) == 0 && (written.Name == "char" || written.Name == "character") {
		written.Name = "bpchar" // a constant without a length is as long as it is
	}
	t, err := TypeOf(written)
	if err != nil {
		b.fail(err, l.Type.Pos())
		return nil
	}
	e := expr.Const(zset.Value{Type: zset.TUnknown, S: l.Text}).At(int(l.Str))
	c, err := expr.Cast(e, t, expr.Explicit, int(l.Str))
	if err != nil {
		b.fail(err, l.Str)
		return nil
	}
	return c
}

func (b *binder) param(p *ast.Param) *expr.Expr {
	if p.N < 1 || p.N > len(b.env.Params) {
		b.errorf(codeNoParameter, p.Pos(), "there is no parameter $%d", p.N)
		return nil
	}
	return expr.Const(b.env.Params[p.N-1]).At(int(p.Pos()))
}
