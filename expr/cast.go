package expr

import (
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// CastContext says where a cast is asked for; a context admits all casts of the
// contexts before it.
type CastContext uint8

// The contexts: arguments of functions and operators; storing into a column;
// CAST and ::.
const (
	Implicit CastContext = iota
	Assignment
	Explicit
	noCast
)

// The names of cast rows: castName is the plain cast; assignName is the one to
// a shorter VARCHAR or CHAR that fails instead of cutting; orderName takes a DATE among
// TIMESTAMPs for comparison, without an error for dates beyond their range.
const (
	castName   = "cast"
	assignName = "assign"
	orderName  = "order_as"
)

func isCastName(name string) bool {
	return name == castName || name == assignName || name == orderName
}

func castSignature(name string, from, to zset.Kind) string {
	return name + "(" + kindName(from) + " as " + kindName(to) + ")"
}

// castContexts is pg_cast for our kinds. Casts of a kind to itself apply
// modifiers. Every kind casts to text on assignment, and from text explicitly.
var castContexts = map[[2]zset.Kind]CastContext{
	{zset.Int2, zset.Int4}:             Implicit,
	{zset.Int2, zset.Int8}:             Implicit,
	{zset.Int2, zset.Numeric}:          Implicit,
	{zset.Int2, zset.Float4}:           Implicit,
	{zset.Int2, zset.Float8}:           Implicit,
	{zset.Int4, zset.Float4}:           Implicit,
	{zset.Int8, zset.Float4}:           Implicit,
	{zset.Numeric, zset.Float4}:        Implicit,
	{zset.Float4, zset.Float8}:         Implicit,
	{zset.Char, zset.Text}:             Implicit,
	{zset.Char, zset.Varchar}:          Implicit,
	{zset.Text, zset.Char}:             Implicit,
	{zset.Varchar, zset.Char}:          Implicit,
	{zset.Time, zset.Interval}:         Implicit,
	{zset.Interval, zset.Time}:         Assignment,
	{zset.Timestamp, zset.Time}:        Assignment,
	{zset.Date, zset.TimestampTZ}:      Implicit,
	{zset.Timestamp, zset.TimestampTZ}: Implicit,
	{zset.TimestampTZ, zset.Timestamp}: Assignment,
	{zset.TimestampTZ, zset.Date}:      Assignment,
	{zset.TimestampTZ, zset.Time}:      Assignment,
	{zset.Int4, zset.Int2}:             Assignment,
	{zset.Int8, zset.Int2}:             Assignment,
	{zset.Numeric, zset.Int2}:          Assignment,
	{zset.Float4, zset.Int2}:           Assignment,
	{zset.Float8, zset.Int2}:           Assignment,
	{zset.Float4, zset.Int4}:           Assignment,
	{zset.Float4, zset.Int8}:           Assignment,
	{zset.Float8, zset.Float4}:         Assignment,
	{zset.Float4, zset.Numeric}:        Assignment,
	{zset.Int4, zset.Int8}:             Implicit,
	{zset.Int4, zset.Numeric}:          Implicit,
	{zset.Int4, zset.Float8}:           Implicit,
	{zset.Int8, zset.Numeric}:          Implicit,
	{zset.Int8, zset.Float8}:           Implicit,
	{zset.Numeric, zset.Float8}:        Implicit,
	{zset.Varchar, zset.Text}:          Implicit,
	{zset.Text, zset.Varchar}:          Implicit,
	{zset.Date, zset.Timestamp}:        Implicit,
	{zset.Int8, zset.Int4}:             Assignment,
	{zset.Numeric, zset.Int4}:          Assignment,
	{zset.Numeric, zset.Int8}:          Assignment,
	{zset.Float8, zset.Int4}:           Assignment,
	{zset.Float8, zset.Int8}:           Assignment,
	{zset.Float8, zset.Numeric}:        Assignment,
	{zset.Timestamp, zset.Date}:        Assignment,
	{zset.Int4, zset.Bool}:             Explicit,
	{zset.Bool, zset.Int4}:             Explicit,
	{zset.Varchar, zset.Varchar}:       Implicit,
	{zset.Char, zset.Char}:             Implicit,
	{zset.Numeric, zset.Numeric}:       Implicit,
}

// castContext is the first context that admits a cast between two kinds, noCast if none does.
func castContext(from, to zset.Kind) CastContext {
	if c, ok := castContexts[[2]zset.Kind{from, to}]; ok {
		return c
	}
	switch {
	case from == to || from == zset.Unknown:
		return Implicit
	case categoryOf(to) == catString:
		return Assignment
	case categoryOf(from) == catString:
		return Explicit
	}
	return noCast
}

// castContextOf is castContext of types: arrays cast as their elements do.
func castContextOf(from, to zset.Type) CastContext {
	if from.Kind == zset.Array && to.Kind == zset.Array {
		return castContext(from.Elem, to.Elem)
	}
	return castContext(from.Kind, to.Kind)
}

// Cast casts e to t, modifiers included. An untyped literal is read as t at
// once (22P02, 22003, 22007, 22008 if it cannot be); other constants are folded
// where that does not fail. Error 42846: the context admits no such cast.
func Cast(e *Expr, t zset.Type, ctx CastContext, pos int) (*Expr, error) {
	from := e.Typ.Kind
	if e.Typ == t {
		return e, nil
	}
	if castContextOf(e.Typ, t) > ctx {
		return nil, zset.Errorf("42846", pos, "cannot cast type %s to %s", typeShown(e.Typ), typeShown(t))
	}
	if e.Op == OpConst {
		if v, ok, err := castLiteral(e.Val, t, ctx, int(e.Pos)); err != nil {
			return nil, err
		} else if ok {
			return &Expr{Op: OpConst, Typ: t, Val: v, Pos: e.Pos}, nil
		}
	}
	if t.Prec > 0 && from != t.Kind && (t.Kind == zset.Array || t.Kind.Timed()) { // what is declared of elements and fractions is a cast of its own
		plain, err := Cast(e, zset.Type{Kind: t.Kind, Elem: t.Elem}, ctx, pos)
		if err != nil {
			return nil, err
		}
		return Cast(plain, t, ctx, pos)
	}
	name := castName
	if t.Prec > 0 && ctx < Explicit && (categoryOf(t.Kind) == catString || categoryOf(t.Elem) == catString) {
		name = assignName
	}
	call := &Expr{Op: OpCall, Typ: t, Fn: castSignature(name, from, t.Kind), Args: []*Expr{e}, Pos: int32(pos)}
	if f := funcs.bySig[call.Fn]; f != nil && f.takesZone(typesOf(call.Args), t) {
		call.Args = append(call.Args, zoneArg())
	}
	return Fold(call), nil
}

// castLiteral casts NULLs and untyped literals; ok is false for other constants.
func castLiteral(v zset.Value, t zset.Type, ctx CastContext, pos int) (zset.Value, bool, error) {
	if v.Null {
		return zset.NullOf(t), true, nil
	}
	if v.Type.Kind != zset.Unknown {
		return v, false, nil
	}
	if v.IsRaw() {
		if t.Kind == zset.Bytea {
			return zset.Value{Type: t, S: v.S}, true, nil
		}
		if err := zset.CheckText(v.S); err != nil {
			return v, false, positioned(err, pos)
		}
	}
	if categoryOf(t.Kind) == catString {
		s, err := fitText(nil, []byte(v.S), t, ctx == Explicit)
		if err != nil {
			return v, false, zset.Errorf(err.Code, pos, "%s", err.Msg)
		}
		return zset.Value{Type: t, S: string(s)}, true, nil
	}
	declared := t
	if t.Kind == zset.Array { // its elements are made to fit by a cast
		t = zset.ArrayOf(t.Element())
	}
	p, err := zset.ParseText(t, v.S)
	if err != nil {
		return v, false, positioned(err, pos)
	}
	if t.Kind == zset.TimestampTZ || t.Elem == zset.TimestampTZ {
		// Without a zone of its own it waits for the one of the session.
		east, _ := zset.SessionZone("+1")
		if q, err := zset.ParseTextIn(t, v.S, east); err != nil || q != p {
			return v, false, nil
		}
	}
	p.Type = t
	if declared != t {
		c, err := Cast(Const(p).At(pos), declared, ctx, pos)
		if err != nil || c.Op != OpConst {
			return v, false, err
		}
		return c.Val, true, nil
	}
	return p, true, nil
}

// positioned gives an error of zset a code and a position if it has none.
func positioned(err error, pos int) *zset.Error {
	ze, ok := err.(*zset.Error)
	if !ok {
		return zset.Errorf("22000", pos, "%s", err.Error())
	}
	if ze.Pos >= 0 || pos < 0 {
		return ze
	}
	c := *ze
	c.Pos = pos
	return &c
}

// fitText makes s, which follows the bytes before, fit the length of t: trailing
// blanks beyond it always go, others only if cut (error 22001), and a CHAR gets
// the blanks that it lacks. It returns before with s appended.
func fitText(before, s []byte, t zset.Type, cut bool) ([]byte, *zset.Error) {
	n := int(t.Prec)
	end := varcharEnd(s, n)
	if !cut && !blank(s[end:]) {
		return append(before, s[:end]...), errTooLong(t)
	}
	before = append(before, s[:end]...)
	if t.Kind == zset.Char {
		for k := utf8.RuneCount(s[:end]); k < n; k++ {
			before = append(before, ' ')
		}
	}
	return before, nil
}

// varcharEnd is the length in bytes of the first n characters of s.
func varcharEnd(s []byte, n int) int {
	if n == 0 || len(s) <= n {
		return len(s)
	}
	end := 0
	for ; n > 0 && end < len(s); n-- {
		_, w := utf8.DecodeRune(s[end:])
		end += w
	}
	return end
}

func blank[T string | []byte](s T) bool {
	for i := range len(s) {
		if s[i] != ' ' {
			return false
		}
	}
	return true
}

func errTooLong(t zset.Type) *zset.Error {
	return zset.Errorf(zset.CodeTooLong, -1, "value too long for type %s", t)
}
