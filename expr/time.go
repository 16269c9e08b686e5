package expr

import (
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
	}
	for _, name := range []string{"now", "current_timestamp", "transaction_timestamp", "statement_timestamp"} {
		rows = append(rows, Func{Name: name, Result: zset.TimestampTZ, Strict: true, Volatile: true})
	}
	return rows
}

// bindLocal binds what the clocks of the session's zone show now.
func bindLocal(name string, args []*Expr, pos int) (*Expr, error) {
	if len(args) > 0 {
		return nil, unresolved(name, args, false, pos)
	}
	now, err := Call("now", nil, pos)
	if err != nil {
		return nil, err
	}
	to := map[string]zset.Type{"localtimestamp": zset.TTimestamp, "localtime": zset.TTime, "current_date": zset.TDate}[name]
	return Cast(now, to, Explicit, pos)
}

// Freeze returns e with the functions that read the clock replaced by
// constants, for the time now in microseconds since 1970-01-01 UTC.
func (e *Expr) Freeze(now int64) *Expr {
	return e.rewrite(func(x *Expr) *Expr {
		if x.Op != OpCall {
			return x
		}
		f := x.fn()
		if f == nil || !f.readsClock() {
			return x
		}
		return &Expr{Op: OpConst, Typ: x.Typ, Val: zset.Value{Type: x.Typ, I: now}, Pos: x.Pos}
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
		f.failWith(i, errUnit(name, isUnit(unit), zset.Timestamp))
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

// bindAge binds age(x), which counts from the midnight of today, and age(x, y).
// Moments count as the clocks of the session's zone show them.
func bindAge(name string, args []*Expr, pos int) (*Expr, error) {
	as := args
	if len(args) == 1 {
		today, err := bindLocal("current_date", nil, pos)
		if err != nil {
			return nil, err
		}
		as = []*Expr{today, args[0]}
	}
	for i, a := range as {
		if a.Typ.Kind != zset.TimestampTZ {
			continue
		}
		local, err := Cast(a, zset.TTimestamp, Explicit, pos)
		if err != nil {
			return nil, err
		}
		as = append(append(append([]*Expr{}, as[:i]...), local), as[i+1:]...)
	}
	if len(as) != 2 {
		return nil, unresolved(name, args, false, pos)
	}
	return callRow(name, as, pos)
}
