package zset

import (
	"encoding/binary"
	"math/bits"
)

// The key of a number that is not 0: mark of its sign, decimal exponent of the
// first digit (2 bytes, biased), then the digits in chunks of 18, left aligned,
// each as 8 bytes of chunk*2 + (1 if another follows). Trailing zeros are not
// written, so scales do not matter, and more digits after equal ones mean a
// larger number. Of a negative number, all bytes behind the mark are inverted.
// The row encoding adds the scale (2 bytes).
const (
	chunkDigits = 18
	expBias     = 0x8000
	maxChunks   = (maxDigits + chunkDigits - 1) / chunkDigits
)

// chunks splits the digits of c, which is not 0, and drops zeros at the end.
func (a u256) chunks(out *[maxChunks]uint64) (n, digits int) {
	digits = a.digits()
	n = (digits + chunkDigits - 1) / chunkDigits
	last := digits - chunkDigits*(n-1)
	q, r := a.divWord(pow10s[last][0])
	out[n-1] = r * pow10s[chunkDigits-last][0]
	for i := n - 2; i >= 0; i-- {
		q, out[i] = q.divWord(e18)
	}
	for out[n-1] == 0 {
		n--
	}
	return n, digits
}

func decimalKeyLen(d Decimal, row bool) int {
	n := 1
	if d.form != finite {
		return n
	}
	if row {
		n += 2
	}
	if d.coef.isZero() {
		return n
	}
	var c [maxChunks]uint64
	k, _ := d.coef.chunks(&c)
	return n + 2 + 8*k
}

func appendDecimalKey(dst []byte, d Decimal, row bool) []byte {
	switch d.form {
	case notANumber:
		return append(dst, markNaN)
	case posInf:
		return append(dst, markPosInf)
	case negInf:
		return append(dst, markNegInf)
	}
	if d.coef.isZero() {
		dst = append(dst, markZero)
	} else {
		dst = appendDigitKey(dst, &d)
	}
	if row {
		dst = binary.BigEndian.AppendUint16(dst, uint16(d.scale))
	}
	return dst
}

func appendDigitKey(dst []byte, d *Decimal) []byte {
	var c [maxChunks]uint64
	n, digits := d.coef.chunks(&c)
	var flip uint64
	mark := byte(markPos)
	if d.neg {
		flip, mark = ^uint64(0), markNeg
	}
	dst = append(dst, mark)
	dst = binary.BigEndian.AppendUint16(dst, uint16(digits-1-int(d.scale)+expBias)^uint16(flip))
	for i := range n {
		more := uint64(0)
		if i+1 < n {
			more = 1
		}
		dst = binary.BigEndian.AppendUint64(dst, (c[i]<<1|more)^flip)
	}
	return dst
}

func decodeDecimalKey(b []byte, row bool) (d Decimal, rest []byte, err error) {
	mark, b := b[0], b[1:]
	switch mark {
	case markNaN:
		return DecimalNaN, b, nil
	case markPosInf:
		return DecimalInf, b, nil
	case markNegInf:
		return DecimalNegInf, b, nil
	case markZero:
	case markPos, markNeg:
		if d, b, err = decodeDigitKey(b, mark == markNeg); err != nil {
			return d, nil, err
		}
	default:
		return d, nil, errEncoding()
	}
	if !row {
		return d, b, nil
	}
	if len(b) < 2 {
		return d, nil, errEncoding()
	}
	scale := int(binary.BigEndian.Uint16(b))
	if scale < int(d.scale) || scale > maxScale {
		return d, nil, errEncoding()
	}
	if d, err = d.Round(scale); err != nil {
		return d, nil, errEncoding()
	}
	return d, b[2:], nil
}

// decodeDigitKey reads exponent and digits, with the least scale that holds them.
func decodeDigitKey(b []byte, neg bool) (d Decimal, rest []byte, err error) {
	var flip uint64
	if neg {
		flip = ^uint64(0)
	}
	if len(b) < 10 {
		return d, nil, errEncoding()
	}
	exp := int(binary.BigEndian.Uint16(b)^uint16(flip)) - expBias
	b = b[2:]
	var c u256
	digits := 0
	for more := true; more; b = b[8:] {
		if len(b) < 8 || digits > maxDigits {
			return d, nil, errEncoding()
		}
		w := binary.BigEndian.Uint64(b) ^ flip
		more = w&1 != 0
		w >>= 1
		n := chunkDigits
		if w >= e18 || !more && w == 0 {
			return d, nil, errEncoding()
		}
		for !more && w%10 == 0 {
			w /= 10
			n--
		}
		p, _ := c.mulWord(pow10s[n][0])
		c = p.add(u256{w})
		digits += n
	}
	d, err = scaled(c, digits-1-exp, neg)
	if err != nil || digits > maxDigits || bits.Len(uint(d.scale)) > 14 {
		return d, nil, errEncoding()
	}
	return d, b, nil
}
