package expr

import (
	"encoding/binary"
	"math/bits"

	"github.com/ivmc/ivmc/zset"
)

// bitCounts is BIT_AND, BIT_OR and BIT_XOR. A bit of the result cannot be taken back
// by itself, but how many inputs have it can: a group is the number of its inputs
// and one count for each bit of the type.
type bitCounts struct {
	n     []int64
	count []int64 // of bit b of group g at g*width+b
	width int     // bits of the type
	name  string
	set   func(count, n int64) bool
}

func newBitAnd(t zset.Type) Accumulator {
	return newBitCounts("bit_and", t, func(count, n int64) bool { return count == n })
}

func newBitOr(t zset.Type) Accumulator {
	return newBitCounts("bit_or", t, func(count, _ int64) bool { return count > 0 })
}

func newBitXor(t zset.Type) Accumulator {
	return newBitCounts("bit_xor", t, func(count, _ int64) bool { return count&1 == 1 })
}

func newBitCounts(name string, t zset.Type, set func(count, n int64) bool) Accumulator {
	width := 64
	switch t.Kind {
	case zset.Int2:
		width = 16
	case zset.Int4:
		width = 32
	}
	return &bitCounts{width: width, name: name, set: set}
}

func (a *bitCounts) Resize(n int) {
	a.n = resize(a.n, n)
	a.count = resize(a.count, n*a.width)
}

// of is the counts of g.
func (a *bitCounts) of(g uint32) []int64 { return a.count[int(g)*a.width:][:a.width] }

// mask are the bits of the type.
func (a *bitCounts) mask() uint64 { return ^uint64(0) >> (64 - a.width) }

func (a *bitCounts) Add(groups []uint32, arg *zset.Column, w []int64) {
	x := arg.I64[:len(groups)]
	for i, g := range groups {
		if arg.Null != nil && arg.Null[i] {
			continue
		}
		k, count := weight(w, i), a.of(g)
		a.n[g] += k
		for v := uint64(x[i]) & a.mask(); v != 0; v &= v - 1 {
			count[bits.TrailingZeros64(v)] += k
		}
	}
}

func (a *bitCounts) Merge(g uint32, src Accumulator, from uint32) {
	s := src.(*bitCounts)
	a.n[g] += s.n[from]
	to := a.of(g)
	for b, c := range s.of(from) {
		to[b] += c
	}
}

// Append writes the number of inputs, which counts are not 0, and those.
func (a *bitCounts) Append(dst []byte, g uint32) []byte {
	var there uint64
	for b, c := range a.of(g) {
		if c != 0 {
			there |= 1 << b
		}
	}
	dst = binary.AppendUvarint(binary.AppendVarint(dst, a.n[g]), there)
	for _, c := range a.of(g) {
		if c != 0 {
			dst = binary.AppendVarint(dst, c)
		}
	}
	return dst
}

func (a *bitCounts) Load(g uint32, b []byte) ([]byte, error) {
	a.Clear(g)
	n, k := binary.Varint(b)
	if k <= 0 {
		return nil, errState(a.name)
	}
	b = b[k:]
	there, k := binary.Uvarint(b)
	if k <= 0 || there&^a.mask() != 0 {
		return nil, errState(a.name)
	}
	b = b[k:]
	for ; there != 0; there &= there - 1 {
		c, k := binary.Varint(b)
		if k <= 0 || c == 0 {
			a.Clear(g)
			return nil, errState(a.name)
		}
		a.of(g)[bits.TrailingZeros64(there)] = c
		b = b[k:]
	}
	a.n[g] = n
	return b, nil
}

func (a *bitCounts) Clear(g uint32) {
	a.n[g] = 0
	clear(a.of(g))
}

func (a *bitCounts) Result(groups []uint32, out *zset.Column) error {
	for i, g := range groups {
		n := a.n[g]
		var v uint64
		for b, c := range a.of(g) {
			if c < 0 || c > n {
				return rowError(i, errInputs(a.name, min(c, n-c)))
			}
			if n > 0 && a.set(c, n) {
				v |= 1 << b
			}
		}
		switch {
		case n < 0:
			return rowError(i, errInputs(a.name, n))
		case n == 0:
			out.AppendNull()
		default:
			out.AppendI64(int64(v<<(64-a.width)) >> (64 - a.width)) // the sign is the highest bit of the type
		}
	}
	return nil
}

func (a *bitCounts) MemBytes() int64 { return memBytes(a.n) + memBytes(a.count) }
