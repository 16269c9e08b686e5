package expr

import (
	"encoding/binary"

	"github.com/ivmc/ivmc/zset"
)

// span is the place of a group's value in the arena of a foldBytes.
type span struct {
	pos      uint64
	len, cap uint32
}

// foldBytes is MIN and MAX over text, by bytes, and over NUMERIC held as bytes.
// A value that is replaced gives its place to the next one where that fits;
// else it is left behind, and the arena is packed when half of it is.
type foldBytes struct {
	fold
	at    []span
	buf   []byte
	dead  int
	order func(a, b []byte) int  // as the key encoding orders
	tie   func(a, b []byte) bool // of equal values, a comes first by row encoding; nil where equal is identical
}

func (a *foldBytes) Resize(n int) {
	for g := n; g < len(a.at); g++ {
		a.Clear(uint32(g))
	}
	a.at, a.set = resize(a.at, n), resize(a.set, n)
}

func (a *foldBytes) Add(groups []uint32, arg *zset.Column, w []int64) {
	for i, g := range groups {
		if !a.skip(arg.Null, w, i) {
			a.add(g, arg.Bytes(i))
		}
	}
}

func (a *foldBytes) add(g uint32, x []byte) {
	if !a.set[g] {
		a.put(g, x)
		return
	}
	v := a.value(g)
	switch c := a.order(x, v); {
	case c == 0:
		if a.tie != nil && a.tie(x, v) {
			a.put(g, x)
		}
	case (c > 0) == a.max:
		a.put(g, x)
	}
}

func (a *foldBytes) value(g uint32) []byte {
	s := a.at[g]
	return a.buf[s.pos : s.pos+uint64(s.len)]
}

// put makes x the value of g. x may alias the arena.
func (a *foldBytes) put(g uint32, x []byte) {
	s := &a.at[g]
	if len(x) > int(s.cap) {
		a.dead += int(s.cap)
		*s = span{}
		if a.dead > len(a.buf)/2 && a.dead > 1<<16 {
			a.pack()
		}
		s.pos, s.cap = uint64(len(a.buf)), uint32(len(x))
		a.buf = append(a.buf, x...)
	} else {
		copy(a.buf[s.pos:], x)
	}
	s.len = uint32(len(x))
	a.set[g] = true
}

// pack moves the values to a new arena without gaps; the old one is left
// unchanged, for who still reads it.
func (a *foldBytes) pack() {
	buf := make([]byte, 0, len(a.buf)-a.dead)
	for g := range a.at {
		s := &a.at[g]
		v := a.buf[s.pos : s.pos+uint64(s.len)]
		*s = span{pos: uint64(len(buf)), len: s.len, cap: s.len}
		buf = append(buf, v...)
	}
	a.buf, a.dead = buf, 0
}

func (a *foldBytes) Merge(g uint32, src Accumulator, from uint32) {
	o := src.(*foldBytes)
	a.bad = a.bad || o.bad
	if o.set[from] {
		a.add(g, o.value(from))
	}
}

func (a *foldBytes) Append(dst []byte, g uint32) []byte {
	if !a.set[g] {
		return append(dst, 0)
	}
	v := a.value(g)
	dst = binary.AppendUvarint(append(dst, 1), uint64(len(v)))
	return append(dst, v...)
}

func (a *foldBytes) Load(g uint32, b []byte) ([]byte, error) {
	a.Clear(g)
	if len(b) > 0 && b[0] == 0 {
		return b[1:], nil
	}
	if len(b) > 0 && b[0] == 1 {
		n, k := binary.Uvarint(b[1:])
		if k > 0 && n <= uint64(len(b)-1-k) {
			b = b[1+k:]
			a.put(g, b[:n])
			return b[n:], nil
		}
	}
	return nil, errState(a.name)
}

func (a *foldBytes) Clear(g uint32) {
	a.dead += int(a.at[g].cap)
	a.at[g], a.set[g] = span{}, false
}

func (a *foldBytes) Result(groups []uint32, out *zset.Column) error {
	for _, g := range groups {
		if a.set[g] {
			out.AppendBytes(a.value(g))
		} else {
			out.AppendNull()
		}
	}
	return a.check()
}

func (a *foldBytes) MemBytes() int64 { return memBytes(a.at) + memBytes(a.set) + memBytes(a.buf) }

func orderNumeric(a, b []byte) int { return zset.DecodeDecimal(a).Cmp(zset.DecodeDecimal(b)) }

// lessRowNumeric: of equal numbers the row encodings differ in the scale alone.
func lessRowNumeric(a, b []byte) bool {
	return zset.DecodeDecimal(a).Scale() < zset.DecodeDecimal(b).Scale()
}
