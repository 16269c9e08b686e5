package expr

import (
	"math"

	"github.com/ivmc/ivmc/zset"
)

// intervalFuncs are the operators of INTERVAL and TIME, and those of dates and
// timestamps with them.
func intervalFuncs() []Func {
	const d, ts, tm, iv, fl = zset.Date, zset.Timestamp, zset.Time, zset.Interval, zset.Float8
	var rows []Func
	op := func(name string, l, r, result zset.Kind, raises bool, row rowFunc) {
		rows = append(rows, Func{Name: name, Args: []zset.Kind{l, r}, Result: result, Strict: true, Raises: raises, row: row})
	}
	// both adds name(l, r) and, for a sum of two kinds, its mirror image.
	both := func(l, r, result zset.Kind, raises bool, row func(f *frame, i, l, r int)) {
		op("+", l, r, result, raises, func(f *frame, i int) { row(f, i, 0, 1) })
		op("+", r, l, result, raises, func(f *frame, i int) { row(f, i, 1, 0) })
	}
	both(d, tm, ts, true, dateTime)
	both(ts, iv, ts, true, func(f *frame, i, l, r int) { f.setTimestamp(i, f.i(l, i), f.interval(r, i), 1) })
	both(d, iv, ts, true, func(f *frame, i, l, r int) { f.setDatePlus(i, f.i(l, i), f.interval(r, i), 1) })
	both(tm, iv, tm, false, func(f *frame, i, l, r int) { f.setI(i, floorMod(f.i(l, i)+f.interval(r, i).Micros%usDay, usDay)) })
	op("-", ts, iv, ts, true, func(f *frame, i int) { f.setTimestamp(i, f.i(0, i), f.interval(1, i), -1) })
	op("-", d, iv, ts, true, func(f *frame, i int) { f.setDatePlus(i, f.i(0, i), f.interval(1, i), -1) })
	op("-", tm, iv, tm, false, func(f *frame, i int) { f.setI(i, floorMod(f.i(0, i)-f.interval(1, i).Micros%usDay, usDay)) })
	op("-", ts, ts, iv, true, timestampDiff)
	op("-", tm, tm, iv, false, func(f *frame, i int) { f.putInterval(zset.IntervalValue{Micros: f.i(0, i) - f.i(1, i)}) })
	op("+", iv, iv, iv, true, func(f *frame, i int) { f.putSum(i, f.interval(0, i), f.interval(1, i), 1) })
	op("-", iv, iv, iv, true, func(f *frame, i int) { f.putSum(i, f.interval(0, i), f.interval(1, i), -1) })
	op("*", iv, fl, iv, true, func(f *frame, i int) { f.putProduct(i, f.interval(0, i), f.f(1, i)) })
	op("*", fl, iv, iv, true, func(f *frame, i int) { f.putProduct(i, f.interval(1, i), f.f(0, i)) })
	op("/", iv, fl, iv, true, func(f *frame, i int) { f.putQuotient(i, f.interval(0, i), f.f(1, i)) })
	return append(rows, Func{Name: "-", Args: []zset.Kind{iv}, Result: iv, Strict: true, Raises: true,
		row: func(f *frame, i int) { f.putSum(i, zset.IntervalValue{}, f.interval(0, i), -1) }})
}

func (f *frame) interval(k, i int) zset.IntervalValue { return zset.IntervalOf(f.b(k, i)) }

func (f *frame) putInterval(v zset.IntervalValue) { f.out.Buf = v.AppendTo(f.out.Buf) }

var errIntervalRange = zset.Errorf(zset.CodeDatetimeRange, -1, "interval out of range")

// addClamped is a + sign*b; ok is false where the result leaves 64 bits.
func addSigned(a, b, sign int64) (int64, bool) {
	if sign < 0 {
		return subInt(a, b)
	}
	return addInt(a, b)
}

// putSum writes a + sign*b, part by part.
func (f *frame) putSum(i int, a, b zset.IntervalValue, sign int64) {
	sum, ok := addSpans(a, b, sign)
	if !ok {
		f.failWith(i, errIntervalRange)
	}
	f.putInterval(sum)
}

// roundMicro takes off what doubles leave below a microsecond.
func roundMicro(x float64) float64 { return math.RoundToEven(x*1e6) / 1e6 }

// putProduct and putQuotient scale every part. What the months leave below a month
// goes into days of 30 a month, and what the days leave into time, in the steps
// and roundings of PostgreSQL.
func (f *frame) putProduct(i int, v zset.IntervalValue, by float64) {
	v, err := scaleInterval(v, func(part int64) float64 { return float64(part) * by })
	if err != nil {
		f.failWith(i, err)
	}
	f.putInterval(v)
}

func (f *frame) putQuotient(i int, v zset.IntervalValue, by float64) {
	err := errDivZero
	if by != 0 {
		v, err = scaleInterval(v, func(part int64) float64 { return float64(part) / by })
	}
	if err != nil {
		f.failWith(i, err)
	}
	f.putInterval(v)
}

// fitsInt32 is of x before its fraction goes; below, PostgreSQL looks at the fraction too.
func fitsInt32(x float64) bool { return x >= math.MinInt32 && x < -math.MinInt32 }

func scaleInterval(v zset.IntervalValue, scale func(part int64) float64) (zset.IntervalValue, *zset.Error) {
	m, d := scale(int64(v.Months)), scale(int64(v.Days))
	if !fitsInt32(m) || !fitsInt32(d) {
		return v, errIntervalRange
	}
	months, days := math.Trunc(m), math.Trunc(d)
	left := roundMicro((m - months) * 30)
	sec := roundMicro((d - days + left - math.Trunc(left)) * 86400)
	if math.Abs(sec) >= 86400 {
		whole := math.Trunc(sec / 86400)
		days += whole
		sec -= whole * 86400
	}
	days += math.Trunc(left)
	us := math.RoundToEven(scale(v.Micros) + sec*1e6)
	if !fitsInt32(days) || !(us >= math.MinInt64 && us < -math.MinInt64) {
		return v, errIntervalRange
	}
	return zset.IntervalValue{Months: int32(months), Days: int32(days), Micros: int64(us)}, nil
}

var errTimestampRange = zset.Errorf(zset.CodeDatetimeRange, -1, "timestamp out of range")

// addInterval adds sign*v to a timestamp: months first, to the last day of a
// shorter month, then days, then time. Every step must be a timestamp.
func addInterval(us int64, v zset.IntervalValue, sign int64) (int64, *zset.Error) {
	if infinite(us) {
		return us, nil
	}
	months, days := sign*int64(v.Months), sign*int64(v.Days)
	if months != 0 {
		day, clock := zset.SplitTimestamp(us)
		y, m, d := civil(day)
		n := y*12 + int64(m-1) + months
		y, m = floorDiv(n, 12), int(floorMod(n, 12))+1
		us = addDays(zset.Days(y, m, min(d, zset.DaysIn(y, m))), clock)
		if infinite(us) {
			return 0, errTimestampRange
		}
	}
	if days != 0 {
		day, clock := zset.SplitTimestamp(us)
		us = addDays(day+days, clock)
		if infinite(us) {
			return 0, errTimestampRange
		}
	}
	us, ok := addSigned(us, v.Micros, sign)
	if !ok || infinite(us) || !zset.ValidTimestamp(us) {
		return 0, errTimestampRange
	}
	return us, nil
}

func floorDiv(a, b int64) int64 { return (a - floorMod(a, b)) / b }

// addDays is the timestamp at clock of a day; infinity where there is none.
func addDays(day, clock int64) int64 {
	if day > zset.PosInf/usDay-1 || day < -zset.PosInf/usDay {
		return zset.PosInf
	}
	us := day*usDay + clock
	if !zset.ValidTimestamp(us) {
		return zset.PosInf
	}
	return us
}

func (f *frame) setTimestamp(i int, us int64, v zset.IntervalValue, sign int64) {
	r, err := addInterval(us, v, sign)
	if err != nil {
		f.failWith(i, err)
	}
	f.setI(i, r)
}

// setDatePlus adds to the midnight of a day.
func (f *frame) setDatePlus(i int, day int64, v zset.IntervalValue, sign int64) {
	us := day
	if !infinite(day) {
		if us = addDays(day, 0); infinite(us) {
			f.fail(i, zset.CodeDatetimeRange, "date out of range for timestamp")
			f.setI(i, 0)
			return
		}
	}
	f.setTimestamp(i, us, v, sign)
}

// dateTime is a day and a time of day.
func dateTime(f *frame, i, l, r int) {
	day := f.i(l, i)
	if infinite(day) {
		f.setI(i, day)
		return
	}
	us := addDays(day, 0)
	if infinite(us) {
		f.fail(i, zset.CodeDatetimeRange, "date out of range for timestamp")
		us = 0
	}
	us += f.i(r, i)
	if !zset.ValidTimestamp(us) {
		f.failWith(i, errTimestampRange)
		us = 0
	}
	f.setI(i, us)
}

// timestampDiff is in days and time, of one sign.
func timestampDiff(f *frame, i int) {
	a, b := f.i(0, i), f.i(1, i)
	us, ok := subInt(a, b)
	switch {
	case infinite(a) || infinite(b):
		f.fail(i, zset.CodeDatetimeRange, "cannot subtract infinite timestamps")
		us = 0
	case !ok:
		f.failWith(i, errIntervalRange)
		us = 0
	}
	f.putInterval(zset.IntervalValue{Days: int32(us / usDay), Micros: us % usDay})
}

// castTimestampTime is NULL for an infinite timestamp.
func castTimestampTime(f *frame, i int) {
	us := f.i(0, i)
	if infinite(us) {
		f.setNull(i)
		return
	}
	_, clock := zset.SplitTimestamp(us)
	f.setI(i, clock)
}
