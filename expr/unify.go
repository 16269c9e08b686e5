package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// Unify casts es to their common type by PostgreSQL's rules for CASE, COALESCE,
// IN, UNION and VALUES. Modifiers stay only if all have the same. what names
// the construct in errors: 42804 if the types are of different categories,
// 42846 if one does not cast.
func Unify(es []*Expr, what string, pos int) ([]*Expr, zset.Type, error) {
	t := zset.TUnknown
	for _, e := range es {
		if e.Typ.Kind == zset.Unknown {
			continue
		}
		if t.Kind == zset.Unknown {
			t = e.Typ
			continue
		}
		if categoryOf(e.Typ.Kind) != categoryOf(t.Kind) {
			return nil, t, zset.Errorf(zset.CodeTypeMismatch, int(e.Pos), "%s types %s and %s cannot be matched", what, typeShown(t), typeShown(e.Typ))
		}
		if (e.Typ.Kind != t.Kind || e.Typ.Elem != t.Elem) && (!kindInfo[t.Kind].preferred || e.Typ.Kind == zset.TimestampTZ) &&
			castContextOf(t, e.Typ) == Implicit && castContextOf(e.Typ, t) != Implicit {
			t = e.Typ
		}
	}
	if t.Kind == zset.Unknown {
		t = zset.TText
	}
	for _, e := range es {
		if e.Typ != t {
			t = zset.Type{Kind: t.Kind, Elem: t.Elem}
			break
		}
	}
	out := make([]*Expr, len(es))
	for i, e := range es {
		c, err := Cast(e, t, Implicit, pos)
		if err != nil {
			if ze, ok := err.(*zset.Error); ok && ze.Code == "42846" {
				return nil, t, zset.Errorf("42846", int(e.Pos), "%s could not convert type %s to %s", what, typeShown(e.Typ), typeShown(t))
			}
			return nil, t, err
		}
		out[i] = c
	}
	return out, t, nil
}

// Comparison casts both sides to the type that PostgreSQL compares them in, so
// that = on the results is = on the arguments, and the key encodings of equal
// cells are equal: both sides have the same Typ. Error 42883.
func Comparison(l, r *Expr, pos int) (*Expr, *Expr, error) { return comparison("=", l, r, pos) }

func comparison(name string, l, r *Expr, pos int) (*Expr, *Expr, error) {
	k, ok := comparisonKind(name, l.Typ.Kind, r.Typ.Kind)
	if !ok {
		return nil, nil, unresolved(name, []*Expr{l, r}, false, pos)
	}
	t := zset.Type{Kind: k}
	if k == zset.Array {
		if t.Elem = l.Typ.Elem; t.Elem == zset.Unknown {
			t.Elem = r.Typ.Elem
		}
		if l.Typ.Kind == r.Typ.Kind && l.Typ.Elem != r.Typ.Elem {
			return nil, nil, unresolved(name, []*Expr{l, r}, false, pos)
		}
	}
	if k == zset.Numeric {
		if form, ok := comparisonForm(l, r); ok {
			t = form
		}
	}
	out := [2]*Expr{l, r}
	for i, e := range out {
		if from := e.Typ.Kind; from != k && (k == zset.Timestamp || k == zset.TimestampTZ) && (from == zset.Date || from == zset.Timestamp) {
			f := funcs.bySig[castSignature(orderName, from, k)]
			out[i] = Fold(newCall(f, []*Expr{e}, int(e.Pos)))
			continue
		}
		c, err := Cast(e, t, Implicit, int(e.Pos))
		if err != nil {
			return nil, nil, err
		}
		out[i] = c
	}
	return out[0], out[1], nil
}

// comparisonKind is the kind in which two kinds compare.
func comparisonKind(name string, l, r zset.Kind) (zset.Kind, bool) {
	if l == zset.Date && r == zset.Timestamp || l == zset.Timestamp && r == zset.Date {
		return zset.Timestamp, true
	}
	if times := func(k zset.Kind) bool { return k == zset.Date || k == zset.Timestamp }; l == zset.TimestampTZ && times(r) || r == zset.TimestampTZ && times(l) {
		return zset.TimestampTZ, true
	}
	if l == zset.Char && r == zset.Varchar || l == zset.Varchar && r == zset.Char {
		return zset.Char, true // a VARCHAR has no comparison of its own; with TEXT a CHAR compares as text
	}
	if l != r && (l == zset.Float4 && categoryOf(r) == catNumber || r == zset.Float4 && categoryOf(l) == catNumber) {
		return zset.Float8, true // a REAL compares as one with a REAL alone
	}
	f, _ := resolve(funcs.byName[name], []zset.Kind{l, r}, true)
	if f == nil {
		return 0, false
	}
	return f.Args[0], true
}

// comparisonForm is a fixed form that holds both sides of a NUMERIC comparison
// exactly, so that they compare as integers.
func comparisonForm(l, r *Expr) (zset.Type, bool) {
	a, ok := formOf(l)
	b, ok2 := formOf(r)
	switch {
	case ok && ok2:
		return commonForm(a, b)
	case ok && r.IsNull():
		return a, true
	case ok2 && l.IsNull():
		return b, true
	}
	return zset.Type{}, false
}

// formOf is fixedForm for an argument that is yet to be cast to NUMERIC.
func formOf(e *Expr) (zset.Type, bool) {
	switch {
	case e.Typ.Kind == zset.Int2 && e.Op == OpConst && !e.Val.Null,
		e.Typ.Kind == zset.Int4 && e.Op == OpConst && !e.Val.Null,
		e.Typ.Kind == zset.Int8 && e.Op == OpConst && !e.Val.Null:
		return constForm(zset.Value{Type: zset.TNumeric, S: string(zset.DecimalFromInt64(e.Val.I).AppendTo(nil))})
	case e.Typ.Kind == zset.Int2:
		return decimalType(5, 0)
	case e.Typ.Kind == zset.Int4:
		return decimalType(10, 0)
	case e.Typ.Kind == zset.Unknown && e.Op == OpConst && !e.Val.Null:
		v, err := zset.ParseText(zset.TNumeric, e.Val.S)
		if err != nil {
			return zset.Type{}, false
		}
		return constForm(v)
	}
	return fixedForm(e)
}

// commonForm has room for the digits of both before and behind the point.
func commonForm(a, b zset.Type) (zset.Type, bool) {
	s := max(a.Scale, b.Scale)
	return decimalType(int(max(a.Prec-a.Scale, b.Prec-b.Scale)+s), int(s))
}
