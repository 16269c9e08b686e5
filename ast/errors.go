package ast

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// The SQLSTATEs of this package.
const (
	codeSyntax        = "42601"
	codeTooLong       = "54000" // program limit exceeded
	codeTooComplex    = "54001" // statement too complex
	codeBadEncoding   = "22021" // character not in repertoire
	codeBadEscape     = "22025" // invalid escape sequence
	codeUnsupported   = "0A000"
	codeBadParameter  = "42P02"
	codeNoTable       = "42P01"
	codeNoSchema      = "3F000"
	codeInternal      = "XX000"
	maxErrors         = 20
	maxQuoted         = 60  // characters of a token that a message repeats
	maxExcerpt        = 120 // characters of a line that Render shows
	excerptBeforeMark = 80
)

// Error is one complaint about a text. Its place is given twice: Pos counts
// characters from 0, Line and Col from 1.
type Error struct {
	Code    string // SQLSTATE
	Message string
	Pos     Pos
	Line    int
	Col     int
	Hint    string
}

// Error gives the message alone, as PostgreSQL words it.
func (e *Error) Error() string { return e.Message }

// SQLState gives the code.
func (e *Error) SQLState() string { return e.Code }

// Errors is what is wrong with a text: sorted by place, without repeats, at
// most 20.
type Errors []*Error

// Error gives the first message and the number of the others.
func (es Errors) Error() string {
	switch len(es) {
	case 0:
		return "no error"
	case 1:
		return es[0].Message
	}
	return fmt.Sprintf("%s (and %d more)", es[0].Message, len(es)-1)
}

// Unwrap lets errors.As find the single complaints.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// Render writes every error as "file:line:col: message", with the line of src
// it is about and a caret under the place. src is the text that was parsed.
func (es Errors) Render(src, file string) string {
	var b strings.Builder
	for _, e := range es {
		fmt.Fprintf(&b, "%s:%d:%d: %s\n", file, e.Line, e.Col, e.Message)
		if line, ok := lineOf(src, e.Line); ok {
			shown, mark := excerpt(line, e.Col-1)
			b.WriteString("  " + shown + "\n  " + mark + "^\n")
		}
		if e.Hint != "" {
			b.WriteString("  hint: " + e.Hint + "\n")
		}
	}
	return b.String()
}

// settle gives every error its line and column, sorts, drops repeats, caps.
func (es Errors) settle(src string) Errors {
	sort.SliceStable(es, func(i, j int) bool { return es[i].Pos < es[j].Pos })
	out := es[:0]
	for _, e := range es {
		if n := len(out); n > 0 && out[n-1].Pos == e.Pos && out[n-1].Message == e.Message {
			continue
		}
		out = append(out, e)
	}
	if len(out) > maxErrors {
		out = out[:maxErrors]
	}
	lc := lineCounter{src: src, line: 1, col: 1}
	for _, e := range out {
		e.Line, e.Col = lc.to(e.Pos)
	}
	return out
}

// LineCol gives the line and the column of a place in src, both counted from 1
// and in characters.
func LineCol(src string, p Pos) (line, col int) {
	lc := lineCounter{src: src, line: 1, col: 1}
	return lc.to(p)
}

// lineCounter walks a text forwards once, for places in ascending order.
type lineCounter struct {
	src       string
	off       int // bytes
	at        Pos // characters
	line, col int
}

func (c *lineCounter) to(p Pos) (line, col int) {
	for c.at < p && c.off < len(c.src) {
		r, n := utf8.DecodeRuneInString(c.src[c.off:])
		c.off += n
		c.at++
		if r == '\n' {
			c.line++
			c.col = 1
		} else {
			c.col++
		}
	}
	return c.line, c.col
}

func lineOf(src string, line int) (string, bool) {
	for ; line > 1; line-- {
		i := strings.IndexByte(src, '\n')
		if i < 0 {
			return "", false
		}
		src = src[i+1:]
	}
	if i := strings.IndexByte(src, '\n'); i >= 0 {
		src = src[:i]
	}
	return strings.TrimSuffix(src, "\r"), true
}

// excerpt cuts a line to what a terminal shows and makes the blanks that bring
// the caret under character col. A tab stays one in both, so that the two
// lines keep step wherever it goes; other control characters become "?".
func excerpt(line string, col int) (shown, mark string) {
	rs := []rune(strings.ToValidUTF8(line, "?"))
	from, to := 0, len(rs)
	if to > maxExcerpt {
		from = max(0, min(col-excerptBeforeMark, len(rs)-maxExcerpt))
		to = min(len(rs), from+maxExcerpt)
	}
	var s, m strings.Builder
	if from > 0 {
		s.WriteString("...")
		m.WriteString("   ")
	}
	for i := from; i < to; i++ {
		r := rs[i]
		if r != '\t' && (r < ' ' || r == 0x7f) {
			r = '?'
		}
		s.WriteRune(r)
		if i < col {
			m.WriteString(blankFor(r))
		}
	}
	if to < len(rs) {
		s.WriteString("...")
	}
	return s.String(), m.String()
}

// blankFor gives white space as wide as r is shown.
func blankFor(r rune) string {
	switch {
	case r == '\t':
		return "\t"
	case zeroWidth(r):
		return ""
	case doubleWidth(r):
		return "  "
	}
	return " "
}

func zeroWidth(r rune) bool {
	return r >= 0x300 && r <= 0x36f || r >= 0x200b && r <= 0x200f || r >= 0xfe00 && r <= 0xfe0f
}

func doubleWidth(r rune) bool {
	return r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
		r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 ||
		r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1f64f || r >= 0x1f900 && r <= 0x1f9ff ||
		r >= 0x20000 && r <= 0x3fffd
}

// quoted repeats a piece of the text in a message, cut where it is long.
func quoted(s string) string {
	if utf8.RuneCountInString(s) <= maxQuoted {
		return s
	}
	return string([]rune(s[:min(len(s), 4*maxQuoted)])[:maxQuoted]) + "..."
}
