package expr

import (
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// truncFuncs are date_trunc.
func truncFuncs() []Func {
	const t, ts, tz, iv = zset.Text, zset.Timestamp, zset.TimestampTZ, zset.Interval
	fn := func(result zset.Kind, row rowFunc, args ...zset.Kind) Func {
		return Func{Name: "date_trunc", Args: args, Result: result, Strict: true, Raises: true, row: row}
	}
	plain := fn(ts, truncRow, t, ts)
	plain.bind, plain.bindDense = bindTrunc, bindDenseTrunc
	zoned := zonedFunc(fn(tz, nil, t, tz), zonedTruncRow)
	zoned.bind = bindZonedTrunc
	named := inNamedZone(2, zonedTruncRow)
	inZone := func(f *frame, i int) {
		if us := f.i(1, i); infinite(us) { // comes before the zone
			f.setI(i, us)
			return
		}
		named(f, i)
	}
	return []Func{plain, zoned, fn(tz, inZone, t, tz, t), fn(iv, spanTruncRow, t, iv)}
}

// isUnit: the fields of a zone are units too, though nothing is cut to them.
func isUnit(unit string) bool {
	return truncUnits[unit] != nil || strings.HasPrefix(unit, "timezone")
}

func zonedTruncRow(f *frame, i int, z *zset.Zone) {
	name := string(f.b(0, i))
	unit, _ := unitOf(name)
	cut, ok := truncUnits[unit]
	if !ok && !infinite(f.i(1, i)) {
		f.failWith(i, errUnit(name, isUnit(unit), zset.TimestampTZ))
		return
	}
	zonedTrunc(f, i, unit, cut, z)
}

func bindZonedTrunc(consts []*zset.Value) rowFunc {
	if consts[0] == nil || consts[2] == nil {
		return nil
	}
	unit, _ := unitOf(consts[0].S)
	cut, ok := truncUnits[unit]
	z, err := zset.SessionZone(consts[2].S)
	if !ok || err != nil {
		return nil
	}
	return func(f *frame, i int) { zonedTrunc(f, i, unit, cut, z) }
}

// withinDay are the units that keep the offset of the moment: the first of two
// equal hours stays the first.
var withinDay = map[string]bool{"microsecond": true, "millisecond": true, "second": true, "minute": true, "hour": true}

// zonedTrunc cuts what the clocks of z show.
func zonedTrunc(f *frame, i int, unit string, cut func(int64) int64, z *zset.Zone) {
	us := f.i(1, i)
	if infinite(us) {
		f.setI(i, us)
		return
	}
	local := f.local(i, us, z)
	to := cut(local)
	switch {
	case withinDay[unit]:
		to -= local - us
	case !zset.ValidTimestamp(to):
		f.failWith(i, errTimestampRange)
		return
	default:
		f.setUTC(i, to, z)
		return
	}
	if !zset.ValidTimestamp(to) {
		f.failWith(i, errTimestampRange)
	}
	f.setI(i, to)
}

// spanUnits are the units of an INTERVAL: a number of months, or of
// microseconds, in all of which days lie between.
var spanUnits = map[string]struct {
	months int32
	days   bool
	micros int64
}{
	"microsecond": {1, true, 1}, "millisecond": {1, true, 1000}, "second": {1, true, usSecond},
	"minute": {1, true, usMinute}, "hour": {1, true, usHour}, "day": {months: 1, days: true},
	"month": {months: 1}, "quarter": {months: 3}, "year": {months: 12},
	"decade": {months: 120}, "century": {months: 1200}, "millennium": {months: 12000},
}

// spanTruncRow cuts towards zero, part by part.
func spanTruncRow(f *frame, i int) {
	name := string(f.b(0, i))
	unit, _ := unitOf(name)
	u, ok := spanUnits[unit]
	v := f.interval(1, i)
	if !ok {
		f.failWith(i, errUnit(name, isUnit(unit), zset.Interval))
		return
	}
	v.Months -= v.Months % u.months
	if !u.days {
		v.Days = 0
	}
	if u.micros == 0 {
		v.Micros = 0
	} else {
		v.Micros -= v.Micros % u.micros
	}
	f.putInterval(v)
}
