package zset

import (
	"strconv"
	"strings"
)

// String is d as PostgreSQL prints a numeric.
func (d Decimal) String() string {
	var tmp [96]byte
	return string(d.AppendString(tmp[:0]))
}

// AppendString appends the text of d.
func (d Decimal) AppendString(dst []byte) []byte {
	switch d.form {
	case notANumber:
		return append(dst, "NaN"...)
	case posInf:
		return append(dst, "Infinity"...)
	case negInf:
		return append(dst, "-Infinity"...)
	}
	if d.neg {
		dst = append(dst, '-')
	}
	var tmp [maxDigits + 20]byte
	return appendPoint(dst, d.coef.appendDigits(tmp[:0]), int(d.scale))
}

// appendPoint appends digits with a point before the last scale of them.
func appendPoint(dst, digits []byte, scale int) []byte {
	if scale == 0 {
		return append(dst, digits...)
	}
	if n := len(digits) - scale; n > 0 {
		dst = append(dst, digits[:n]...)
		dst = append(dst, '.')
		return append(dst, digits[n:]...)
	}
	dst = append(dst, '0', '.')
	for range scale - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// appendDigits appends a in decimal; 0 is "0".
func (a u256) appendDigits(dst []byte) []byte {
	if a.limbs() <= 1 {
		return strconv.AppendUint(dst, a[0], 10)
	}
	q, low := a.divWord(e19)
	dst = q.appendDigits(dst)
	n := len(dst)
	dst = append(dst, "0000000000000000000"...)
	for i := n + 18; low > 0; i-- {
		dst[i] += byte(low % 10)
		low /= 10
	}
	return dst
}

// ParseDecimal reads a number as PostgreSQL's numeric input: blanks around,
// sign, digits with a point, exponent; NaN and Infinity in any case.
// Errors 22P02 and 22003.
func ParseDecimal(s string) (Decimal, error) {
	bad := func() (Decimal, error) { return Decimal{}, errSyntax(TNumeric, s) }
	t := trimSpace(s)
	neg, signed := false, false
	if t != "" && (t[0] == '-' || t[0] == '+') {
		neg, signed, t = t[0] == '-', true, t[1:]
	}
	if t != "" && (t[0] < '0' || t[0] > '9') && t[0] != '.' {
		switch {
		case strings.EqualFold(t, "nan") && !signed:
			return DecimalNaN, nil
		case strings.EqualFold(t, "infinity"), strings.EqualFold(t, "inf"):
			if neg {
				return DecimalNegInf, nil
			}
			return DecimalInf, nil
		}
		return bad()
	}
	var c u256
	var word, unit uint64 = 0, 1 // digits not yet in c
	scale, n, point := 0, 0, false
	i := 0
	for ; i < len(t); i++ {
		x := t[i]
		if x == '.' && !point {
			point = true
			continue
		}
		if x < '0' || x > '9' {
			break
		}
		n++
		if point {
			scale++
		}
		word = word*10 + uint64(x-'0')
		if unit *= 10; unit == e19 {
			var ok bool
			if c, ok = c.shiftIn(word, unit); !ok {
				return Decimal{}, errDecimalRange()
			}
			word, unit = 0, 1
		}
	}
	if n == 0 {
		return bad()
	}
	if i < len(t) {
		exp, ok := parseExponent(t[i:])
		if !ok {
			return bad()
		}
		scale -= exp
	}
	c, ok := c.shiftIn(word, unit)
	if !ok {
		return Decimal{}, errDecimalRange()
	}
	if c.isZero() {
		return newDecimal(c, max(scale, 0), false)
	}
	return scaled(c, scale, neg)
}

// shiftIn is a*unit + word, if that has at most 76 digits.
func (a u256) shiftIn(word, unit uint64) (u256, bool) {
	p, ok := a.mulWord(unit)
	if !ok || p.cmp(&pow10s[maxDigits]) >= 0 {
		return a, false
	}
	p = p.add(u256{word})
	return p, p[3] == 0 || p.cmp(&pow10s[maxDigits]) < 0
}

func parseExponent(s string) (int, bool) {
	if s[0] != 'e' && s[0] != 'E' {
		return 0, false
	}
	s = s[1:]
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	if digits == "" || len(s)-len(digits) > 1 {
		return 0, false
	}
	for _, x := range []byte(digits) {
		if x < '0' || x > '9' {
			return 0, false
		}
	}
	exp, err := strconv.Atoi(s)
	if err != nil || exp > 1<<20 || exp < -1<<20 {
		exp = 1 << 20 // out of range whatever the digits are
		if s[0] == '-' {
			exp = -exp
		}
	}
	return exp, true
}
