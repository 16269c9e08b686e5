package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// The days at which the months of 1900 to 2099 begin. Most data lies there, and
// finding the month in a table takes a third of the time of computing it.
const (
	firstYear = 1900
	lastYear  = 2100 // the first year beyond
	numMonths = 12 * (lastYear - firstYear)
)

var monthStarts = func() (t [numMonths + 1]int32) {
	for m := range t {
		t[m] = int32(zset.Days(firstYear+int64(m/12), m%12+1, 1))
	}
	return t
}()

var (
	firstDay = int64(monthStarts[0])
	numDays  = uint64(monthStarts[numMonths]) - uint64(firstDay)
)

// monthOf is the month that lies d days after the first day, d below numDays.
// Months differ from their mean length by so little that the guess is off by
// one at most.
func monthOf(d int64) int {
	m := int(uint64(d) * 4800 / 146097)
	day := int32(d + firstDay)
	m -= int(bit(monthStarts[m] > day))
	return m + int(bit(monthStarts[m+1] <= day))
}

// civil is zset.Civil by the table where it reaches.
func civil(day int64) (year int64, month, dom int) {
	d := day - firstDay
	if uint64(d) >= numDays {
		return zset.Civil(day)
	}
	m := monthOf(d)
	return firstYear + int64(m/12), m%12 + 1, int(day-int64(monthStarts[m])) + 1
}

// denseUnits are the units of date_trunc with a dense form: a length that
// divides a day, or a number of months.
var denseUnits = map[string]struct{ length, months int64 }{
	"second": {length: usSecond}, "minute": {length: usMinute}, "hour": {length: usHour}, "day": {length: usDay},
	"month": {months: 1}, "quarter": {months: 3}, "year": {months: 12},
}

// bindDenseTrunc serves timestamps within the table; a batch with others is
// left to the row function.
func bindDenseTrunc(consts []*zset.Value) denseFunc {
	if consts[0] == nil {
		return nil
	}
	name, _ := unitOf(consts[0].S)
	unit, ok := denseUnits[name]
	if !ok {
		return nil
	}
	start, span := firstDay*usDay, numDays*uint64(usDay)
	if unit.months == 0 {
		return func(f *frame) bool { return denseTruncTime(f, unit.length, start, span) }
	}
	return func(f *frame) bool { return denseTruncMonths(f, int(unit.months), start, span) }
}

func denseTruncTime(f *frame, length, start int64, span uint64) bool {
	if f.args[1].mask == 0 {
		return false
	}
	out, in := f.out.I64[:f.n], f.args[1].I64[:f.n]
	if length == usDay { // a constant divisor is several times as fast
		for i, t := range in {
			past := uint64(t - start)
			if past >= span {
				return false
			}
			out[i] = t - int64(past%uint64(usDay))
		}
		return true
	}
	for i, t := range in {
		past := uint64(t - start)
		if past >= span {
			return false
		}
		out[i] = t - int64(past%uint64(length))
	}
	return true
}

func denseTruncMonths(f *frame, months int, start int64, span uint64) bool {
	if f.args[1].mask == 0 {
		return false
	}
	out, in := f.out.I64[:f.n], f.args[1].I64[:f.n]
	for i, t := range in {
		past := uint64(t - start)
		if past >= span {
			return false
		}
		m := monthOf(int64(past / uint64(usDay)))
		if months > 1 {
			m -= m % months
		}
		out[i] = int64(monthStarts[m]) * usDay
	}
	return true
}
