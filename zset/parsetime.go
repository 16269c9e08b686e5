package zset

import "strings"

// ValidTime reports whether microseconds since midnight are a TIME; a whole day
// is one, 24:00:00.
func ValidTime(us int64) bool { return us >= 0 && us <= usPerDay }

// parseTime reads hh:mm[:ss[.fraction]] [AM|PM], hhmmss, a T before, a date and a
// blank before and a zone after, which do not count. 2024-000 is 20:24 in a zone.
func parseTime(s string) (int64, error) {
	rest := trimSpace(s)
	if strings.EqualFold(rest, "allballs") {
		return 0, nil
	}
	if len(rest) > 1 && rest[0]|0x20 == 't' && isDigit(rest[1]) {
		rest = rest[1:]
	}
	switch digits := span(rest, isDigit); {
	case timeAhead(rest):
	case len(digits) == 6 && (len(rest) == 6 || strings.IndexByte(".Zz ", rest[6]) >= 0 || zoned(rest[6:])):
		rest = rest[:2] + ":" + rest[2:4] + ":" + rest[4:]
	case len(digits) == 4 && len(rest) == 4:
		rest = rest[:2] + ":" + rest[2:4]
	case len(digits) > 0 && zoned(rest[len(digits):]) && (len(digits) == 4 || rest[len(digits)] == '-') && zoneTooLarge(rest[len(digits):]):
		return 0, Errorf("22009", -1, "time zone displacement out of range: \"%s\"", s)
	case len(digits) == 4 && zoned(rest[4:]):
		rest = rest[:2] + ":" + rest[2:4]
	default:
		dt, err := parseDateTime(s, TTime)
		if err != nil {
			return 0, err
		}
		if !dt.timed {
			return 0, errSyntax(TTime, s)
		}
		return dt.clock, nil
	}
	var dt dateTime
	rest, err := dt.readClock(rest, s, TTime)
	if err != nil {
		return 0, err
	}
	switch rest = strings.TrimLeft(rest, " "); {
	case rest == "":
	case rest[0] == '+' || rest[0] == '-':
		n := zoneLen(rest)
		if n == 0 || n < len(rest) {
			return 0, errSyntax(TTime, s)
		}
		if _, err := zoneOffset(rest, s); err != nil {
			return 0, err
		}
	default:
		word := strings.ToLower(rest)
		if _, ok := abbreviations(word); !ok && word != "bc" && word != "ad" {
			return 0, errSyntax(TTime, s)
		}
	}
	return dt.clock, nil
}

// zoned reports whether s is an offset and nothing else: a sign, digits, perhaps a colon.
func zoned(s string) bool {
	if s == "" || s[0] != '+' && s[0] != '-' {
		return false
	}
	n := len(span(s[1:], isDigit)) + 1
	return n > 1 && n < 6 && n == len(s) || zoneLen(s) == len(s)
}
