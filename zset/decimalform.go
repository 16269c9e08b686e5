package zset

import "encoding/binary"

// AppendTo appends the physical form of d, that of a cell of NUMERIC: one head
// byte (length of the coefficient in bytes, sign; or a special value), the
// scale as uvarint, the coefficient, least byte first. Identical decimals, and
// no others, have equal forms.
func (d Decimal) AppendTo(dst []byte) []byte {
	switch d.form {
	case notANumber:
		return append(dst, headNaN)
	case posInf:
		return append(dst, headInf)
	case negInf:
		return append(dst, headNegInf)
	}
	n := (d.coef.bitLen() + 7) / 8
	head := byte(n)
	if d.neg {
		head |= headSign
	}
	dst = append(dst, head)
	dst = binary.AppendUvarint(dst, uint64(d.scale))
	for _, w := range d.coef {
		if n >= 8 {
			dst = binary.LittleEndian.AppendUint64(dst, w)
			n -= 8
			continue
		}
		for range n {
			dst = append(dst, byte(w))
			w >>= 8
		}
		break
	}
	return dst
}

const (
	headSign   = 0x40
	headNaN    = 0x80
	headInf    = 0x81
	headNegInf = 0x82
	headLen    = 0x3f
)

// DecodeDecimal reads the physical form, the whole of b. The content of a NULL
// cell, no bytes, reads as 0. Bytes that are no physical form read as NaN.
func DecodeDecimal(b []byte) Decimal {
	if len(b) == 0 {
		return Decimal{}
	}
	head := b[0]
	switch {
	case head == headInf:
		return DecimalInf
	case head == headNegInf:
		return DecimalNegInf
	case head&headNaN != 0 || len(b) < 2:
		return DecimalNaN
	}
	scale, b := int16(b[1]), b[2:]
	if scale >= 0x80 {
		if len(b) == 0 || b[0] >= 0x80 {
			return DecimalNaN
		}
		scale, b = scale&0x7f|int16(b[0])<<7, b[1:]
	}
	d := Decimal{scale: scale, neg: head&headSign != 0}
	n := int(head & headLen)
	if n != len(b) || n > 32 {
		return DecimalNaN
	}
	i := 0
	for ; len(b) >= 8; i++ {
		d.coef[i] = binary.LittleEndian.Uint64(b)
		b = b[8:]
	}
	for j, x := range b {
		d.coef[i] |= uint64(x) << (8 * uint(j))
	}
	return d
}
