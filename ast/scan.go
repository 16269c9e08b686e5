package ast

import (
	"strings"
	"unicode/utf8"

	"github.com/antlr4-go/antlr/v4"

	"github.com/ivmc/ivmc/grammar/gen"
)

// lexeme is one word of a text. start and end are bytes, pos is in characters.
type lexeme struct {
	kind       int
	start, end int
	pos        Pos
	value      string // an identifier folded, a string without quotes and escapes, else the word in lower case or as written
}

// scanner cuts a text into lexemes as PostgreSQL's does. It is a value: a copy
// is a place to come back to. It never fails: what it cannot read is a lexeme
// of kind BROKEN and an Error in errs.
type scanner struct {
	src  string
	off  int // byte of the next lexeme
	tail int // bytes before off that continue a character: off-tail counts characters
	errs Errors
}

// charsTo gives the character offset of byte end, which is not before off.
func (s *scanner) charsTo(end int) Pos {
	return Pos(end - s.tail - continuations(s.src[s.off:end]))
}

func continuations(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i]&0xc0 == 0x80 {
			n++
		}
	}
	return n
}

// move goes on to byte end.
func (s *scanner) move(end int) {
	s.tail += continuations(s.src[s.off:end])
	s.off = end
}

func (s *scanner) fail(code string, pos Pos, message string) {
	if len(s.errs) < maxErrors {
		s.errs = append(s.errs, &Error{Code: code, Message: message, Pos: pos})
	}
}

// next reads one lexeme; at the end of the text, and ever after, one of kind
// EOF that stands behind the last lexeme.
func (s *scanner) next() lexeme {
	behind, pos := s.off, s.charsTo(s.off)
	if !s.skipBlank() {
		start, at := s.off, s.charsTo(s.off)
		s.fail(codeSyntax, at, "unterminated /* comment at or near \""+quoted(s.src[start:])+"\"")
		s.move(len(s.src))
		return lexeme{kind: gen.IVMBROKEN, start: start, end: len(s.src), pos: at}
	}
	if s.off >= len(s.src) {
		return lexeme{kind: antlr.TokenEOF, start: behind, end: behind, pos: pos}
	}
	l := lexeme{start: s.off, pos: s.charsTo(s.off)}
	c := s.src[s.off]
	switch {
	case c == '\'':
		s.quotedString(&l, s.off, false)
	case c == '"':
		s.quotedIdent(&l)
	case c == '$':
		s.dollar(&l)
	case isDigit(c), c == '.' && isDigit(s.at(s.off+1)):
		s.number(&l)
	case identStart(c):
		s.word(&l)
	case isOperator(c):
		s.operator(&l)
	default:
		s.punctuation(&l, c)
	}
	s.move(l.end)
	return l
}

// at gives byte i, or 0 behind the end.
func (s *scanner) at(i int) byte {
	if i < len(s.src) {
		return s.src[i]
	}
	return 0
}

// skipBlank goes over white space and comments. It stops at a comment without
// an end and says false.
func (s *scanner) skipBlank() bool {
	for s.off < len(s.src) {
		c := s.src[s.off]
		switch {
		case isSpace(c):
			s.off++
		case s.off == 0 && strings.HasPrefix(s.src, "\ufeff"):
			s.move(len("\ufeff"))
		case c == '-' && s.at(s.off+1) == '-':
			s.move(lineEnd(s.src, s.off))
		case c == '/' && s.at(s.off+1) == '*':
			end := commentEnd(s.src, s.off)
			if end < 0 {
				return false
			}
			s.move(end)
		default:
			return true
		}
	}
	return true
}

func lineEnd(src string, off int) int {
	if i := strings.IndexAny(src[off:], "\r\n"); i >= 0 {
		return off + i
	}
	return len(src)
}

// commentEnd finds the end of the comment that opens at off; comments nest.
// -1 says that there is none.
func commentEnd(src string, off int) int {
	depth := 0
	for i := off; i+1 < len(src); {
		switch {
		case src[i] == '/' && src[i+1] == '*':
			depth++
			i += 2
		case src[i] == '*' && src[i+1] == '/':
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return -1
}

func (s *scanner) word(l *lexeme) {
	end := s.off + 1
	for end < len(s.src) && identPart(s.src[end]) {
		end++
	}
	l.end = end
	text := s.src[s.off:end]
	if s.at(end) == '\'' && len(text) == 1 {
		switch text[0] | 0x20 {
		case 'e':
			s.quotedString(l, end, true)
			return
		case 'b', 'x', 'n':
			s.fail(codeUnsupported, l.pos, "bit string and national character constants are not supported")
			s.quotedString(l, end, false)
			l.kind = gen.IVMBROKEN
			return
		}
	}
	if (text == "u" || text == "U") && s.at(end) == '&' && (s.at(end+1) == '\'' || s.at(end+1) == '"') {
		s.unicodeQuotes(l)
		return
	}
	l.value = lower(text)
	if kind, ok := keyword(l.value); ok {
		l.kind = kind
	} else {
		l.kind = gen.IVMIDENT
	}
}

// lower folds as PostgreSQL does in UTF-8: the letters of ASCII only.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}

// number reads 1, 1.5, .5, 1. and 1e10. Two dots after digits are not its own.
func (s *scanner) number(l *lexeme) {
	i := s.digits(s.off)
	if s.at(i) == '.' && s.at(i+1) != '.' {
		i = s.digits(i + 1)
	}
	if c := s.at(i); c == 'e' || c == 'E' {
		j := i + 1
		if c := s.at(j); c == '+' || c == '-' {
			j++
		}
		if isDigit(s.at(j)) {
			i = s.digits(j)
		}
	}
	l.kind, l.value = gen.IVMNUMBER, s.src[s.off:i]
	s.junk(l, i, "trailing junk after numeric literal")
}

// junk ends a number or parameter at i, or complains of the word that sticks to it.
func (s *scanner) junk(l *lexeme, i int, message string) {
	l.end = i
	if !identStart(s.at(i)) {
		return
	}
	for l.end < len(s.src) && identPart(s.src[l.end]) {
		l.end++
	}
	s.fail(codeSyntax, l.pos, message+" at or near \""+quoted(s.src[l.start:l.end])+"\"")
	l.kind = gen.IVMBROKEN
}

func (s *scanner) digits(i int) int {
	for isDigit(s.at(i)) {
		i++
	}
	return i
}

// operatorKinds are the operators that the grammar knows.
var operatorKinds = map[string]int{
	"+": gen.IVMPLUS, "-": gen.IVMMINUS, "*": gen.IVMSTAR, "/": gen.IVMSLASH, "%": gen.IVMPERCENT, "^": gen.IVMCARET,
	"||": gen.IVMCONCAT, "=": gen.IVMEQ, "<>": gen.IVMNE, "!=": gen.IVMNE,
	"<": gen.IVMLT, "<=": gen.IVMLE, ">": gen.IVMGT, ">=": gen.IVMGE,
}

// operator reads the longest run of operator characters that PostgreSQL would:
// a comment ends it, and a last + or - is the next operand's sign unless one of
// ~!@#%^&|` ? stands before it.
func (s *scanner) operator(l *lexeme) {
	end := s.off
	for end < len(s.src) && isOperator(s.src[end]) {
		two := s.src[end:min(end+2, len(s.src))]
		if end > s.off && (two == "--" || two == "/*") {
			break
		}
		end++
	}
	text := s.src[s.off:end]
	if !strings.ContainsAny(text, "~!@#%^&|`?") {
		for len(text) > 1 && (text[len(text)-1] == '+' || text[len(text)-1] == '-') {
			text = text[:len(text)-1]
		}
	}
	l.end = s.off + len(text)
	kind, ok := operatorKinds[text]
	if !ok {
		kind = gen.IVMOTHER_OPERATOR
	}
	if text == "!=" {
		text = "<>"
	}
	l.kind, l.value = kind, text
}

func (s *scanner) punctuation(l *lexeme, c byte) {
	l.end = s.off + 1
	switch c {
	case '(':
		l.kind = gen.IVMLPAREN
	case ')':
		l.kind = gen.IVMRPAREN
	case ',':
		l.kind = gen.IVMCOMMA
	case ';':
		l.kind = gen.IVMSEMI
	case '.':
		l.kind = gen.IVMDOT
	case ':':
		if s.at(s.off+1) == ':' {
			l.kind, l.end = gen.IVMTYPECAST, s.off+2
			break
		}
		l.kind = gen.IVMCOLON
	case '[':
		l.kind = gen.IVMLBRACKET
	case ']':
		l.kind = gen.IVMRBRACKET
	case '{', '}', '\\':
		l.kind = gen.IVMOTHER_SIGN
	default:
		l.kind = gen.IVMBROKEN
		s.fail(codeSyntax, l.pos, "invalid character U+00"+hexByte(c)+" outside quotes")
	}
}

func hexByte(c byte) string {
	const digits = "0123456789ABCDEF"
	return string([]byte{digits[c>>4], digits[c&15]})
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func identStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

func identPart(c byte) bool { return identStart(c) || isDigit(c) || c == '$' }

func isOperator(c byte) bool {
	return c < utf8.RuneSelf && strings.IndexByte("+-*/<>=~!@#%^&|`?", c) >= 0
}
