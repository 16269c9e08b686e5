package zset

import (
	"math"
	"strconv"
	"strings"
)

// timeAhead reports whether s begins with a time: digits and a colon.
func timeAhead(s string) bool {
	w := span(s, isDigit)
	return len(w) <= 2 && len(w) < len(s) && s[len(w)] == ':'
}

// readClock reads hh:[mm[:[ss]][.fraction]] [AM|PM] and returns what follows.
func (dt *dateTime) readClock(rest, s string, t Type) (string, error) {
	var f [3]int64
	n := 0
	for ; n < 3; n++ {
		w := span(rest, isDigit)
		if w == "" && n > 0 && (rest == "" || isSpace(rest[0]) || isLetter(rest[0]) || strings.IndexByte("+-.", rest[0]) >= 0) {
			break // 23: is 23:00
		}
		if w == "" || len(w) > 2 {
			return "", errSyntax(t, s)
		}
		f[n], _ = strconv.ParseInt(w, 10, 64)
		rest = rest[len(w):]
		if rest == "" || rest[0] != ':' {
			break
		}
		rest = rest[1:]
	}
	if n == 0 || n == 3 {
		return "", errSyntax(t, s)
	}
	if n == 1 && rest != "" && rest[0] == '.' { // minutes and seconds
		f[0], f[1], f[2], n = 0, f[0], f[1], 2
	}
	var frac int64
	if n == 2 && rest != "" && rest[0] == '.' {
		w := span(rest[1:], isDigit)
		rest = rest[1+len(w):]
		if w != "" {
			x, _ := strconv.ParseFloat("0."+w, 64)
			frac = int64(math.RoundToEven(x * usPerSec)) // a double, as in PostgreSQL
		}
	}
	half := strings.TrimLeft(rest, " ")
	if w := strings.ToLower(span(half, isLetter)); w == "am" || w == "pm" {
		if f[0] > 12 {
			return "", errField(s)
		}
		f[0] %= 12
		if w == "pm" {
			f[0] += 12
		}
		rest = half[2:]
	}
	if rest != "" && !isSpace(rest[0]) && !isLetter(rest[0]) && rest[0] != '+' && rest[0] != '-' {
		return "", errSyntax(t, s)
	}
	dt.clock = (f[0]*3600+f[1]*60+f[2])*usPerSec + frac
	if f[1] > 59 || f[2] > 60 || f[0] > 24 || dt.clock > usPerDay {
		return "", errField(s)
	}
	return rest, nil
}

// zoneLen is the length of +hh, +hhmm or +hh:mm[:ss] at the head of s.
func zoneLen(s string) int {
	i := 1
	for n := 0; n < 3; n++ {
		w := span(s[i:], isDigit)
		if w == "" || len(w) > 2 && (n > 0 || len(w) != 4) {
			return 0
		}
		i += len(w)
		if i == len(s) || s[i] != ':' || len(w) == 4 {
			break
		}
		i++
	}
	return i
}

// zoneOffset is the seconds of what zoneLen measured. Error 22009.
func zoneOffset(z, s string) (int, error) {
	var f [3]int
	digits := strings.Split(z[1:], ":")
	if len(digits) == 1 && len(z) == 5 {
		digits = []string{z[1:3], z[3:]}
	}
	for i, d := range digits {
		f[i], _ = strconv.Atoi(d)
	}
	if f[0] > 15 || f[1] > 59 || f[2] > 59 {
		return 0, Errorf("22009", -1, "time zone displacement out of range: \"%s\"", s)
	}
	off := f[0]*3600 + f[1]*60 + f[2]
	if z[0] == '-' {
		off = -off
	}
	return off, nil
}

// zoneTooLarge reports whether s begins with a zone of 16 hours or more.
func zoneTooLarge(s string) bool {
	w := span(s[1:], isDigit)
	if w == "" {
		return false
	}
	n, err := strconv.Atoi(w)
	minutes := 0
	if len(w) > 2 && (len(w)+1 == len(s) || s[len(w)+1] != ':') {
		n, minutes = n/100, n%100
	}
	return err != nil || n > 15 || minutes > 59
}

func span(s string, in func(byte) bool) string {
	i := 0
	for i < len(s) && in(s[i]) {
		i++
	}
	return s[:i]
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isZoneName(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '/' || c == '_' || c == '-' || c == '+'
}
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

var monthNames = [12]string{"january", "february", "march", "april", "may", "june",
	"july", "august", "september", "october", "november", "december"}

// monthOf is the month whose name, or first three letters, is w; 0 if none.
func monthOf(w string) int {
	for i, m := range monthNames {
		if w == m || w == m[:3] || w == "sept" && i == 8 {
			return i + 1
		}
	}
	return 0
}

var dayNames = [7]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

func weekday(w string) bool {
	for _, d := range dayNames {
		if w == d || w == d[:3] {
			return true
		}
	}
	return false
}
