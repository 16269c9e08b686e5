package expr

import (
	"math"
	"math/big"

	"github.com/ivmc/ivmc/zset"
)

// floatSpread is the variance family over DOUBLE PRECISION. The square of a
// double is the sum of two, exactly, as long as neither overflows nor loses bits
// below; so inputs are squared in three ranges of size, the outer ones brought
// to the middle by a power of two first, and each range has an exact sum.
//
// NaN and infinities among the inputs give NaN, as in PostgreSQL.
type floatSpread struct {
	deviation
	parts   // sum, then squares
	sum     *floatSum
	squares [3]*floatSum // of inputs times 2^-ranges[i]
}

// ranges is what brings the inputs of a range to the middle: those at or above
// 2^400, those below 2^-400.
var ranges = [3]int{0, 600, -600}

func newFloatSpread(d deviation) Accumulator {
	a := &floatSpread{deviation: d, sum: &floatSum{name: d.name}}
	a.parts = parts{a.sum}
	for i := range a.squares {
		a.squares[i] = &floatSum{name: d.name}
		a.parts = append(a.parts, a.squares[i])
	}
	return a
}

func (a *floatSpread) Add(groups []uint32, arg *zset.Column, w []int64) {
	a.sum.Add(groups, arg, w)
	for i, g := range groups {
		if arg.Null != nil && arg.Null[i] {
			continue
		}
		x := math.Abs(arg.F64[i])
		if x != x || x > math.MaxFloat64 || x == 0 {
			continue
		}
		r := 0
		switch {
		case x >= 0x1p400:
			r = 1
		case x < 0x1p-400:
			r = 2
		}
		if r > 0 {
			x = math.Ldexp(x, -ranges[r])
		}
		high := x * x
		k := weight(w, i)
		a.squares[r].add(g, high, k)
		a.squares[r].add(g, math.FMA(x, x, -high), k)
	}
}

// spreadUnit is the exponent of the units of the sums: that of Q is twice that
// of S, and below 2^-1200 times the least unit of a sum.
const spreadUnit = limbUnit + 600

func (a *floatSpread) Result(groups []uint32, out *zset.Column) error {
	for i, g := range groups {
		n := a.sum.st[g].n
		if n <= 0 {
			if n < 0 || !a.empty(g) {
				return rowError(i, errInputs(a.name, n))
			}
			out.AppendNull()
			continue
		}
		if a.sum.spec != nil {
			c := a.sum.spec[g]
			if least := min(c.nan, c.pos, c.neg); least < 0 {
				return rowError(i, errInputs(a.name, least))
			}
			if c != (nonFinite{}) && !a.none(n) {
				out.AppendF64(math.NaN())
				continue
			}
		}
		if a.none(n) {
			out.AppendNull()
			continue
		}
		v := spread{n, a.sum.units(g, spreadUnit), new(big.Int)}
		for r, p := range a.squares {
			v.q.Add(v.q, p.units(g, 2*spreadUnit+2*ranges[r]))
		}
		x, err := a.float(v, spreadUnit)
		if err != nil {
			return rowError(i, err)
		}
		out.AppendF64(x)
	}
	return nil
}

// empty reports whether nothing is left in g.
func (a *floatSpread) empty(g uint32) bool {
	for _, p := range []*floatSum{a.sum, a.squares[0], a.squares[1], a.squares[2]} {
		if p.st[g].n != 0 || !p.empty(g) {
			return false
		}
	}
	return true
}

// units is the sum of g, exactly, in units of 2^-unit; unit is no less than limbUnit.
func (a *floatSum) units(g uint32, unit int) *big.Int {
	s := &a.st[g]
	if s.len == 0 {
		return new(big.Int)
	}
	v := bigLimbs(a.limbs.window(s))
	return v.Lsh(v, uint(64*int(s.off)+unit-limbUnit))
}
