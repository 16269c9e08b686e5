package expr

import (
	"math"
	"math/bits"

	"github.com/ivmc/ivmc/zset"
)

// The exact sum of doubles is an integer multiple of 2^-1074. It is held in
// two's complement in limbs of 64 bits; limb k counts units of 2^(64k-1088). The
// largest double touches limb 32 and 33, weights up to 2^62 carry into limb 34.
const (
	limbUnit = 1088
	numLimbs = 35
	maxLimbs = numLimbs + 1 // with the limb of head room that Load adds
)

// floatState is one group: n inputs (NaN and infinities too), and a window of
// len limbs from limb off up, in the arena from place pos.
//
// A window never overflows and its top limb is never checked: it reaches one
// limb above those that any input touched, so |sum| < 2^62 inputs of weight 1
// fits, and what wraps on the way there comes back (addition modulo a power of
// two is a group).
type floatState struct {
	n   int64
	pos uint32
	off uint8
	len uint8
}

// floatSum is SUM and AVG over DOUBLE PRECISION. The sum is exact, so it does
// not depend on order, and what is retracted leaves nothing; it is rounded
// once, to nearest even, when read. An exact zero reads 0.0, never -0.0
// (PostgreSQL: -0 where every input is -0).
type floatSum struct {
	st    []floatState
	spec  []nonFinite // nil until the first NaN or infinity; else as long as st
	limbs limbArena
	name  string
	avg   bool
	real  bool // rounded to a REAL
}

func newSumFloat(zset.Type) Accumulator { return &floatSum{name: "sum"} }
func newSumReal(zset.Type) Accumulator  { return &floatSum{name: "sum", real: true} }
func newAvgFloat(zset.Type) Accumulator { return &floatSum{name: "avg", avg: true} }

func (a *floatSum) Resize(n int) {
	for g := n; g < len(a.st); g++ {
		a.Clear(uint32(g))
	}
	a.st = resize(a.st, n)
	if a.spec != nil {
		a.spec = resize(a.spec, n)
	}
}

func (a *floatSum) Add(groups []uint32, arg *zset.Column, w []int64) {
	x := arg.F64[:len(groups)]
	switch {
	case arg.Null == nil && w == nil:
		a.addOnes(groups, x)
	case arg.Null == nil:
		w = w[:len(groups)]
		for i, g := range groups {
			a.add(g, x[i], w[i])
		}
	default:
		null := arg.Null[:len(groups)]
		for i, g := range groups {
			if !null[i] {
				a.add(g, x[i], weight(w, i))
			}
		}
	}
}

// addOnes is the hot loop: weights are 1. A finite double is m x 2^(p-1088)
// with m below 2^53; m shifted into place touches the limbs p/64 and p/64+1.
func (a *floatSum) addOnes(groups []uint32, x []float64) {
	for i, g := range groups {
		s := &a.st[g]
		b := math.Float64bits(x[i])
		e := uint(b>>52) & 0x7ff
		if e-1 >= 0x7fe { // 0, subnormal, infinity, NaN
			a.add(g, x[i], 1)
			continue
		}
		s.n++
		m := b&(1<<52-1) | 1<<52
		p := e + 13
		sh := p & 63
		k := p/64 - uint(s.off)
		if k+2 >= uint(s.len) || p/64 < uint(s.off) {
			a.grow(s, int(p/64), int(p/64)+2)
			k = p/64 - uint(s.off)
		}
		t := a.limbs.mem[s.pos : s.pos+uint32(s.len)][k:]
		sign := uint64(int64(b) >> 63) // the negative is the complement plus 1
		var c uint64
		t[0], c = bits.Add64(t[0], (m<<sh)^sign, sign&1)
		t[1], c = bits.Add64(t[1], (m>>1>>(63-sh))^sign, c)
		if sign+c != 0 {
			carry(t[2:], sign, c)
		}
	}
}

// carry adds the limb v, repeated for ever, and the carry c to t.
func carry(t []uint64, v, c uint64) {
	for i := range t {
		t[i], c = bits.Add64(t[i], v, c)
		if v+c == 0 {
			return
		}
	}
}

// add adds w times v, for any v and w.
func (a *floatSum) add(g uint32, v float64, w int64) {
	if w == 0 {
		return
	}
	s := &a.st[g]
	s.n += w
	b := math.Float64bits(v)
	e, m := uint(b>>52)&0x7ff, b&(1<<52-1)
	switch {
	case e == 0x7ff:
		a.nonFinite(g).count(v, w)
		return
	case e > 0:
		m |= 1 << 52
	case m == 0:
		return
	default:
		e = 1
	}
	sign := uint64(int64(b)>>63) ^ uint64(w>>63)
	u := uint64(w)
	if w < 0 {
		u = -u
	}
	p := e + 13
	sh, k := p&63, int(p/64)
	if k < int(s.off) || k+2 >= int(s.off)+int(s.len) {
		a.grow(s, k, k+2)
	}
	t := a.limbs.window(s)[k-int(s.off):]
	hi, lo := bits.Mul64(m, u)
	var c uint64
	t[0], c = bits.Add64(t[0], (lo<<sh)^sign, sign&1)
	t[1], c = bits.Add64(t[1], (hi<<sh|lo>>1>>(63-sh))^sign, c)
	t[2], c = bits.Add64(t[2], (hi>>1>>(63-sh))^sign, c)
	carry(t[3:], sign, c)
}

// nonFinite is the counters of g.
func (a *floatSum) nonFinite(g uint32) *nonFinite {
	if a.spec == nil {
		a.spec = make([]nonFinite, len(a.st), cap(a.st))
	}
	return &a.spec[g]
}

// grow widens the window of s to hold the limbs from lo to hi, both included.
func (a *floatSum) grow(s *floatState, lo, hi int) {
	if s.len > 0 {
		lo, hi = min(lo, int(s.off)), max(hi, int(s.off)+int(s.len)-1)
	}
	pos := a.limbs.alloc(hi - lo + 1)
	t := a.limbs.mem[pos : int(pos)+hi-lo+1]
	if s.len > 0 {
		old := a.limbs.window(s)
		n := copy(t[int(s.off)-lo:], old)
		sign := uint64(int64(old[len(old)-1]) >> 63)
		for i := int(s.off) - lo + n; i < len(t); i++ {
			t[i] = sign
		}
		a.limbs.free(s.pos, int(s.len))
	}
	s.pos, s.off, s.len = pos, uint8(lo), uint8(hi-lo+1)
}

func (a *floatSum) Merge(g uint32, src Accumulator, from uint32) {
	o := src.(*floatSum)
	if o.spec != nil && o.spec[from] != (nonFinite{}) {
		a.nonFinite(g).add(o.spec[from])
	}
	s, t := &a.st[g], o.st[from]
	s.n += t.n
	if t.len == 0 {
		return
	}
	lo, hi := int(t.off), int(t.off)+int(t.len)-1
	if s.len == 0 || lo < int(s.off) || hi >= int(s.off)+int(s.len) {
		a.grow(s, lo, hi)
	}
	x, y := a.limbs.window(s)[lo-int(s.off):], o.limbs.window(&t)
	sign := uint64(int64(y[len(y)-1]) >> 63)
	var c uint64
	for i := range y {
		x[i], c = bits.Add64(x[i], y[i], c)
	}
	carry(x[len(y):], sign, c)
}

func (a *floatSum) Clear(g uint32) {
	s := &a.st[g]
	if s.len > 0 {
		a.limbs.free(s.pos, int(s.len))
	}
	*s = floatState{}
	if a.spec != nil {
		a.spec[g] = nonFinite{}
	}
}

func (a *floatSum) Result(groups []uint32, out *zset.Column) error {
	for i, g := range groups {
		s := &a.st[g]
		if s.n <= 0 {
			if s.n < 0 || !a.empty(g) {
				return rowError(i, errInputs(a.name, s.n))
			}
			out.AppendNull()
			continue
		}
		v, err := a.read(g)
		if err != nil {
			return rowError(i, err)
		}
		out.AppendF64(v)
	}
	return nil
}

// empty reports whether the state of g is zero, but for n.
func (a *floatSum) empty(g uint32) bool {
	t, _ := trim(a.limbs.window(&a.st[g]))
	return len(t) == 0 && (a.spec == nil || a.spec[g] == (nonFinite{}))
}

// read is the value of a group of at least one input. An average never
// overflows, though its sum may (PostgreSQL raises 22003 there).
func (a *floatSum) read(g uint32) (float64, error) {
	if a.spec != nil {
		c := a.spec[g]
		if least := min(c.nan, c.pos, c.neg); least < 0 {
			return 0, errInputs(a.name, least)
		}
		if v, ok := c.value(); ok {
			return v, nil
		}
	}
	s := &a.st[g]
	var buf [maxLimbs + 2]uint64
	low := int(s.off)
	t := buf[:copy(buf[2:], a.limbs.window(s))+2]
	neg := len(t) > 2 && int64(t[len(t)-1]) < 0
	if neg {
		c := uint64(1)
		for i := 2; i < len(t); i++ {
			t[i], c = bits.Add64(^t[i], 0, c)
		}
	}
	var v float64
	if a.avg {
		v = roundLimbs(t, low-2, divLimbs(t, uint64(s.n)), false)
	} else {
		v = roundLimbs(t[2:], low, false, a.real)
	}
	if a.real {
		v = float64(float32(v))
	}
	if math.IsInf(v, 0) {
		return 0, zset.Errorf(zset.CodeOutOfRange, -1, "value out of range: overflow")
	}
	if neg {
		v = -v
	}
	return v, nil
}

func (a *floatSum) MemBytes() int64 {
	return memBytes(a.st) + memBytes(a.spec) + a.limbs.memBytes()
}
