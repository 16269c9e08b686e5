package storage

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// The first byte of a column: its physical form, and whether a NULL bitmap follows.
const (
	colI64   = 1
	colF64   = 2
	colBytes = 3
	colNulls = 0x80
)

func colForm(t zset.Type) byte {
	switch t.Phys() {
	case zset.PhysI64:
		return colI64
	case zset.PhysF64:
		return colF64
	}
	return colBytes
}

// appendColumn appends cells [i, j) of c, at least one.
func appendColumn(dst []byte, c *zset.Column, i, j int) []byte {
	form := colForm(c.Type)
	if c.Null != nil && slices.Contains(c.Null[i:j], true) {
		dst = append(dst, form|colNulls)
		at := len(dst)
		dst = append(dst, make([]byte, (j-i+7)/8)...)
		for k, null := range c.Null[i:j] {
			if null {
				dst[at+k>>3] |= 1 << (k & 7)
			}
		}
	} else {
		dst = append(dst, form)
	}
	switch form {
	case colI64:
		return appendInts(dst, c.I64[i:j])
	case colF64:
		at := len(dst)
		dst = slices.Grow(dst, 8*(j-i))[:at+8*(j-i)]
		p := dst[at:]
		for k, f := range c.F64[i:j] {
			binary.LittleEndian.PutUint64(p[8*k:], math.Float64bits(f))
		}
		return dst
	}
	dst = appendLengths(dst, c.Off[i:j+1])
	return append(dst, c.Buf[c.Off[i]:c.Off[j]]...)
}

// decodeColumn fills c, which is empty, with n cells.
func decodeColumn(r *reader, c *zset.Column, n int) {
	form := r.byte()
	if form&^colNulls != colForm(c.Type) {
		r.bad = true
		return
	}
	if form&colNulls != 0 {
		bits := r.bytes((n + 7) / 8)
		if r.bad {
			return
		}
		c.Null = make([]bool, n)
		for i := range c.Null {
			c.Null[i] = bits[i>>3]>>(i&7)&1 != 0
		}
	}
	switch form &^ colNulls {
	case colI64:
		c.I64 = r.ints(c.I64, n)
	case colF64:
		if n > len(r.b)/8 {
			r.bad = true
			return
		}
		p := r.bytes(8 * n)
		for i := range n {
			c.F64 = append(c.F64, math.Float64frombits(binary.LittleEndian.Uint64(p[8*i:])))
		}
	default:
		off, total := r.offsets(c.Off, n)
		c.Off, c.Buf = off, append(c.Buf, r.bytes(total)...)
	}
}
