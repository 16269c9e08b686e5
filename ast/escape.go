package ast

import (
	"strings"
	"unicode/utf8"

	"github.com/ivmc/ivmc/grammar/gen"
)

// badEscape is what is wrong with an escape. at is the byte it is wrong at,
// from the start of the escape.
type badEscape struct {
	code, message, hint string
	at                  int
}

func (s *scanner) failWith(bad *badEscape, pos Pos) {
	if n := len(s.errs); n < maxErrors {
		s.fail(bad.code, pos, bad.message)
		s.errs[n].Hint = bad.hint
	}
}

// checkEncoding finds bytes written as escapes that make no text.
func (s *scanner) checkEncoding(l *lexeme) {
	for i := 0; i < len(l.value); {
		r, size := utf8.DecodeRuneInString(l.value[i:])
		if r == utf8.RuneError && size <= 1 {
			s.fail(codeBadEncoding, l.pos, "invalid byte sequence for encoding \"UTF8\": 0x"+lower(hexByte(l.value[i])))
			l.kind = gen.IVMBROKEN
			return
		}
		i += size
	}
}

// simpleEscapes are the escapes of one letter.
var simpleEscapes = map[byte]string{'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t"}

// unescape reads one backslash escape of E'..' at the start of s. n is how many
// bytes it takes. Two escapes that make one character are read as one.
func unescape(s string) (text string, n int, bad *badEscape) {
	if len(s) < 2 {
		return "", 1, nil
	}
	c := s[1]
	if text, ok := simpleEscapes[c]; ok {
		return text, 2, nil
	}
	switch c {
	case 'x':
		v, k := baseDigits(s[2:], 16, 2)
		if k == 0 {
			return "x", 2, nil
		}
		return byteText(v, 2+k)
	case 'u', 'U':
		return backslashU.read(s)
	case '0', '1', '2', '3', '4', '5', '6', '7':
		v, k := baseDigits(s[1:], 8, 3)
		return byteText(v&0xff, 1+k)
	}
	_, size := utf8.DecodeRuneInString(s[1:])
	return s[1 : 1+size], 1 + size, nil
}

func byteText(v, n int) (string, int, *badEscape) {
	if v == 0 {
		return "", n, &badEscape{code: codeBadEncoding, message: "invalid byte sequence for encoding \"UTF8\": 0x00"}
	}
	return string([]byte{byte(v)}), n, nil
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

// codePoints is a way to write characters as numbers.
type codePoints struct {
	// code reads one number: how many bytes it takes; 0: this is no escape, -1:
	// its digits are wrong.
	code      func(s string) (v, n int)
	malformed string // the code of wrong digits
	hint      string
	near      bool // the messages repeat the text
}

// backslashU is \uXXXX and \UXXXXXXXX.
var backslashU = codePoints{malformed: codeBadEscape, near: true, hint: "Unicode escapes must be \\uXXXX or \\UXXXXXXXX.",
	code: func(s string) (int, int) {
		if len(s) < 2 || s[0] != '\\' || s[1] != 'u' && s[1] != 'U' {
			return 0, 0
		}
		width := 4
		if s[1] == 'U' {
			width = 8
		}
		v, k := baseDigits(s[2:], 16, width)
		if k < width {
			return 0, -1
		}
		return v, 2 + k
	}}

// ampersand is \XXXX and \+XXXXXX of U&'..', with another sign in place of the backslash.
func ampersand(sign byte) codePoints {
	return codePoints{malformed: codeSyntax, hint: "Unicode escapes must be \\XXXX or \\+XXXXXX.",
		code: func(s string) (int, int) {
			if len(s) == 0 || s[0] != sign {
				return 0, 0
			}
			from, width := 1, 4
			if len(s) > 1 && s[1] == '+' {
				from, width = 2, 6
			}
			v, k := baseDigits(s[from:], 16, width)
			if k < width {
				return 0, -1
			}
			return v, from + k
		}}
}

// read reads the character at the start of s, of one number or of a pair of surrogates.
func (c codePoints) read(s string) (text string, n int, bad *badEscape) {
	v, n := c.code(s)
	high := v >= 0xd800 && v <= 0xdbff
	switch {
	case n < 0:
		return "", 2, &badEscape{code: c.malformed, message: "invalid Unicode escape", hint: c.hint}
	case v == 0 || v > utf8.MaxRune:
		return "", n, c.wrong("value", 0, s[:n])
	case v >= 0xdc00 && v <= 0xdfff:
		return "", n, c.wrong("pair", 0, s[:n])
	case !high:
		return string(rune(v)), n, nil
	}
	low, k := c.code(s[n:])
	if k <= 0 || low < 0xdc00 || low > 0xdfff {
		follows := s[n:]
		if k > 0 {
			follows = follows[:k]
		} else if follows != "" {
			_, size := utf8.DecodeRuneInString(follows)
			follows = follows[:size]
		}
		return "", n, c.wrong("pair", n, follows)
	}
	return string(rune((v-0xd800)<<10 + (low - 0xdc00) + 0x10000)), n + k, nil
}

func (c codePoints) wrong(what string, at int, text string) *badEscape {
	e := &badEscape{code: codeSyntax, at: at, message: "invalid Unicode escape value"}
	if what == "pair" {
		e.message = "invalid Unicode surrogate pair"
	}
	if c.near {
		e.message += " at or near \"" + text + "\""
	}
	return e
}

// unicodeQuotes reads U&'..' and U&".." with the UESCAPE that may follow.
func (s *scanner) unicodeQuotes(l *lexeme) {
	inner := *s
	inner.move(s.off + 2)
	if s.src[inner.off] == '\'' {
		inner.quotedString(l, inner.off, false)
	} else {
		inner.quotedIdent(l)
	}
	s.errs = inner.errs
	if l.kind == gen.IVMBROKEN {
		return
	}
	quote := s.src[inner.off]
	behind := l.end
	sign := s.uescape(l)
	if sign == 0 {
		return
	}
	points := ampersand(sign)
	var out strings.Builder
	for i := 0; i < len(l.value); {
		rest := l.value[i:]
		switch {
		case rest[0] != sign:
			out.WriteByte(rest[0])
			i++
			continue
		case len(rest) > 1 && rest[1] == sign:
			out.WriteByte(sign)
			i += 2
			continue
		}
		text, n, bad := points.read(rest)
		if bad != nil {
			read := l.value[:i+bad.at]
			doubled := strings.Count(read, string(rune(quote)))
			s.failWith(bad, s.charsTo(min(behind, inner.off+1+len(read)+doubled)))
			return
		}
		out.WriteString(text)
		i += n
	}
	l.value = out.String()
}

// uescape reads UESCAPE 'c' behind l, which it then belongs to. 0: it is wrong.
func (s *scanner) uescape(l *lexeme) byte {
	// Not by next, which would come back here for U&'..' U&'..' and so on.
	peek := scanner{src: s.src, off: s.off, tail: s.tail}
	peek.move(l.end)
	if !peek.skipBlank() || lower(peek.plainWord()) != "uescape" {
		return '\\'
	}
	peek.move(peek.off + len("uescape"))
	if !peek.skipBlank() {
		return '\\'
	}
	str := lexeme{start: peek.off, pos: peek.charsTo(peek.off)}
	if peek.at(peek.off) != '\'' {
		near := " at end of input"
		if text := peek.plainWord(); text != "" {
			near = " at or near \"" + quoted(text) + "\""
		}
		s.fail(codeSyntax, str.pos, "UESCAPE must be followed by a simple string literal"+near)
		return 0
	}
	peek.quotedString(&str, peek.off, false)
	l.end = str.end
	if str.kind != gen.IVMSTRING || len(str.value) != 1 || strings.ContainsAny(str.value, "0123456789abcdefABCDEF+'\" \t\n\r\f\v") {
		s.fail(codeSyntax, str.pos, "invalid Unicode escape character at or near \""+quoted(s.src[str.start:str.end])+"\"")
		return 0
	}
	return str.value[0]
}

// plainWord is the run of letters and digits that comes next.
func (s *scanner) plainWord() string {
	end := s.off
	for end < len(s.src) && identPart(s.src[end]) {
		end++
	}
	return s.src[s.off:end]
}
