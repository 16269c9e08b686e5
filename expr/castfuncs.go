package expr

import (
	"math"

	"github.com/ivmc/ivmc/zset"
)

// castFuncs are the casts. The target's modifiers come from the type of the
// result column.
func castFuncs() []Func {
	cast := func(from, to zset.Kind, raises bool, row rowFunc) Func {
		return Func{Name: castName, Args: []zset.Kind{from}, Result: to, Strict: true, Raises: raises, row: row}
	}
	rows := []Func{
		dense(cast(zset.Int4, zset.Int8, false, castI64), denseCopyI64),
		cast(zset.Int8, zset.Int4, true, castToInt4),
		dense(cast(zset.Int4, zset.Float8, false, castIntFloat), denseIntFloat),
		dense(cast(zset.Int8, zset.Float8, false, castIntFloat), denseIntFloat),
		cast(zset.Float8, zset.Int4, true, castFloatInt4),
		cast(zset.Float8, zset.Int8, true, castFloatInt8),
		numericCast(zset.Int4, castIntNumeric),
		numericCast(zset.Int8, castIntNumeric),
		numericCast(zset.Numeric, castNumericNumeric),
		cast(zset.Float8, zset.Numeric, true, castFloatNumeric),
		cast(zset.Numeric, zset.Int4, true, castNumericInt4),
		cast(zset.Numeric, zset.Int8, true, castNumericInt8),
		cast(zset.Numeric, zset.Float8, true, castNumericFloat),
		cast(zset.Int4, zset.Bool, false, castIntBool),
		dense(cast(zset.Bool, zset.Int4, false, castI64), denseCopyI64),
		cast(zset.Date, zset.Timestamp, true, castDateTimestamp),
		cast(zset.Timestamp, zset.Date, false, castTimestampDate),
		{Name: orderName, Args: []zset.Kind{zset.Date}, Result: zset.Timestamp, Strict: true, row: orderDateTimestamp},
		cast(zset.Bool, zset.Text, false, castBoolText),
		cast(zset.Bool, zset.Varchar, false, castBoolText),
	}
	for _, k := range []zset.Kind{zset.Int4, zset.Int8, zset.Float8, zset.Numeric, zset.Date, zset.Timestamp} {
		rows = append(rows, cast(k, zset.Text, false, castText), cast(k, zset.Varchar, false, castText))
	}
	for _, from := range []zset.Kind{zset.Text, zset.Varchar, zset.Unknown} {
		rows = append(rows, cast(from, zset.Varchar, false, castVarchar))
		if from != zset.Text {
			rows = append(rows, cast(from, zset.Text, false, castVarchar))
		}
		for _, to := range []zset.Kind{zset.Bool, zset.Int4, zset.Int8, zset.Float8, zset.Numeric, zset.Date, zset.Timestamp} {
			rows = append(rows, cast(from, to, true, castParse))
		}
	}
	for _, from := range []zset.Kind{zset.Bool, zset.Int4, zset.Int8, zset.Float8, zset.Numeric, zset.Date, zset.Timestamp, zset.Text, zset.Varchar, zset.Unknown} {
		plain := castText
		switch categoryOf(from) {
		case catBool:
			plain = castBoolText
		case catString, catUnknown:
			plain = castBytes
		}
		rows = append(rows, Func{Name: assignName, Args: []zset.Kind{from}, Result: zset.Varchar, Strict: true, Raises: true,
			spares: assignFits, row: assignVarchar(plain)})
	}
	return rows
}

func dense(f Func, d denseFunc) Func {
	f.dense = d
	return f
}

// numericCast is a cast to NUMERIC that cannot fail where the target has room
// for every value of the source.
func numericCast(from zset.Kind, row rowFunc) Func {
	return Func{Name: castName, Args: []zset.Kind{from}, Result: zset.Numeric, Strict: true, Raises: true,
		spares: numericFits, row: row, dense: denseRescale}
}

func assignFits(e *Expr) bool {
	from := e.Args[0].Typ
	return e.Typ.Prec == 0 || from.Kind == zset.Varchar && from.Prec > 0 && from.Prec <= e.Typ.Prec
}

func castI64(f *frame, i int) { f.setI(i, f.i(0, i)) }

func castIntFloat(f *frame, i int) { f.setF(i, float64(f.i(0, i))) }

func castToInt4(f *frame, i int) { f.setInt4(i, f.i(0, i)) }

func castIntBool(f *frame, i int) { f.setBool(i, f.i(0, i) != 0) }

// Floats round half to even, as the processor does; numerics half away from zero.
func castFloatInt4(f *frame, i int) {
	r := math.RoundToEven(f.f(0, i))
	if !(r >= math.MinInt32 && r <= math.MaxInt32) {
		f.fail(i, zset.CodeOutOfRange, "integer out of range")
		return
	}
	f.setI(i, int64(r))
}

func castFloatInt8(f *frame, i int) {
	r := math.RoundToEven(f.f(0, i))
	if !(r >= math.MinInt64 && r < -math.MinInt64) {
		f.fail(i, zset.CodeOutOfRange, "bigint out of range")
		return
	}
	f.setI(i, int64(r))
}

func castBoolText(f *frame, i int) {
	if f.i(0, i) != 0 {
		f.out.Buf = append(f.out.Buf, "true"...)
	} else {
		f.out.Buf = append(f.out.Buf, "false"...)
	}
	f.cutVarchar(i)
}

func castText(f *frame, i int) {
	a := &f.args[0]
	f.out.Buf = zset.AppendText(f.out.Buf, a.Column, i&a.mask)
	f.cutVarchar(i)
}

func castBytes(f *frame, i int) { f.out.Buf = append(f.out.Buf, f.b(0, i)...) }

func castVarchar(f *frame, i int) {
	castBytes(f, i)
	f.cutVarchar(i)
}

// cutVarchar shortens the cell being written to the result's VARCHAR length.
func (f *frame) cutVarchar(int) {
	if n := int(f.out.Type.Prec); n > 0 {
		start := f.start()
		f.out.Buf = f.out.Buf[:start+varcharEnd(f.out.Buf[start:], n)]
	}
}

func assignVarchar(plain rowFunc) rowFunc {
	return func(f *frame, i int) {
		n := f.out.Type.Prec
		start := f.start()
		f.out.Type.Prec = 0
		plain(f, i)
		f.out.Type.Prec = n
		end := start + varcharEnd(f.out.Buf[start:], int(n))
		if !blank(f.out.Buf[end:]) {
			f.failWith(i, errVarchar(int(n)))
		}
		f.out.Buf = f.out.Buf[:end]
	}
}

// castParse reads a text as the result type.
func castParse(f *frame, i int) {
	v, err := zset.ParseText(f.out.Type, string(f.b(0, i)))
	switch {
	case err != nil:
		f.failWith(i, positioned(err, -1))
	case f.out.Type.Phys() == zset.PhysI64:
		f.setI(i, v.I)
	case f.out.Type.Phys() == zset.PhysF64:
		f.setF(i, v.F)
	default:
		f.out.Buf = append(f.out.Buf, v.S...)
	}
}
