package ast

import (
	"strings"
	"unicode/utf8"

	"github.com/ivmc/ivmc/grammar/gen"
)

// quotedString reads a string constant whose first quote is at byte open. Two
// constants with a line end between them are one.
func (s *scanner) quotedString(l *lexeme, open int, escapes bool) {
	l.kind = gen.IVMSTRING
	var buf []byte // used once there is more than one run of plain characters
	i := open + 1
	run := i
	for {
		if i >= len(s.src) {
			s.fail(codeSyntax, l.pos, "unterminated quoted string at or near \""+quoted(s.src[l.start:])+"\"")
			l.kind, l.end = gen.IVMBROKEN, len(s.src)
			return
		}
		switch c := s.src[i]; {
		case c == '\'' && s.at(i+1) == '\'':
			buf = append(buf, s.src[run:i+1]...)
			i += 2
			run = i
		case c == '\'':
			next := continued(s.src, i+1)
			if next < 0 {
				l.end = i + 1
				l.value = s.src[run:i]
				if buf != nil {
					l.value = string(append(buf, l.value...))
				}
				if escapes && !utf8.ValidString(l.value) {
					s.fail(codeBadEncoding, l.pos, "invalid byte sequence for encoding \"UTF8\" in a string with escapes")
					l.kind = gen.IVMBROKEN
				}
				return
			}
			buf = append(buf, s.src[run:i]...)
			i = next + 1
			run = i
		case c == '\\' && escapes:
			text, n, problem := unescape(s.src[i:])
			if problem != "" {
				s.fail(codeBadEscape, s.charsTo(i), problem)
			}
			buf = append(append(buf, s.src[run:i]...), text...)
			i += n
			run = i
		default:
			i++
		}
	}
}

// continued finds the quote that takes a string up again after byte off: only
// white space with a line end, and -- comments, may stand between. -1: none.
func continued(src string, off int) int {
	line := false
	for i := off; i < len(src); {
		switch c := src[i]; {
		case c == '\n' || c == '\r':
			line = true
			i++
		case isSpace(c):
			i++
		case c == '-' && strings.HasPrefix(src[i:], "--"):
			i = lineEnd(src, i)
		case line && c == '\'':
			return i
		default:
			return -1
		}
	}
	return -1
}

// unescape reads one backslash escape at the start of s. n is how many bytes it
// takes.
func unescape(s string) (text string, n int, problem string) {
	if len(s) < 2 {
		return "", 1, ""
	}
	switch c := s[1]; c {
	case 'b':
		return "\b", 2, ""
	case 'f':
		return "\f", 2, ""
	case 'n':
		return "\n", 2, ""
	case 'r':
		return "\r", 2, ""
	case 't':
		return "\t", 2, ""
	case 'x':
		v, k := baseDigits(s[2:], 16, 2)
		if k == 0 {
			return "x", 2, ""
		}
		return byteText(v, 2+k)
	case 'u', 'U':
		width := 4
		if c == 'U' {
			width = 8
		}
		v, k := baseDigits(s[2:], 16, width)
		if k < width || v == 0 || v > utf8.MaxRune || v >= 0xd800 && v <= 0xdfff {
			return "", 2, "invalid Unicode escape"
		}
		return string(rune(v)), 2 + width, ""
	case '0', '1', '2', '3', '4', '5', '6', '7':
		v, k := baseDigits(s[1:], 8, 3)
		return byteText(v&0xff, 1+k)
	}
	_, size := utf8.DecodeRuneInString(s[1:])
	return s[1 : 1+size], 1 + size, ""
}

func byteText(v, n int) (string, int, string) {
	if v == 0 {
		return "", n, "invalid byte sequence for encoding \"UTF8\": 0x00"
	}
	return string([]byte{byte(v)}), n, ""
}

func baseDigits(s string, base, most int) (v, n int) {
	for n < most && n < len(s) {
		d := 99
		switch c := s[n] | 0x20; {
		case isDigit(s[n]):
			d = int(s[n] - '0')
		case c >= 'a' && c <= 'f':
			d = int(c-'a') + 10
		}
		if d >= base {
			break
		}
		v = v*base + d
		n++
	}
	return v, n
}

// quotedIdent reads "..", where "" is one quote.
func (s *scanner) quotedIdent(l *lexeme) {
	l.kind = gen.IVMQIDENT
	i := s.off + 1
	for {
		j := strings.IndexByte(s.src[i:], '"')
		if j < 0 {
			s.fail(codeSyntax, l.pos, "unterminated quoted identifier at or near \""+quoted(s.src[l.start:])+"\"")
			l.kind, l.end = gen.IVMBROKEN, len(s.src)
			return
		}
		i += j + 1
		if s.at(i) != '"' {
			break
		}
		i++
	}
	l.end = i
	l.value = strings.ReplaceAll(s.src[s.off+1:i-1], `""`, `"`)
	if l.value == "" {
		s.fail(codeSyntax, l.pos, "zero-length delimited identifier at or near \"\"\"\"")
		l.kind = gen.IVMBROKEN
	}
}

// dollar reads a parameter $1 or a string $tag$..$tag$.
func (s *scanner) dollar(l *lexeme) {
	if isDigit(s.at(s.off + 1)) {
		l.kind = gen.IVMPARAM
		i := s.digits(s.off + 1)
		l.value = s.src[s.off+1 : i]
		s.junk(l, i, "trailing junk after parameter")
		return
	}
	i := s.off + 1
	if identStart(s.at(i)) {
		for i++; i < len(s.src) && identPart(s.src[i]) && s.src[i] != '$'; {
			i++
		}
	}
	if s.at(i) != '$' {
		l.kind, l.end = gen.IVMOTHER_SIGN, s.off+1
		return
	}
	tag := s.src[s.off : i+1]
	body := s.src[i+1:]
	j := strings.Index(body, tag)
	if j < 0 {
		s.fail(codeSyntax, l.pos, "unterminated dollar-quoted string at or near \""+quoted(s.src[l.start:])+"\"")
		l.kind, l.end = gen.IVMBROKEN, len(s.src)
		return
	}
	l.kind, l.value, l.end = gen.IVMSTRING, body[:j], i+1+j+len(tag)
}
