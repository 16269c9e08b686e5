package expr

import "math"

// The circular functions are computed in pairs of floats, as powers are: the
// last digit is then that of a good C library, which [math] misses often.

// The quarter of a turn, in three parts.
const (
	quarterHi  = 0x1.921fb54442d18p0
	quarterMid = 0x1.1a62633145c07p-54
	quarterLow = -0x1.f1976b7ed8fbcp-110
)

// largest is where the reduction by quarters of a turn has digits enough.
const largest = 1 << 28

// sinCos is sine and cosine of x, |x| below largest.
func sinCos(x float64) (sin, cos pair) {
	k := math.RoundToEven(x / quarterHi)
	r := pair{x, 0}
	for _, part := range []float64{quarterHi, quarterMid, quarterLow} {
		p := -k * part
		r = r.add(pair{p, math.FMA(-k, part, -p)})
	}
	square := r.mul(r)
	const terms = 14 // |r| is at most pi/4
	sin, cos = pair{1, 0}, pair{1, 0}
	for n := terms; n > 0; n-- {
		s := sin.mul(square).by(float64(2*n) * float64(2*n+1))
		c := cos.mul(square).by(float64(2*n-1) * float64(2*n))
		sin, cos = pair{1, 0}.add(s.neg()), pair{1, 0}.add(c.neg())
	}
	sin = sin.mul(r)
	switch int64(k) & 3 {
	case 1:
		return cos, sin.neg()
	case 2:
		return sin.neg(), cos.neg()
	case 3:
		return cos.neg(), sin
	}
	return sin, cos
}

func (x pair) neg() pair { return pair{-x.hi, -x.lo} }

// tiny is where a function of the circle is its argument, or beyond what pairs hold.
func tiny(x float64) bool { return !(math.Abs(x) > 1e-12) }

func sinFloat(x float64) float64 {
	if tiny(x) || !(math.Abs(x) < largest) {
		return math.Sin(x)
	}
	s, _ := sinCos(x)
	return s.hi
}

func cosFloat(x float64) float64 {
	if tiny(x) || !(math.Abs(x) < largest) {
		return math.Cos(x)
	}
	_, c := sinCos(x)
	return c.hi
}

func tanFloat(x float64) float64 {
	if tiny(x) || !(math.Abs(x) < largest) {
		return math.Tan(x)
	}
	s, c := sinCos(x)
	return s.div(c).hi
}

// The inverse functions correct the first guess y by what the circle says of it.

func asinFloat(x float64) float64 {
	y := math.Asin(x)
	if tiny(x) || math.Abs(x) == 1 || x != x {
		return y
	}
	s, c := sinCos(y)
	return pair{y, 0}.add(pair{x, 0}.add(s.neg()).div(c)).hi
}

func acosFloat(x float64) float64 {
	y := math.Acos(x)
	if tiny(x) || math.Abs(x) == 1 || x != x {
		return y
	}
	s, c := sinCos(y)
	return pair{y, 0}.add(c.add(pair{-x, 0}).div(s)).hi
}

func atanFloat(x float64) float64 {
	if !(math.Abs(x) < 1e150) || tiny(x) {
		return math.Atan(x)
	}
	return atan2Float(x, 1)
}

func atan2Float(y, x float64) float64 {
	a := math.Atan2(y, x)
	plain := func(v float64) bool { m := math.Abs(v); return m > 1e-150 && m < 1e150 }
	if !plain(x) || !plain(y) || tiny(a) {
		return a
	}
	s, c := sinCos(a)
	px, py := pair{x, 0}, pair{y, 0}
	return pair{a, 0}.add(py.mul(c).add(px.mul(s).neg()).div(px.mul(c).add(py.mul(s)))).hi
}
