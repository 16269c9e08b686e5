package zset

import (
	"math"
	"strconv"
	"strings"
)

// Dates and timestamps are read in the common forms of PostgreSQL's input, with
// its setting "ISO, MDY": 2001-01-02, 2001/1/2, 20010102, 1/2/2001, 2 Jan 2001,
// January 2, 2001, 2001-Jan-02, then a time after a blank or T, and BC or AD.
// A zone is read, and ignored for a type without one, as in PostgreSQL. The words now, today and the like are not constants and are not read.

type dateTime struct {
	year       int64
	month, day int
	clock      int64 // microseconds since midnight; 24:00:00 is a whole day
	timed      bool  // a time was given
	zoned      bool  // a zone was given, by zone or by offset
	zone       *Zone
	offset     int  // seconds east of UTC, where zone is nil
	julian     bool // the day was given as a number, J2451545; an era says nothing then
}

func errField(s string) error {
	return Errorf(CodeDatetimeRange, -1, "date/time field value out of range: \"%s\"", s)
}

func parseDate(s string) (int64, error) {
	if v, ok := specialDate(s); ok {
		return v, nil
	}
	dt, err := parseDateTime(s, TDate)
	if err != nil {
		return 0, err
	}
	days := Days(dt.year, dt.month, dt.day)
	if days < minDate || days > maxDate {
		return 0, Errorf(CodeDatetimeRange, -1, "date out of range: \"%s\"", s)
	}
	return days, nil
}

func parseTimestamp(s string) (int64, error) {
	if v, ok := specialDate(s); ok {
		return v, nil
	}
	dt, err := parseDateTime(s, TTimestamp)
	if err != nil {
		return 0, err
	}
	return dt.timestamp(s)
}

// parseTimestampTZ takes z where s names no zone.
func parseTimestampTZ(s string, z *Zone) (int64, error) {
	if v, ok := specialDate(s); ok {
		return v, nil
	}
	dt, err := parseDateTime(s, TTimestampTZ)
	if err != nil {
		return 0, err
	}
	us, err := dt.timestamp(s)
	switch {
	case err != nil:
		return 0, err
	case dt.zone != nil:
		z = dt.zone
	case dt.zoned:
		z = fixedZone("", dt.offset)
	}
	if us, err = z.ToUTC(us); err != nil {
		return 0, errTimestampRange(s)
	}
	return us, nil
}

// timestamp is dt without its zone.
func (dt *dateTime) timestamp(s string) (int64, error) {
	days := Days(dt.year, dt.month, dt.day)
	if days < minDate || days > maxTimestamp/usPerDay {
		return 0, errTimestampRange(s)
	}
	us := days*usPerDay + dt.clock
	if us < minTimestamp || us > maxTimestamp {
		return 0, errTimestampRange(s)
	}
	return us, nil
}

func errTimestampRange(s string) error {
	return Errorf(CodeDatetimeRange, -1, "timestamp out of range: \"%s\"", s)
}

// idle is punctuation that says nothing around the words of a date, as in PostgreSQL.
const idle = "!\"#$%&'()*,:;<=>?@[\\]^_`{|}~"

func specialDate(s string) (int64, bool) {
	switch strings.ToLower(trimSpace(strings.Trim(trimSpace(s), idle+" "))) {
	case "infinity":
		return PosInf, true
	case "-infinity":
		return NegInf, true
	case "epoch":
		return 0, true
	}
	return 0, false
}

// datePart is a run of digits or of letters of a date.
type datePart struct {
	text string
	num  bool
}

func parseDateTime(s string, t Type) (dt dateTime, err error) {
	bad := func() (dateTime, error) { return dt, errSyntax(t, s) }
	rest := trimSpace(s)
	var parts []datePart
	bc, era := false, false
	for rest != "" {
		c := rest[0]
		switch {
		case isSpace(c) || c == ',' || c == '_':
			rest = rest[1:]
			continue
		case isDigit(c) && !dt.timed && timeAhead(rest):
			if rest, err = dt.readClock(rest, s, t); err != nil {
				return dt, err
			}
			if len(parts) == 0 { // it is read, but no day may follow
				return bad()
			}
			dt.timed = true
			continue
		case isDigit(c) && !dt.timed && wholeDay(parts) && len(span(rest, isDigit)) == 6:
			if t.Kind == Time {
				return bad()
			}
			// 030405 is 03:04:05
			if rest, err = dt.readClock(rest[:2]+":"+rest[2:4]+":"+rest[4:], s, t); err != nil {
				return dt, err
			}
			dt.timed = true
			continue
		case isDigit(c):
			w := span(rest, isDigit)
			parts = append(parts, datePart{w, true})
			rest = rest[len(w):]
		case isLetter(c):
			w := span(rest, isLetter)
			rest = rest[len(w):]
			switch w = strings.ToLower(w); {
			case w == "t" && !dt.timed && rest != "" && isDigit(rest[0]):
				if t.Kind == Time || !wholeDay(parts) || !timeAhead(rest) && len(span(rest, isDigit)) != 6 {
					return bad()
				}
			case w == "j" && len(parts) == 0:
				if rest, err = dt.readJulian(rest, s, t); err != nil {
					return dt, err
				}
				parts = append(parts, datePart{"year", true}, datePart{"month", true}, datePart{"day", true})
			case t.Kind == Time && !dt.timed && !(len(parts) == 0 && monthOf(w) > 0 && rest != "" && strings.IndexByte("-/.", rest[0]) >= 0):
				return bad() // before a time of day a date is one word
			case (w == "bc" || w == "ad") && !era:
				bc, era = w == "bc", true
			case weekday(w):
			case monthOf(w) > 0:
				parts = append(parts, datePart{w, false})
				if len(parts) == 1 && rest != "" && strings.IndexByte("-/.", rest[0]) >= 0 { // Jan-02-2001
					rest = rest[1:]
				}
			case dt.timed || wholeDay(parts):
				if dt.zoned {
					return bad()
				}
				tail := span(rest, isZoneName)
				rest = rest[len(tail):]
				if dt.zone, err = FindZone(w + strings.ToLower(tail)); err != nil {
					if !strings.Contains(tail, "/") {
						return bad()
					}
					return dt, err
				}
				dt.zoned = true
			default:
				return bad()
			}
			continue
		case (c == '+' || c == '-') && (wholeDay(parts) || len(parts) == 0):
			n := zoneLen(rest)
			if zoneTooLarge(rest) {
				return dt, Errorf("22009", -1, "time zone displacement out of range: \"%s\"", s)
			}
			if n == 0 || dt.zoned {
				return bad()
			}
			if dt.offset, err = zoneOffset(rest[:n], s); err != nil {
				return dt, err
			}
			dt.zoned = true
			rest = rest[n:]
			continue
		default:
			return bad()
		}
		// a separator inside the date
		if rest != "" && strings.IndexByte("-/.", rest[0]) >= 0 {
			rest = rest[1:]
			if rest == "" || len(parts) > 2 || !isDigit(rest[0]) && !isLetter(rest[0]) {
				return bad()
			}
			if isLetter(rest[0]) { // 2001-Jan-02
				w := span(rest, isLetter)
				if monthOf(strings.ToLower(w)) == 0 {
					return bad()
				}
				parts = append(parts, datePart{strings.ToLower(w), false})
				rest = rest[len(w):]
				if rest != "" && strings.IndexByte("-/.", rest[0]) >= 0 {
					rest = rest[1:]
				}
			}
		}
	}
	if t.Kind == Time && (len(parts) == 1 || !dt.timed) || !dt.setDay(parts, bc) {
		if t.Kind != Time && noDay(parts) {
			return dt, errField(s)
		}
		return bad()
	}
	if dt.month < 1 || dt.month > 12 || dt.day < 1 || dt.day > DaysIn(dt.year, dt.month) || dt.year == math.MinInt64 {
		e := Errorf(CodeDatetimeRange, -1, "date/time field value out of range: \"%s\"", s)
		if len(parts) == 3 && len(parts[0].text) < 3 && dt.month > 12 {
			e.Hint = "Perhaps you need a different \"datestyle\" setting."
		}
		return dt, e
	}
	return dt, nil
}

// wholeDay reports whether parts are all of a date.
func wholeDay(parts []datePart) bool {
	return len(parts) == 3 || len(parts) == 1 && parts[0].num && (len(parts[0].text) == 6 || len(parts[0].text) >= 8)
}

// noDay reports whether parts are too few for a date and yet show a month or a
// day that there is none of: PostgreSQL looks at those first.
func noDay(parts []datePart) bool {
	if len(parts) == 0 || len(parts) > 2 || !parts[0].num || len(parts[0].text) > 2 {
		return false
	}
	if m, _ := strconv.Atoi(parts[0].text); m < 1 || m > 12 {
		return true
	}
	if len(parts) == 1 || !parts[1].num {
		return false
	}
	d, err := strconv.Atoi(parts[1].text)
	return err != nil || d < 1 || d > 31
}

// dayOfYear reads 2001-032: a year and the number of a day in it.
func (dt *dateTime) dayOfYear(parts []datePart, bc bool) bool {
	if len(parts) != 2 || bc || !parts[0].num || !parts[1].num || len(parts[0].text) != 4 || len(parts[1].text) != 3 {
		return false
	}
	year, _ := strconv.Atoi(parts[0].text)
	n, _ := strconv.Atoi(parts[1].text)
	if year == 0 || n < 1 || n > 366 {
		return false
	}
	dt.year, dt.month, dt.day = Civil(Days(int64(year), 1, 1) + int64(n-1))
	return true
}

// readJulian reads what stands behind a J: the number of a day, counted from
// 4714-11-24 BC, perhaps with a fraction that is a time. It returns what follows.
func (dt *dateTime) readJulian(rest, s string, t Type) (string, error) {
	for rest != "" && isSpace(rest[0]) {
		rest = rest[1:]
	}
	w := span(rest, isDigit)
	if w == "" {
		return "", errSyntax(t, s)
	}
	rest = rest[len(w):]
	n, err := strconv.ParseInt(w, 10, 32)
	if err != nil {
		return "", errField(s)
	}
	dt.julian = true
	dt.year, dt.month, dt.day = Civil(n - julianEpoch)
	if rest == "" || rest[0] != '.' {
		return rest, nil
	}
	if w = span(rest[1:], isDigit); w == "" {
		return "", errSyntax(t, s)
	}
	part, _ := strconv.ParseFloat("0."+w, 64)
	dt.clock, dt.timed = int64(part*usPerDay), true
	return rest[1+len(w):], nil
}

// setDay finds out which part is year, month and day.
func (dt *dateTime) setDay(parts []datePart, bc bool) bool {
	var year string
	num := func(p datePart) int {
		n, err := strconv.Atoi(p.text)
		if err != nil {
			return 1 << 20
		}
		return n
	}
	switch {
	case dt.julian:
		return len(parts) == 3
	case len(parts) == 1 && parts[0].num && len(parts[0].text) >= 8:
		p := parts[0].text
		k := len(p) - 4
		year, dt.month, dt.day = p[:k], num(datePart{p[k : k+2], true}), num(datePart{p[k+2:], true})
	case len(parts) == 1 && parts[0].num && len(parts[0].text) == 6:
		p := parts[0].text
		year, dt.month, dt.day = p[:2], num(datePart{p[2:4], true}), num(datePart{p[4:], true})
	case dt.dayOfYear(parts, bc):
		return true
	case len(parts) != 3:
		return false
	case !parts[0].num: // Jan 2 2001
		if !parts[1].num || !parts[2].num {
			return false
		}
		dt.month = monthOf(parts[0].text)
		year, dt.day = parts[2].text, num(parts[1])
		if len(parts[1].text) > 2 { // Jan 2001 2
			year, dt.day = parts[1].text, num(parts[2])
		}
	case !parts[1].num: // 2 Jan 2001, 2001 Jan 2
		if !parts[2].num {
			return false
		}
		dt.month = monthOf(parts[1].text)
		year, dt.day = parts[2].text, num(parts[0])
		if len(parts[0].text) > 2 {
			year, dt.day = parts[0].text, num(parts[2])
		}
	case !parts[2].num:
		return false
	case len(parts[0].text) > 2: // 2001-01-02
		year, dt.month, dt.day = parts[0].text, num(parts[1]), num(parts[2])
	default: // 1/2/2001
		year, dt.month, dt.day = parts[2].text, num(parts[0]), num(parts[1])
	}
	y, err := strconv.ParseInt(year, 10, 32)
	switch {
	case err != nil:
		y = math.MinInt64
	case bc && y > 0:
		y = 1 - y
	case y == 0 && (bc || len(year) > 2):
		y = math.MinInt64 // there is no year 0
	case len(year) <= 2 && y < 70:
		y += 2000
	case len(year) <= 2:
		y += 1900
	}
	dt.year = y
	return true
}
