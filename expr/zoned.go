package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// A function that depends on the setting TimeZone has the zone's name as one more
// argument, a constant behind those of its row: the expression says itself what it
// reads, in a stored plan and in its fingerprint. Binding leaves the name empty,
// and InZone puts it in; until then the call is not folded, and cannot be compiled.

// takesZone reports whether a call with these argument and result types has the zone.
func (f *Func) takesZone(args []zset.Type, result zset.Type) bool {
	return f.zoned || f.zonedFor != nil && f.zonedFor(args, result)
}

// zoneArg is the argument that InZone fills.
func zoneArg() *Expr { return Const(zset.TextValue("")) }

// unzoned reports whether e waits for InZone.
func unzoned(e *Expr) bool {
	if e.Op != OpCall || len(e.Args) == 0 {
		return false
	}
	last := e.Args[len(e.Args)-1]
	if last.Op != OpConst || last.Val.S != "" || last.Typ.Kind != zset.Text || last.Val.Null {
		return false
	}
	f := e.fn()
	return f != nil && f.takesZone(typesOf(e.Args), e.Typ)
}

// InZone is e, folded anew where it depends on the setting TimeZone, which is zone.
func (e *Expr) InZone(zone string) *Expr {
	if zone == "" {
		zone = "UTC"
	}
	waits := false
	e.Walk(func(x *Expr) bool {
		waits = waits || unzoned(x)
		return !waits
	})
	if !waits {
		return e
	}
	return Fold(e.rewrite(func(x *Expr) *Expr {
		if !unzoned(x) {
			return x
		}
		c := *x
		c.Args = append(append([]*Expr(nil), x.Args[:len(x.Args)-1]...), Const(zset.TextValue(zone)))
		return &c
	}))
}

// plainArgs is the arguments of a call without its zone.
func plainArgs(e *Expr) []*Expr {
	if f := e.fn(); f != nil && !f.Variadic && len(e.Args) == len(f.Args)+1 && f.takesZone(typesOf(e.Args), e.Typ) {
		return e.Args[:len(f.Args)]
	}
	return e.Args
}

// zonedFunc makes a row of a function that takes the zone.
func zonedFunc(f Func, row func(f *frame, i int, z *zset.Zone)) Func {
	f.zoned, f.Strict = true, true
	at := len(f.Args)
	f.row = func(f *frame, i int) {
		z, err := zset.SessionZone(string(f.b(at, i)))
		if err != nil {
			f.failWith(i, positioned(err, -1))
			return
		}
		row(f, i, z)
	}
	f.bind = func(consts []*zset.Value) rowFunc {
		if consts[at] == nil {
			return nil
		}
		z, err := zset.SessionZone(consts[at].S)
		if err != nil {
			return nil
		}
		return func(f *frame, i int) { row(f, i, z) }
	}
	return f
}

// zonedFuncs are the casts and operators of TIMESTAMPTZ.
func zonedFuncs() []Func {
	const tz, ts, d, tm, iv = zset.TimestampTZ, zset.Timestamp, zset.Date, zset.Time, zset.Interval
	var rows []Func
	cast := func(from, to zset.Kind, raises bool, row func(f *frame, i int, z *zset.Zone)) {
		rows = append(rows, zonedFunc(Func{Name: castName, Args: []zset.Kind{from}, Result: to, Raises: raises}, row))
	}
	for _, from := range []zset.Kind{zset.Text, zset.Varchar, zset.Char, zset.Unknown} {
		cast(from, tz, true, func(f *frame, i int, z *zset.Zone) {
			v, err := zset.ParseTextIn(zset.TTimestampTZ, string(f.b(0, i)), z)
			if err != nil {
				f.failWith(i, positioned(err, -1))
			}
			f.setI(i, v.I)
		})
	}
	for _, to := range []zset.Kind{zset.Text, zset.Varchar, zset.Char} {
		text := func(f *frame, i int, z *zset.Zone) { f.out.Buf = zset.AppendTimestampTZ(f.out.Buf, f.i(0, i), z) }
		fit := func(cut bool) func(f *frame, i int, z *zset.Zone) {
			return func(f *frame, i int, z *zset.Zone) {
				castString(func(f *frame, i int) { text(f, i, z) }, cut)(f, i)
			}
		}
		cast(tz, to, false, fit(true))
		if to != zset.Text {
			rows = append(rows, zonedFunc(Func{Name: assignName, Args: []zset.Kind{tz}, Result: to, Raises: true, spares: assignFits}, fit(false)))
		}
	}
	cast(ts, tz, true, func(f *frame, i int, z *zset.Zone) { f.setUTC(i, f.i(0, i), z) })
	cast(d, tz, true, func(f *frame, i int, z *zset.Zone) {
		castDateTimestamp(f, i)
		f.setUTC(i, f.out.I64[i], z)
	})
	cast(tz, ts, true, func(f *frame, i int, z *zset.Zone) { f.setI(i, f.local(i, f.i(0, i), z)) })
	cast(tz, d, true, func(f *frame, i int, z *zset.Zone) {
		us := f.local(i, f.i(0, i), z)
		if !infinite(us) {
			us, _ = zset.SplitTimestamp(us)
		}
		f.setI(i, us)
	})
	cast(tz, tm, true, func(f *frame, i int, z *zset.Zone) {
		us := f.local(i, f.i(0, i), z)
		if infinite(us) {
			f.setNull(i)
			return
		}
		_, clock := zset.SplitTimestamp(us)
		f.setI(i, clock)
	})
	order := func(from zset.Kind, plain rowFunc) {
		rows = append(rows, zonedFunc(Func{Name: orderName, Args: []zset.Kind{from}, Result: tz}, func(f *frame, i int, z *zset.Zone) {
			plain(f, i)
			f.orderUTC(i, f.out.I64[i], z)
		}))
	}
	order(d, orderDateTimestamp)
	order(ts, castI64)
	plus := func(name string, l, r zset.Kind, at, by int, sign int64) {
		rows = append(rows, zonedFunc(Func{Name: name, Args: []zset.Kind{l, r}, Result: tz, Raises: true},
			func(f *frame, i int, z *zset.Zone) { f.setZoned(i, f.i(at, i), f.interval(by, i), sign, z) }))
	}
	plus("+", tz, iv, 0, 1, 1)
	plus("+", iv, tz, 1, 0, 1)
	plus("-", tz, iv, 0, 1, -1)
	rows = append(rows, spanZones()...)
	return append(rows, Func{Name: "-", Args: []zset.Kind{tz, tz}, Result: iv, Strict: true, Raises: true, row: timestampDiff},
		Func{Name: "timezone", Args: []zset.Kind{zset.Text, tz}, Result: ts, Strict: true, Raises: true, row: inNamedZone(0, func(f *frame, i int, z *zset.Zone) {
			f.setI(i, f.local(i, f.i(1, i), z))
		})},
		Func{Name: "timezone", Args: []zset.Kind{zset.Text, ts}, Result: tz, Strict: true, Raises: true, row: inNamedZone(0, func(f *frame, i int, z *zset.Zone) {
			f.setUTC(i, f.i(1, i), z)
		})})
}

// inNamedZone looks up the zone that an argument names.
func inNamedZone(at int, row func(f *frame, i int, z *zset.Zone)) rowFunc {
	return func(f *frame, i int) {
		name := string(f.b(at, i))
		z, err := zset.FindZone(name)
		if err != nil {
			f.failWith(i, positioned(err, -1))
			return
		}
		row(f, i, z)
	}
}

// local is what clocks in z show at us.
func (f *frame) local(i int, us int64, z *zset.Zone) int64 {
	r, err := z.ToLocal(us)
	if err != nil {
		f.failWith(i, positioned(err, -1))
	}
	return r
}

// setUTC writes the moment at which clocks in z show us.
func (f *frame) setUTC(i int, us int64, z *zset.Zone) {
	r, err := z.ToUTC(us)
	if err != nil {
		f.failWith(i, positioned(err, -1))
	}
	f.setI(i, r)
}

// orderUTC is setUTC for a comparison: what lies beyond the moments that can be
// held comes before or after all of them but the infinite ones.
func (f *frame) orderUTC(i int, us int64, z *zset.Zone) {
	r, err := z.ToUTC(us)
	switch {
	case err == nil:
	case us < 0:
		r = zset.NegInf + 1
	default:
		r = zset.PosInf - 1
	}
	f.setI(i, r)
}

// setZoned adds months and days by the clocks of z, and time by the moment. Where
// there are only hours to add, the clocks do not matter.
func (f *frame) setZoned(i int, us int64, v zset.IntervalValue, sign int64, z *zset.Zone) {
	us, err := addZoned(us, v, sign, z)
	if err != nil {
		f.failWith(i, err)
		us = 0
	}
	f.setI(i, us)
}

// addZoned is what [frame.setZoned] writes.
func addZoned(us int64, v zset.IntervalValue, sign int64, z *zset.Zone) (int64, *zset.Error) {
	var err *zset.Error
	if !infinite(us) && (v.Months != 0 || v.Days != 0) {
		// Months and days apart: between the two the clocks may have been put on.
		for _, part := range []zset.IntervalValue{{Months: v.Months}, {Days: v.Days}} {
			if part == (zset.IntervalValue{}) || err != nil {
				continue
			}
			local, zerr := z.ToLocal(us)
			if zerr == nil {
				if local, err = addInterval(local, part, sign); err == nil {
					us, zerr = z.ToUTC(local)
				}
			}
			if zerr != nil {
				err = errTimestampRange
			}
		}
	}
	if err != nil {
		return 0, err
	}
	return addInterval(us, zset.IntervalValue{Micros: v.Micros}, sign)
}
