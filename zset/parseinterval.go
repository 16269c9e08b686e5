package zset

import (
	"math"
	"strconv"
	"strings"
)

// An interval is read as PostgreSQL reads it: numbers with units in any order,
// hh:mm[:ss], years-months, a bare number of seconds at the end, "ago", a leading
// @; or the designators of ISO 8601, P1Y2M3DT4H5M6S. Fields are taken from the
// last to the first, so that a unit is known before its number. The fractions are
// doubles, as there.

type intervalField uint16

const (
	fieldMicrosecond intervalField = 1 << iota
	fieldMillisecond
	fieldSecond
	fieldMinute
	fieldHour
	fieldDay
	fieldWeek
	fieldMonth
	fieldYear
	fieldDecade
	fieldCentury
	fieldMillennium
)

// intervalUnit is what a word means before or after a number; "" is none. Words
// count by their first ten letters.
func intervalUnit(w string) intervalField {
	switch w[:min(len(w), 10)] {
	case "us", "usec", "usecs", "useconds", "microsecon":
		return fieldMicrosecond
	case "ms", "msec", "msecs", "mseconds", "millisecon":
		return fieldMillisecond
	case "s", "sec", "secs", "second", "seconds":
		return fieldSecond
	case "m", "min", "mins", "minute", "minutes":
		return fieldMinute
	case "h", "hr", "hrs", "hour", "hours":
		return fieldHour
	case "d", "day", "days":
		return fieldDay
	case "w", "week", "weeks":
		return fieldWeek
	case "mon", "mons", "month", "months":
		return fieldMonth
	case "y", "yr", "yrs", "year", "years":
		return fieldYear
	case "dec", "decs", "decade", "decades":
		return fieldDecade
	case "c", "cent", "century", "centuries":
		return fieldCentury
	case "mil", "mils", "millennia", "millennium":
		return fieldMillennium
	}
	return 0
}

// intervalSum adds up the fields; wide enough that each single step is checked.
type intervalSum struct {
	months, days, us int64
	over             bool
	far              bool // the field that could not be read is too large
}

func (v *intervalSum) addInt(to *int64, n, scale int64, limit int64) {
	p := n * scale
	if n != 0 && (p/n != scale) || n == -1 && scale == math.MinInt64 {
		v.over = true
		return
	}
	s := *to + p
	if (s > *to) != (p > 0) && p != 0 || s > limit || s < -limit-1 {
		v.over = true
		return
	}
	*to = s
}

func (v *intervalSum) addMicros(n int64, f float64, scale int64) {
	v.addInt(&v.us, n, scale, math.MaxInt64)
	f *= float64(scale)
	us := int64(f)
	switch f -= float64(us); {
	case f > 0.5:
		us++
	case f < -0.5:
		us--
	}
	v.addInt(&v.us, us, 1, math.MaxInt64)
}

func (v *intervalSum) addDays(n int64, f float64, scale int64) {
	v.addInt(&v.days, n, scale, math.MaxInt32)
	f *= float64(scale)
	if scale > 1 {
		d := int64(f)
		v.addInt(&v.days, d, 1, math.MaxInt32)
		f -= float64(d)
	}
	v.addMicros(0, f, usPerDay)
}

func (v *intervalSum) addYears(n int64, f float64, scale int64) {
	v.addInt(&v.months, n, 12*scale, math.MaxInt32*12)
	v.addInt(&v.months, int64(math.RoundToEven(f*float64(scale)*12)), 1, math.MaxInt32*12)
}

func (v *intervalSum) add(unit intervalField, n int64, f float64) {
	switch unit {
	case fieldMicrosecond:
		v.addMicros(n, f, 1)
	case fieldMillisecond:
		v.addMicros(n, f, 1000)
	case fieldSecond:
		v.addMicros(n, f, usPerSec)
	case fieldMinute:
		v.addMicros(n, f, 60*usPerSec)
	case fieldHour:
		v.addMicros(n, f, 3600*usPerSec)
	case fieldDay:
		v.addDays(n, f, 1)
	case fieldWeek:
		v.addDays(n, f, 7)
	case fieldMonth:
		v.addInt(&v.months, n, 1, math.MaxInt32)
		v.addDays(0, f, 30)
	case fieldYear:
		v.addYears(n, f, 1)
	case fieldDecade:
		v.addYears(n, f, 10)
	case fieldCentury:
		v.addYears(n, f, 100)
	case fieldMillennium:
		v.addYears(n, f, 1000)
	}
}

func errIntervalField(s string) error {
	return Errorf("22015", -1, "interval field value out of range: \"%s\"", s)
}

func errIntervalRange() error { return Errorf(CodeDatetimeRange, -1, "interval out of range") }

func parseInterval(s string) (IntervalValue, error) {
	var v intervalSum
	ok := v.decode(s)
	if !ok && !v.over {
		v = intervalSum{far: v.far}
		ok = v.decodeISO(s)
	}
	switch {
	case v.over:
		return IntervalValue{}, errIntervalField(s)
	case !ok && v.far:
		return IntervalValue{}, errIntervalField(s)
	case !ok:
		return IntervalValue{}, errSyntax(TInterval, s)
	case v.months != int64(int32(v.months)):
		return IntervalValue{}, errIntervalRange()
	}
	return IntervalValue{int32(v.months), int32(v.days), v.us}, nil
}

// fieldTooLarge reports whether a field that is none has a month of 12 or more
// behind a year, or a minute of 60 or more.
func fieldTooLarge(w string) bool {
	head := span(w, isDigit)
	if head == "" || len(head) == len(w) {
		return false
	}
	next, err := strconv.Atoi(span(w[len(head)+1:], isDigit))
	sep := w[len(head)]
	return err == nil && (sep == '-' && next > 11 || sep == ':' && next > 59)
}

// decode reads PostgreSQL's own form; false where s is none.
func (v *intervalSum) decode(s string) bool {
	fields, ok := intervalWords(s)
	if !ok {
		words, clocks := strings.Fields(s), 0
		for i := len(words) - 1; i >= 0 && clocks < 2 && !v.far; i-- { // a second clock is what is wrong
			v.far = fieldTooLarge(words[i])
			clocks += strings.Count(words[i], "+") + min(strings.Count(words[i], ":"), 1)
		}
		return false
	}
	var unit, seen intervalField
	ago := false
	for i := len(fields) - 1; i >= 0; i-- {
		w := fields[i]
		var took intervalField
		switch {
		case isLetter(w[0]):
			if w == "ago" {
				ago, unit = true, 0
				continue
			}
			if unit = intervalUnit(w); unit == 0 {
				return false
			}
			continue
		case strings.Contains(w, ":"):
			sign := int64(1)
			if w[0] == '-' || w[0] == '+' {
				if w[0] == '-' {
					sign = -1
				}
				w = w[1:]
			}
			if !v.clock(w, sign) {
				v.far = fieldTooLarge(fields[i])
				return false
			}
			unit, took = fieldDay, fieldMicrosecond|fieldMillisecond|fieldSecond|fieldMinute|fieldHour
		default:
			if unit == 0 {
				unit = fieldSecond
			}
			if unit, took, ok = v.number(w, unit); !ok {
				v.far = fieldTooLarge(w)
				return false
			}
		}
		if took&seen != 0 {
			return false
		}
		seen |= took
	}
	if seen == 0 {
		return false
	}
	if ago {
		v.negate()
	}
	return true
}

func (v *intervalSum) negate() {
	if v.us == math.MinInt64 || v.days == math.MinInt32 || v.months == math.MinInt32 {
		v.over = true
		return
	}
	v.months, v.days, v.us = -v.months, -v.days, -v.us
}

// number reads a number, or years-months, in a unit; next is the unit of a
// number before it that has none.
func (v *intervalSum) number(w string, unit intervalField) (next, took intervalField, ok bool) {
	neg := w[0] == '-'
	whole := span(w[btoiSign(w[0]):], isDigit)
	rest := w[btoiSign(w[0])+len(whole):]
	if whole == "" && btoiSign(w[0]) == 1 { // as PostgreSQL, which reads .5 but not -.5
		return 0, 0, false
	}
	n := int64(0)
	if whole != "" {
		var err error
		if n, err = strconv.ParseInt(w[:len(w)-len(rest)], 10, 64); err != nil {
			v.over = true
			return 0, 0, false
		}
	}
	f := 0.0
	switch {
	case rest == "":
	case rest[0] == '-' && whole != "":
		m, err := strconv.ParseInt(rest[1:], 10, 32)
		switch {
		case rest[1:] == "" || strings.Trim(rest[1:], "0123456789") != "":
			return 0, 0, false
		case err != nil || m >= 12:
			v.over = true
			return 0, 0, false
		case neg:
			m = -m
		}
		v.addInt(&v.months, n, 12, math.MaxInt32)
		v.addInt(&v.months, m, 1, math.MaxInt32)
		return fieldMonth, fieldMonth, !v.over
	case rest[0] == '.' && strings.Trim(rest[1:], "0123456789") == "":
		if rest != "." {
			f, _ = strconv.ParseFloat("0"+rest, 64)
		}
		if neg {
			f = -f
		}
	default:
		return 0, 0, false
	}
	v.add(unit, n, f)
	took = unit
	if unit == fieldSecond && f != 0 {
		took = fieldSecond | fieldMillisecond | fieldMicrosecond
	}
	if unit == fieldHour {
		unit = fieldDay
	}
	return unit, took, !v.over
}

func btoiSign(c byte) int {
	if c == '-' || c == '+' {
		return 1
	}
	return 0
}

// clock reads hh:mm, hh:mm:ss[.f] or mm:ss.f with hours of any size.
func (v *intervalSum) clock(w string, sign int64) bool {
	parts := strings.Split(w, ":")
	if len(parts) > 3 {
		return false
	}
	last := parts[len(parts)-1]
	fraction := 0.0
	if i := strings.IndexByte(last, '.'); i >= 0 {
		if strings.Trim(last[i+1:], "0123456789") != "" {
			return false
		}
		fraction, _ = strconv.ParseFloat("0."+last[i+1:]+"0", 64)
		parts[len(parts)-1] = last[:i]
		if len(parts) == 2 {
			parts = append([]string{"0"}, parts...)
		}
	}
	var f [3]int64
	for i, p := range parts {
		if p == "" && i > 0 { // 01: is 01:00
			continue
		}
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return false
		}
		n, err := strconv.ParseInt(p, 10, 64)
		if err != nil {
			v.over = true
			return false
		}
		f[i] = n
	}
	if f[1] > 59 || f[2] > 60 {
		v.over = true
		return false
	}
	v.us = 0
	v.addInt(&v.us, sign*f[0], 3600*usPerSec, math.MaxInt64)
	v.addInt(&v.us, sign*(f[1]*60+f[2]), usPerSec, math.MaxInt64)
	v.addInt(&v.us, sign*int64(math.RoundToEven(fraction*usPerSec)), 1, math.MaxInt64)
	return !v.over
}

// intervalWords splits s into numbers, clocks and words, in lower case. A sign
// belongs to the number after it; other punctuation only separates.
func intervalWords(s string) (fields []string, ok bool) {
	in := func(extra string) func(byte) bool {
		return func(c byte) bool { return isDigit(c) || strings.IndexByte(extra, c) >= 0 }
	}
	for s != "" {
		c := s[0]
		switch {
		case isSpace(c):
			s = s[1:]
		case isDigit(c) || c == '.':
			w := span(s, isDigit)
			switch {
			case len(w) < len(s) && s[len(w)] == ':':
				w = span(s, in(":."))
			case len(w) < len(s) && s[len(w)] == '.':
				w += span(s[len(w):len(w)+1], in(".")) + span(s[len(w)+1:], isDigit)
			case len(w) < len(s) && (s[len(w)] == '-' || s[len(w)] == '/'):
				w += s[len(w):len(w)+1] + span(s[len(w)+1:], isDigit)
				if len(w) < len(s) && s[len(w)] == w[len(span(w, isDigit))] {
					return nil, false // a date
				}
			}
			fields, s = append(fields, w), s[len(w):]
		case isLetter(c):
			w := span(s, isLetter)
			if len(w) < len(s) && strings.IndexByte("-/.", s[len(w)]) >= 0 {
				return nil, false
			}
			if len(w) < len(s) && (s[len(w)] == '+' || isDigit(s[len(w)])) && intervalUnit(strings.ToLower(w)) == 0 {
				return nil, false
			}
			fields, s = append(fields, strings.ToLower(w)), s[len(w):]
		case c == '+' || c == '-':
			s = strings.TrimLeft(s[1:], " \t\n\v\f\r")
			w := span(s, in(":.-"))
			if w == "" || w[0] == ':' || w[0] == '-' {
				return nil, false
			}
			fields, s = append(fields, string(c)+w), s[len(w):]
		case c > ' ' && c < 0x7f:
			s = s[1:]
		default:
			return nil, false
		}
	}
	return fields, len(fields) > 0
}

// decodeISO reads P[nY][nM][nW][nD][T[nH][nM][nS]].
func (v *intervalSum) decodeISO(s string) bool {
	if len(s) < 2 || s[0] != 'P' {
		return false
	}
	units := "YMWD"
	byUnit := map[byte]intervalField{'Y': fieldYear, 'M': fieldMonth, 'W': fieldWeek, 'D': fieldDay}
	for s = s[1:]; s != ""; {
		if s[0] == 'T' {
			units = "HMS"
			byUnit = map[byte]intervalField{'H': fieldHour, 'M': fieldMinute, 'S': fieldSecond}
			s = s[1:]
			continue
		}
		w := s[:btoiSign(s[0])] + span(s[btoiSign(s[0]):], func(c byte) bool { return isDigit(c) || c == '.' })
		s = s[len(w):]
		digits := strings.TrimLeft(w, "+-")
		if s == "" || strings.Trim(digits, ".") == "" || strings.Count(digits, ".") > 1 || strings.IndexByte(units, s[0]) < 0 {
			return false
		}
		if _, _, ok := v.number(w, byUnit[s[0]]); !ok {
			return false
		}
		s = s[1:]
	}
	return true
}
