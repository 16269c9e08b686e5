package expr

import (
	"encoding/binary"
	"math/bits"

	"github.com/ivmc/ivmc/zset"
)

// intState is the sum of a group of int64 inputs in 128 bits, two's complement,
// and the number of inputs. An input is below 2^63 and the weights sum up to at
// most 2^62, so the true sum fits; sums on the way there may wrap, for addition
// modulo 2^128 is a group.
type intState struct {
	lo, hi uint64
	n      int64
}

// intSum is SUM and AVG over everything that is held as an int64: INT, BIGINT,
// and DECIMAL(p,s) with p up to 18, whose coefficients are all at scale s.
type intSum struct {
	st    []intState
	scale int
	name  string
	read  func(s *intState, scale int, out *zset.Column) error // n is positive
}

func newSumInt4(zset.Type) Accumulator { return &intSum{name: "sum", read: readBigint} }
func newSumInt(zset.Type) Accumulator  { return &intSum{name: "sum", read: readNumeric} }
func newAvgInt(zset.Type) Accumulator  { return &intSum{name: "avg", read: readAvgInt} }

func (a *intSum) Resize(n int) { a.st = resize(a.st, n) }

func (a *intSum) Add(groups []uint32, arg *zset.Column, w []int64) {
	x := arg.I64[:len(groups)]
	switch {
	case arg.Null == nil && w == nil:
		addInts(a.st, groups, x)
	case arg.Null == nil:
		w = w[:len(groups)]
		for i, g := range groups {
			a.st[g].add(x[i], w[i])
		}
	default:
		null := arg.Null[:len(groups)]
		for i, g := range groups {
			if !null[i] {
				a.st[g].add(x[i], weight(w, i))
			}
		}
	}
}

// addInts is the hot loop. Runs of one group, the whole batch under a global
// aggregate, are summed in registers: a chain of loads and stores of the same
// word is what would bound it.
func addInts(st []intState, groups []uint32, x []int64) {
	for i := 0; i < len(groups); {
		g := groups[i]
		s := &st[g]
		lo, hi, n := s.lo, s.hi, s.n
		for {
			var c uint64
			lo, c = bits.Add64(lo, uint64(x[i]), 0)
			hi, _ = bits.Add64(hi, uint64(x[i]>>63), c)
			n++
			i++
			if i == len(groups) || groups[i] != g {
				break
			}
		}
		s.lo, s.hi, s.n = lo, hi, n
	}
}

// add adds w times v.
func (s *intState) add(v, w int64) {
	hi, lo := bits.Mul64(uint64(v), uint64(w))
	hi -= uint64(v>>63)&uint64(w) + uint64(w>>63)&uint64(v) // signed from unsigned product
	var c uint64
	s.lo, c = bits.Add64(s.lo, lo, 0)
	s.hi, _ = bits.Add64(s.hi, hi, c)
	s.n += w
}

func (a *intSum) Merge(g uint32, src Accumulator, from uint32) {
	s, t := &a.st[g], src.(*intSum).st[from]
	var c uint64
	s.lo, c = bits.Add64(s.lo, t.lo, 0)
	s.hi, _ = bits.Add64(s.hi, t.hi, c)
	s.n += t.n
}

func (a *intSum) Append(dst []byte, g uint32) []byte {
	s := &a.st[g]
	dst = binary.AppendVarint(dst, s.n)
	sign := uint64(int64(s.hi) >> 63) // zigzag: (v << 1) ^ sign
	lo, hi := s.lo<<1^sign, (s.hi<<1|s.lo>>63)^sign
	for hi != 0 || lo >= 0x80 {
		dst = append(dst, byte(lo)|0x80)
		lo, hi = lo>>7|hi<<57, hi>>7
	}
	return append(dst, byte(lo))
}

func (a *intSum) Load(g uint32, b []byte) ([]byte, error) {
	n, k := binary.Varint(b)
	if k <= 0 {
		return nil, errState(a.name)
	}
	var lo, hi uint64
	for i, c := range b[k:] {
		sh := uint(7 * i)
		if sh > 126 || (sh == 126 && c > 3) {
			break
		}
		v := uint64(c & 0x7f)
		if sh < 64 {
			lo |= v << sh
			hi |= v >> (64 - sh)
		} else {
			hi |= v << (sh - 64)
		}
		if c < 0x80 {
			sign := -(lo & 1)
			a.st[g] = intState{lo: (lo>>1 | hi<<63) ^ sign, hi: hi>>1 ^ sign, n: n}
			return b[k+i+1:], nil
		}
	}
	return nil, errState(a.name)
}

func (a *intSum) Clear(g uint32) { a.st[g] = intState{} }

func (a *intSum) Result(groups []uint32, out *zset.Column) error {
	for i, g := range groups {
		s := &a.st[g]
		switch {
		case *s == (intState{}):
			out.AppendNull()
			continue
		case s.n <= 0:
			return rowError(i, errInputs(a.name, s.n))
		}
		if err := a.read(s, a.scale, out); err != nil {
			return rowError(i, err)
		}
	}
	return nil
}

func (a *intSum) MemBytes() int64 { return memBytes(a.st) }

// fits reports whether the sum is an int64.
func (s *intState) fits() bool { return s.hi == uint64(int64(s.lo)>>63) }

func readBigint(s *intState, _ int, out *zset.Column) error {
	if !s.fits() {
		return zset.Errorf(zset.CodeOutOfRange, -1, "bigint out of range")
	}
	out.AppendI64(int64(s.lo))
	return nil
}

// decimal is the sum with the given scale.
func (s *intState) decimal(scale int) (zset.Decimal, error) {
	lo, hi, neg := s.lo, s.hi, int64(s.hi) < 0
	if neg {
		var c uint64
		lo, c = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, c)
	}
	return zset.DecimalFromLimbs(neg, [4]uint64{lo, hi}, scale)
}

func readNumeric(s *intState, scale int, out *zset.Column) error {
	d, err := s.decimal(scale)
	if err != nil {
		return err
	}
	appendDecimal(out, d)
	return nil
}

// appendDecimal appends a cell to a column of NUMERIC held as bytes.
func appendDecimal(out *zset.Column, d zset.Decimal) {
	var tmp [40]byte
	out.AppendBytes(d.AppendTo(tmp[:0]))
}
