package storage

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// Integers are written as a frame of reference: the width in bytes (0 to 8) of
// the greatest distance to the least one, the least one, and the distances,
// little endian, each in width bytes. Stores and loads are of 8 bytes and
// overlap, so that one loop serves every width.

func widthOf(span uint64) int { return (bits.Len64(span) + 7) / 8 }

// appendInts appends v; its length is known to the reader.
func appendInts(dst []byte, v []int64) []byte {
	if len(v) == 0 {
		return dst
	}
	lo, hi := v[0], v[0]
	for _, x := range v {
		lo, hi = min(lo, x), max(hi, x)
	}
	w := widthOf(uint64(hi) - uint64(lo))
	dst, p := frame(dst, w, uint64(lo), len(v))
	switch w {
	case 0:
	case 8:
		for i, x := range v {
			binary.LittleEndian.PutUint64(p[i*8:], uint64(x)-uint64(lo))
		}
	default:
		for i, x := range v {
			binary.LittleEndian.PutUint64(p[i*w:], uint64(x)-uint64(lo))
		}
	}
	return dst
}

// appendLengths appends the lengths of the cells off[i]:off[i+1].
func appendLengths(dst []byte, off []uint32) []byte {
	n := len(off) - 1
	if n <= 0 {
		return dst
	}
	lo, hi := uint32(math.MaxUint32), uint32(0)
	for i := range n {
		l := off[i+1] - off[i]
		lo, hi = min(lo, l), max(hi, l)
	}
	w := widthOf(uint64(hi - lo))
	dst, p := frame(dst, w, uint64(lo), n)
	if w == 0 {
		return dst
	}
	for i := range n {
		binary.LittleEndian.PutUint64(p[i*w:], uint64(off[i+1]-off[i]-lo))
	}
	return dst
}

// frame appends the head of a frame and room for n distances; p starts at the
// first distance and reaches 8 bytes beyond the last.
func frame(dst []byte, w int, lo uint64, n int) (out, p []byte) {
	dst = append(dst, byte(w))
	dst = binary.LittleEndian.AppendUint64(dst, lo)
	at, size := len(dst), n*w
	dst = slices.Grow(dst, size+8)
	return dst[:at+size], dst[at : at+size+8]
}

// reader takes a block apart. The first fault sets bad, and every later read
// gives zeros: the caller looks once, at the end.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b) {
		r.bad = true
		return nil
	}
	p := r.b[:n]
	r.b = r.b[n:]
	return p
}

func (r *reader) byte() byte {
	if p := r.bytes(1); p != nil {
		return p[0]
	}
	return 0
}

func (r *reader) u64() uint64 {
	if p := r.bytes(8); p != nil {
		return binary.LittleEndian.Uint64(p)
	}
	return 0
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

// frame reads the head of a frame of n distances. loadable is the number of
// distances that a load of 8 bytes may read.
func (r *reader) frame(n int) (w int, lo uint64, p []byte, loadable int) {
	w, lo = int(r.byte()), r.u64()
	if w > 8 || (w > 0 && n > len(r.b)/w) {
		r.bad = true
		return 0, 0, nil, 0
	}
	rest := r.b
	r.bytes(n * w)
	if w > 0 {
		loadable = min(n, max(0, (len(rest)-8)/w+1))
		if len(rest) < 8 {
			loadable = 0
		}
	}
	return w, lo, rest, loadable
}

// tailInt is a distance too near to the end for a load of 8 bytes.
func tailInt(p []byte, w int) (v uint64) {
	for k := range w {
		v |= uint64(p[k]) << (8 * k)
	}
	return v
}

// ints appends n integers to dst.
func (r *reader) ints(dst []int64, n int) []int64 {
	if n == 0 {
		return dst
	}
	w, lo, p, fast := r.frame(n)
	if r.bad {
		return dst
	}
	at := len(dst)
	dst = slices.Grow(dst, n)[:at+n]
	out := dst[at:]
	if w == 0 {
		for i := range out {
			out[i] = int64(lo)
		}
		return dst
	}
	mask := ^uint64(0) >> (64 - 8*w)
	for i := range out[:fast] {
		out[i] = int64(binary.LittleEndian.Uint64(p[i*w:])&mask + lo)
	}
	for i := fast; i < n; i++ {
		out[i] = int64(tailInt(p[i*w:], w) + lo)
	}
	return dst
}

// offsets appends n offsets to off, which has one already, from n lengths, and
// returns their sum. A sum beyond 4 GiB is a fault.
func (r *reader) offsets(off []uint32, n int) ([]uint32, int) {
	if n == 0 {
		return off, 0
	}
	w, lo, p, fast := r.frame(n)
	if r.bad {
		return off, 0
	}
	base := uint64(off[len(off)-1])
	sum := base
	mask := uint64(0)
	if w > 0 {
		mask = ^uint64(0) >> (64 - 8*w)
	}
	at := len(off)
	off = slices.Grow(off, n)[:at+n]
	for i, out := 0, off[at:]; i < n; i++ {
		switch {
		case w == 0:
			sum += lo
		case i < fast:
			sum += binary.LittleEndian.Uint64(p[i*w:])&mask + lo
		default:
			sum += tailInt(p[i*w:], w) + lo
		}
		if sum > math.MaxUint32 {
			r.bad = true
			return off[:at], 0
		}
		out[i] = uint32(sum)
	}
	return off, int(sum - base)
}
