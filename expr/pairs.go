package expr

import (
	"math"
	"math/big"

	"github.com/ivmc/ivmc/zset"
)

// pairName is the argument of an aggregate over pairs: y and x as an array of two
// doubles, NULL if either is. It is made by resolution: its name cannot be written
// as a call.
const pairName = "pair of numbers"

func pairFuncs() []Func {
	f8 := zset.Float8
	return []Func{{Name: pairName, Args: []zset.Kind{f8, f8}, Result: zset.Array, Strict: true, Costly: true, row: arrayRow,
		result: func([]zset.Type) zset.Type { return zset.ArrayOf(zset.TFloat8) }}}
}

// resolvePair binds an aggregate of the table whose argument is a Pair.
func resolvePair(row *aggregate, args []*Expr, pos int) (AggCall, error) {
	var both []*Expr
	for _, a := range args {
		c, err := Cast(a, zset.TFloat8, Implicit, pos)
		if err != nil {
			return AggCall{}, noAggregate(row.name, args, pos)
		}
		both = append(both, c)
	}
	pair := newCall(funcs.bySig[pairName+"(double precision,double precision)"], both, pos)
	return AggCall{Name: row.name, Arg: pair, Typ: row.typ, Pos: int32(pos)}, nil
}

// pairSums is the aggregates of regression: the sums of both sides, of their
// squares and of their products, all of them exact, so that what comes and goes
// leaves nothing and the result is rounded once.
type pairSums struct {
	parts
	y, x       *floatSum
	yy, xx, yx products
	name       string
	read       func(m *moments) (float64, bool, error) // false: NULL
	count      bool                                    // REGR_COUNT: 0, not NULL, of no pairs
	cells      zset.Column                             // of the pair that is read
}

// products is a sum of products of doubles in the ranges of [ranges], each the sum
// of the rounded products and of what that left.
type products [3]*floatSum

// add adds k times p*q, both finite. A product of their fractions is exact as two
// doubles; its exponent says which range it belongs to.
func (s *products) add(g uint32, p, q float64, k int64) {
	fp, ep := math.Frexp(p)
	fq, eq := math.Frexp(q)
	high := fp * fq
	if high == 0 {
		return
	}
	r, e := 0, ep+eq
	switch {
	case e > 800:
		r = 1
	case e < -800:
		r = 2
	}
	e -= 2 * ranges[r]
	s[r].add(g, math.Ldexp(high, e), k)
	s[r].add(g, math.Ldexp(math.FMA(fp, fq, -high), e), k)
}

// units is the sum in units of 2^(-2 spreadUnit).
func (s *products) units(g uint32) *big.Int {
	v := new(big.Int)
	for r, p := range s {
		v.Add(v, p.units(g, 2*spreadUnit+2*ranges[r]))
	}
	return v
}

func newPairSums(name string, read func(m *moments) (float64, bool, error)) Accumulator {
	a := &pairSums{name: name, read: read, cells: zset.NewColumn(zset.TFloat8, 2)}
	sum := func() *floatSum {
		s := &floatSum{name: name}
		a.parts = append(a.parts, s)
		return s
	}
	a.y, a.x = sum(), sum()
	for _, p := range []*products{&a.yy, &a.xx, &a.yx} {
		for r := range p {
			p[r] = sum()
		}
	}
	return a
}

func (a *pairSums) Add(groups []uint32, arg *zset.Column, w []int64) {
	for i, g := range groups {
		k := weight(w, i)
		if k == 0 || arg.IsNull(i) {
			continue
		}
		a.cells.Reset()
		if zset.Elements(arg.Bytes(i), &a.cells) != nil || a.cells.Len() != 2 {
			continue // no cell of a pair is like that
		}
		y, x := a.cells.F64[0], a.cells.F64[1]
		a.y.add(g, y, k)
		a.x.add(g, x, k)
		fy, fx := y-y == 0, x-x == 0 // neither NaN nor infinite
		if fy {
			a.yy.add(g, y, y, k)
		}
		if fx {
			a.xx.add(g, x, x, k)
		}
		if fy && fx {
			a.yx.add(g, y, x, k)
		}
	}
}

func (a *pairSums) Result(groups []uint32, out *zset.Column) error {
	for i, g := range groups {
		n := a.x.st[g].n
		least := min(n, a.y.st[g].n)
		for _, s := range []*floatSum{a.x, a.y} {
			if s.spec != nil {
				c := s.spec[g]
				least = min(least, c.nan, c.pos, c.neg)
			}
		}
		if least < 0 || n == 0 && !a.empty(g) {
			return rowError(i, errInputs(a.name, least))
		}
		switch {
		case a.count:
			out.AppendI64(n)
			continue
		case n == 0:
			out.AppendNull()
			continue
		}
		m := a.moments(g)
		if m.sxx.Sign() < 0 || m.syy.Sign() < 0 { // no numbers vary like that
			return rowError(i, errInputs(a.name, n))
		}
		v, ok, err := a.read(m)
		switch {
		case err != nil:
			return rowError(i, err)
		case !ok:
			out.AppendNull()
		default:
			out.AppendF64(v)
		}
	}
	return nil
}

// empty reports whether nothing is left in g.
func (a *pairSums) empty(g uint32) bool {
	for _, p := range a.parts {
		if s := p.(*floatSum); s.st[g].n != 0 || !s.empty(g) {
			return false
		}
	}
	return true
}

// moments is what is read of n pairs. The sums are in units of 2^-spreadUnit; syy,
// sxx and syx are n times the sums of squares and products of the distances from
// the means, in units of 2^(-2 spreadUnit). A side with a NaN or an infinity has one
// of odd, and its sums say nothing.
type moments struct {
	n              *big.Int
	y, x           *big.Int
	syy, sxx, syx  *big.Int
	oddY, oddX     bool
	valueY, valueX float64 // the sum of an odd side
}

func (a *pairSums) moments(g uint32) *moments {
	m := &moments{n: big.NewInt(a.x.st[g].n), y: a.y.units(g, spreadUnit), x: a.x.units(g, spreadUnit)}
	odd := func(s *floatSum) (float64, bool) {
		if s.spec == nil {
			return 0, false
		}
		return s.spec[g].value()
	}
	m.valueY, m.oddY = odd(a.y)
	m.valueX, m.oddX = odd(a.x)
	around := func(s *products, p, q *big.Int) *big.Int {
		v := new(big.Int).Mul(m.n, s.units(g))
		return v.Sub(v, new(big.Int).Mul(p, q))
	}
	m.syy, m.sxx, m.syx = around(&a.yy, m.y, m.y), around(&a.xx, m.x, m.x), around(&a.yx, m.y, m.x)
	return m
}
