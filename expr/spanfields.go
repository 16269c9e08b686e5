package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// spanFields are the fields of an INTERVAL; all of them carry its sign.
var spanFields = map[string]func(v zset.IntervalValue) number{
	"microsecond": func(v zset.IntervalValue) number { return whole(v.Micros % usMinute) },
	"millisecond": func(v zset.IntervalValue) number { return number{v.Micros % usMinute, 3, true} },
	"second":      func(v zset.IntervalValue) number { return number{v.Micros % usMinute, 6, true} },
	"minute":      func(v zset.IntervalValue) number { return whole(v.Micros / usMinute % 60) },
	"hour":        func(v zset.IntervalValue) number { return whole(v.Micros / usHour) },
	"day":         func(v zset.IntervalValue) number { return whole(int64(v.Days)) },
	"month":       func(v zset.IntervalValue) number { return whole(int64(v.Months % 12)) },
	"quarter":     func(v zset.IntervalValue) number { return whole(int64(v.Months%12/3 + 1)) },
	"year":        func(v zset.IntervalValue) number { return whole(int64(v.Months / 12)) },
	"decade":      func(v zset.IntervalValue) number { return whole(int64(v.Months / 120)) },
	"century":     func(v zset.IntervalValue) number { return whole(int64(v.Months / 1200)) },
	"millennium":  func(v zset.IntervalValue) number { return whole(int64(v.Months / 12000)) },
}

func intervalField(float bool) func(unit string) rowFunc {
	return func(unit string) rowFunc {
		if unit == "epoch" {
			return func(f *frame, i int) { f.putSpan(i, f.interval(1, i), float) }
		}
		of, ok := spanFields[unit]
		if !ok {
			return nil
		}
		return func(f *frame, i int) { f.putNumber(i, of(f.interval(1, i)), float) }
	}
}

// putSpan writes the seconds of an interval: a year has 365.25 days, a month
// beside it 30.
func (f *frame) putSpan(i int, v zset.IntervalValue, float bool) {
	y, m, d := int64(v.Months/12), int64(v.Months%12), int64(v.Days)
	if float {
		sum := float64(v.Micros) / 1e6
		sum += float64(31557600 * float64(y))
		sum += float64(2592000 * float64(m))
		sum += float64(86400 * float64(d))
		f.setF(i, sum)
		return
	}
	r, err := zset.DecimalFromScaled(v.Micros, 6).Add(zset.DecimalFromInt64(31557600*y + 2592000*m + 86400*d))
	f.setDecErr(i, r, err)
}
