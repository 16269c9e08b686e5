package expr

import (
	"math"

	"github.com/ivmc/ivmc/zset"
)

// extractFuncs are extract and date_part of all that has fields: NUMERIC the one,
// DOUBLE PRECISION the other.
func extractFuncs() []Func {
	var rows []Func
	for _, float := range []bool{false, true} {
		rows = append(rows,
			extractFunc(zset.Timestamp, float, timestampField(float)),
			extractFunc(zset.Date, float, dateField(float)),
			extractFunc(zset.Time, float, clockField(float)),
			extractFunc(zset.Interval, float, intervalField(float)),
			zonedExtract(float))
	}
	return rows
}

func extractShape(k zset.Kind, float bool) Func {
	f := Func{Name: "extract", Args: []zset.Kind{zset.Text, k}, Result: zset.Numeric, Strict: true, Raises: true}
	if float {
		f.Name, f.Result = "date_part", zset.Float8
	}
	return f
}

// extractFunc is a row of the table; of finds the row function of a unit, nil if
// kind k has no such field.
func extractFunc(k zset.Kind, float bool, of func(unit string) rowFunc) Func {
	f := extractShape(k, float)
	f.row = func(f *frame, i int) {
		name := string(f.b(0, i))
		unit, known := unitOf(name)
		if row := of(unit); row != nil {
			row(f, i)
			return
		}
		named := k
		if k == zset.Date && float { // the date is a timestamp by then
			named = zset.Timestamp
		}
		f.failWith(i, errUnit(name, known, named))
	}
	f.bind = func(consts []*zset.Value) rowFunc {
		if consts[0] == nil {
			return nil
		}
		unit, _ := unitOf(consts[0].S)
		return of(unit)
	}
	// A constant field that the kind has cannot fail; but a date may be no timestamp.
	if k != zset.Date || !float {
		f.spares = func(e *Expr) bool {
			a := e.Args[0]
			if a.Op != OpConst {
				return false
			}
			unit, _ := unitOf(a.Val.S)
			return a.Val.Null || of(unit) != nil
		}
	}
	return f
}

// number is a field: v times 10 to the power -scale.
type number struct {
	v     int64
	scale int
	split bool // a part of the clock: v is microseconds
}

// field is one row of extract. of reads it from a day and the microseconds of
// the day. An infinite date has no such field if it is cyclic, else an infinite one.
type field struct {
	clock  bool // not a field of a DATE
	cyclic bool
	of     func(day, clock int64) number
}

func whole(v int64) number { return number{v: v} }

var fields = map[string]field{
	"microsecond": {true, true, func(_, c int64) number { return whole(c % usMinute) }},
	"millisecond": {true, true, func(_, c int64) number { return number{c % usMinute, 3, true} }},
	"second":      {true, true, func(_, c int64) number { return number{c % usMinute, 6, true} }},
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
	"epoch":      {false, false, func(d, c int64) number { return number{d*usDay + c, 6, false} }},
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

func timestampField(float bool) func(unit string) rowFunc {
	return func(unit string) rowFunc {
		fd, ok := fields[unit]
		if !ok {
			return nil
		}
		return func(f *frame, i int) { f.putField(i, unit, &fd, f.i(1, i), float) }
	}
}

// dateField: extract knows no clock of a date, date_part that of its midnight.
func dateField(float bool) func(unit string) rowFunc {
	return func(unit string) rowFunc {
		fd, ok := fields[unit]
		if !ok || fd.clock && !float {
			return nil
		}
		of := fd.of
		if unit == "epoch" { // whole seconds, and of dates beyond the last timestamp
			fd.of = func(d, _ int64) number { return whole(d * 86400) }
		}
		return func(f *frame, i int) {
			d := f.i(1, i)
			switch {
			case infinite(d):
				f.putInfinite(i, &fd, d, float)
			case !float:
				f.putNumber(i, fd.of(d, 0), false)
			case infinite(addDays(d, 0)):
				f.fail(i, zset.CodeDatetimeRange, "date out of range for timestamp")
			default:
				f.putNumber(i, of(d, 0), true)
			}
		}
	}
}

// clockField: a time of day has the clock, and the epoch is its midnight.
func clockField(float bool) func(unit string) rowFunc {
	return func(unit string) rowFunc {
		fd, ok := fields[unit]
		if !ok || !fd.clock && unit != "epoch" {
			return nil
		}
		return func(f *frame, i int) { f.putNumber(i, fd.of(0, f.i(1, i)), float) }
	}
}

// zonedExtract reads the clocks of the session's zone, but for the epoch.
func zonedExtract(float bool) Func {
	f := extractShape(zset.TimestampTZ, float)
	f = zonedFunc(f, func(f *frame, i int, z *zset.Zone) {
		name := string(f.b(0, i))
		unit, known := unitOf(name)
		if row := zonedField(unit, float); row != nil {
			row(f, i, z)
			return
		}
		f.failWith(i, errUnit(name, known, zset.TimestampTZ))
	})
	f.bind = func(consts []*zset.Value) rowFunc {
		if consts[0] == nil || consts[2] == nil {
			return nil
		}
		unit, _ := unitOf(consts[0].S)
		row := zonedField(unit, float)
		z, err := zset.SessionZone(consts[2].S)
		if row == nil || err != nil {
			return nil
		}
		return func(f *frame, i int) { row(f, i, z) }
	}
	return f
}

// offsetFields are those of the zone, from its seconds ahead of UTC.
var offsetFields = map[string]func(off int) int{
	"timezone":        func(off int) int { return off },
	"timezone_hour":   func(off int) int { return off / 3600 },
	"timezone_minute": func(off int) int { return off / 60 % 60 },
}

func zonedField(unit string, float bool) func(f *frame, i int, z *zset.Zone) {
	if of, ok := offsetFields[unit]; ok {
		return func(f *frame, i int, z *zset.Zone) {
			us := f.i(1, i)
			if infinite(us) {
				f.setNull(i)
				return
			}
			f.putNumber(i, whole(int64(of(z.Offset(us)))), float)
		}
	}
	fd, ok := fields[unit]
	if !ok {
		return nil
	}
	return func(f *frame, i int, z *zset.Zone) {
		us := f.i(1, i)
		if unit != "epoch" {
			us = f.local(i, us, z)
		}
		f.putField(i, unit, &fd, us, float)
	}
}

// putField writes a field of a timestamp.
func (f *frame) putField(i int, unit string, fd *field, us int64, float bool) {
	if infinite(us) {
		f.putInfinite(i, fd, us, float)
		return
	}
	day, clock := zset.SplitTimestamp(us)
	n := fd.of(day, clock)
	if unit == "julian" {
		f.putJulian(i, n.v, clock, float)
		return
	}
	f.putNumber(i, n, float)
}

func (f *frame) putInfinite(i int, fd *field, t int64, float bool) {
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
}

// putNumber writes a field. The doubles are PostgreSQL's to the last bit: seconds
// are the sum of the whole ones and the fraction, each rounded, while an epoch is
// one quotient.
func (f *frame) putNumber(i int, n number, float bool) {
	switch {
	case !float:
		f.setFixed(i, n.v, n.scale)
	case n.split:
		per := math.Pow10(6 - n.scale) // of the unit, in a second
		f.setF(i, float64(float64(n.v/usSecond)*per)+float64(n.v%usSecond)/math.Pow10(n.scale))
	default:
		f.setF(i, float64(n.v)/math.Pow10(n.scale))
	}
}

// putJulian adds the fraction of the day, with the scale of a quotient.
func (f *frame) putJulian(i int, day, clock int64, float bool) {
	if float {
		f.setF(i, float64(day)+(float64(clock/usSecond)+float64(clock%usSecond)/1e6)/86400)
		return
	}
	frac, err := zset.DecimalFromInt64(clock).Div(zset.DecimalFromInt64(usDay))
	if err == nil {
		frac, err = zset.DecimalFromInt64(day).Add(frac)
	}
	f.setDecErr(i, frac, err)
}
