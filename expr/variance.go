package expr

import (
	"math"
	"math/big"

	"github.com/ivmc/ivmc/zset"
)

// The variance of n inputs with the sum S and the sum of squares Q is
// (nQ - SS) / nn, or over n(n-1) for a sample. S and Q are kept exactly, so what
// is retracted leaves nothing; nQ - SS is exact too, and one rounding follows, or
// as many as PostgreSQL's numeric takes.

// deviation says which of the family is asked for.
type deviation struct {
	name   string
	sample bool // over n - 1
	root   bool // STDDEV
}

// none reports whether n inputs have no value.
func (d deviation) none(n int64) bool { return n == 0 || d.sample && n == 1 }

// spread is n, S and Q of a group; the inputs are S and Q in units of 10^-scale
// and 10^-2scale, or of 1.
type spread struct {
	n    int64
	s, q *big.Int
}

// fraction is the variance as a fraction of the units of Q.
func (d deviation) fraction(v spread) (num, den *big.Int) {
	n := big.NewInt(v.n)
	num = new(big.Int).Mul(n, v.q)
	num.Sub(num, new(big.Int).Mul(v.s, v.s))
	den = new(big.Int).Set(n)
	if d.sample {
		den.Sub(den, big.NewInt(1))
	}
	return num, den.Mul(den, n)
}

// numeric is the value as PostgreSQL's numeric computes it: the quotient with 16
// significant digits or more, counted in groups of four, and its root with as
// many decimals. No variation at all is 0, without decimals.
func (d deviation) numeric(v spread, scale int) (zset.Decimal, error) {
	num, den := d.fraction(v)
	if num.Sign() <= 0 {
		return zset.DecimalFromInt64(0), nil
	}
	places := quotientScale(num, 2*scale, den)
	// num/10^2scale / den in units of 10^-places, half away from zero.
	q := new(big.Int).Mul(num, tenTo(places))
	q.Add(q.Lsh(q, 1), new(big.Int).Mul(den, tenTo(2*scale)))
	q.Quo(q, new(big.Int).Lsh(new(big.Int).Mul(den, tenTo(2*scale)), 1))
	if d.root {
		// floor(2 sqrt(x)) is odd where the root is half a unit or more above a whole one.
		r := new(big.Int).Sqrt(new(big.Int).Lsh(new(big.Int).Mul(q, tenTo(places)), 2))
		q = r.Add(r, big.NewInt(1)).Rsh(r, 1)
	}
	if q.BitLen() > 256 {
		return zset.Decimal{}, zset.Errorf(zset.CodeOutOfRange, -1, "value overflows numeric format")
	}
	var limbs [4]uint64
	low := new(big.Int).SetUint64(math.MaxUint64)
	for i := range limbs {
		limbs[i] = new(big.Int).And(new(big.Int).Rsh(q, uint(64*i)), low).Uint64()
	}
	return zset.DecimalFromLimbs(false, limbs, places)
}

// quotientScale is how many decimals PostgreSQL gives to num/10^scale divided by
// den: 16 significant digits of the quotient as estimated from the first groups
// of four digits, and no fewer decimals than num has.
func quotientScale(num *big.Int, scale int, den *big.Int) int {
	w1, f1 := leadingGroup(num, scale)
	w2, f2 := leadingGroup(den, 0)
	w := w1 - w2
	if f1 <= f2 {
		w--
	}
	return min(max(16-4*w, scale), 1000)
}

// leadingGroup is the first group of four digits, counted from the decimal
// point, of x/10^scale that is not zero, and the power of 10000 it stands for.
func leadingGroup(x *big.Int, scale int) (weight, group int) {
	pad := (4 - scale%4) % 4
	digits := new(big.Int).Mul(x, tenTo(pad)).String()
	first := (len(digits)-1)%4 + 1
	for _, c := range digits[:first] {
		group = 10*group + int(c-'0')
	}
	return (len(digits)-first)/4 - (scale+pad)/4, group
}

// float is the value rounded to the nearest double, once; S is in units of
// 2^-unit and Q in units of 2^-2unit.
func (d deviation) float(v spread, unit int) (float64, error) {
	num, den := d.fraction(v)
	if num.Sign() <= 0 {
		return 0, nil
	}
	return nearest(num, den, 2*unit, d.root)
}

// nearest is num/den in units of 2^-unit, or the root of that, rounded to the nearest
// double, once. den is positive; unit is even, and num not negative, for a root.
func nearest(num, den *big.Int, unit int, root bool) (float64, error) {
	if num.Sign() == 0 {
		return 0, nil
	}
	// Of a quotient with 130 bits or more, and of its root with 64 or more, a bit
	// behind the last says whether anything is left.
	shift := max(0, 132-num.BitLen()+den.BitLen())
	shift += shift & 1
	q, rest := new(big.Int).QuoRem(new(big.Int).Lsh(new(big.Int).Abs(num), uint(shift)), den, new(big.Int))
	exp := -shift - unit
	if root {
		r := new(big.Int).Sqrt(q)
		if new(big.Int).Mul(r, r).Cmp(q) != 0 {
			rest.SetInt64(1)
		}
		q, exp = r, exp/2
	}
	q.Lsh(q, 1)
	if rest.Sign() != 0 {
		q.SetBit(q, 0, 1)
	}
	f := new(big.Float).SetInt(q)
	f.SetMantExp(f, exp-1)
	x, _ := f.Float64()
	if math.IsInf(x, 0) {
		return 0, zset.Errorf(zset.CodeOutOfRange, -1, "value out of range: overflow")
	}
	return math.Copysign(x, float64(num.Sign())), nil
}

func newVarPop(t zset.Type) Accumulator { return newSpread(t, deviation{name: "var_pop"}) }
func newVarSamp(t zset.Type) Accumulator {
	return newSpread(t, deviation{name: "var_samp", sample: true})
}
func newVariance(t zset.Type) Accumulator {
	return newSpread(t, deviation{name: "variance", sample: true})
}
func newStddevPop(t zset.Type) Accumulator {
	return newSpread(t, deviation{name: "stddev_pop", root: true})
}
func newStddevSamp(t zset.Type) Accumulator {
	return newSpread(t, deviation{name: "stddev_samp", sample: true, root: true})
}
func newStddev(t zset.Type) Accumulator {
	return newSpread(t, deviation{name: "stddev", sample: true, root: true})
}

func newSpread(t zset.Type, d deviation) Accumulator {
	switch {
	case t.Phys() == zset.PhysF64:
		return newFloatSpread(d)
	case t.Kind == zset.Numeric && !t.Fixed():
		return newDecimalSpread(d)
	case t.Fixed():
		return &fixedNaN{fixedState: &intSpread{deviation: d, scale: int(t.Scale)}, name: d.name, sample: d.sample}
	}
	return &intSpread{deviation: d, scale: int(t.Scale)}
}
