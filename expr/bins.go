package expr

import (
	"math"
	"strconv"

	"github.com/ivmc/ivmc/zset"
)

// binFuncs are date_bin and what makes an interval or a moment of numbers.
func binFuncs() []Func {
	const n, f8, ts, tz, iv = zset.Int4, zset.Float8, zset.Timestamp, zset.TimestampTZ, zset.Interval
	rows := []Func{
		raising("date_bin", ts, binRow, iv, ts, ts),
		raising("date_bin", tz, binRow, iv, tz, tz),
		raising("to_timestamp", tz, fromEpochRow, f8),
		{Name: "isfinite", Args: []zset.Kind{tz}, Result: zset.Bool, Strict: true,
			row: func(f *frame, i int) { f.setBool(i, !infinite(f.i(0, i))) }},
	}
	// Parts that are not given are zero.
	parts := []zset.Kind{n, n, n, n, n, n, f8}
	for k := range len(parts) + 1 {
		rows = append(rows, raising("make_interval", iv, makeIntervalRow, parts[:k:k]...))
	}
	return rows
}

// binRow goes down to the origin and a whole number of strides, also before it.
func binRow(f *frame, i int) {
	v, us, origin := f.interval(0, i), f.i(1, i), f.i(2, i)
	if infinite(us) {
		f.setI(i, us)
		return
	}
	days, fits := mulInt(int64(v.Days), usDay)
	stride, ok := addInt(days, v.Micros)
	past, near := subInt(us, origin)
	switch {
	case infinite(origin):
		f.fail(i, zset.CodeDatetimeRange, "origin out of range")
	case v.Months != 0:
		f.fail(i, "0A000", "timestamps cannot be binned into intervals containing months or years")
	case !fits || !ok:
		f.failWith(i, errIntervalRange)
	case stride <= 0:
		f.fail(i, zset.CodeDatetimeRange, "stride must be greater than zero")
	case !near:
		f.failWith(i, errIntervalRange)
	default:
		r, ok := subInt(us, floorMod(past, stride))
		if !ok || !zset.ValidTimestamp(r) {
			f.failWith(i, errTimestampRange)
		}
		f.setI(i, r)
	}
}

// makeIntervalRow: years, months, weeks, days, hours, minutes and seconds.
func makeIntervalRow(f *frame, i int) {
	var p [6]int64
	for k := range min(len(f.args), len(p)) {
		p[k] = f.i(k, i)
	}
	us := 0.0
	if len(f.args) > len(p) {
		us = math.RoundToEven(f.f(len(p), i) * 1e6)
	}
	m, d := 12*p[0]+p[1], 7*p[2]+p[3]
	clock, ok := addInt(p[4]*usHour+p[5]*usMinute, int64(us))
	if !(math.Abs(us) < 1<<63) || !ok || m != int64(int32(m)) || d != int64(int32(d)) {
		f.failWith(i, errIntervalRange)
		clock = 0
	}
	f.putInterval(zset.IntervalValue{Months: int32(m), Days: int32(d), Micros: clock})
}

// secondsTo2000 are those from 1970 on. PostgreSQL rounds the seconds since 2000.
const secondsTo2000 = 946684800

func fromEpochRow(f *frame, i int) {
	sec := f.f(0, i)
	switch {
	case math.IsNaN(sec):
		f.fail(i, zset.CodeDatetimeRange, "timestamp cannot be NaN")
		return
	case math.IsInf(sec, 1):
		f.setI(i, zset.PosInf)
		return
	case math.IsInf(sec, -1):
		f.setI(i, zset.NegInf)
		return
	}
	us := math.RoundToEven(float64(sec-secondsTo2000) * 1e6)
	if math.Abs(us) < 9.2e18 {
		if r, ok := addInt(int64(us), secondsTo2000*usSecond); ok && zset.ValidTimestamp(r) && !infinite(r) {
			f.setI(i, r)
			return
		}
	}
	f.fail(i, zset.CodeDatetimeRange, "timestamp out of range: \""+strconv.FormatFloat(sec, 'g', 6, 64)+"\"")
}
