package algebra

import (
	"math"
	"math/big"
	"strings"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// pairsOf is the pairs of an aggregate over two numbers, with what is summed of
// them as fractions: the sums of squares and products of the distances from the
// means, n times. A side with a NaN or an infinity has no sums.
type pairsOf struct {
	n, y, x       *big.Rat
	syy, sxx, syx *big.Rat
	oddY, oddX    bool
	addY, addX    float64 // the sums of odd sides
}

func pairsIn(arg *zset.Column, w []int64) (*pairsOf, error) {
	p := &pairsOf{n: new(big.Rat).SetInt(total(w)), y: new(big.Rat), x: new(big.Rat)}
	cells := zset.NewColumn(zset.TFloat8, 2)
	var ys, xs []*big.Rat
	for i := range w {
		cells.Reset()
		if err := zset.Elements(arg.Bytes(i), &cells); err != nil {
			return nil, err
		}
		k := new(big.Rat).SetInt64(w[i])
		side := func(v float64, sum *big.Rat, odd *bool, add *float64) *big.Rat {
			r := new(big.Rat)
			if r.SetFloat64(v) == nil {
				*odd, *add = true, *add+v
				return new(big.Rat)
			}
			sum.Add(sum, new(big.Rat).Mul(k, r))
			return r
		}
		ys = append(ys, side(cells.F64[0], p.y, &p.oddY, &p.addY))
		xs = append(xs, side(cells.F64[1], p.x, &p.oddX, &p.addX))
	}
	around := func(a, b []*big.Rat, sa, sb *big.Rat) *big.Rat {
		v := new(big.Rat)
		for i := range a {
			t := new(big.Rat).Mul(a[i], b[i])
			v.Add(v, t.Mul(t, new(big.Rat).SetInt64(w[i])))
		}
		return v.Mul(v, p.n).Sub(v, new(big.Rat).Mul(sa, sb))
	}
	p.syy, p.sxx, p.syx = around(ys, ys, p.y, p.y), around(xs, xs, p.x, p.x), around(ys, xs, p.y, p.x)
	return p, nil
}

// defPairs is the aggregates of regression.
func defPairs(g expr.AggCall, arg *zset.Column, w []int64) (zset.Value, error) {
	if g.Name == "regr_count" {
		return defCount(g, arg, w)
	}
	p, err := pairsIn(arg, w)
	if err != nil {
		return zset.Value{}, err
	}
	null, nan := zset.NullOf(g.Typ), zset.FloatValue(math.NaN())
	over := func(v *big.Rat, odd bool, den *big.Rat) (zset.Value, error) {
		if odd {
			return nan, nil
		}
		return nearest(new(big.Rat).Quo(v, den))
	}
	either := p.oddX || p.oddY
	flatX, flatY := !p.oddX && p.sxx.Sign() == 0, !p.oddY && p.syy.Sign() == 0
	switch g.Name {
	case "covar_pop":
		return over(p.syx, either, new(big.Rat).Mul(p.n, p.n))
	case "covar_samp":
		less := new(big.Rat).Sub(p.n, big.NewRat(1, 1))
		if less.Sign() == 0 {
			return null, nil
		}
		return over(p.syx, either, less.Mul(less, p.n))
	case "regr_sxx":
		return over(p.sxx, p.oddX, p.n)
	case "regr_syy":
		return over(p.syy, p.oddY, p.n)
	case "regr_sxy":
		return over(p.syx, either, p.n)
	case "regr_avgx":
		if p.oddX {
			return zset.FloatValue(p.addX), nil
		}
		return nearest(new(big.Rat).Quo(p.x, p.n))
	case "regr_avgy":
		if p.oddY {
			return zset.FloatValue(p.addY), nil
		}
		return nearest(new(big.Rat).Quo(p.y, p.n))
	}
	switch {
	case flatX, flatY && g.Name == "corr":
		return null, nil
	case flatY && g.Name == "regr_r2":
		return zset.FloatValue(1), nil
	case either:
		return nan, nil
	}
	square := func() *big.Rat {
		v := new(big.Rat).Mul(p.syx, p.syx)
		return v.Quo(v, new(big.Rat).Mul(p.sxx, p.syy))
	}
	switch g.Name {
	case "regr_slope":
		return nearest(new(big.Rat).Quo(p.syx, p.sxx))
	case "regr_intercept":
		at := new(big.Rat).Quo(new(big.Rat).Mul(p.x, p.syx), p.sxx)
		return nearest(at.Sub(p.y, at).Quo(at, p.n))
	case "regr_r2":
		return nearest(square())
	}
	v, err := nearestRoot(square())
	v.F = math.Copysign(v.F, float64(p.syx.Sign()))
	return v, err
}

// defBits is BIT_AND, BIT_OR and BIT_XOR.
func defBits(g expr.AggCall, arg *zset.Column, w []int64) (zset.Value, error) {
	v := arg.I64[0]
	if strings.HasSuffix(g.Name, "xor") {
		v = 0
	}
	for i, x := range arg.I64 {
		switch g.Name {
		case "bit_and":
			v &= x
		case "bit_or":
			v |= x
		default:
			if w[i]%2 != 0 {
				v ^= x
			}
		}
	}
	return zset.Value{Type: g.Typ, I: v}, nil
}
