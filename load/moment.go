package load

import (
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// momentKinds are the types of dates and times that keep s: 2001-01-31 or
// 2001/1/31, perhaps with a time of day behind a blank or a T, perhaps with an
// offset, Z, UTC or GMT behind that. Names of other zones are ambiguous; 24:00, a
// second 60 and what is finer than a microsecond would come back as something else.
func momentKinds(s string) kinds {
	rest, ok := day(s)
	switch {
	case !ok:
		return 0
	case rest == "":
		if !parses(zset.TDate, s) {
			return 0
		}
		if !parses(zset.TTimestamp, s) {
			return asDate
		}
		return asDate | asTimestamp
	}
	if rest[0] != ' ' && rest[0]|0x20 != 't' {
		return 0
	}
	rest, ok = clock(rest[1:])
	if !ok {
		return 0
	}
	switch zone := strings.TrimPrefix(rest, " "); {
	case rest == "", strings.EqualFold(zone, "AM"), strings.EqualFold(zone, "PM"):
		if parses(zset.TTimestamp, s) {
			return asTimestamp
		}
	case zone == "":
	case zone[0] == '+', zone[0] == '-', strings.EqualFold(zone, "Z"), strings.EqualFold(zone, "UTC"), strings.EqualFold(zone, "GMT"):
		if strings.Trim(zone[1:], "0123456789:") != "" && strings.ContainsAny(zone[:1], "+-") {
			return 0
		}
		if parses(zset.TTimestampTZ, s) {
			return asTimestampTZ
		}
	}
	return 0
}

// day reads a date: four digits, then twice the same sign and one or two digits.
func day(s string) (rest string, ok bool) {
	if len(s) < 8 || len(digitsOf(s)) != 4 || s[4] != '-' && s[4] != '/' {
		return "", false
	}
	sign := s[4]
	month := digitsOf(s[5:])
	if rest = s[5+len(month):]; len(month) < 1 || len(month) > 2 || rest == "" || rest[0] != sign {
		return "", false
	}
	d := digitsOf(rest[1:])
	return rest[1+len(d):], len(d) == 1 || len(d) == 2
}

// clock reads a time of day: hh:mm, then perhaps seconds and a fraction of them.
func clock(s string) (rest string, ok bool) {
	hour := digitsOf(s)
	if len(hour) < 1 || len(hour) > 2 || len(hour) == 2 && hour > "23" {
		return "", false
	}
	rest = s[len(hour):]
	for range 2 {
		if !strings.HasPrefix(rest, ":") {
			break
		}
		d := digitsOf(rest[1:])
		if len(d) != 2 || d > "59" {
			return "", false
		}
		ok, rest = true, rest[3:]
	}
	if ok && strings.HasPrefix(rest, ".") {
		d := digitsOf(rest[1:])
		rest = rest[1+len(d):]
		ok = d != "" && len(strings.TrimRight(d, "0")) <= 6
	}
	return rest, ok
}

func parses(t zset.Type, s string) bool {
	_, err := zset.ParseText(t, s)
	return err == nil
}
