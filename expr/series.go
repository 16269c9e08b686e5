package expr

import "github.com/ivmc/ivmc/zset"

// seriesFuncs are the functions that give rows: each makes the list of their values
// as an array, whose elements then stand in a row each, see [Func.Rows].
func seriesFuncs() []Func {
	const arr, n, big, dec, t = zset.Array, zset.Int4, zset.Int8, zset.Numeric, zset.Text
	const ts, tz, iv = zset.Timestamp, zset.TimestampTZ, zset.Interval
	of := func(e zset.Type) func([]zset.Type) zset.Type {
		return func([]zset.Type) zset.Type { return zset.ArrayOf(e) }
	}
	texts := of(zset.TText)
	rows := []Func{
		{Name: "unnest", Args: []zset.Kind{arr}, result: sameAsArray, row: func(f *frame, i int) { f.put(f.b(0, i)) }},
		{Name: "generate_subscripts", Args: []zset.Kind{arr, n}, result: of(zset.TInt4), row: subscriptsRow},
		{Name: "generate_subscripts", Args: []zset.Kind{arr, n, zset.Bool}, result: of(zset.TInt4), row: subscriptsRow},
		{Name: "string_to_table", Args: []zset.Kind{t, t}, result: texts, row: splitArrayRow},
		{Name: "string_to_table", Args: []zset.Kind{t, t, t}, result: texts, row: splitArrayRow},
		{Name: "generate_series", Args: []zset.Kind{ts, ts, iv}, result: of(zset.TTimestamp), Raises: true, row: func(f *frame, i int) {
			f.momentSeries(i, func(us int64, step zset.IntervalValue) (int64, *zset.Error) { return addInterval(us, step, 1) })
		}},
	}
	for _, k := range []zset.Kind{n, big} {
		typ := zset.Type{Kind: k}
		rows = append(rows,
			Func{Name: "generate_series", Args: []zset.Kind{k, k}, result: of(typ), Raises: true, row: intSeriesRow},
			Func{Name: "generate_series", Args: []zset.Kind{k, k, k}, result: of(typ), Raises: true, row: intSeriesRow})
	}
	rows = append(rows,
		Func{Name: "generate_series", Args: []zset.Kind{dec, dec}, result: of(zset.TNumeric), Raises: true, row: decimalSeriesRow},
		Func{Name: "generate_series", Args: []zset.Kind{dec, dec, dec}, result: of(zset.TNumeric), Raises: true, row: decimalSeriesRow})
	rows = append(rows, zonedFunc(Func{Name: "generate_series", Args: []zset.Kind{tz, tz, iv}, result: of(zset.TTimestampTZ), Raises: true},
		func(f *frame, i int, z *zset.Zone) {
			f.momentSeries(i, func(us int64, step zset.IntervalValue) (int64, *zset.Error) { return addZoned(us, step, 1, z) })
		}))
	rows = append(rows, splitToTable()...)
	for i := range rows {
		rows[i].Rows, rows[i].Result, rows[i].Costly = true, arr, true
		// A NULL list has no rows; a splitter of texts says itself what NULL means.
		rows[i].Strict = rows[i].Name != "string_to_table"
	}
	return rows
}

// Rows reports whether e is a call of a function that gives rows: the elements of
// its array.
func (e *Expr) Rows() bool {
	if e.Op != OpCall {
		return false
	}
	f := e.fn()
	return f != nil && f.Rows
}

// maxSeries bounds the rows that one call may give.
const maxSeries = 1 << 24

var (
	errSeriesStep = zset.Errorf("22023", -1, "step size cannot equal zero")
	errSeriesLong = &zset.Error{Code: "54000", Msg: "a series of so many rows is not supported", Hint: "A series has at most 16777216 rows.", Pos: -1}
)

// subscriptsRow is generate_subscripts(array, dimension, whether downwards).
func subscriptsRow(f *frame, i int) {
	n := f.elements(0, i).Len()
	if f.i(1, i) != 1 {
		n = 0
	}
	c := zset.NewColumn(zset.TInt4, n)
	for k := 1; k <= n; k++ {
		v := int64(k)
		if len(f.args) > 2 && f.i(2, i) != 0 {
			v = int64(n + 1 - k)
		}
		c.AppendI64(v)
	}
	f.putElements(&c, 0, c.Len())
}

func intSeriesRow(f *frame, i int) {
	at, stop, step := f.i(0, i), f.i(1, i), int64(1)
	if len(f.args) > 2 {
		step = f.i(2, i)
	}
	if step == 0 {
		f.failWith(i, errSeriesStep)
		return
	}
	sign := 1
	if step < 0 {
		sign = -1
	}
	f.series(i, at, stop, sign, func(at int64) (int64, bool) {
		next := at + step
		return next, (next > at) == (step > 0) // not beyond what there is
	})
}

// series puts at and what follows it, up to stop or, of a negative sign, down to it.
// next gives what follows; false: nothing does.
func (f *frame) series(i int, at, stop int64, sign int, next func(int64) (int64, bool)) {
	c := zset.NewColumn(f.out.Type.Element(), 1)
	c.AppendI64(0)
	more := true
	for n := 0; more && (sign > 0 && at <= stop || sign < 0 && at >= stop); n++ {
		if n == maxSeries {
			f.failWith(i, errSeriesLong)
			return
		}
		f.tick()
		f.bound(9)
		c.I64[0] = at
		f.putElements(&c, 0, 1)
		at, more = next(at)
	}
}

func decimalSeriesRow(f *frame, i int) {
	names := [...]string{"start value", "stop value", "step size"}
	v := [3]zset.Decimal{2: zset.DecimalFromInt64(1)}
	for k := range f.args {
		v[k] = f.dec(k, i)
		switch {
		case v[k].IsNaN():
			f.fail(i, "22023", names[k]+" cannot be NaN")
			return
		case v[k].IsInf():
			f.fail(i, "22023", names[k]+" cannot be infinity")
			return
		}
	}
	at, stop, step := v[0], v[1], v[2]
	sign := step.Sign()
	if sign == 0 {
		f.failWith(i, errSeriesStep)
		return
	}
	c := zset.NewColumn(zset.TNumeric, 1)
	for n := 0; at.Cmp(stop)*sign <= 0; n++ {
		if n == maxSeries {
			f.failWith(i, errSeriesLong)
			return
		}
		f.tick()
		f.bound(16)
		c.Reset()
		c.AppendDecimal(at)
		f.putElements(&c, 0, 1)
		next, err := at.Add(step)
		if err != nil {
			f.failWith(i, positioned(err, -1))
			return
		}
		at = next
	}
}

// momentSeries goes from argument 0 to argument 1 by the span of argument 2.
func (f *frame) momentSeries(i int, add func(us int64, step zset.IntervalValue) (int64, *zset.Error)) {
	at, stop, step := f.i(0, i), f.i(1, i), f.interval(2, i)
	sign := step.Cmp(zset.IntervalValue{})
	if sign == 0 {
		f.failWith(i, errSeriesStep)
		return
	}
	f.series(i, at, stop, sign, func(at int64) (int64, bool) {
		next, err := add(at, step)
		if err != nil {
			f.failWith(i, err)
		}
		return next, err == nil
	})
}
