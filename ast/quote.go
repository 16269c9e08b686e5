package ast

import (
	"strings"

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
				if escapes {
					s.checkEncoding(l)
				}
				return
			}
			buf = append(buf, s.src[run:i]...)
			i = next + 1
			run = i
		case c == '\\' && escapes:
			text, n, bad := unescape(s.src[i:])
			if bad != nil {
				s.failWith(bad, s.charsTo(i+bad.at))
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
		if n := len(s.errs); n > 0 && s.errs[n-1].Pos == l.pos {
			s.errs[n-1].Hint = "An empty string is written ''."
		}
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
