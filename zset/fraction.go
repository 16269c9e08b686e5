package zset

import "math"

// Type.Prec of TIME, TIMESTAMP, TIMESTAMPTZ and INTERVAL is one more than the
// digits of seconds behind the point that were declared; 0 means all six.

// Timed reports whether types of kind k may declare how many digits their seconds have.
func (k Kind) Timed() bool { return k == Time || k == Timestamp || k == TimestampTZ || k == Interval }

// WithFraction is the type of kind k, which is Timed, with so many digits behind the point: 0 to 6.
func WithFraction(k Kind, digits int) Type { return Type{Kind: k, Prec: int16(digits + 1)} }

// Fraction is the digits behind the point that t declares.
func (t Type) Fraction() (digits int, declared bool) {
	return int(t.Prec) - 1, t.Kind.Timed() && t.Prec > 0
}

// epoch2000 is 2000-01-01, from which PostgreSQL counts, and rounds away.
const epoch2000 = 946684800 * usPerSec

// RoundMicros rounds a cell of PhysI64, or the microseconds of an INTERVAL, to the
// digits that t declares: half away from zero, which is 2000-01-01 for a TIMESTAMP.
func RoundMicros(us int64, t Type) int64 {
	digits, ok := t.Fraction()
	if !ok || digits >= 6 || t.Kind != Interval && (us == PosInf || us == NegInf) {
		return us
	}
	unit := int64(pow10s[6-digits][0])
	zero := int64(0)
	if t.Kind == Timestamp || t.Kind == TimestampTZ {
		zero = epoch2000
	}
	us -= zero
	switch {
	case us > math.MaxInt64-unit/2 || us < math.MinInt64+unit/2: // of an INTERVAL: cut
		us -= us % unit
	case us >= 0:
		us = (us + unit/2) / unit * unit
	default:
		us = -((-us + unit/2) / unit * unit)
	}
	return us + zero
}

// fraction rounds a value that was read to what t declares.
func (v Value) fraction(t Type) Value {
	switch {
	case v.Null || t.Prec == 0:
	case t.Kind == Interval:
		x := IntervalOf([]byte(v.S))
		x.Micros = RoundMicros(x.Micros, t)
		v = x.Value()
	default:
		v.I = RoundMicros(v.I, t)
	}
	v.Type = t
	return v
}

// roundedMicros is RoundMicros of all cells, which may be another's memory.
func roundedMicros(us []int64, t Type) []int64 {
	if digits, ok := t.Fraction(); !ok || digits >= 6 {
		return us
	}
	out := make([]int64, len(us))
	for i, v := range us {
		out[i] = RoundMicros(v, t)
	}
	return out
}
