package expr

import (
	"strings"
)

// moment is what to_char writes: a date and a clock, or the parts of an interval.
type moment struct {
	span                    bool
	day                     int64 // since 1970; not of an interval
	year, month, dom, doy   int64 // the year 0 is 1 BC
	hour, minute, sec, fsec int64
}

func (m *moment) setClock(us int64) {
	m.hour, m.minute, m.sec, m.fsec = us/usHour, us/usMinute%60, us/usSecond%60, us%usSecond
}

// shownYear is without a sign for a date, and BC says the rest.
func (m *moment) shownYear(y int64) int64 {
	if !m.span && y <= 0 {
		return 1 - y
	}
	return y
}

// charField is a field of to_char.
type charField struct {
	number   bool // takes TH
	calendar bool // not of an interval
	iso      bool // of an interval PostgreSQL has one without meaning; refused
	put      func(dst []byte, m *moment, fill bool) []byte
}

// charFields are the fields by name; nil for those that are refused.
var charFields = func() map[string]*charField {
	t := map[string]*charField{}
	for _, name := range []string{"TZH", "TZM", "TZ", "OF", "RM", "FX"} {
		t[name], t[strings.ToLower(name)] = nil, nil
	}
	number := func(name string, calendar bool, width int, of func(m *moment) int64) {
		t[name] = &charField{number: true, calendar: calendar, put: func(dst []byte, m *moment, fill bool) []byte {
			v, w := of(m), width
			switch {
			case fill:
				w = 0
			case v < 0 && signed[name]:
				w++
			}
			return appendWide(dst, v, w)
		}}
		t[strings.ToLower(name)] = t[name]
	}
	hour12 := func(m *moment) int64 {
		if m.hour%12 == 0 {
			return 12
		}
		return m.hour % 12
	}
	number("HH12", false, 2, hour12)
	number("HH", false, 2, hour12)
	number("HH24", false, 2, func(m *moment) int64 { return m.hour })
	number("MI", false, 2, func(m *moment) int64 { return m.minute })
	number("SS", false, 2, func(m *moment) int64 { return m.sec })
	seconds := func(m *moment) int64 { return m.hour*3600 + m.minute*60 + m.sec }
	number("SSSS", false, 0, seconds)
	number("SSSSS", false, 0, seconds)
	number("MM", false, 2, func(m *moment) int64 { return m.month })
	number("DDD", false, 3, func(m *moment) int64 { return m.doy })
	number("DD", false, 2, func(m *moment) int64 { return m.dom })
	number("WW", false, 2, func(m *moment) int64 { return (m.doy-1)/7 + 1 })
	number("W", false, 0, func(m *moment) int64 { return (m.dom-1)/7 + 1 })
	number("D", true, 0, func(m *moment) int64 { return floorMod(m.day+4, 7) + 1 })
	number("ID", true, 0, func(m *moment) int64 { return floorMod(m.day+3, 7) + 1 })
	for width, name := range []string{1: "Y", 2: "YY", 3: "YYY", 4: "YYYY"} {
		if width == 0 {
			continue
		}
		cut := pow10[width]
		if width == 4 {
			cut = 1 << 62
		}
		number(name, false, width, func(m *moment) int64 { return m.shownYear(m.year) % cut })
	}
	number("CC", false, 2, func(m *moment) int64 {
		if m.span {
			return m.year / 100
		}
		return period(m.year, 100)
	})
	isoYear := func(m *moment) int64 { y, _ := isoWeek(m.day); return m.shownYear(y) }
	for name, put := range map[string]struct {
		width int
		of    func(m *moment) int64
	}{
		"IYYY": {4, isoYear}, "IYY": {3, func(m *moment) int64 { return isoYear(m) % 1000 }},
		"IY": {2, func(m *moment) int64 { return isoYear(m) % 100 }}, "I": {1, func(m *moment) int64 { return isoYear(m) % 10 }},
		"IW": {2, func(m *moment) int64 { _, w := isoWeek(m.day); return w }},
		"IDDD": {3, func(m *moment) int64 {
			_, w := isoWeek(m.day)
			return (w-1)*7 + floorMod(m.day+3, 7) + 1
		}},
		"J": {0, func(m *moment) int64 { return m.day + 2440588 }},
	} {
		number(name, false, put.width, put.of)
		t[name].iso = true
	}
	text := func(name string, f charField) { t[name] = &f }
	for width := 1; width <= 6; width++ {
		name := "FF" + string(rune('0'+width))
		f := charField{number: true, put: func(dst []byte, m *moment, _ bool) []byte {
			return appendWide(dst, m.fsec/pow10[6-width], width)
		}}
		text(name, f)
		text(strings.ToLower(name), f)
	}
	t["MS"], t["ms"], t["US"], t["us"] = t["FF3"], t["FF3"], t["FF6"], t["FF6"]
	text("Y,YYY", charField{number: true, put: func(dst []byte, m *moment, _ bool) []byte {
		y := m.shownYear(m.year)
		dst = append(appendWide(dst, y/1000, 0), ',')
		return appendWide(dst, y%1000, 3)
	}})
	t["y,yyy"] = t["Y,YYY"]
	number("Q", false, 0, func(m *moment) int64 { return (m.month-1)/3 + 1 })
	quarter := *t["Q"]
	text("Q", charField{number: true, put: func(dst []byte, m *moment, fill bool) []byte {
		if m.month == 0 {
			return dst
		}
		return quarter.put(dst, m, fill)
	}})
	t["q"] = t["Q"]
	addNames(t)
	return t
}()

// signed are the fields whose width does not count a sign.
var signed = map[string]bool{"HH12": true, "HH": true, "HH24": true, "MI": true, "SS": true, "MM": true, "CC": true, "YYYY": true, "YYY": true, "YY": true}

var (
	monthNames = strings.Fields("January February March April May June July August September October November December")
	dayNames   = strings.Fields("Sunday Monday Tuesday Wednesday Thursday Friday Saturday")
)

// addNames adds the fields that are words: in capitals, capitalised and small.
func addNames(t map[string]*charField) {
	words := func(name string, names []string, short bool, at func(m *moment) int64) {
		for k, spelling := range []string{name, name[:1] + strings.ToLower(name[1:]), strings.ToLower(name)} {
			cells := make([]string, len(names))
			for n, w := range names {
				if short {
					w = w[:3]
				}
				cells[n] = [](func(string) string){strings.ToUpper, strings.Clone, strings.ToLower}[k](w)
			}
			t[spelling] = &charField{calendar: true, put: func(dst []byte, m *moment, fill bool) []byte {
				w := cells[at(m)]
				dst = append(dst, w...)
				for n := len(w); !short && !fill && n < 9; n++ {
					dst = append(dst, ' ')
				}
				return dst
			}}
		}
	}
	words("MONTH", monthNames, false, func(m *moment) int64 { return m.month - 1 })
	words("MON", monthNames, true, func(m *moment) int64 { return m.month - 1 })
	words("DAY", dayNames, false, func(m *moment) int64 { return floorMod(m.day+4, 7) })
	words("DY", dayNames, true, func(m *moment) int64 { return floorMod(m.day+4, 7) })
	halves := func(first, second string, calendar bool, isSecond func(m *moment) bool) {
		for _, pair := range [][2]string{{first, second}, {strings.ToLower(first), strings.ToLower(second)}} {
			f := &charField{calendar: calendar, put: func(dst []byte, m *moment, _ bool) []byte {
				if isSecond(m) {
					return append(dst, pair[1]...)
				}
				return append(dst, pair[0]...)
			}}
			t[pair[0]], t[pair[1]] = f, f
		}
	}
	afternoon := func(m *moment) bool { return m.hour%24 >= 12 }
	halves("AM", "PM", false, afternoon)
	halves("A.M.", "P.M.", false, afternoon)
	before := func(m *moment) bool { return m.year <= 0 }
	halves("AD", "BC", true, before)
	halves("A.D.", "B.C.", true, before)
}
