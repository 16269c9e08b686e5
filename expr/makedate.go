package expr

import (
	"fmt"
	"math"

	"github.com/ivmc/ivmc/zset"
)

// makeFuncs put dates, times and intervals together, and measure between them.
func makeFuncs() []Func {
	const n, f8, d, ts, tm, iv = zset.Int4, zset.Float8, zset.Date, zset.Timestamp, zset.Time, zset.Interval
	fixed := func(name string, args ...zset.Kind) Func { return raising(name, iv, justifyRows[name], args...) }
	finite := func(k zset.Kind) Func {
		return Func{Name: "isfinite", Args: []zset.Kind{k}, Result: zset.Bool, Strict: true,
			row: func(f *frame, i int) { f.setBool(i, k == iv || !infinite(f.i(0, i))) }}
	}
	rows := []Func{
		raising("make_date", d, makeDateRow, n, n, n),
		raising("make_time", tm, makeTimeRow, n, n, f8),
		raising("make_timestamp", ts, makeTimestampRow, n, n, n, n, n, f8),
		raising("age", iv, ageRow, ts, ts),
		fixed("justify_hours", iv), fixed("justify_days", iv), fixed("justify_interval", iv),
		finite(d), finite(ts), finite(iv),
	}
	return append(rows, calendarFuncs()...)
}

// dayOf is the day of a date by its parts; year 0 and days that are not there are none.
func dayOf(y, m, d int64) (int64, bool) {
	if y == 0 || m < 1 || m > 12 {
		return 0, false
	}
	y = civilYear(y)
	if d < 1 || d > int64(zset.DaysIn(y, int(m))) {
		return 0, false
	}
	return zset.Days(y, int(m), int(d)), true
}

// civilYear: 1 BC is the year 0.
func civilYear(y int64) int64 {
	if y < 0 {
		return y + 1
	}
	return y
}

func makeDateRow(f *frame, i int) {
	y, m, d := f.i(0, i), f.i(1, i), f.i(2, i)
	day, ok := dayOf(y, m, d)
	switch {
	case !ok:
		f.fail(i, zset.CodeDatetimeRange, fmt.Sprintf("date field value out of range: %d-%02d-%02d", y, m, d))
	case !zset.ValidDate(day):
		f.fail(i, zset.CodeDatetimeRange, fmt.Sprintf("date out of range: %d-%02d-%02d", civilYear(y), m, d))
	}
	f.setI(i, day)
}

// clockOf is a time of day; 24:00 is one, and 60 seconds are a minute.
func clockOf(h, m int64, sec float64) (int64, bool) {
	if h < 0 || h > 24 || m < 0 || m > 59 || !(sec >= 0 && sec <= 60) {
		return 0, false
	}
	us := h*usHour + m*usMinute + int64(math.RoundToEven(sec*1e6))
	return us, us <= usDay
}

func (f *frame) failClock(i int, h, m int64, sec float64) {
	f.fail(i, zset.CodeDatetimeRange, fmt.Sprintf("time field value out of range: %d:%02d:%s", h, m, paddedSeconds(sec)))
}

// paddedSeconds is what %02g of C prints.
func paddedSeconds(sec float64) string {
	s := string(zset.AppendFloat(nil, sec))
	if len(s) < 2 {
		s = "0" + s
	}
	return s
}

func makeTimeRow(f *frame, i int) {
	h, m, sec := f.i(0, i), f.i(1, i), f.f(2, i)
	us, ok := clockOf(h, m, sec)
	if !ok {
		f.failClock(i, h, m, sec)
	}
	f.setI(i, us)
}

func makeTimestampRow(f *frame, i int) {
	y, mo, d, h, m, sec := f.i(0, i), f.i(1, i), f.i(2, i), f.i(3, i), f.i(4, i), f.f(5, i)
	day, ok := dayOf(y, mo, d)
	if !ok {
		f.fail(i, zset.CodeDatetimeRange, fmt.Sprintf("date field value out of range: %d-%02d-%02d", y, mo, d))
		return
	}
	us, ok := clockOf(h, m, sec)
	if !ok {
		f.failClock(i, h, m, sec)
		return
	}
	if day > zset.PosInf/usDay-1 || day < zset.NegInf/usDay+1 || !zset.ValidTimestamp(day*usDay+us) {
		f.fail(i, zset.CodeDatetimeRange, fmt.Sprintf("timestamp out of range: %d-%02d-%02d %d:%02d:%s", civilYear(y), mo, d, h, m, paddedSeconds(sec)))
		return
	}
	f.setI(i, day*usDay+us)
}

// ageRow counts years, months and days by the calendar, from the earlier one:
// a month that is borrowed has the days that it has there.
func ageRow(f *frame, i int) {
	a, b := f.i(0, i), f.i(1, i)
	if infinite(a) || infinite(b) {
		f.fail(i, zset.CodeDatetimeRange, "timestamp out of range")
		return
	}
	aDay, aClock := zset.SplitTimestamp(a)
	bDay, bClock := zset.SplitTimestamp(b)
	y1, m1, d1 := civil(aDay)
	y2, m2, d2 := civil(bDay)
	sign := int64(1)
	us, day, month, year := aClock-bClock, int64(d1-d2), int64(m1-m2), y1-y2
	by, bm := y2, m2 // the month to borrow from
	if a < b {
		sign, us, day, month, year = -1, -us, -day, -month, -year
		by, bm = y1, m1
	}
	if us < 0 {
		us, day = us+usDay, day-1
	}
	for day < 0 {
		day, month = day+int64(zset.DaysIn(by, bm)), month-1
	}
	for month < 0 {
		month, year = month+12, year-1
	}
	f.putInterval(zset.IntervalValue{Months: int32(sign * (12*year + month)), Days: int32(sign * day), Micros: sign * us})
}

// carryUnits moves whole units of low into high.
func carryUnits(high, low *int64, unit int64) {
	*high += *low / unit
	*low %= unit
}

// agree gives low the sign of high.
func agree(high, low *int64, unit int64) {
	switch {
	case *high > 0 && *low < 0:
		*low, *high = *low+unit, *high-1
	case *high < 0 && *low > 0:
		*low, *high = *low-unit, *high+1
	}
}

// justified makes the row of a justify function of its steps.
func justified(steps func(month, day, us *int64)) rowFunc {
	return func(f *frame, i int) {
		v := f.interval(0, i)
		m, d, us := int64(v.Months), int64(v.Days), v.Micros
		steps(&m, &d, &us)
		if m != int64(int32(m)) || d != int64(int32(d)) {
			f.failWith(i, errIntervalRange)
		}
		f.putInterval(zset.IntervalValue{Months: int32(m), Days: int32(d), Micros: us})
	}
}

var justifyRows = map[string]rowFunc{
	"justify_hours": justified(func(_, d, us *int64) { carryUnits(d, us, usDay); agree(d, us, usDay) }),
	"justify_days":  justified(func(m, d, _ *int64) { carryUnits(m, d, 30); agree(m, d, 30) }),
	"justify_interval": justified(func(m, d, us *int64) {
		carryUnits(d, us, usDay)
		carryUnits(m, d, 30)
		if *m > 0 && (*d < 0 || *d == 0 && *us < 0) {
			*d, *m = *d+30, *m-1
		} else if *m < 0 && (*d > 0 || *d == 0 && *us > 0) {
			*d, *m = *d-30, *m+1
		}
		agree(d, us, usDay)
	}),
}
