package expr

import (
	"strings"
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// formatFuncs are format(): a text with places for the other arguments.
func formatFuncs() []Func {
	const t = zset.Text
	return []Func{
		{Name: "format", Args: []zset.Kind{t}, Result: t, Raises: true, Costly: true, row: formatRow},
		{Name: "format", Args: []zset.Kind{t, Any}, Variadic: true, Result: t, Raises: true, Costly: true, row: formatRow},
	}
}

// formatPlace is a place of a format: %[n$][-][width]kind.
type formatPlace struct {
	arg     int // which argument, from 1; 0 is the next
	left    bool
	width   int
	byArg   bool // the width is an argument
	widthOf int  // which, 0 is the next
	kind    byte
}

// readPlace reads a place behind its %, and what comes behind it.
func readPlace(s []byte) (p formatPlace, rest []byte, err *zset.Error) {
	fail := func(code, format string, args ...any) (formatPlace, []byte, *zset.Error) {
		return p, nil, zset.Errorf(code, -1, format, args...)
	}
	number := func() (n int, some bool) {
		for len(s) > 0 && s[0] >= '0' && s[0] <= '9' {
			if n = 10*n + int(s[0]-'0'); n > 1<<31-1 {
				err = zset.Errorf(zset.CodeOutOfRange, -1, "number is out of range")
				n = 0
			}
			s, some = s[1:], true
		}
		return n, some
	}
	const zero = "format specifies argument 0, but arguments are numbered from 1"
	n, some := number()
	if some && len(s) > 0 && s[0] == '$' {
		if s = s[1:]; n == 0 {
			return fail("22023", zero)
		}
		p.arg, some = n, false
	}
	if some {
		p.width = n
	} else {
		for len(s) > 0 && s[0] == '-' {
			p.left, s = true, s[1:]
		}
		if len(s) > 0 && s[0] == '*' {
			s = s[1:]
			p.byArg = true
			if n, some = number(); some {
				switch {
				case err != nil:
				case len(s) == 0:
				case s[0] != '$':
					return fail("22023", "width argument position must be ended by \"$\"")
				case n == 0:
					return fail("22023", zero)
				default:
					p.widthOf, s = n, s[1:]
				}
			}
		} else {
			p.width, _ = number()
		}
	}
	switch {
	case err != nil:
		return p, nil, err
	case len(s) == 0:
		err = zset.Errorf("22023", -1, "unterminated format() type specifier")
	case s[0] != 's' && s[0] != 'I' && s[0] != 'L':
		_, w := utf8.DecodeRune(s)
		err = zset.Errorf("22023", -1, "unrecognized format() type specifier \"%s\"", s[:w])
	default:
		p.kind = s[0]
		return p, s[1:], nil
	}
	err.Hint = "For a single \"%\" use \"%%\"."
	return p, nil, err
}

func formatRow(f *frame, i int) {
	if f.isNull(0, i) {
		f.setNull(i)
		return
	}
	at := 0 // the argument read last
	for s := f.b(0, i); len(s) > 0; {
		if s[0] != '%' {
			f.out.Buf = append(f.out.Buf, s[0])
			s = s[1:]
			continue
		}
		if len(s) > 1 && s[1] == '%' {
			f.out.Buf = append(f.out.Buf, '%')
			s = s[2:]
			continue
		}
		p, rest, err := readPlace(s[1:])
		if err != nil {
			f.failWith(i, err)
			return
		}
		s = rest
		if p.byArg {
			if at = f.formatArg(i, at, p.widthOf); at < 0 || !f.formatWidth(i, at, &p) {
				return
			}
		}
		if at = f.formatArg(i, at, p.arg); at < 0 || !f.putPlace(i, at, &p) {
			return
		}
	}
}

// formatArg is the argument that a place reads; -1, and an error, if there is none.
func (f *frame) formatArg(i, last, which int) int {
	if which == 0 {
		which = last + 1
	}
	if which >= len(f.args) {
		f.fail(i, "22023", "too few arguments for format()")
		return -1
	}
	return which
}

// formatWidth reads the width of p from argument k; below 0 it sets to the left.
func (f *frame) formatWidth(i, k int, p *formatPlace) bool {
	if f.isNull(k, i) {
		return true
	}
	v, err := zset.ParseText(zset.TInt4, string(f.cellText(k, i)))
	switch {
	case err != nil:
		f.failWith(i, positioned(err, -1))
		return false
	case v.I == -1<<31:
		f.fail(i, zset.CodeOutOfRange, "number is out of range")
		return false
	case v.I < 0:
		p.left, v.I = true, -v.I
	}
	p.width = int(v.I)
	return true
}

// cellText is argument k as text.
func (f *frame) cellText(k, i int) []byte {
	a := &f.args[k]
	return zset.AppendText(nil, a.Column, i&a.mask)
}

// blanks fill up a place of a format.
var blanks = strings.Repeat(" ", 1<<12)

func (f *frame) putPlace(i, k int, p *formatPlace) bool {
	var s []byte
	switch null := f.isNull(k, i); {
	case null && p.kind == 'I':
		f.fail(i, "22004", "null values cannot be formatted as an SQL identifier")
		return false
	case null && p.kind == 'L':
		s = []byte("NULL")
	case null:
	case p.kind == 'I':
		s = appendIdent(nil, f.cellText(k, i))
	case p.kind == 'L':
		s = appendLiteral(nil, f.cellText(k, i))
	default:
		s = f.cellText(k, i)
	}
	pad := p.width - utf8.RuneCount(s)
	if pad > 0 && len(f.out.Buf)+pad > maxText {
		f.failLength(i)
		return false
	}
	if p.left {
		f.put(s)
	}
	if pad > 0 {
		f.room(pad + len(s))
	}
	for ; pad > 0; pad -= len(blanks) {
		f.step(len(blanks))
		f.out.Buf = append(f.out.Buf, blanks[:min(pad, len(blanks))]...)
	}
	if !p.left {
		f.put(s)
	}
	return true
}
