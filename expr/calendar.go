package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// calendarFuncs are what other dialects call the fields of a date, as integers,
// and their arithmetic of days and months. PostgreSQL has none of them.
func calendarFuncs() []Func {
	const n, d, ts = zset.Int4, zset.Date, zset.Timestamp
	var rows []Func
	for _, v := range []struct {
		name, field string
		plus        int64
	}{
		{"year", "year", 0}, {"quarter", "quarter", 0}, {"month", "month", 0}, {"week", "week", 0}, {"day", "day", 0},
		{"dayofmonth", "day", 0}, {"dayofyear", "doy", 0}, {"dayofweek", "dow", 1}, // Sunday is 1
		{"weekday", "isodow", -1}, // Monday is 0
		{"hour", "hour", 0}, {"minute", "minute", 0}, {"second", "second", 0},
	} {
		rows = append(rows, Func{Name: v.name, Args: []zset.Kind{ts}, Result: n, Strict: true,
			row: calendarRow(v.field, v.plus)}.extension())
	}
	days := func(name string, sign int64) Func {
		return Func{Name: name, Args: []zset.Kind{d, n}, Result: d, Strict: true, Raises: true,
			row: func(f *frame, i int) { f.setDate(i, f.i(0, i), sign*f.i(1, i)) }}.extension()
	}
	return append(rows,
		days("date_add", 1), days("date_sub", -1),
		Func{Name: "datediff", Args: []zset.Kind{d, d}, Result: n, Strict: true, Raises: true, row: dateDiff}.extension(),
		Func{Name: "add_months", Args: []zset.Kind{d, n}, Result: d, Strict: true, Raises: true, row: addMonthsRow}.extension(),
		Func{Name: "last_day", Args: []zset.Kind{d}, Result: d, Strict: true, Raises: true, row: func(f *frame, i int) {
			day := f.i(0, i)
			if infinite(day) {
				f.setI(i, day)
				return
			}
			y, m, dom := civil(day)
			f.setDate(i, day, int64(zset.DaysIn(y, m)-dom))
		}}.extension())
}

// calendarRow is an integer field of a timestamp; of an infinite one, NULL.
func calendarRow(name string, plus int64) rowFunc {
	fd := fields[name]
	unit := int64(1)
	if name == "second" { // without its fraction
		unit = usSecond
	}
	return func(f *frame, i int) {
		t := f.i(0, i)
		if infinite(t) {
			f.setNull(i)
			return
		}
		day, clock := zset.SplitTimestamp(t)
		f.setI(i, fd.of(day, clock).v/unit+plus)
	}
}

// addMonthsRow: a day that the month has not is its last one.
func addMonthsRow(f *frame, i int) {
	day, by := f.i(0, i), f.i(1, i)
	if infinite(day) {
		f.setI(i, day)
		return
	}
	y, m, d := civil(day)
	months := 12*y + int64(m-1) + by
	year, month := (months-floorMod(months, 12))/12, int(floorMod(months, 12))+1
	to := zset.Days(year, month, min(d, zset.DaysIn(year, month)))
	if !zset.ValidDate(to) {
		f.fail(i, zset.CodeDatetimeRange, "date out of range")
	}
	f.setI(i, to)
}
