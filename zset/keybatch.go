package zset

import (
	"bytes"
	"encoding/binary"
)

// Keys holds the encodings of the rows of a batch, one after the other: that of
// row i is Buf[Off[i]:Off[i+1]] and hashes to Hash[i]. Null[i] says that some
// cell of row i is NULL; a nil Null, that none is in any row.
//
// A Keys is filled again and again and keeps its memory. The encodings of one
// fill must stay under 4 GiB, which a batch of some thousand rows does.
type Keys struct {
	Buf  []byte
	Off  []uint32
	Hash []uint64
	Null []bool
	Rows []Column // after HashRows: the rows, and no encodings

	null []bool   // memory of Null
	pos  []uint32 // where the next cell of each row goes
}

// Len is the number of rows.
func (k *Keys) Len() int { return max(len(k.Off)-1, 0) }

// Key is the encoding of row i; it aliases Buf.
func (k *Keys) Key(i int) []byte { return k.Buf[k.Off[i]:k.Off[i+1]] }

// EncodeKeys fills k with the key encodings of the first n rows of cols. No
// columns give n empty keys.
func (k *Keys) EncodeKeys(cols []Column, n int) { k.encode(cols, n, false) }

// EncodeRows fills k with the row encodings of the first n rows of cols.
func (k *Keys) EncodeRows(cols []Column, n int) { k.encode(cols, n, true) }

// Append adds one ready key. For keys that come from elsewhere than columns.
func (k *Keys) Append(key []byte) {
	if len(k.Off) == 0 {
		k.Off = append(k.Off, 0)
	}
	k.Buf = append(k.Buf, key...)
	k.Off = append(k.Off, uint32(len(k.Buf)))
	k.Hash = append(k.Hash, Hash(key))
	if k.Null != nil {
		k.Null = append(k.Null, false)
	}
}

// Reset empties k and keeps its memory.
func (k *Keys) Reset() {
	k.Buf, k.Off, k.Hash, k.Null, k.Rows = k.Buf[:0], append(k.Off[:0], 0), k.Hash[:0], nil, nil
}

// MemBytes estimates the memory that k holds.
func (k *Keys) MemBytes() int64 {
	return int64(cap(k.Buf) + 4*cap(k.Off) + 8*cap(k.Hash) + cap(k.null) + 4*cap(k.pos))
}

func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}

func (k *Keys) encode(cols []Column, n int, row bool) {
	k.Rows = nil
	k.Off = grown(k.Off, n+1)
	k.Hash = grown(k.Hash, n)
	k.markNulls(cols, n)
	width := 0
	for i := range cols {
		if cols[i].Type.Phys() == PhysBytes || cols[i].Null != nil {
			k.encodeVar(cols, n, row)
			k.hash()
			return
		}
		width += fixedWidth
	}
	k.encodeFixed(cols, n, width, row)
	k.hash()
}

func (k *Keys) hash() {
	off := k.Off
	for i := range k.Hash {
		k.Hash[i] = Hash(k.Buf[off[i]:off[i+1]])
	}
}

// markNulls sets Null.
func (k *Keys) markNulls(cols []Column, n int) {
	k.Null = nil
	for i := range cols {
		if cols[i].Null == nil {
			continue
		}
		src := cols[i].Null[:n]
		if k.Null == nil {
			k.null = grown(k.null, n)
			k.Null = k.null
			copy(k.Null, src)
			continue
		}
		for j, b := range src {
			k.Null[j] = k.Null[j] || b
		}
	}
}

// encodeFixed is for columns that all have a fixed width and no NULL.
func (k *Keys) encodeFixed(cols []Column, n, width int, row bool) {
	fitsEncoding(uint64(n) * uint64(width))
	for i := range k.Off {
		k.Off[i] = uint32(i * width)
	}
	k.Buf = grown(k.Buf, n*width)
	for ci := range cols {
		c, at := &cols[ci], ci*fixedWidth
		switch {
		case c.Type.Phys() == PhysI64:
			for _, v := range c.I64[:n] {
				p := k.Buf[at : at+fixedWidth : at+fixedWidth]
				p[0] = markValue
				binary.BigEndian.PutUint64(p[1:], uint64(v)^signBit)
				at += width
			}
		case row:
			for _, v := range c.F64[:n] {
				p := k.Buf[at : at+fixedWidth : at+fixedWidth]
				p[0] = markValue
				binary.BigEndian.PutUint64(p[1:], floatRow(v))
				at += width
			}
		default:
			for _, v := range c.F64[:n] {
				p := k.Buf[at : at+fixedWidth : at+fixedWidth]
				p[0] = markValue
				binary.BigEndian.PutUint64(p[1:], FloatKey(v))
				at += width
			}
		}
	}
}

// encodeVar measures every row first, then fills column by column, so that the
// buffer grows once and no row allocates.
func (k *Keys) encodeVar(cols []Column, n int, row bool) {
	k.pos = grown(k.pos, n)
	pos := k.pos
	clear(pos)
	for ci := range cols {
		addLengths(pos, &cols[ci], n, row)
	}
	total := uint64(0)
	for i, l := range pos {
		k.Off[i] = uint32(total)
		pos[i] = uint32(total)
		total += uint64(l)
	}
	fitsEncoding(total)
	k.Off[n] = uint32(total)
	k.Buf = grown(k.Buf, int(total))
	for ci := range cols {
		k.fill(pos, &cols[ci], n, row)
	}
}

// fitsEncoding stops a fill that the offsets of Keys cannot address: a wrapped
// offset would be a wrong row.
func fitsEncoding(total uint64) {
	if total > maxEncoding {
		panic("zset: encodings of one batch exceed 4 GiB")
	}
}

// addLengths adds the encoded length of every cell of c to l.
func addLengths(l []uint32, c *Column, n int, row bool) {
	if c.Type.Phys() != PhysBytes {
		if c.Null == nil {
			for i := range l {
				l[i] += fixedWidth
			}
			return
		}
		for i, null := range c.Null[:n] {
			if null {
				l[i]++
			} else {
				l[i] += fixedWidth
			}
		}
		return
	}
	if n == 0 {
		return
	}
	if c.Type.Kind == Numeric {
		for i := range l {
			if c.IsNull(i) {
				l[i]++
			} else {
				l[i] += uint32(decimalKeyLen(DecodeDecimal(c.Bytes(i)), row))
			}
		}
		return
	}
	if kinds[c.Type.Kind].coded {
		var cell []byte
		for i := range l {
			cell = appendCell(cell[:0], c, i, row)
			l[i] += uint32(len(cell))
		}
		return
	}
	off := c.Off[: n+1 : n+1]
	plain := plainText(c.Buf[off[0]:off[n]])
	for i := range l {
		if c.Null != nil && c.Null[i] {
			l[i]++
			continue
		}
		l[i] += off[i+1] - off[i] + 2
		if !plain {
			l[i] += uint32(countEscapes(c.Buf[off[i]:off[i+1]]))
		}
	}
}

// plainText reports whether no byte of b needs an escape.
func plainText(b []byte) bool {
	return bytes.IndexByte(b, textEnd) < 0 && bytes.IndexByte(b, textEsc) < 0
}

func countEscapes(b []byte) (n int) {
	for _, x := range b {
		if x <= textEsc {
			n++
		}
	}
	return n
}

// fill writes the cells of c at pos and moves pos behind them.
func (k *Keys) fill(pos []uint32, c *Column, n int, row bool) {
	buf := k.Buf
	switch phys := c.Type.Phys(); {
	case phys == PhysI64:
		for i, v := range c.I64[:n] {
			at := pos[i]
			if c.Null != nil && c.Null[i] {
				buf[at] = markNull
				pos[i] = at + 1
				continue
			}
			p := buf[at : at+fixedWidth : at+fixedWidth]
			p[0] = markValue
			binary.BigEndian.PutUint64(p[1:], uint64(v)^signBit)
			pos[i] = at + fixedWidth
		}
	case phys == PhysF64:
		for i, v := range c.F64[:n] {
			at := pos[i]
			if c.Null != nil && c.Null[i] {
				buf[at] = markNull
				pos[i] = at + 1
				continue
			}
			u := FloatKey(v)
			if row {
				u = floatRow(v)
			}
			p := buf[at : at+fixedWidth : at+fixedWidth]
			p[0] = markValue
			binary.BigEndian.PutUint64(p[1:], u)
			pos[i] = at + fixedWidth
		}
	case n == 0:
	case kinds[c.Type.Kind].coded:
		for i := range pos {
			pos[i] = uint32(len(appendCell(buf[:pos[i]], c, i, row)))
		}
	default:
		k.fillText(pos, c, n)
	}
}

func (k *Keys) fillText(pos []uint32, c *Column, n int) {
	buf, off := k.Buf, c.Off[:n+1:n+1]
	plain := plainText(c.Buf[off[0]:off[n]])
	for i := range pos {
		at := pos[i]
		if c.Null != nil && c.Null[i] {
			buf[at] = markNull
			pos[i] = at + 1
			continue
		}
		s := c.Buf[off[i]:off[i+1]]
		buf[at] = markValue
		if !plain {
			pos[i] = uint32(len(appendText(buf[:at+1], s)))
			continue
		}
		end := at + 1 + uint32(len(s))
		copy(buf[at+1:end], s)
		buf[end] = textEnd
		pos[i] = end + 1
	}
}
