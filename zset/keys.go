package zset

import (
	"bytes"
	"encoding/binary"
	"math"
)

// The first byte of an encoded cell. NULL sorts last. A NUMERIC held as bytes
// has one mark for each class of value, in their order.
const (
	markValue   = 0x01
	markNegInf  = 0x02
	markNeg     = 0x03
	markZero    = 0x04
	markPos     = 0x05
	markPosInf  = 0x06
	markNaN     = 0x07
	markNull    = 0x09
	textEnd     = 0x00 // ends a text; bytes 0 and 1 of a text become textEsc 1 and textEsc 2
	textEsc     = 0x01
	fixedWidth  = 9 // bytes of a cell that is not NULL, of PhysI64 and PhysF64
	canonNaN    = 0x7ff8000000000000
	signBit     = 1 << 63
	maxEncoding = math.MaxUint32
)

// KeyExact reports whether the key encoding of t is its row encoding: equal
// keys are identical cells. Not so for DOUBLE PRECISION and REAL (-0.0 and 0.0),
// for a NUMERIC whose cells have their own scale (1.0 and 1.00), for CHAR (blanks
// at the end), for INTERVAL (1 mon and 30 days) and for arrays of these.
func KeyExact(t Type) bool {
	switch t.Kind {
	case Float4, Float8, Char, Interval:
		return false
	case Numeric:
		return t.Fixed()
	case Array:
		return KeyExact(t.Element())
	}
	return true
}

// FloatKey maps f to an integer whose unsigned order is SQL's: -Infinity .. 0
// .. Infinity, NaN. All NaNs are one, and -0.0 is 0.0.
func FloatKey(f float64) uint64 { return floatRow(f + 0) } // -0.0 + 0 is 0.0

// floatRow is as FloatKey, but -0.0 comes right before 0.0.
func floatRow(f float64) uint64 {
	u := math.Float64bits(f)
	switch {
	case f != f:
		return canonNaN | signBit
	case u&signBit != 0:
		return ^u
	}
	return u | signBit
}

// floatOf undoes floatRow.
func floatOf(u uint64) float64 {
	if u&signBit != 0 {
		return math.Float64frombits(u &^ signBit)
	}
	return math.Float64frombits(^u)
}

// AppendKey appends the key encoding of cell i of c. Keys of cells of one type
// compare by bytes.Compare as SQL orders the cells, ascending, NULL last; none
// is a prefix of another, so a key of several columns is the concatenation.
func AppendKey(dst []byte, c *Column, i int) []byte { return appendCell(dst, c, i, false) }

// AppendRow appends the row encoding of cell i of c: equal bytes if and only if
// the cells are identical (NaNs are one). It is prefix-free and refines the
// order of AppendKey cell by cell: of rows whose first cells are not distinct
// but not identical, the first cell decides, not the second.
func AppendRow(dst []byte, c *Column, i int) []byte { return appendCell(dst, c, i, true) }

func appendCell(dst []byte, c *Column, i int, row bool) []byte {
	if c.IsNull(i) {
		return append(dst, markNull)
	}
	switch c.Type.Phys() {
	case PhysI64:
		dst = append(dst, markValue)
		return binary.BigEndian.AppendUint64(dst, uint64(c.I64[i])^signBit)
	case PhysF64:
		dst = append(dst, markValue)
		if row {
			return binary.BigEndian.AppendUint64(dst, floatRow(c.F64[i]))
		}
		return binary.BigEndian.AppendUint64(dst, FloatKey(c.F64[i]))
	}
	switch c.Type.Kind {
	case Numeric:
		return appendDecimalKey(dst, DecodeDecimal(c.Bytes(i)), row)
	case Char:
		return appendCharKey(dst, c.Bytes(i), row)
	case Interval:
		return IntervalOf(c.Bytes(i)).appendKey(dst, row)
	case Array:
		return appendArrayKey(dst, c.Type, c.Bytes(i), row)
	}
	dst = append(dst, markValue)
	return appendText(dst, c.Bytes(i))
}

func appendText(dst, s []byte) []byte {
	for _, b := range s {
		if b <= textEsc {
			dst = append(dst, textEsc, b+1)
		} else {
			dst = append(dst, b)
		}
	}
	return append(dst, textEnd)
}

// DecodeKey reads one key-encoded cell off b and appends it to c, which has the
// type it was encoded from. Of the cells that share a key it appends 0.0, the
// number without trailing zeros behind the point, the CHAR with the padding of
// its type, and the interval in months, then days, then time. Error XX001.
func DecodeKey(b []byte, c *Column) (rest []byte, err error) { return decodeCell(b, c, false) }

// DecodeRow reads one row-encoded cell off b and appends it to c, which has the
// type it was encoded from. Error XX001.
func DecodeRow(b []byte, c *Column) (rest []byte, err error) { return decodeCell(b, c, true) }

func errEncoding() error { return Errorf(CodeCorrupt, -1, "corrupt key encoding") }

func decodeCell(b []byte, c *Column, row bool) ([]byte, error) {
	if len(b) == 0 {
		return nil, errEncoding()
	}
	mark := b[0]
	if mark == markNull {
		c.AppendNull()
		return b[1:], nil
	}
	phys := c.Type.Phys()
	if phys == PhysBytes && c.Type.Kind == Numeric {
		d, rest, err := decodeDecimalKey(b, row)
		if err != nil {
			return nil, err
		}
		var tmp [maxDecimalBytes]byte
		c.AppendBytes(d.AppendTo(tmp[:0]))
		return rest, nil
	}
	if mark != markValue {
		return nil, errEncoding()
	}
	if phys == PhysBytes {
		switch c.Type.Kind {
		case Char:
			return decodeCharKey(b[1:], c, row)
		case Interval:
			return decodeIntervalKey(b[1:], c, row)
		case Array:
			return decodeArrayKey(b[1:], c, row)
		}
		return decodeText(b[1:], c)
	}
	if len(b) < fixedWidth {
		return nil, errEncoding()
	}
	u := binary.BigEndian.Uint64(b[1:])
	if phys == PhysI64 {
		c.AppendI64(int64(u ^ signBit))
	} else {
		c.AppendF64(floatOf(u))
	}
	return b[fixedWidth:], nil
}

func decodeText(b []byte, c *Column) ([]byte, error) {
	end := bytes.IndexByte(b, textEnd)
	if end < 0 {
		return nil, errEncoding()
	}
	s, rest := b[:end], b[end+1:]
	if bytes.IndexByte(s, textEsc) < 0 {
		c.AppendBytes(s)
		return rest, nil
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != textEsc {
			out = append(out, s[i])
			continue
		}
		i++
		if i == len(s) || s[i] < 1 || s[i] > 2 {
			return nil, errEncoding()
		}
		out = append(out, s[i]-1)
	}
	c.AppendBytes(out)
	return rest, nil
}
