package expr

import (
	"math"
	"math/big"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// The irrational functions of NUMERIC. PostgreSQL's scales are kept (at least
// 16 significant digits); values are computed with mathBits of precision, far
// more than any result shows, and rounded once, half away from zero. They are
// slow: ADR 0005 has the times.

const (
	mathBits  = 512
	minDigits = 16   // NUMERIC_MIN_SIG_DIGITS
	maxShown  = 1000 // NUMERIC_MAX_DISPLAY_SCALE
)

var errNumericRange = zset.Errorf(zset.CodeOutOfRange, -1, "value overflows numeric format")

func clampScale(scale int, ds ...zset.Decimal) int {
	for _, d := range ds {
		scale = max(scale, d.Scale())
	}
	return min(max(scale, 0), maxShown)
}

// digitWeight is the place of the first base-10000 digit of d, and that digit:
// PostgreSQL picks scales by them.
func digitWeight(d zset.Decimal) (weight int, first int64) {
	s := strings.TrimLeft(d.Abs().String(), "0")
	whole, frac, _ := strings.Cut(s, ".")
	if whole != "" {
		weight = (len(whole) - 1) / 4
		head := len(whole) - 4*weight
		return weight, digitsValue(whole[:head])
	}
	zeros := len(frac) - len(strings.TrimLeft(frac, "0"))
	if zeros == len(frac) {
		return 0, 0
	}
	start := zeros / 4 * 4
	group := (frac + "0000")[start : start+4]
	return -zeros/4 - 1, digitsValue(group)
}

func digitsValue(s string) (v int64) {
	for _, c := range []byte(s) {
		v = 10*v + int64(c-'0')
	}
	return v
}

func sqrtDecimal(d zset.Decimal) (zset.Decimal, error) {
	if d.IsNaN() || d.Sign() > 0 && d.IsInf() {
		return d, nil
	}
	if d.Sign() < 0 {
		return d, zset.Errorf("2201F", -1, "cannot take square root of a negative number")
	}
	weight, _ := digitWeight(d)
	// Half the decimal digits before the point, rounded towards fewer.
	sweight := (weight+1)*2 - 1
	scale := clampScale(minDigits-sweight, d)
	if d.Sign() == 0 {
		return d.Round(scale)
	}
	c := coefficient(d)
	shift := 2*(scale+2) - d.Scale()
	if shift >= 0 {
		c.Mul(c, tenTo(shift))
	} else {
		c.Quo(c, tenTo(-shift))
	}
	return fromScaled(c.Sqrt(c), scale+2, scale)
}

// coefficient is the unscaled value of |d|.
func coefficient(d zset.Decimal) *big.Int {
	s := strings.Replace(d.Abs().String(), ".", "", 1)
	c, _ := new(big.Int).SetString(s, 10)
	return c
}

func tenTo(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// fromScaled rounds c*10^-have, half away from zero, to a scale of at most have.
func fromScaled(c *big.Int, have, scale int) (zset.Decimal, error) {
	unit := tenTo(have - scale)
	half := new(big.Int).Quo(unit, big.NewInt(2))
	neg := c.Sign() < 0
	q := new(big.Int).Abs(c)
	q.Add(q, half).Quo(q, unit)
	s := q.String()
	if scale > 0 {
		if len(s) <= scale {
			s = strings.Repeat("0", scale-len(s)+1) + s
		}
		s = s[:len(s)-scale] + "." + s[len(s)-scale:]
	}
	if neg && q.Sign() != 0 {
		s = "-" + s
	}
	return zset.ParseDecimal(s)
}

func bigFloat(d zset.Decimal) *big.Float {
	f, _, err := big.ParseFloat(d.String(), 10, mathBits, big.ToNearestEven)
	if err != nil {
		return new(big.Float).SetPrec(mathBits)
	}
	return f
}

// toScale rounds to scale. The detour over more digits makes an exact half,
// which a binary fraction misses by a hair, a half again.
func toScale(f *big.Float, scale int) (zset.Decimal, error) {
	const guard = 24
	text := f.Text('f', scale+guard)
	c, ok := new(big.Int).SetString(strings.Replace(text, ".", "", 1), 10)
	if !ok {
		return zset.Decimal{}, errNumericRange
	}
	return fromScaled(c, scale+guard, scale)
}

// lnWeight estimates the decimal weight of ln(d), as PostgreSQL does.
func lnWeight(d zset.Decimal) int {
	x := d.Float64()
	if x >= 0.9 && x <= 1.1 {
		diff, err := d.Sub(zset.DecimalFromInt64(1))
		if err != nil || diff.Sign() == 0 {
			return 0
		}
		w, first := digitWeight(diff)
		return w*4 + int(math.Log10(float64(first)))
	}
	l := math.Abs(math.Log(x))
	return int(math.Log10(l))
}

func lnDecimal(d zset.Decimal) (zset.Decimal, error) {
	switch {
	case d.IsNaN():
		return d, nil
	case d.Sign() == 0:
		return d, zset.Errorf("2201E", -1, "cannot take logarithm of zero")
	case d.Sign() < 0:
		return d, zset.Errorf("2201E", -1, "cannot take logarithm of a negative number")
	case d.IsInf():
		return d, nil
	}
	return toScale(lnBig(bigFloat(d)), clampScale(minDigits-lnWeight(d), d))
}

func expDecimal(d zset.Decimal) (zset.Decimal, error) {
	switch {
	case d.IsNaN() || d.IsInf() && d.Sign() > 0:
		return d, nil
	case d.IsInf():
		return zset.Decimal{}, nil
	}
	return expOf(bigFloat(d), d)
}

// expOf is e^x, with the scale that PostgreSQL gives it beside ds.
func expOf(x *big.Float, ds ...zset.Decimal) (zset.Decimal, error) {
	v, _ := x.Float64()
	v = min(max(v*math.Log10E, -2000), 2000)
	if v > zset.MaxPrecision+1 {
		return zset.Decimal{}, errNumericRange
	}
	scale := clampScale(minDigits-int(v), ds...)
	if v < -float64(maxShown)-2 {
		return zset.Decimal{}.Round(scale)
	}
	return toScale(expBig(x, mathBits), scale)
}

func powDecimal(a, b zset.Decimal) (zset.Decimal, error) {
	if r, ok, err := powSpecial(a, b); ok {
		return r, err
	}
	whole, err := b.Trunc(0)
	integer := err == nil && whole.Cmp(b) == 0
	switch {
	case a.Sign() == 0 && b.Sign() < 0:
		return a, zset.Errorf("2201F", -1, "zero raised to a negative power is undefined")
	case a.Sign() < 0 && !integer:
		return a, zset.Errorf("2201F", -1, "a negative number raised to a non-integer power yields a complex result")
	case integer:
		if n, ok := b.ToInt64(); ok && n >= math.MinInt32 && n <= math.MaxInt32 {
			return powInt(a, n, clampScale(minDigits, a))
		}
	}
	if a.Sign() == 0 {
		return a.Round(minDigits)
	}
	x := lnBig(bigFloat(a.Abs()))
	x.Mul(x, bigFloat(b))
	r, err := expOf(x, a, b)
	if odd, _ := b.Mod(zset.DecimalFromInt64(2)); err == nil && a.Sign() < 0 && odd.Sign() != 0 {
		r = r.Neg()
	}
	return r, err
}

// powSpecial is a power with NaN or an infinity in it, by POSIX's rules.
func powSpecial(a, b zset.Decimal) (r zset.Decimal, ok bool, err error) {
	if a.IsFinite() && b.IsFinite() {
		return r, false, nil
	}
	one := zset.DecimalFromInt64(1)
	if a.IsNaN() || b.IsNaN() {
		if b.IsFinite() && b.Sign() == 0 || a.IsFinite() && a.Cmp(one) == 0 {
			return one, true, nil
		}
		return zset.DecimalNaN, true, nil
	}
	x, y := a.Float64(), b.Float64()
	if x == 0 && y < 0 {
		return r, true, zset.Errorf("2201F", -1, "zero raised to a negative power is undefined")
	}
	if b.IsFinite() {
		whole, _ := b.Trunc(0)
		if a.Sign() < 0 && whole.Cmp(b) != 0 {
			return r, true, zset.Errorf("2201F", -1, "a negative number raised to a non-integer power yields a complex result")
		}
		if odd, _ := b.Mod(zset.DecimalFromInt64(2)); a.Sign() < 0 && whole.Sign() != 0 { // y has lost the parity
			y = float64(b.Sign()) * 2
			if odd.Sign() != 0 {
				y /= 2
			}
		}
	}
	r, err = zset.FromFloat64(math.Pow(x, y))
	return r, true, err
}

// powInt is a^n. Overflow is seen by the logarithm before any work.
func powInt(a zset.Decimal, n int64, scale int) (zset.Decimal, error) {
	if a.Sign() == 0 && n != 0 {
		return zset.Decimal{}.Round(scale)
	}
	if a.Sign() != 0 {
		mant := new(big.Float)
		e := bigFloat(a.Abs()).MantExp(mant)
		m, _ := mant.Float64()
		weight := (math.Log10(m) + float64(e)*math.Log10(2)) * float64(n)
		if weight > zset.MaxPrecision+1 {
			return a, errNumericRange
		}
		if weight < -float64(maxShown)-20 {
			return zset.Decimal{}.Round(scale)
		}
	}
	r, base := newBig(1), bigFloat(a)
	for k := max(n, -n); k > 0; k >>= 1 {
		if k&1 != 0 {
			r.Mul(r, base)
		}
		base.Mul(base, base)
	}
	if n < 0 {
		r.Quo(newBig(1), r)
	}
	return toScale(r, scale)
}

func newBig(x float64) *big.Float { return new(big.Float).SetPrec(mathBits).SetFloat64(x) }

// expBig is e^x: the Taylor series of x/2^k, squared k times.
func expBig(x *big.Float, bits uint) *big.Float {
	if x.Sign() == 0 {
		return newBig(1)
	}
	k := max(x.MantExp(nil)+24, 0)
	small := new(big.Float).SetPrec(bits+uint(k)+32).SetMantExp(x, -k)
	sum := new(big.Float).SetPrec(small.Prec()).SetInt64(1)
	term := new(big.Float).Copy(sum)
	for i := int64(1); ; i++ {
		term.Mul(term, small)
		term.Quo(term, new(big.Float).SetInt64(i))
		sum.Add(sum, term)
		if term.Sign() == 0 || term.MantExp(nil) < -int(small.Prec()) {
			break
		}
	}
	for range k {
		sum.Mul(sum, sum)
	}
	return sum
}

// lnBig is ln(x) for x > 0, by Halley's iteration y += 2(x-e^y)/(x+e^y), which
// triples the correct digits each time; so each is done with three times the
// precision of the one before.
func lnBig(x *big.Float) *big.Float {
	mant := new(big.Float)
	e := x.MantExp(mant)
	m, _ := mant.Float64()
	y := newBig(math.Log(m) + float64(e)*math.Ln2)
	for _, bits := range []uint{160, 480, mathBits + 64} {
		p := expBig(y, bits)
		num := new(big.Float).SetPrec(bits).Sub(x, p)
		den := new(big.Float).SetPrec(bits).Add(x, p)
		num.Quo(num, den)
		y.Add(y, num.Mul(num, newBig(2)))
	}
	return y
}
