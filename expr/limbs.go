package expr

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// limbArena holds the windows of many floatStates, without pointers. A freed
// window goes on the list of its length and is handed out again.
type limbArena struct {
	mem   []uint64
	freed [maxLimbs + 1]uint32 // place+1 of the first free window of a length; it holds the next one
}

// alloc returns the place of n limbs, all 0; it may move mem.
func (a *limbArena) alloc(n int) uint32 {
	if f := a.freed[n]; f != 0 {
		pos := f - 1
		a.freed[n] = uint32(a.mem[pos])
		clear(a.mem[pos : int(pos)+n])
		return pos
	}
	pos := len(a.mem)
	a.mem = append(a.mem, make([]uint64, n)...)
	return uint32(pos)
}

// free gives n limbs at pos back. They stay readable until the next alloc, but
// for the first.
func (a *limbArena) free(pos uint32, n int) {
	a.mem[pos] = uint64(a.freed[n])
	a.freed[n] = pos + 1
}

func (a *limbArena) window(s *floatState) []uint64 {
	return a.mem[s.pos : s.pos+uint32(s.len)]
}

func (a *limbArena) memBytes() int64 { return memBytes(a.mem) }

// divLimbs divides t, unsigned, by n in place and reports whether anything remains.
func divLimbs(t []uint64, n uint64) bool {
	var r uint64
	for i := len(t) - 1; i >= 0; i-- {
		t[i], r = bits.Div64(r, t[i], n)
	}
	return r != 0
}

// roundLimbs is t, unsigned, whose first limb is limb low, plus something below
// its last bit if more is set, rounded to the nearest double, ties to even;
// +Inf beyond the largest. odd: rounded to odd instead, so that rounding the
// result to fewer bits, of a REAL, is rounding once.
func roundLimbs(t []uint64, low int, more, odd bool) float64 {
	top := len(t) - 1
	for top >= 0 && t[top] == 0 {
		top--
	}
	if top < 0 {
		return 0 // more: below 2^-1088
	}
	unit := 64*low - limbUnit // exponent of bit 0 of t
	high := 64*top + bits.Len64(t[top]) - 1
	// The bit that the result ends with: 53 bits from the highest, or 2^-1074.
	last := max(high-52, -1074-unit)
	if last <= 0 {
		return math.Ldexp(float64(t[0]), unit) // at most 53 bits, exact
	}
	m := bitsAt(t, last)
	half := bitsAt(t, last-1)&1 == 1
	if odd && (half || more || anyBelow(t, last-1)) {
		return math.Ldexp(float64(m|1), last+unit)
	}
	if half && (m&1 == 1 || more || anyBelow(t, last-1)) {
		m++
	}
	return math.Ldexp(float64(m), last+unit)
}

// bitsAt is the 64 bits of t from bit i up; bits beyond t are 0.
func bitsAt(t []uint64, i int) uint64 {
	k, sh := i/64, uint(i%64)
	var v uint64
	if k < len(t) {
		v = t[k] >> sh
	}
	if k+1 < len(t) {
		v |= t[k+1] << 1 << (63 - sh)
	}
	return v
}

// anyBelow reports whether a bit of t below bit i is set.
func anyBelow(t []uint64, i int) bool {
	k := i / 64
	for j := 0; j < k && j < len(t); j++ {
		if t[j] != 0 {
			return true
		}
	}
	return k < len(t) && t[k]&(1<<uint(i%64)-1) != 0
}

// trim is t, two's complement, without the zero limbs below and the limbs above
// that only repeat the sign, and the number of limbs taken off below.
func trim(t []uint64) ([]uint64, int) {
	n := len(t)
	for n > 1 && t[n-1] == uint64(int64(t[n-2])>>63) {
		n--
	}
	low := 0
	for low < n && t[low] == 0 {
		low++
	}
	return t[low:n], low
}

// Append writes n, a byte of twice the number of limbs plus one if inputs that
// are not finite are counted, then the first limb's number and the trimmed limbs
// if any, then the counts of NaN, Infinity and -Infinity if any.
func (a *floatSum) Append(dst []byte, g uint32) []byte {
	s := &a.st[g]
	dst = binary.AppendVarint(dst, s.n)
	t, low := trim(a.limbs.window(s))
	var c nonFinite
	if a.spec != nil {
		c = a.spec[g]
	}
	head := byte(len(t)) << 1
	if c != (nonFinite{}) {
		head |= 1
	}
	dst = append(dst, head)
	if len(t) > 0 {
		dst = append(dst, byte(int(s.off)+low))
		for _, x := range t {
			dst = binary.LittleEndian.AppendUint64(dst, x)
		}
	}
	if c != (nonFinite{}) {
		dst = c.append(dst)
	}
	return dst
}

// Load keeps a limb of head room above the loaded ones, for the sum may fill them.
func (a *floatSum) Load(g uint32, b []byte) ([]byte, error) {
	a.Clear(g)
	s := &a.st[g]
	n, k := binary.Varint(b)
	if k <= 0 || k == len(b) {
		return nil, errState(a.name)
	}
	head, b := b[k], b[k+1:]
	if m := int(head >> 1); m > 0 {
		if len(b) < 1+8*m || int(b[0])+m > numLimbs {
			return nil, errState(a.name)
		}
		off := int(b[0])
		a.grow(s, off, off+m)
		t := a.limbs.window(s)
		for i := range m {
			t[i] = binary.LittleEndian.Uint64(b[1+8*i:])
		}
		t[m] = uint64(int64(t[m-1]) >> 63)
		b = b[1+8*m:]
	}
	if head&1 == 1 {
		c, rest, ok := loadNonFinite(b)
		if !ok {
			a.Clear(g)
			return nil, errState(a.name)
		}
		a.nonFinite(g).add(c)
		b = rest
	}
	s.n = n
	return b, nil
}
