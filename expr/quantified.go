package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// The names of x op ANY (array) and x op ALL (array): calls of the operator's
// name, x and the array. They cannot be written as a call.
const (
	anyOf = "any"
	allOf = "all"
)

// Quantified binds x op ANY (a), or with all x op ALL (a). Errors: 42809 a is no
// array or the operator no BOOLEAN, 42883 no such operator.
func Quantified(op string, all bool, x, a *Expr, pos int) (*Expr, error) {
	if a.Typ.Kind == zset.Unknown { // an array of what x is
		t := x.Typ
		if t.Kind == zset.Unknown {
			t = zset.TText
		}
		if t.Kind == zset.Array {
			return nil, zset.Errorf("0A000", pos, "an array of more than one dimension is not supported")
		}
		c, err := Cast(a, zset.ArrayOf(t), Implicit, int(a.Pos))
		if err != nil {
			return nil, err
		}
		a = c
	}
	if a.Typ.Kind != zset.Array {
		return nil, zset.Errorf("42809", pos, "op ANY/ALL (array) requires array on right side")
	}
	a = Fold(a)
	if a.Op == OpConst && !a.Val.Null && (op == "=" && !all || op == "<>" && all) {
		if e, err := asIn(all, x, a, pos); e != nil || err != nil {
			return e, err
		}
	}
	elem := Const(zset.NullOf(a.Typ.Element()))
	call, err := Call(op, []*Expr{x, elem}, pos)
	if err != nil {
		return nil, err
	}
	if call.Typ.Kind != zset.Bool {
		return nil, zset.Errorf("42809", pos, "op ANY/ALL (array) requires operator to yield boolean")
	}
	if x.Typ.Kind == zset.Unknown {
		if x, err = Cast(x, a.Typ.Element(), Implicit, int(x.Pos)); err != nil {
			return nil, err
		}
	}
	name := anyOf
	if all {
		name = allOf
	}
	f := funcs.bySig[name+"(text,any,array)"]
	return newCall(f, []*Expr{Const(zset.TextValue(op)), x, a}, pos), nil
}

// asIn is x = ANY or x <> ALL of a constant array as a set; nil for an empty one,
// for which even NULL is compared with nothing.
func asIn(not bool, x, a *Expr, pos int) (*Expr, error) {
	c := zset.NewColumn(a.Typ.Element(), 0)
	if err := zset.Elements([]byte(a.Val.S), &c); err != nil {
		return nil, err
	}
	if c.Len() == 0 {
		return nil, nil
	}
	args := []*Expr{x}
	for i := range c.Len() {
		v := c.Value(i)
		v.Type = c.Type
		args = append(args, Const(v).At(int(a.Pos)))
	}
	e, err := bindIn("in", args, pos)
	if err != nil || !not {
		return e, err
	}
	return negate(e, pos), nil
}

func quantifiedFuncs() []Func {
	row := func(name string, decides int64) Func {
		return Func{Name: name, Args: []zset.Kind{zset.Text, Any, zset.Array}, Result: zset.Bool, Raises: true, Costly: true, elementwise: true,
			zonedFor: func(args []zset.Type, _ zset.Type) bool {
				return len(args) > 2 && (args[1].Kind == zset.TimestampTZ || args[2].Elem == zset.TimestampTZ)
			},
			row: func(f *frame, i int) { quantifiedRow(f, i, decides) }}
	}
	return []Func{row(anyOf, 1), row(allOf, 0)}
}

// quantifiedRow: one comparison that decides is enough; without one, a NULL among
// them makes NULL.
func quantifiedRow(f *frame, i int, decides int64) {
	if f.isNull(2, i) {
		f.setNull(i)
		return
	}
	c := f.elements(2, i)
	x := &f.args[1]
	same := &f.same
	if same.Type != x.Type {
		*same = zset.NewColumn(x.Type, 8)
	}
	same.Reset()
	for range c.Len() {
		same.AppendCell(x.Column, i&x.mask)
	}
	n := c.Len()
	out, failed := f.each.run(n, same, c)
	if re, ok := failed.(*RowError); ok && re.Row > 0 { // one before it may decide
		n = re.Row
		out, _ = f.each.run(n, same, c)
	} else if failed != nil {
		f.failEach(i, failed)
		return
	}
	null := false
	for j := range n {
		switch {
		case out.IsNull(j):
			null = true
		case out.I64[j] == decides:
			f.setI(i, decides)
			return
		}
	}
	switch {
	case failed != nil:
		f.failEach(i, failed)
	case null:
		f.setNull(i)
	default:
		f.setI(i, 1-decides)
	}
}
