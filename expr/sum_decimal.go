package expr

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"

	"github.com/ivmc/ivmc/zset"
)

// wideTerm is the inputs of one group that have one scale: how many, and the sum
// of their coefficients. A coefficient is below 2^253 and the weights sum up to
// at most 2^62, so 320 bits hold it.
type wideTerm struct {
	sum   [5]uint64 // two's complement
	n     int64
	scale uint16
	next  uint32 // place+1 of the term of the next larger scale; 0 is the end
}

// wideState is one group: n inputs, NaN and infinities included, and its terms.
type wideState struct {
	n    int64
	head uint32 // place+1 of the first term
}

// decimalSum is SUM and AVG over NUMERIC held as bytes, each cell with its own
// scale. The sum shows the largest scale among its inputs, so that scale has to
// come back when the input that brought it is deleted: the sum is kept per
// scale, with a count. A direct sum of groups is a group; terms without inputs
// are dropped, so equal inputs have equal states. Most groups have one term.
type decimalSum struct {
	st   []wideState
	spec []nonFinite // nil until the first NaN or infinity; else as long as st
	term []wideTerm
	free uint32 // place+1 of the first unused term, which holds the next in next
	name string
	avg  bool
}

func newSumNumeric(t zset.Type) Accumulator {
	if t.Fixed() {
		return &fixedNaN{fixedState: &intSum{name: "sum", scale: int(t.Scale), read: readNumeric}, name: "sum"}
	}
	return &decimalSum{name: "sum"}
}

func newAvgNumeric(t zset.Type) Accumulator {
	if t.Fixed() {
		return &fixedNaN{fixedState: &intSum{name: "avg", scale: int(t.Scale), read: readAvgInt}, name: "avg"}
	}
	return &decimalSum{name: "avg", avg: true}
}

func (a *decimalSum) Resize(n int) {
	for g := n; g < len(a.st); g++ {
		a.Clear(uint32(g))
	}
	a.st = resize(a.st, n)
	if a.spec != nil {
		a.spec = resize(a.spec, n)
	}
}

func (a *decimalSum) Add(groups []uint32, arg *zset.Column, w []int64) {
	for i, g := range groups {
		if arg.Null != nil && arg.Null[i] {
			continue
		}
		if n := weight(w, i); n != 0 {
			a.add(g, zset.DecodeDecimal(arg.Bytes(i)), n)
		}
	}
}

func (a *decimalSum) add(g uint32, d zset.Decimal, w int64) {
	a.st[g].n += w
	if !d.IsFinite() {
		a.nonFinite(g).count(d.Float64(), w)
		return
	}
	neg, c := d.Limbs()
	x := [5]uint64{c[0], c[1], c[2], c[3]}
	if w != 1 {
		u := uint64(w)
		if w < 0 {
			u, neg = -u, !neg
		}
		var carry uint64
		for i := range x {
			hi, lo := bits.Mul64(x[i], u)
			var k uint64
			x[i], k = bits.Add64(lo, carry, 0)
			carry = hi + k
		}
	}
	if neg {
		negate320(&x)
	}
	a.addTerm(g, uint16(d.Scale()), &x, w)
}

// nonFinite is the counters of g.
func (a *decimalSum) nonFinite(g uint32) *nonFinite {
	if a.spec == nil {
		a.spec = make([]nonFinite, len(a.st), cap(a.st))
	}
	return &a.spec[g]
}

// addTerm adds n inputs of a scale whose coefficients sum up to x.
func (a *decimalSum) addTerm(g uint32, scale uint16, x *[5]uint64, n int64) {
	var before uint32 // place+1
	at := a.st[g].head
	for at != 0 && a.term[at-1].scale < scale {
		before, at = at, a.term[at-1].next
	}
	if at == 0 || a.term[at-1].scale != scale {
		at = a.newTerm(wideTerm{scale: scale, next: at})
		*a.link(g, before) = at
	}
	t := &a.term[at-1]
	t.n += n
	var c uint64
	for i := range x {
		t.sum[i], c = bits.Add64(t.sum[i], x[i], c)
	}
	if t.n == 0 && t.sum == ([5]uint64{}) {
		*a.link(g, before) = t.next
		*t = wideTerm{next: a.free}
		a.free = at
	}
}

// link is what refers to the term behind before in the list of g.
func (a *decimalSum) link(g, before uint32) *uint32 {
	if before == 0 {
		return &a.st[g].head
	}
	return &a.term[before-1].next
}

func (a *decimalSum) newTerm(t wideTerm) uint32 {
	if at := a.free; at != 0 {
		a.free = a.term[at-1].next
		a.term[at-1] = t
		return at
	}
	a.term = append(a.term, t)
	return uint32(len(a.term))
}

func (a *decimalSum) Merge(g uint32, src Accumulator, from uint32) {
	o := src.(*decimalSum)
	s := o.st[from]
	if o.spec != nil && o.spec[from] != (nonFinite{}) {
		a.nonFinite(g).add(o.spec[from])
	}
	a.st[g].n += s.n
	for at := s.head; at != 0; {
		t := o.term[at-1] // a copy: addTerm may move it
		a.addTerm(g, t.scale, &t.sum, t.n)
		at = t.next
	}
}

func (a *decimalSum) Clear(g uint32) {
	for at := a.st[g].head; at != 0; {
		next := a.term[at-1].next
		a.term[at-1] = wideTerm{next: a.free}
		a.free, at = at, next
	}
	a.st[g] = wideState{}
	if a.spec != nil {
		a.spec[g] = nonFinite{}
	}
}

func (a *decimalSum) Result(groups []uint32, out *zset.Column) error {
	for i, g := range groups {
		s := a.st[g]
		if s.n == 0 && s.head == 0 && (a.spec == nil || a.spec[g] == nonFinite{}) {
			out.AppendNull()
			continue
		}
		d, err := a.read(g)
		if err == nil && a.avg {
			err = appendAvg(d, s.n, out)
		} else if err == nil {
			appendDecimal(out, d)
		}
		if err != nil {
			return rowError(i, err)
		}
	}
	return nil
}

// read is the sum of a group. Error 22003 where it needs more than 76 digits.
func (a *decimalSum) read(g uint32) (zset.Decimal, error) {
	s := a.st[g]
	least := s.n
	if a.spec != nil {
		c := a.spec[g]
		least = min(least, c.nan+1, c.pos+1, c.neg+1)
	}
	for at := s.head; at != 0; at = a.term[at-1].next {
		least = min(least, a.term[at-1].n)
	}
	if least <= 0 {
		return zset.Decimal{}, errInputs(a.name, s.n)
	}
	if a.spec != nil {
		switch v, ok := a.spec[g].value(); {
		case ok && v != v:
			return zset.DecimalNaN, nil
		case ok && v > 0:
			return zset.DecimalInf, nil
		case ok:
			return zset.DecimalNegInf, nil
		}
	}
	if s.head == 0 {
		return zset.Decimal{}, errInputs(a.name, s.n)
	}
	if t := a.term[s.head-1]; t.next == 0 {
		return decimalOf(t.sum, int(t.scale))
	}
	return a.readTerms(s.head)
}

// readTerms adds up terms of several scales.
func (a *decimalSum) readTerms(at uint32) (zset.Decimal, error) {
	sum, scale := new(big.Int), 0
	for ; at != 0; at = a.term[at-1].next {
		t := &a.term[at-1]
		up := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(int(t.scale)-scale)), nil)
		scale = int(t.scale)
		sum.Add(sum.Mul(sum, up), bigOf(t.sum))
	}
	abs := new(big.Int).Abs(sum)
	var b [40]byte
	if abs.BitLen() > 8*len(b)-1 {
		return zset.Decimal{}, zset.Errorf(zset.CodeOutOfRange, -1, "value overflows numeric format")
	}
	abs.FillBytes(b[:])
	var x [5]uint64
	for i := range x {
		x[i] = binary.BigEndian.Uint64(b[8*(4-i):])
	}
	if sum.Sign() < 0 {
		negate320(&x)
	}
	return decimalOf(x, scale)
}

func bigOf(x [5]uint64) *big.Int {
	neg := int64(x[4]) < 0
	if neg {
		negate320(&x)
	}
	var b [40]byte
	for i, l := range x {
		binary.BigEndian.PutUint64(b[8*(4-i):], l)
	}
	v := new(big.Int).SetBytes(b[:])
	if neg {
		v.Neg(v)
	}
	return v
}

func decimalOf(x [5]uint64, scale int) (zset.Decimal, error) {
	neg := int64(x[4]) < 0
	if neg {
		negate320(&x)
	}
	if x[4] != 0 {
		return zset.Decimal{}, zset.Errorf(zset.CodeOutOfRange, -1, "value overflows numeric format")
	}
	return zset.DecimalFromLimbs(neg, [4]uint64(x[:4]), scale)
}

func negate320(x *[5]uint64) {
	var c uint64
	for i := range x {
		x[i], c = bits.Sub64(0, x[i], c)
	}
}

func (a *decimalSum) MemBytes() int64 { return memBytes(a.st) + memBytes(a.spec) + memBytes(a.term) }

// Append writes n and twice the number of terms, plus one if inputs that are not
// finite are counted; then per term, scales ascending, its scale, n, and the sum
// as a length and the fewest bytes of two's complement that hold it; then the
// counts of NaN, Infinity and -Infinity if any.
func (a *decimalSum) Append(dst []byte, g uint32) []byte {
	s := a.st[g]
	dst = binary.AppendVarint(dst, s.n)
	var c nonFinite
	if a.spec != nil {
		c = a.spec[g]
	}
	var head uint64
	for at := s.head; at != 0; at = a.term[at-1].next {
		head += 2
	}
	if c != (nonFinite{}) {
		head++
	}
	dst = binary.AppendUvarint(dst, head)
	for at := s.head; at != 0; at = a.term[at-1].next {
		t := &a.term[at-1]
		dst = binary.AppendUvarint(dst, uint64(t.scale))
		dst = binary.AppendVarint(dst, t.n)
		dst = appendInt320(dst, &t.sum)
	}
	if c != (nonFinite{}) {
		dst = c.append(dst)
	}
	return dst
}

func appendInt320(dst []byte, x *[5]uint64) []byte {
	var b [40]byte
	for i, l := range x {
		binary.LittleEndian.PutUint64(b[8*i:], l)
	}
	n := len(b)
	for n > 1 && b[n-1] == byte(int8(b[n-2])>>7) {
		n--
	}
	if n == 1 && b[0] == 0 {
		n = 0
	}
	return append(append(dst, byte(n)), b[:n]...)
}

func loadInt320(b []byte) (x [5]uint64, rest []byte, ok bool) {
	if len(b) == 0 || b[0] > 40 || len(b) <= int(b[0]) {
		return x, nil, false
	}
	n := int(b[0])
	v, rest := b[1:1+n], b[1+n:]
	var full [40]byte
	copy(full[:], v)
	if n > 0 && v[n-1] >= 0x80 {
		for i := n; i < len(full); i++ {
			full[i] = 0xff
		}
	}
	for i := range x {
		x[i] = binary.LittleEndian.Uint64(full[8*i:])
	}
	return x, rest, true
}

func (a *decimalSum) Load(g uint32, b []byte) ([]byte, error) {
	a.Clear(g)
	rest, ok := a.load(g, b)
	if !ok {
		a.Clear(g)
		return nil, errState(a.name)
	}
	return rest, nil
}

func (a *decimalSum) load(g uint32, b []byte) ([]byte, bool) {
	n, k := binary.Varint(b)
	if k <= 0 {
		return nil, false
	}
	b = b[k:]
	head, k := binary.Uvarint(b)
	if k <= 0 {
		return nil, false
	}
	b = b[k:]
	for range head >> 1 {
		scale, k := binary.Uvarint(b)
		if k <= 0 || scale > math.MaxUint16 {
			return nil, false
		}
		b = b[k:]
		m, k := binary.Varint(b)
		if k <= 0 {
			return nil, false
		}
		x, rest, ok := loadInt320(b[k:])
		if !ok {
			return nil, false
		}
		a.addTerm(g, uint16(scale), &x, m)
		b = rest
	}
	if head&1 == 1 {
		c, rest, ok := loadNonFinite(b)
		if !ok {
			return nil, false
		}
		a.nonFinite(g).add(c)
		b = rest
	}
	a.st[g].n = n
	return b, true
}
