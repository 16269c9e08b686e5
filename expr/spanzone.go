package expr

import "github.com/ivmc/ivmc/zset"

// spanZones are AT TIME ZONE of an interval, which is the distance to the east.
func spanZones() []Func {
	const tz, ts, iv = zset.TimestampTZ, zset.Timestamp, zset.Interval
	shift := func(from, to zset.Kind, sign int64) Func {
		return raising("timezone", to, func(f *frame, i int) {
			v, us := f.interval(0, i), f.i(1, i)
			switch {
			case v.Months != 0 || v.Days != 0:
				if !infinite(us) {
					f.fail(i, "22023", "interval time zone \""+string(zset.AppendInterval(nil, v))+"\" must not include months or days")
					return
				}
			case !infinite(us):
				us += sign * (v.Micros / usSecond) * usSecond
				if !zset.ValidTimestamp(us) || infinite(us) {
					f.failWith(i, errTimestampRange)
					return
				}
			}
			f.setI(i, us)
		}, iv, from)
	}
	return []Func{shift(tz, ts, 1), shift(ts, tz, -1)}
}
