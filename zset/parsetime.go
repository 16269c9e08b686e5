package zset

import "strings"

// ValidTime reports whether microseconds since midnight are a TIME; a whole day
// is one, 24:00:00.
func ValidTime(us int64) bool { return us >= 0 && us <= usPerDay }

// parseTime reads hh:mm[:ss[.fraction]] [AM|PM], hhmmss, a T before, a date
// before and a zone after, which do not count.
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
	case len(digits) == 6 && (len(rest) == 6 || strings.IndexByte(".+-Zz ", rest[6]) >= 0):
		rest = rest[:2] + ":" + rest[2:4] + ":" + rest[4:]
	case len(digits) == 4 && len(rest) == 4:
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
		if _, ok := abbreviations(strings.ToLower(rest)); !ok {
			return 0, errSyntax(TTime, s)
		}
	}
	return dt.clock, nil
}
