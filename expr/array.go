package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// Element is an argument or result kind: the element type of the arrays of the
// call. A row with arrays in it takes arrays of one type, and elements of it.
const Element zset.Kind = 254

// The names of what has a syntax of its own. They cannot be written as a call.
const (
	arrayName     = "array" // ARRAY[..]
	subscriptName = "[]"    // a[i]
	sliceName     = "[:]"   // a[low:high]
)

// generic reports whether a row is bound by the element type of its arrays.
func (f *Func) generic() bool {
	for _, k := range f.Args {
		if k == zset.Array || k == Element {
			return !isCastName(f.Name) && f.Name != anyOf && f.Name != allOf
		}
	}
	return false
}

// bindGeneric casts args to one element type: the common one of arrays and
// elements, or with strictArrays that of the arrays, which must agree. Error 42804
// where no argument tells it, 42883 where they have none in common.
func bindGeneric(f *Func, name string, args []*Expr, pos int) ([]*Expr, error) {
	var typed []*Expr // an expression of the element type for each argument that has one
	for i, a := range args {
		switch k := f.want(i); {
		case a.Typ.Kind == zset.Unknown:
		case k == zset.Array:
			typed = append(typed, &Expr{Op: OpConst, Typ: a.Typ.Element(), Val: zset.NullOf(a.Typ.Element()), Pos: a.Pos})
		case k == Element:
			typed = append(typed, a)
		}
	}
	if len(typed) == 0 {
		return nil, zset.Errorf(zset.CodeTypeMismatch, pos, "could not determine polymorphic type because input has type unknown")
	}
	_, elem, err := Unify(typed, name, pos)
	if err != nil {
		return nil, unresolved(name, args, false, pos)
	}
	elem = zset.Type{Kind: elem.Kind}
	out := make([]*Expr, len(args))
	for i, a := range args {
		want := zset.Type{Kind: f.want(i)}
		switch want.Kind {
		case zset.Array:
			want = zset.ArrayOf(elem)
			if a.Typ.Elem == elem.Kind { // what was declared of the elements stays known
				want = a.Typ
			}
		case Element:
			want = elem
		}
		if f.sameArrays && want.Kind == zset.Array && a.Typ.Kind == zset.Array && a.Typ.Elem != elem.Kind {
			return nil, unresolved(name, args, false, pos)
		}
		if out[i], err = Cast(a, want, Implicit, int(a.Pos)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Array binds ARRAY[es..]. Errors: 42P18 for none, 42804 and 42846 for elements
// of no common type, 0A000 for elements that are arrays.
func Array(es []*Expr, pos int) (*Expr, error) {
	if len(es) == 0 {
		err := zset.Errorf("42P18", pos, "cannot determine type of empty array")
		err.Hint = "Explicitly cast to the desired type, for example ARRAY[]::integer[]."
		return nil, err
	}
	as, t, err := Unify(es, "ARRAY", pos)
	if err != nil {
		return nil, err
	}
	return arrayOf(as, t, pos)
}

// ArrayAs binds ARRAY[es..] as an array of type t, to which the elements are
// cast; there may be none.
func ArrayAs(es []*Expr, t zset.Type, pos int) (*Expr, error) {
	if len(es) == 0 {
		return Const(zset.Value{Type: t}).At(pos), nil
	}
	as := make([]*Expr, len(es))
	for i, e := range es {
		c, err := Cast(e, t.Bounded(), Explicit, int(e.Pos))
		if err != nil {
			return nil, err
		}
		as[i] = c
	}
	return arrayOf(as, t.Bounded(), pos)
}

func arrayOf(as []*Expr, t zset.Type, pos int) (*Expr, error) {
	if t.Kind == zset.Array {
		return nil, zset.Errorf("0A000", pos, "an array of more than one dimension is not supported")
	}
	e := newCall(funcs.bySig[arrayName+"(anyelement...)"], as, pos)
	e.Typ = zset.ArrayBounded(t)
	return Fold(e), nil
}

// Subscript binds a[i]; Slice binds a[low:high], where nil is open. Errors 42804:
// a is no array, or a subscript no integer.
func Subscript(a, i *Expr, pos int) (*Expr, error) {
	args, err := subscripts(a, pos, i)
	if err != nil {
		return nil, err
	}
	return newCall(funcs.bySig[subscriptName+"(array,integer)"], args, pos), nil
}

// Slice is described at [Subscript].
func Slice(a, low, high *Expr, pos int) (*Expr, error) {
	if low == nil {
		low = Const(zset.Value{Type: zset.TInt4, I: 1})
	}
	if high == nil {
		high = Const(zset.Value{Type: zset.TInt4, I: maxElements})
	}
	args, err := subscripts(a, pos, low, high)
	if err != nil {
		return nil, err
	}
	return newCall(funcs.bySig[sliceName+"(array,integer,integer)"], args, pos), nil
}

// maxElements is more than an array has.
const maxElements = 1<<31 - 1

func subscripts(a *Expr, pos int, is ...*Expr) ([]*Expr, error) {
	if a.Typ.Kind != zset.Array {
		return nil, zset.Errorf(zset.CodeTypeMismatch, pos, "cannot subscript type %s because it does not support subscripting", typeShown(a.Typ))
	}
	args := []*Expr{a}
	for _, i := range is {
		c, err := Cast(i, zset.TInt4, Assignment, int(i.Pos))
		if err != nil || categoryOf(i.Typ.Kind) != catNumber && i.Typ.Kind != zset.Unknown {
			return nil, zset.Errorf(zset.CodeTypeMismatch, int(i.Pos), "array subscript must have type integer")
		}
		args = append(args, c)
	}
	return args, nil
}

// typeShown is a type as messages name it, without length, precision and scale.
func typeShown(t zset.Type) string {
	if t.Kind == zset.Array {
		return kindName(t.Elem) + "[]"
	}
	return kindName(t.Kind)
}

// sameAsArray is the type of a result that is the first array of a call; its
// elements may be others than were declared there.
func sameAsArray(args []zset.Type) zset.Type {
	for _, t := range args {
		if t.Kind == zset.Array {
			return zset.ArrayOf(t.Element())
		}
	}
	return zset.Type{Kind: zset.Array}
}

// elements is the elements of cell i of argument k, an array; valid until the
// next call for that argument.
func (f *frame) elements(k, i int) *zset.Column {
	for len(f.cells) <= k {
		f.cells = append(f.cells, zset.Column{})
	}
	a, c := &f.args[k], &f.cells[k]
	if t := a.Type.Element(); c.Type != t {
		*c = zset.NewColumn(t, 8)
	}
	c.Reset()
	if err := zset.Elements(a.Column.Bytes(i&a.mask), c); err != nil {
		f.failWith(i, positioned(err, -1))
		c.Reset()
	}
	return c
}

// putElements appends elements [from, to) of c to an array cell.
func (f *frame) putElements(c *zset.Column, from, to int) {
	for j := from; j < to; j++ {
		f.out.Buf = zset.AppendElement(f.out.Buf, c, j)
	}
}

// setCell writes cell j of c, which has the kind of the result.
func (f *frame) setCell(i int, c *zset.Column, j int) {
	switch {
	case c.IsNull(j):
		f.setNull(i)
	case c.Type.Kind == zset.Numeric:
		f.setDec(i, c.Decimal(j))
	case f.out.Type.Phys() == zset.PhysI64:
		f.setI(i, c.I64[j])
	case f.out.Type.Phys() == zset.PhysF64:
		f.setF(i, c.F64[j])
	default:
		f.put(c.Bytes(j))
	}
}

// elementKey appends the key of cell i of argument k as an element of an array.
func (f *frame) elementKey(dst []byte, k, i int) []byte {
	a := &f.args[k]
	return zset.AppendElementKey(dst, a.Column, i&a.mask)
}

// zone is the setting TimeZone, argument k of a call that takes it; nil for UTC
// where it takes none.
func (f *frame) zone(k, i int) *zset.Zone {
	if len(f.args) <= k {
		return nil
	}
	if f.zoneCell == nil {
		z, err := zset.SessionZone(string(f.b(k, i)))
		if err != nil {
			f.failWith(i, positioned(err, -1))
		}
		f.zoneCell = z // a constant
	}
	return f.zoneCell
}

// ofMoments: a call that reads or writes elements of TIMESTAMPTZ as text, or
// makes others of them, depends on the zone.
func ofMoments(args []zset.Type, result zset.Type) bool {
	for _, t := range args {
		if t.Elem == zset.TimestampTZ {
			return true
		}
	}
	return result.Elem == zset.TimestampTZ
}
