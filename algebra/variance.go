package algebra

import (
	"math"
	"math/big"
	"strings"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// defVariance is the variance family: the mean square of the distances from the
// mean, over n or n - 1, computed with fractions; NaN where an input is not finite.
func defVariance(g expr.AggCall, arg *zset.Column, w []int64) (zset.Value, error) {
	n := total(w)
	population, root := strings.HasSuffix(g.Name, "_pop"), strings.HasPrefix(g.Name, "stddev")
	div := new(big.Rat).SetInt(n)
	if !population {
		if div.Sub(div, big.NewRat(1, 1)); div.Sign() == 0 {
			return zset.NullOf(g.Typ), nil
		}
	}
	xs := make([]*big.Rat, len(w))
	mean, scale := new(big.Rat), 0
	for i := range w {
		if arg.Type.Phys() == zset.PhysF64 {
			xs[i] = new(big.Rat).SetFloat64(arg.F64[i]) // nil if not finite
		} else {
			s := cellText(arg, i)
			xs[i], _ = new(big.Rat).SetString(s)
			if _, frac, ok := strings.Cut(s, "."); ok {
				scale = max(scale, len(frac))
			}
		}
		if xs[i] == nil {
			if g.Typ.Kind == zset.Float8 {
				return zset.FloatValue(math.NaN()), nil
			}
			return numericValue(zset.DecimalNaN), nil
		}
		mean.Add(mean, new(big.Rat).Mul(xs[i], new(big.Rat).SetInt64(w[i])))
	}
	mean.Quo(mean, new(big.Rat).SetInt(n))
	v := new(big.Rat)
	for i, x := range xs {
		d := new(big.Rat).Sub(x, mean)
		v.Add(v, d.Mul(d, d).Mul(d, new(big.Rat).SetInt64(w[i])))
	}
	if g.Typ.Kind == zset.Float8 {
		v.Quo(v, div)
		if root {
			return nearestRoot(v)
		}
		return nearest(v)
	}
	// PostgreSQL divides n * sum of squares - square of the sum, which is n times
	// the sum of the squared distances, by n * n or n * (n - 1).
	num := v.Mul(v, new(big.Rat).SetInt(n))
	den := new(big.Rat).Mul(new(big.Rat).SetInt(n), div)
	if num.Sign() == 0 {
		return numericValue(zset.DecimalFromInt64(0)), nil
	}
	wn, gn := firstGroup(num)
	wd, gd := firstGroup(den)
	quot := wn - wd
	if gn <= gd {
		quot--
	}
	places := min(max(16-4*quot, 2*scale), 1000)
	q := new(big.Rat).Quo(num, den)
	text := q.FloatString(places) // halves away from zero
	if root {
		q.SetString(text)
		text = rootString(q, places)
	}
	d, err := zset.ParseDecimal(text)
	if err != nil {
		return zset.Value{}, err
	}
	return numericValue(d), nil
}

// firstGroup is the power of 10000 of the first digit of x > 0 to that base, and
// the digit.
func firstGroup(x *big.Rat) (power int, digit int64) {
	base, one := big.NewRat(10000, 1), big.NewRat(1, 1)
	x = new(big.Rat).Set(x)
	for x.Cmp(base) >= 0 {
		x.Quo(x, base)
		power++
	}
	for x.Cmp(one) < 0 {
		x.Mul(x, base)
		power--
	}
	return power, new(big.Int).Quo(x.Num(), x.Denom()).Int64()
}

// rootString is the square root of x with the given decimals, halves up.
func rootString(x *big.Rat, places int) string {
	// The root of x * 100^places, doubled, plus one, halved.
	y := new(big.Rat).Mul(x, new(big.Rat).SetInt(pow10(2*places)))
	y.Mul(y, big.NewRat(4, 1))
	r := new(big.Int).Sqrt(new(big.Int).Quo(y.Num(), y.Denom()))
	r.Add(r, big.NewInt(1)).Quo(r, big.NewInt(2))
	return new(big.Rat).SetFrac(r, pow10(places)).FloatString(places)
}

// nearestRoot is the double nearest to the root of x, ties to even.
func nearestRoot(x *big.Rat) (zset.Value, error) {
	if x.Sign() == 0 {
		return zset.FloatValue(0), nil
	}
	const digits = 3000 // binary places: more than a double has twice over
	y := new(big.Rat).Mul(x, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 2*digits)))
	whole := new(big.Int).Quo(y.Num(), y.Denom())
	r := new(big.Int).Sqrt(whole)
	exact := y.IsInt() && new(big.Int).Mul(r, r).Cmp(whole) == 0
	r.Lsh(r, 1)
	if !exact {
		r.SetBit(r, 0, 1)
	}
	return nearest(new(big.Rat).SetFrac(r, new(big.Int).Lsh(big.NewInt(1), digits+1)))
}
