package session

import (
	"errors"
	"io"
	"strings"

	"github.com/ivmc/ivmc/ast"
)

// Script reads statements from a stream as they arrive: a statement is handed
// out when its semicolon was read, without waiting for what follows.
type Script struct {
	r         io.Reader
	buf       []byte // read and not handed out; begins behind a semicolon
	off       int    // bytes of buf that the lexer has seen
	lex       semicolons
	line, col int // of buf[0], from 1
	ready     []ast.Piece
	err       error
	chunk     []byte
}

// NewScript returns a script that reads from r.
func NewScript(r io.Reader) *Script {
	return &Script{r: r, line: 1, col: 1, chunk: make([]byte, 64<<10)}
}

// Next returns the next statement with its place in the stream, or [io.EOF]. A
// last statement needs no semicolon. An error of the reader is handed out once,
// behind the statements that are complete; another call reads on.
func (s *Script) Next() (ast.Piece, error) {
	for {
		if p, ok := s.Take(); ok {
			return p, nil
		}
		if s.err != nil {
			if !errors.Is(s.err, io.EOF) {
				err := s.err
				s.err = nil
				return ast.Piece{}, err // a statement that was cut short is not run
			}
			if len(s.buf) == 0 {
				return ast.Piece{}, s.err
			}
			s.cut(len(s.buf))
			continue
		}
		n, err := s.r.Read(s.chunk)
		s.buf = append(s.buf, s.chunk[:n]...)
		if err != nil {
			s.err = err
		}
	}
}

// Feed adds text that was read elsewhere.
func (s *Script) Feed(text string) { s.buf = append(s.buf, text...) }

// Take returns the next statement of what was read so far, if one is complete.
func (s *Script) Take() (ast.Piece, bool) {
	for len(s.ready) == 0 {
		n := s.lex.end(s.buf[s.off:])
		if n < 0 {
			s.off = len(s.buf)
			return ast.Piece{}, false
		}
		s.cut(s.off + n)
	}
	p := s.ready[0]
	s.ready = s.ready[1:]
	return p, true
}

// Open is what a semicolon would not end at the place that was read to: a quote
// (its character), a comment ('*', or '-' up to the line's end), or 0.
func (s *Script) Open() byte {
	return [...]byte{lexPlain: 0, lexString: '\'', lexEscapes: '\'', lexEscaped: '\'', lexIdent: '"', lexLine: '-', lexBlock: '*', lexTag: 0, lexDollar: '$'}[s.lex.state]
}

// Pending is what Rest would take.
func (s *Script) Pending() string { return string(s.buf) }

// Rest takes what was read of a statement that has no semicolon yet.
func (s *Script) Rest() string {
	text := string(s.buf)
	s.moved(text)
	s.buf, s.off, s.lex = s.buf[:0], 0, semicolons{}
	return text
}

// Partial reports whether what was read ends within a statement.
func (s *Script) Partial() bool { return len(strings.TrimSpace(string(s.buf))) > 0 }

// cut makes pieces of the first n bytes of the buffer.
func (s *Script) cut(n int) {
	text := string(s.buf[:n])
	for _, p := range ast.Split(text) {
		if p.Line == 1 {
			p.Col += s.col - 1
		}
		p.Line += s.line - 1
		s.ready = append(s.ready, p)
	}
	s.moved(text)
	s.buf = append(s.buf[:0], s.buf[n:]...)
	s.off = 0
	s.lex = semicolons{}
}

// moved counts a text that leaves the buffer.
func (s *Script) moved(text string) {
	line, col := ast.LineCol(text, ast.Pos(len(text)))
	if line == 1 {
		col += s.col - 1
	}
	s.line, s.col = s.line+line-1, col
}

// semicolons finds the semicolon that ends a statement, in one pass over a text
// that comes in parts. It only knows what can hide a semicolon.
type semicolons struct {
	state lexState
	depth int    // of /* comments
	tag   []byte // of a dollar quote, with both dollars
	tail  []byte // the last bytes of a dollar quote's body, as many as tag
	word  int    // length of the word that ends here
	num   numState
	last  byte // the byte before, in its lower case
}

// numState tells a number from a word: behind a number a dollar opens a quote,
// within a word it is a part. Stranger numbers than 1 and 1e5 (1.e5) are taken
// for words; a dollar behind one is an error whichever way it is cut.
type numState uint8

const (
	notNumber numState = iota
	numDigits
	numExponent // 1e
	numPower    // 1e5
)

func (n numState) next(c byte, first bool) numState {
	digit := c >= '0' && c <= '9'
	switch {
	case digit && (first || n == numDigits):
		return numDigits
	case n == numDigits && c|0x20 == 'e':
		return numExponent
	case digit && n >= numExponent:
		return numPower
	}
	return notNumber
}

type lexState uint8

const (
	lexPlain lexState = iota
	lexString
	lexEscapes // E'..'
	lexEscaped // behind a backslash
	lexIdent
	lexLine
	lexBlock
	lexTag // between the dollars of an opening tag
	lexDollar
)

// end returns how many bytes of b belong to the statement, its semicolon
// included, or -1 if it goes on.
func (s *semicolons) end(b []byte) int {
	for i, c := range b {
		if s.step(c) {
			return i + 1
		}
	}
	return -1
}

func (s *semicolons) step(c byte) (done bool) {
	last := s.last
	s.last = c
	switch s.state {
	case lexPlain:
		return s.plain(c, last)
	case lexString:
		if c == '\'' {
			s.state = lexPlain
		}
	case lexEscapes:
		switch c {
		case '\'':
			s.state = lexPlain
		case '\\':
			s.state = lexEscaped
		}
	case lexEscaped:
		s.state = lexEscapes
	case lexIdent:
		if c == '"' {
			s.state = lexPlain
		}
	case lexLine:
		if c == '\n' || c == '\r' {
			s.state = lexPlain
		}
	case lexBlock:
		s.block(c, last)
	case lexTag:
		return s.openTag(c)
	case lexDollar:
		s.tail = append(s.tail, c)
		if n := len(s.tail) - len(s.tag); n > 0 {
			s.tail = append(s.tail[:0], s.tail[n:]...)
		}
		if c == '$' && string(s.tail) == string(s.tag) {
			s.state = lexPlain
		}
	}
	return false
}

func (s *semicolons) plain(c, last byte) (done bool) {
	word := s.word
	s.word = 0
	switch {
	case c == ';':
		return true
	case c == '\'':
		s.state = lexString
		if word == 1 && last|0x20 == 'e' {
			s.state = lexEscapes
		}
	case c == '"':
		s.state = lexIdent
	case c == '-' && last == '-':
		s.state = lexLine
	case c == '*' && last == '/':
		s.state, s.depth, s.last = lexBlock, 1, 0
	case c == '$' && (word == 0 || s.num == numDigits || s.num == numPower):
		s.state, s.tag = lexTag, append(s.tag[:0], c)
	case wordByte(c):
		s.word = word + 1
		s.num = s.num.next(c, word == 0)
	}
	return false
}

func (s *semicolons) block(c, last byte) {
	switch {
	case c == '/' && last == '*':
		s.depth--
		s.last = 0
	case c == '*' && last == '/':
		s.depth++
		s.last = 0
	}
	if s.depth == 0 {
		s.state = lexPlain
	}
}

// openTag reads $tag$; anything else there is no quote, and is read again.
func (s *semicolons) openTag(c byte) (done bool) {
	digit := c >= '0' && c <= '9'
	switch {
	case c == '$':
		s.tag = append(s.tag, c)
		s.state, s.tail = lexDollar, s.tail[:0]
		return false
	case wordByte(c) && !(digit && len(s.tag) == 1):
		s.tag = append(s.tag, c)
		return false
	}
	s.state, s.word, s.num = lexPlain, len(s.tag)-1, notNumber
	last := byte('$')
	if n := len(s.tag); n > 1 {
		last = s.tag[n-1]
	}
	return s.plain(c, last)
}

func wordByte(c byte) bool {
	return c >= 0x80 || c == '_' || c == '$' || c >= '0' && c <= '9' || strings.IndexByte("abcdefghijklmnopqrstuvwxyz", c|0x20) >= 0
}
