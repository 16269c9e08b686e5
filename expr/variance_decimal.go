package expr

import (
	"math/big"
	"math/bits"

	"github.com/ivmc/ivmc/zset"
)

// decimalSpread is the variance family over NUMERIC held as bytes. The square of
// a coefficient has up to 506 bits: it is cut into pieces of 192, each of which
// is summed by itself, per scale, as the inputs are.
type decimalSpread struct {
	deviation
	parts  // sum, then pieces
	sum    *decimalSum
	pieces [3]*decimalSum
}

const pieceBits = 192

func newDecimalSpread(d deviation) Accumulator {
	a := &decimalSpread{deviation: d, sum: &decimalSum{name: d.name}}
	a.parts = parts{a.sum}
	for i := range a.pieces {
		a.pieces[i] = &decimalSum{name: d.name}
		a.parts = append(a.parts, a.pieces[i])
	}
	return a
}

func (a *decimalSpread) Add(groups []uint32, arg *zset.Column, w []int64) {
	a.sum.Add(groups, arg, w)
	for i, g := range groups {
		if arg.Null != nil && arg.Null[i] {
			continue
		}
		k := weight(w, i)
		if d := zset.DecodeDecimal(arg.Bytes(i)); k != 0 && d.IsFinite() {
			a.addSquare(g, d, k)
		}
	}
}

func (a *decimalSpread) addSquare(g uint32, d zset.Decimal, w int64) {
	_, c := d.Limbs()
	sq := square(c)
	u := uint64(w)
	if w < 0 {
		u = -u
	}
	for p := range a.pieces {
		piece := [5]uint64{sq[3*p], sq[3*p+1], sq[3*p+2]}
		if piece == ([5]uint64{}) {
			continue
		}
		var carry uint64
		for i := range piece {
			hi, lo := bits.Mul64(piece[i], u)
			var k uint64
			piece[i], k = bits.Add64(lo, carry, 0)
			carry = hi + k
		}
		if w < 0 {
			negate320(&piece)
		}
		a.pieces[p].addTerm(g, uint16(d.Scale()), &piece, w)
	}
}

// square is c times c; the ninth limb is 0.
func square(c [4]uint64) (sq [9]uint64) {
	for i, x := range c {
		var carry uint64
		for j, y := range c {
			hi, lo := bits.Mul64(x, y)
			var k uint64
			lo, k = bits.Add64(lo, carry, 0)
			hi += k
			sq[i+j], k = bits.Add64(sq[i+j], lo, 0)
			carry = hi + k
		}
		sq[i+len(c)] = carry
	}
	return sq
}

func (a *decimalSpread) Result(groups []uint32, out *zset.Column) error {
	for i, g := range groups {
		d, null, err := a.read(g)
		switch {
		case err != nil:
			return rowError(i, err)
		case null:
			out.AppendNull()
		default:
			appendDecimal(out, d)
		}
	}
	return nil
}

func (a *decimalSpread) read(g uint32) (d zset.Decimal, null bool, err error) {
	s := a.sum.st[g]
	special := a.sum.spec != nil && a.sum.spec[g] != (nonFinite{})
	if s.n == 0 && s.head == 0 && !special && a.pieces[0].st[g].head == 0 && a.pieces[1].st[g].head == 0 && a.pieces[2].st[g].head == 0 {
		return d, true, nil
	}
	least := s.n
	if special {
		c := a.sum.spec[g]
		least = min(least, c.nan+1, c.pos+1, c.neg+1)
	}
	for at := s.head; at != 0; at = a.sum.term[at-1].next {
		least = min(least, a.sum.term[at-1].n)
	}
	switch {
	case least <= 0:
		return d, false, errInputs(a.name, s.n)
	case a.none(s.n):
		return d, true, nil
	case special:
		return zset.DecimalNaN, false, nil
	}
	sum, scale := a.sum.exact(g, 1, -1)
	v := spread{s.n, sum, new(big.Int)}
	for p, piece := range a.pieces {
		q, _ := piece.exact(g, 2, scale)
		v.q.Add(v.q, q.Lsh(q, uint(pieceBits*p)))
	}
	d, err = a.numeric(v, scale)
	return d, false, err
}

// exact is the sum of the terms of g, a term of scale k in units of 10^-(times k),
// in units of 10^-(times scale); scale -1 is the largest there is.
func (a *decimalSum) exact(g uint32, times, scale int) (*big.Int, int) {
	if scale < 0 {
		scale = 0
		for at := a.st[g].head; at != 0; at = a.term[at-1].next {
			scale = max(scale, int(a.term[at-1].scale))
		}
	}
	sum := new(big.Int)
	for at := a.st[g].head; at != 0; at = a.term[at-1].next {
		t := &a.term[at-1]
		sum.Add(sum, new(big.Int).Mul(bigOf(t.sum), tenTo(times*(scale-int(t.scale)))))
	}
	return sum, scale
}
