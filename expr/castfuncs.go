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
		cast(zset.Float4, zset.Float8, false, func(f *frame, i int) { f.setF(i, f.f(0, i)) }),
		cast(zset.Float8, zset.Float4, true, castFloatReal),
		cast(zset.Float4, zset.Numeric, true, castRealNumeric),
		cast(zset.Numeric, zset.Float4, true, castNumericReal),
		cast(zset.Float8, zset.Numeric, true, castFloatNumeric),
		cast(zset.Numeric, zset.Float8, true, castNumericFloat),
		numericCast(zset.Numeric, castNumericNumeric),
		cast(zset.Int4, zset.Bool, false, castIntBool),
		dense(cast(zset.Bool, zset.Int4, false, castI64), denseCopyI64),
		cast(zset.Date, zset.Timestamp, true, castDateTimestamp),
		cast(zset.Timestamp, zset.Date, false, castTimestampDate),
		cast(zset.Timestamp, zset.Time, false, castTimestampTime),
		cast(zset.Time, zset.Interval, false, func(f *frame, i int) { f.putInterval(zset.IntervalValue{Micros: f.i(0, i)}) }),
		cast(zset.Interval, zset.Time, false, func(f *frame, i int) { f.setI(i, floorMod(f.interval(0, i).Micros, usDay)) }),
		{Name: orderName, Args: []zset.Kind{zset.Date}, Result: zset.Timestamp, Strict: true, row: orderDateTimestamp},
	}
	for _, k := range []zset.Kind{zset.Time, zset.Timestamp, zset.TimestampTZ} {
		rows = append(rows, cast(k, k, false, func(f *frame, i int) { f.setI(i, zset.RoundMicros(f.i(0, i), f.out.Type)) }))
	}
	rows = append(rows, cast(zset.Interval, zset.Interval, false, func(f *frame, i int) {
		v := f.interval(0, i)
		v.Micros = zset.RoundMicros(v.Micros, f.out.Type)
		f.putInterval(v)
	}))
	ints := []zset.Kind{zset.Int2, zset.Int4, zset.Int8} // from the narrowest
	for k, from := range ints {
		for j, to := range ints {
			if k < j {
				rows = append(rows, dense(cast(from, to, false, castI64), denseCopyI64))
			} else if k > j {
				rows = append(rows, cast(from, to, true, castInt))
			}
		}
		rows = append(rows, numericCast(from, castIntNumeric), cast(zset.Numeric, from, true, castNumericInt),
			cast(from, zset.Float4, false, castIntReal), cast(zset.Float4, from, true, castFloatInt),
			dense(cast(from, zset.Float8, false, castIntFloat), denseIntFloat), cast(zset.Float8, from, true, castFloatInt))
	}
	strings := []zset.Kind{zset.Text, zset.Varchar, zset.Char}
	for _, to := range strings {
		for _, from := range castKinds() {
			if from != to || to != zset.Text {
				rows = append(rows, Func{Name: castName, Args: []zset.Kind{from}, Result: to, Strict: true, row: castString(printed(from, to), true)})
			}
			if to != zset.Text {
				rows = append(rows, Func{Name: assignName, Args: []zset.Kind{from}, Result: to, Strict: true, Raises: true,
					spares: assignFits, row: castString(printed(from, to), false)})
			}
		}
	}
	for _, to := range castKinds() {
		if categoryOf(to) == catString || to == zset.Unknown {
			continue
		}
		for _, from := range append(strings, zset.Unknown) {
			rows = append(rows, cast(from, to, true, castParse))
		}
	}
	return rows
}

// castKinds are the kinds that are printed as text and read from it.
func castKinds() []zset.Kind {
	return []zset.Kind{zset.Unknown, zset.Text, zset.Varchar, zset.Char, zset.Bool, zset.Int2, zset.Int4, zset.Int8, zset.Float4, zset.Float8, zset.Numeric,
		zset.Date, zset.Time, zset.Timestamp, zset.Interval, zset.Bytea, zset.UUID}
}

// printed writes a cell as a string of kind to shows it: a CHAR without its blanks,
// but as a CHAR; a boolean as a word.
func printed(from, to zset.Kind) rowFunc {
	switch {
	case from == zset.Char && to != zset.Char:
		return func(f *frame, i int) { f.put(zset.TrimChar(f.b(0, i))) }
	case from == zset.Bool:
		return castBoolText
	case categoryOf(from) == catString, from == zset.Unknown:
		return castBytes
	}
	return castText
}

// castString prints a cell and makes it fit the length of the result.
func castString(print rowFunc, cut bool) rowFunc {
	return func(f *frame, i int) {
		start := f.start()
		print(f, i)
		if f.out.Type.Prec == 0 {
			return
		}
		var err *zset.Error
		if f.out.Buf, err = fitText(f.out.Buf[:start], f.out.Buf[start:], f.out.Type, cut); err != nil {
			f.failWith(i, err)
		}
	}
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
	return e.Typ.Prec == 0 || (from.Kind == zset.Varchar || from.Kind == zset.Char) && from.Prec > 0 && from.Prec <= e.Typ.Prec
}

func castI64(f *frame, i int) { f.setI(i, f.i(0, i)) }

func castIntFloat(f *frame, i int) { f.setF(i, float64(f.i(0, i))) }

func castInt(f *frame, i int) { widths[f.out.Type.Kind].put(f, i, f.i(0, i), true) }

func castIntBool(f *frame, i int) { f.setBool(i, f.i(0, i) != 0) }

// castFloatInt: floats round half to even, as the processor does; numerics half
// away from zero.
func castFloatInt(f *frame, i int) {
	w, r := widths[f.out.Type.Kind], math.RoundToEven(f.f(0, i))
	if !(r >= float64(w.min) && r < float64(w.max)+1) {
		f.fail(i, zset.CodeOutOfRange, w.msg)
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
}

func castText(f *frame, i int) {
	a := &f.args[0]
	f.out.Buf = zset.AppendText(f.out.Buf, a.Column, i&a.mask)
}

func castBytes(f *frame, i int) { f.out.Buf = append(f.out.Buf, f.b(0, i)...) }

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
