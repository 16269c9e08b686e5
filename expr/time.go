package expr

import (
	"math"

	"github.com/ivmc/ivmc/zset"
)

const (
	usSecond = int64(1_000_000)
	usMinute = 60 * usSecond
	usHour   = 60 * usMinute
	usDay    = 24 * usHour
)

// timeFuncs are the functions of DATE and TIMESTAMP.
func timeFuncs() []Func {
	const d, ts, n = zset.Date, zset.Timestamp, zset.Int4
	ks := func(k ...zset.Kind) []zset.Kind { return k }
	rows := []Func{
		{Name: "+", Args: ks(d, n), Result: d, Strict: true, Raises: true,
			row: func(f *frame, i int) { f.setDate(i, f.i(0, i), f.i(1, i)) }},
		{Name: "+", Args: ks(n, d), Result: d, Strict: true, Raises: true,
			row: func(f *frame, i int) { f.setDate(i, f.i(1, i), f.i(0, i)) }},
		{Name: "-", Args: ks(d, n), Result: d, Strict: true, Raises: true,
			row: func(f *frame, i int) { f.setDate(i, f.i(0, i), -f.i(1, i)) }},
		{Name: "-", Args: ks(d, d), Result: n, Strict: true, Raises: true, row: dateDiff},
		{Name: "date_trunc", Args: ks(zset.Text, ts), Result: ts, Strict: true, Raises: true, row: truncRow, bind: bindTrunc, bindDense: bindDenseTrunc},
		{Name: "extract", Args: ks(zset.Text, ts), Result: zset.Numeric, Strict: true, Raises: true,
			spares: fieldKnown, row: extractRow(false, false), bind: bindExtract(false, false)},
		{Name: "extract", Args: ks(zset.Text, d), Result: zset.Numeric, Strict: true, Raises: true,
			spares: fieldKnown, row: extractRow(true, false), bind: bindExtract(true, false)},
		{Name: "date_part", Args: ks(zset.Text, ts), Result: zset.Float8, Strict: true, Raises: true,
			spares: fieldKnown, row: extractRow(false, true), bind: bindExtract(false, true)},
	}
	for _, name := range []string{"now", "current_timestamp", "localtimestamp", "transaction_timestamp", "statement_timestamp"} {
		rows = append(rows, Func{Name: name, Result: ts, Strict: true, Volatile: true})
	}
	return append(rows, Func{Name: "current_date", Result: d, Strict: true, Volatile: true})
}

// Freeze returns e with the functions that read the clock replaced by
// constants, for the time now in microseconds since 1970-01-01 UTC.
func (e *Expr) Freeze(now int64) *Expr {
	return e.rewrite(func(x *Expr) *Expr {
		if x.Op != OpCall {
			return x
		}
		f := funcs.bySig[x.Fn]
		if f == nil || !f.Volatile {
			return x
		}
		v := zset.Value{Type: x.Typ, I: now}
		if x.Typ.Kind == zset.Date {
			v.I, _ = zset.SplitTimestamp(now)
		}
		return &Expr{Op: OpConst, Typ: x.Typ, Val: v, Pos: x.Pos}
	})
}

func infinite(t int64) bool { return t == zset.PosInf || t == zset.NegInf }

// setDate writes day + by; an infinite day stays.
func (f *frame) setDate(i int, day, by int64) {
	if !infinite(day) {
		day += by
		if !zset.ValidDate(day) {
			f.fail(i, zset.CodeDatetimeRange, "date out of range")
		}
	}
	f.setI(i, day)
}

func dateDiff(f *frame, i int) {
	a, b := f.i(0, i), f.i(1, i)
	if infinite(a) || infinite(b) {
		f.fail(i, zset.CodeDatetimeRange, "cannot subtract infinite dates")
		return
	}
	f.setI(i, a-b)
}

func castDateTimestamp(f *frame, i int) {
	d := f.i(0, i)
	if !infinite(d) {
		if d > zset.PosInf/usDay-1 || !zset.ValidTimestamp(d*usDay) {
			f.fail(i, zset.CodeDatetimeRange, "date out of range for timestamp")
			return
		}
		d *= usDay
	}
	f.setI(i, d)
}

// orderDateTimestamp places dates beyond the last timestamp after every
// timestamp but infinity; no date lies before the first one.
func orderDateTimestamp(f *frame, i int) {
	d := f.i(0, i)
	switch {
	case infinite(d):
	case d > zset.PosInf/usDay-1:
		d = zset.PosInf - 1
	default:
		d *= usDay
	}
	f.setI(i, d)
}

func castTimestampDate(f *frame, i int) {
	t := f.i(0, i)
	if !infinite(t) {
		t, _ = zset.SplitTimestamp(t)
	}
	f.setI(i, t)
}

// ---- date_trunc ----

// truncUnits are the units of date_trunc: those within a day by their length.
var truncUnits = map[string]func(us int64) int64{
	"microsecond": func(us int64) int64 { return us },
	"millisecond": func(us int64) int64 { return us - floorMod(us, 1000) },
	"second":      func(us int64) int64 { return us - floorMod(us, usSecond) },
	"minute":      func(us int64) int64 { return us - floorMod(us, usMinute) },
	"hour":        func(us int64) int64 { return us - floorMod(us, usHour) },
	"day":         func(us int64) int64 { return us - floorMod(us, usDay) },
	"week": func(us int64) int64 { // Monday; 1970-01-01 was a Thursday
		day, _ := zset.SplitTimestamp(us)
		return (day - floorMod(day+3, 7)) * usDay
	},
	"month": func(us int64) int64 {
		day, _ := zset.SplitTimestamp(us)
		_, _, d := civil(day)
		return (day - int64(d-1)) * usDay
	},
	"quarter": func(us int64) int64 {
		day, _ := zset.SplitTimestamp(us)
		y, m, _ := civil(day)
		return zset.Days(y, (m-1)/3*3+1, 1) * usDay
	},
	"year":       func(us int64) int64 { return yearStart(us, func(y int64) int64 { return y }) },
	"decade":     func(us int64) int64 { return yearStart(us, func(y int64) int64 { return decade(y) * 10 }) },
	"century":    func(us int64) int64 { return yearStart(us, func(y int64) int64 { return periodStart(y, 100) }) },
	"millennium": func(us int64) int64 { return yearStart(us, func(y int64) int64 { return periodStart(y, 1000) }) },
}

func floorMod(a, b int64) int64 {
	m := a % b
	if m < 0 {
		m += b
	}
	return m
}

func yearStart(us int64, of func(int64) int64) int64 {
	day, _ := zset.SplitTimestamp(us)
	y, _, _ := civil(day)
	return zset.Days(of(y), 1, 1) * usDay
}

// decade, period and periodStart count as PostgreSQL does; year 0 is 1 BC.
func decade(y int64) int64 {
	if y >= 0 {
		return y / 10
	}
	return -((8 - (y - 1)) / 10)
}

func period(y, n int64) int64 {
	if y > 0 {
		return (y + n - 1) / n
	}
	return -((n - 1 - (y - 1)) / n)
}

func periodStart(y, n int64) int64 { return period(y, n)*n - n + 1 + boolInt(y <= 0)*n }

func boolInt(b bool) int64 { return bit(b) }

func truncRow(f *frame, i int) {
	name := string(f.b(0, i))
	unit, _ := unitOf(name)
	cut, ok := truncUnits[unit]
	if !ok && !infinite(f.i(1, i)) { // an infinite timestamp comes first
		f.failWith(i, errUnit(name, unit == "timezone", zset.Timestamp))
		return
	}
	truncTo(f, i, cut)
}

func bindTrunc(consts []*zset.Value) rowFunc {
	if consts[0] == nil {
		return nil
	}
	unit, _ := unitOf(consts[0].S)
	cut, ok := truncUnits[unit]
	if !ok {
		return nil
	}
	return func(f *frame, i int) { truncTo(f, i, cut) }
}

func truncTo(f *frame, i int, cut func(int64) int64) {
	t := f.i(1, i)
	if !infinite(t) {
		t = cut(t)
		if !zset.ValidTimestamp(t) {
			f.fail(i, zset.CodeDatetimeRange, "timestamp out of range")
		}
	}
	f.setI(i, t)
}

// ---- extract ----

// number is a field: v times 10 to the power -scale.
type number struct {
	v     int64
	scale int
}

// field is one row of extract. of reads it from a day and the microseconds of
// the day. An infinite date has no such field if it is cyclic, else an infinite one.
type field struct {
	clock  bool // not a field of a DATE
	cyclic bool
	of     func(day, clock int64) number
}

func whole(v int64) number { return number{v, 0} }

var fields = map[string]field{
	"microsecond": {true, true, func(_, c int64) number { return whole(c % usMinute) }},
	"millisecond": {true, true, func(_, c int64) number { return number{c % usMinute, 3} }},
	"second":      {true, true, func(_, c int64) number { return number{c % usMinute, 6} }},
	"minute":      {true, true, func(_, c int64) number { return whole(c / usMinute % 60) }},
	"hour":        {true, true, func(_, c int64) number { return whole(c / usHour) }},
	"day":         {false, true, func(d, _ int64) number { _, _, x := civil(d); return whole(int64(x)) }},
	"month":       {false, true, func(d, _ int64) number { _, m, _ := civil(d); return whole(int64(m)) }},
	"quarter":     {false, true, func(d, _ int64) number { _, m, _ := civil(d); return whole(int64(m-1)/3 + 1) }},
	"week":        {false, true, func(d, _ int64) number { _, w := isoWeek(d); return whole(w) }},
	"dow":         {false, true, func(d, _ int64) number { return whole(floorMod(d+4, 7)) }},
	"isodow":      {false, true, func(d, _ int64) number { return whole(floorMod(d+3, 7) + 1) }},
	"doy": {false, true, func(d, _ int64) number {
		y, _, _ := civil(d)
		return whole(d - zset.Days(y, 1, 1) + 1)
	}},
	"year":       {false, false, func(d, _ int64) number { y, _, _ := civil(d); return whole(displayYear(y)) }},
	"isoyear":    {false, false, func(d, _ int64) number { y, _ := isoWeek(d); return whole(displayYear(y)) }},
	"decade":     {false, false, func(d, _ int64) number { y, _, _ := civil(d); return whole(decade(y)) }},
	"century":    {false, false, func(d, _ int64) number { y, _, _ := civil(d); return whole(period(y, 100)) }},
	"millennium": {false, false, func(d, _ int64) number { y, _, _ := civil(d); return whole(period(y, 1000)) }},
	"julian":     {false, false, func(d, _ int64) number { return whole(d + 2440588) }},
	"epoch":      {false, false, func(d, c int64) number { return number{d*usDay + c, 6} }},
}

// displayYear: there is no year 0, 1 BC is -1.
func displayYear(y int64) int64 {
	if y <= 0 {
		return y - 1
	}
	return y
}

// isoWeek is the ISO 8601 week of a day and the year that the week belongs to:
// that of its Thursday.
func isoWeek(d int64) (year, week int64) {
	thursday := d - floorMod(d+3, 7) + 3
	year, _, _ = civil(thursday)
	return year, (thursday-zset.Days(year, 1, 1))/7 + 1
}

// fieldKnown: a constant field that the argument's type has cannot fail.
func fieldKnown(e *Expr) bool {
	a := e.Args[0]
	if a.Op != OpConst {
		return false
	}
	unit, _ := unitOf(a.Val.S)
	fd, ok := fields[unit]
	return a.Val.Null || ok && !(fd.clock && e.Args[1].Typ.Kind == zset.Date)
}

// fieldForm is the fixed form of a cyclic field; the others may be infinite.
func fieldForm(a *Expr) (zset.Type, bool) {
	if a.Op != OpConst {
		return zset.Type{}, false
	}
	unit, _ := unitOf(a.Val.S)
	fd, ok := fields[unit]
	if !ok || !fd.cyclic {
		return zset.Type{}, false
	}
	return decimalType(10, fd.of(0, 0).scale)
}

func extractRow(isDate, float bool) rowFunc {
	return func(f *frame, i int) {
		name := string(f.b(0, i))
		unit, known := unitOf(name)
		fd, ok := fields[unit]
		if !ok || fd.clock && isDate {
			kind := zset.Timestamp
			if isDate {
				kind = zset.Date
			}
			f.failWith(i, errUnit(name, known, kind))
			return
		}
		extractField(f, i, unit, &fd, isDate, float)
	}
}

func bindExtract(isDate, float bool) func([]*zset.Value) rowFunc {
	return func(consts []*zset.Value) rowFunc {
		if consts[0] == nil {
			return nil
		}
		unit, _ := unitOf(consts[0].S)
		fd, ok := fields[unit]
		if !ok || fd.clock && isDate {
			return nil
		}
		return func(f *frame, i int) { extractField(f, i, unit, &fd, isDate, float) }
	}
}

func extractField(f *frame, i int, unit string, fd *field, isDate, float bool) {
	t := f.i(1, i)
	if infinite(t) {
		switch {
		case fd.cyclic:
			f.setNull(i)
		case float:
			f.setF(i, math.Inf(int(t>>63|1)))
		case t > 0:
			f.setDec(i, zset.DecimalInf)
		default:
			f.setDec(i, zset.DecimalNegInf)
		}
		return
	}
	day, clock := t, int64(0)
	if !isDate {
		day, clock = zset.SplitTimestamp(t)
	}
	n := fd.of(day, clock)
	if isDate && unit == "epoch" {
		n = whole(day * 86400)
	}
	if unit == "julian" && !isDate {
		extractJulian(f, i, n.v, clock, float)
		return
	}
	if float {
		f.setF(i, float64(n.v)/math.Pow10(n.scale))
		return
	}
	f.setFixed(i, n.v, n.scale)
}

// extractJulian adds the fraction of the day, with the scale of a quotient.
func extractJulian(f *frame, i int, day, clock int64, float bool) {
	if float {
		f.setF(i, float64(day)+float64(clock)/float64(usDay))
		return
	}
	frac, err := zset.DecimalFromInt64(clock).Div(zset.DecimalFromInt64(usDay))
	if err == nil {
		frac, err = zset.DecimalFromInt64(day).Add(frac)
	}
	f.setDecErr(i, frac, err)
}
