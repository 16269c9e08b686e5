package expr

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// charFuncs are to_char of moments and intervals.
func charFuncs() []Func {
	const t, ts, tz, iv = zset.Text, zset.Timestamp, zset.TimestampTZ, zset.Interval
	plain := raising("to_char", t, func(f *frame, i int) { f.putChars(i, charPieces(string(f.b(1, i))), f.i(0, i)) }, ts, t)
	plain.bind = func(consts []*zset.Value) rowFunc {
		if consts[1] == nil {
			return nil
		}
		pieces := charPieces(consts[1].S)
		return func(f *frame, i int) { f.putChars(i, pieces, f.i(0, i)) }
	}
	span := raising("to_char", t, func(f *frame, i int) { f.putSpanChars(i, charPieces(string(f.b(1, i)))) }, iv, t)
	span.bind = func(consts []*zset.Value) rowFunc {
		if consts[1] == nil {
			return nil
		}
		pieces := charPieces(consts[1].S)
		return func(f *frame, i int) { f.putSpanChars(i, pieces) }
	}
	zoned := zonedFunc(raising("to_char", t, nil, tz, t), func(f *frame, i int, z *zset.Zone) {
		f.putChars(i, charPieces(string(f.b(1, i))), f.local(i, f.i(0, i), z))
	})
	zoned.bind = func(consts []*zset.Value) rowFunc {
		if consts[1] == nil || consts[2] == nil {
			return nil
		}
		z, err := zset.SessionZone(consts[2].S)
		if err != nil {
			return nil
		}
		pieces := charPieces(consts[1].S)
		return func(f *frame, i int) { f.putChars(i, pieces, f.local(i, f.i(0, i), z)) }
	}
	return []Func{plain, zoned, span}
}

// charPiece is a piece of a format: a field, or a text to be copied.
type charPiece struct {
	field  *charField
	text   string
	fill   bool   // FM: without padding
	suffix string // TH, th or none
	lacks  string // a pattern that is refused
}

// charPieces takes a format apart. A prefix that no field follows is dropped, as
// PostgreSQL does.
func charPieces(format string) []charPiece {
	var out []charPiece
	for s := format; s != ""; {
		var p charPiece
		switch {
		case strings.HasPrefix(s, "FM") || strings.HasPrefix(s, "fm"):
			p.fill, s = true, s[2:]
		case strings.HasPrefix(s, "TM") || strings.HasPrefix(s, "tm"):
			p.lacks, s = s[:2], s[2:]
		}
		name := charName(s)
		switch {
		case name != "":
			s = s[len(name):]
			p.field = charFields[name]
			if p.field == nil {
				p.lacks = name
			}
			if strings.HasPrefix(s, "TH") || strings.HasPrefix(s, "th") {
				p.suffix, s = s[:2], s[2:]
			} else if strings.HasPrefix(s, "SP") {
				p.lacks, s = "SP", s[2:]
			}
		case strings.HasPrefix(s, `"`):
			p.text, s = quotedChars(s[1:])
		case s != "":
			if strings.HasPrefix(s, `\"`) {
				s = s[1:]
			}
			_, w := utf8.DecodeRuneInString(s)
			p.text, s = s[:w], s[w:]
		}
		out = append(out, p)
	}
	return out
}

// quotedChars is the text up to the closing quote, and what comes behind that.
func quotedChars(s string) (text, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '"' {
			return b.String(), s[i+1:]
		}
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}

// charName is the longest name of a field that s begins with. Case counts.
func charName(s string) string {
	for n := min(len(s), 5); n > 0; n-- {
		if _, ok := charFields[s[:n]]; ok {
			return s[:n]
		}
	}
	return ""
}

// putChars writes a moment, as clocks show it; of an infinite one and with an
// empty format NULL.
func (f *frame) putChars(i int, pieces []charPiece, us int64) {
	if len(pieces) == 0 || infinite(us) {
		f.setNull(i)
		return
	}
	day, clock := zset.SplitTimestamp(us)
	m := moment{day: day}
	y, mon, dom := civil(day)
	m.year, m.month, m.dom = y, int64(mon), int64(dom)
	m.doy = day - zset.Days(y, 1, 1) + 1
	m.setClock(clock)
	f.putPieces(i, pieces, &m)
}

func (f *frame) putSpanChars(i int, pieces []charPiece) {
	if len(pieces) == 0 {
		f.setNull(i)
		return
	}
	v := f.interval(0, i)
	m := moment{span: true, year: int64(v.Months / 12), month: int64(v.Months % 12), dom: int64(v.Days)}
	m.doy = int64(v.Months)*30 + m.dom
	m.setClock(v.Micros)
	f.putPieces(i, pieces, &m)
}

func (f *frame) putPieces(i int, pieces []charPiece, m *moment) {
	for k := range pieces {
		p := &pieces[k]
		switch {
		case p.lacks != "":
			f.fail(i, "0A000", "format \""+p.lacks+"\" of to_char is not supported")
			return
		case p.field == nil:
			f.out.Buf = append(f.out.Buf, p.text...)
			continue
		case m.span && p.field.iso:
			f.fail(i, "0A000", "days and weeks of ISO 8601 in to_char of an interval are not supported")
			return
		case m.span && p.field.calendar:
			f.failWith(i, errSpanFormat)
			return
		}
		at := len(f.out.Buf)
		f.out.Buf = p.field.put(f.out.Buf, m, p.fill)
		if p.suffix != "" && p.field.number && len(f.out.Buf) > at {
			f.out.Buf = appendOrdinal(f.out.Buf, at, p.suffix)
		}
	}
}

var errSpanFormat = func() *zset.Error {
	e := zset.Errorf("22007", -1, "invalid format specification for an interval value")
	e.Hint = "Intervals are not tied to specific calendar dates."
	return e
}()

// appendOrdinal appends st, nd, rd or th to the number from at on.
func appendOrdinal(dst []byte, at int, suffix string) []byte {
	th := "th"
	n := len(dst)
	if !(n-at > 1 && dst[n-2] == '1') {
		switch dst[n-1] {
		case '1':
			th = "st"
		case '2':
			th = "nd"
		case '3':
			th = "rd"
		}
	}
	if suffix == "TH" {
		th = strings.ToUpper(th)
	}
	return append(dst, th...)
}

// appendWide appends v with zeros up to a width, in which a sign counts.
func appendWide(dst []byte, v int64, width int) []byte {
	if v < 0 {
		dst = append(dst, '-')
		v, width = -v, width-1
	}
	at := len(dst)
	dst = strconv.AppendInt(dst, v, 10)
	for n := len(dst) - at; n < width; n++ {
		dst = append(dst, '0')
		copy(dst[at+1:], dst[at:len(dst)-1])
		dst[at] = '0'
	}
	return dst
}
