package expr

import "math"

// pow is |a|^b times the sign for a < 0, rounded as if it were exact but for
// less than 2^-15 of a last digit: [math.Pow] is off by up to 15 of them, which
// shows where PostgreSQL prints a round number. a is finite and not 0, b is finite.
func pow(a, b float64) float64 {
	switch b {
	case 0, 1, -1:
		return math.Pow(a, b)
	case 2:
		return a * a
	}
	z := lnPair(math.Abs(a)).mul(pair{b, 0})
	if !(math.Abs(z.hi) < 800) {
		return math.Pow(a, b) // infinite or 0
	}
	r := expPair(z)
	if a < 0 && math.Mod(b, 2) != 0 {
		return -r
	}
	return r
}

// pair is hi + lo, a number of some 104 bits; lo is at most half of hi's last place.
type pair struct{ hi, lo float64 }

// twoSum is a + b without error.
func twoSum(a, b float64) pair {
	s := a + b
	t := s - a
	return pair{s, (a - (s - t)) + (b - t)}
}

// fastSum is twoSum of |a| >= |b|.
func fastSum(a, b float64) pair {
	s := a + b
	return pair{s, b - (s - a)}
}

func (x pair) add(y pair) pair {
	s, t := twoSum(x.hi, y.hi), twoSum(x.lo, y.lo)
	s = fastSum(s.hi, s.lo+t.hi)
	return fastSum(s.hi, s.lo+t.lo)
}

func (x pair) mul(y pair) pair {
	p := x.hi * y.hi
	return fastSum(p, math.FMA(x.hi, y.hi, -p)+(x.hi*y.lo+x.lo*y.hi))
}

func (x pair) div(y pair) pair {
	q := x.hi / y.hi
	rest := x.add(y.mul(pair{-q, 0}))
	q2 := rest.hi / y.hi
	rest = rest.add(y.mul(pair{-q2, 0}))
	return fastSum(q, q2).add(pair{rest.hi / y.hi, 0})
}

// by is x / d.
func (x pair) by(d float64) pair {
	q := x.hi / d
	return fastSum(q, (math.FMA(-q, d, x.hi)+x.lo)/d)
}

// ln2 as a pair.
const (
	ln2Hi = 0x1.62e42fefa39efp-1
	ln2Lo = 0x1.abc9e3b39803fp-56
)

// lnPair is ln(x) for finite x > 0: x = m * 2^e with m about 1, and
// ln(m) = 2 artanh(s), s = (m-1)/(m+1), which keeps its digits where m is near 1.
func lnPair(x float64) pair {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	s := pair{m - 1, 0}.div(twoSum(m, 1))
	const terms = 15 // s*s is less than 0.0295
	square := s.mul(s)
	var sum pair
	for k := terms; k > 0; k-- {
		sum = sum.add(pair{1, 0}.by(float64(2*k + 1))).mul(square)
	}
	ln := s.add(s.mul(sum))
	ln = pair{2 * ln.hi, 2 * ln.lo}
	return pair{ln2Hi, ln2Lo}.mul(pair{float64(e), 0}).add(ln)
}

// expPair is e^z for |z| < 800: z = k ln 2 + 256 r, and e^r is squared eight times.
func expPair(z pair) float64 {
	k := math.RoundToEven(z.hi / math.Ln2)
	r := z.add(pair{ln2Hi, ln2Lo}.mul(pair{-k, 0}))
	r = pair{r.hi / 256, r.lo / 256}
	const terms = 7 // |r| is less than 0.0014
	var sum pair    // e^r - 1, which loses no digits to the 1
	for i := terms; i > 0; i-- {
		sum = sum.add(pair{1, 0}).mul(r).by(float64(i))
	}
	for range 8 { // (1+y)^2 - 1 = y (y + 2)
		sum = sum.mul(sum.add(pair{2, 0}))
	}
	sum = sum.add(pair{1, 0})
	return math.Ldexp(sum.hi, int(k))
}
