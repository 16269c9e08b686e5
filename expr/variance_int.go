package expr

import (
	"encoding/binary"
	"math/big"
	"math/bits"

	"github.com/ivmc/ivmc/zset"
)

// squareState is a group of int64 inputs: their number, sum and sum of squares,
// two's complement. A square is at most 2^126 and the weights sum up to at most
// 2^62, so 192 bits hold them.
type squareState struct {
	intState
	q [3]uint64
}

// intSpread is the variance family over what is held as an int64.
type intSpread struct {
	deviation
	st    []squareState
	scale int
}

func (a *intSpread) Resize(n int) { a.st = resize(a.st, n) }

func (a *intSpread) Add(groups []uint32, arg *zset.Column, w []int64) {
	for i, g := range groups {
		if arg.Null == nil || !arg.Null[i] {
			a.st[g].add(arg.I64[i], weight(w, i))
		}
	}
}

// add adds w times v.
func (s *squareState) add(v, w int64) {
	s.intState.add(v, w)
	u := uint64(v)
	if v < 0 {
		u = -u
	}
	hi, lo := bits.Mul64(u, u)
	k := uint64(w)
	if w < 0 {
		k = -k
	}
	var p [3]uint64
	var mid, c uint64
	mid, p[0] = bits.Mul64(lo, k)
	p[2], p[1] = bits.Mul64(hi, k)
	p[1], c = bits.Add64(p[1], mid, 0)
	p[2] += c
	if w < 0 {
		negateLimbs(p[:])
	}
	s.addSquares(&p)
}

func (s *squareState) addSquares(p *[3]uint64) {
	var c uint64
	for i := range p {
		s.q[i], c = bits.Add64(s.q[i], p[i], c)
	}
}

// negateLimbs negates two's complement limbs.
func negateLimbs(x []uint64) {
	var c uint64
	for i := range x {
		x[i], c = bits.Sub64(0, x[i], c)
	}
}

func (a *intSpread) Merge(g uint32, src Accumulator, from uint32) {
	s, t := &a.st[g], src.(*intSpread).st[from]
	var c uint64
	s.lo, c = bits.Add64(s.lo, t.lo, 0)
	s.hi, _ = bits.Add64(s.hi, t.hi, c)
	s.n += t.n
	s.addSquares(&t.q)
}

func (a *intSpread) Append(dst []byte, g uint32) []byte {
	s := &a.st[g]
	dst = binary.AppendVarint(dst, s.n)
	dst = appendInt320(dst, &[5]uint64{s.lo, s.hi, uint64(int64(s.hi) >> 63), uint64(int64(s.hi) >> 63), uint64(int64(s.hi) >> 63)})
	sign := uint64(int64(s.q[2]) >> 63)
	return appendInt320(dst, &[5]uint64{s.q[0], s.q[1], s.q[2], sign, sign})
}

func (a *intSpread) Load(g uint32, b []byte) ([]byte, error) {
	a.Clear(g)
	n, k := binary.Varint(b)
	if k <= 0 {
		return nil, errState(a.name)
	}
	x, b, ok := loadInt320(b[k:])
	if !ok {
		return nil, errState(a.name)
	}
	q, b, ok := loadInt320(b)
	if !ok {
		return nil, errState(a.name)
	}
	a.st[g] = squareState{intState: intState{lo: x[0], hi: x[1], n: n}, q: [3]uint64(q[:3])}
	return b, nil
}

func (a *intSpread) Clear(g uint32) { a.st[g] = squareState{} }

func (a *intSpread) Result(groups []uint32, out *zset.Column) error {
	for i, g := range groups {
		s := &a.st[g]
		if s.n < 0 || s.n == 0 && *s != (squareState{}) {
			return rowError(i, errInputs(a.name, s.n))
		}
		if a.none(s.n) {
			out.AppendNull()
			continue
		}
		v := spread{s.n, bigLimbs([]uint64{s.lo, s.hi}), bigLimbs(s.q[:])}
		d, err := a.numeric(v, a.scale)
		if err != nil {
			return rowError(i, err)
		}
		appendDecimal(out, d)
	}
	return nil
}

func (a *intSpread) MemBytes() int64 { return memBytes(a.st) }

// bigLimbs is two's complement limbs, the lowest first.
func bigLimbs(x []uint64) *big.Int {
	b := make([]byte, 8*len(x))
	for i, l := range x {
		binary.BigEndian.PutUint64(b[len(b)-8*(i+1):], l)
	}
	v := new(big.Int).SetBytes(b)
	if int64(x[len(x)-1]) < 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(64*len(x))))
	}
	return v
}
