package zset

import "strings"

// posixZone reads a zone as POSIX writes it without daylight saving: a name,
// which may be empty or stand in <>, and an offset [+-]h[:mm[:ss]] to the west. ok is
// false for what is no such zone; rule says that one follows that PostgreSQL reads
// on as a rule of daylight saving.
func posixZone(name string) (off int, rule, ok bool) {
	s := strings.TrimPrefix(name, ":")
	if rest, quoted := strings.CutPrefix(s, "<"); quoted {
		_, after, closed := strings.Cut(rest, ">")
		if !closed {
			return 0, false, false
		}
		s = after
	} else {
		s = s[len(s)-len(strings.TrimLeftFunc(s, func(r rune) bool { return r != '+' && r != '-' && r != ',' && (r < '0' || r > '9') })):]
	}
	sign := -1
	switch {
	case strings.HasPrefix(s, "-"):
		sign, s = 1, s[1:]
	case strings.HasPrefix(s, "+"):
		s = s[1:]
	}
	for k, most := range []int{167, 59, 60} { // hours of a week, as in PostgreSQL
		if k > 0 {
			if !strings.HasPrefix(s, ":") {
				break
			}
			s = s[1:]
		}
		n, digits := 0, 0
		for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' && n <= most {
			n = 10*n + int(s[digits]-'0')
			digits++
		}
		if digits == 0 || n > most {
			return 0, false, false
		}
		s = s[digits:]
		off += n * [3]int{3600, 60, 1}[k]
	}
	return sign * off, s != "", s == ""
}
