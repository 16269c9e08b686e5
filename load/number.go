package load

import (
	"strconv"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// number is one as it is written: 0.DIGITS times 10^exp, without zeros at either
// end. Two texts mean the same number where these are equal; -0 is not 0.
type number struct {
	neg    bool
	digits string
	exp    int
}

// readNumber reads digits as a program writes them, and whether it does so with an
// exponent. 007 is a code, not a number.
func readNumber(s string) (n number, scientific, ok bool) {
	n.neg = strings.HasPrefix(s, "-")
	rest := s[btoi(n.neg):]
	whole := digitsOf(rest)
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return n, false, false
	}
	rest = rest[len(whole):]
	n.digits, n.exp = whole, len(whole)
	if strings.HasPrefix(rest, ".") {
		part := digitsOf(rest[1:])
		rest = rest[1+len(part):]
		n.digits += part
	}
	if rest != "" {
		if rest[0]|0x20 != 'e' {
			return n, false, false
		}
		e, err := strconv.ParseInt(rest[1:], 10, 32)
		if err != nil {
			return n, false, false
		}
		n.exp += int(e)
		scientific = true
	}
	short := strings.TrimLeft(n.digits, "0")
	n.exp -= len(n.digits) - len(short)
	if n.digits = strings.TrimRight(short, "0"); n.digits == "" {
		n.exp = 0
	}
	return n, scientific, true
}

func digitsOf(s string) string {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return s[:i]
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// numberKinds are the types of numbers that keep s: BIGINT and NUMERIC every digit
// of it, DOUBLE PRECISION too (asDouble), or the number at least (asSame). What
// only floating point writes, an exponent, -0, nan or inf, is a sign that the
// column is such.
func numberKinds(s string) (as kinds, signs signs) {
	switch s {
	case "NaN", "nan", "inf", "-inf", "Infinity", "-Infinity":
		return asSame | asNumeric, floating
	}
	n, scientific, ok := readNumber(s)
	if !ok {
		return 0, 0
	}
	signs = digits
	minusZero := n.neg && n.digits == ""
	if scientific || minusZero {
		signs |= floating
	} else if _, err := strconv.ParseInt(s, 10, 64); err == nil {
		as |= asBigint
		if len(s) <= 15 { // what a double has, and prints, to the last digit
			return asBigint | asDouble | asSame | asNumeric, signs
		}
	}
	if v, err := zset.ParseText(zset.TFloat8, s); err == nil {
		text := string(zset.AppendFloat(nil, v.F))
		if m, _, _ := readNumber(text); m == n {
			as |= asSame
		}
		if text == s {
			as |= asDouble
		}
	}
	if v, err := zset.ParseText(zset.TNumeric, s); err == nil {
		text := v.Text()
		if m, _, _ := readNumber(text); m == n && (scientific || text == strings.TrimSuffix(s, ".")) {
			as |= asNumeric
		}
	}
	return as, signs
}
