package ivmc

import (
	"errors"
	"io"

	"github.com/ivmc/ivmc/session"
)

// Script cuts a stream into statements while it arrives: a statement is handed
// out as soon as its semicolon was read.
type Script struct{ s *session.Script }

// NewScript returns a script that reads from r.
func NewScript(r io.Reader) *Script { return &Script{s: session.NewScript(r)} }

// Statement is one statement of a script and where it begins in it.
type Statement struct {
	Text   string
	Line   int // from 1
	Column int // from 1, in characters
}

// Next returns the next statement, or io.EOF. The last statement needs no semicolon.
// An error of the reader is returned once, and another call reads on.
func (s *Script) Next() (Statement, error) {
	p, err := s.s.Next()
	return Statement{Text: p.Text, Line: p.Line, Column: p.Col}, err
}

// Feed adds text that was read elsewhere, for a program that reads by itself.
// Such a script is made with NewScript(nil), and never asked for Next.
func (s *Script) Feed(text string) { s.s.Feed(text) }

// Take returns the next statement of what was fed, if one is complete.
func (s *Script) Take() (Statement, bool) {
	p, ok := s.s.Take()
	return Statement{Text: p.Text, Line: p.Line, Column: p.Col}, ok
}

// Open is the quote that is not closed at the end of what was taken from: ' or "
// or $, * in a comment, - in one that ends with its line, 0 in none.
func (s *Script) Open() byte { return s.s.Open() }

// Rest takes away what was fed of a statement that has no semicolon yet.
func (s *Script) Rest() string { return s.s.Rest() }

// Pending is what Rest would take away.
func (s *Script) Pending() string { return s.s.Pending() }

// Partial reports whether a statement was begun and is not complete yet.
func (s *Script) Partial() bool { return s.s.Partial() }

// Place moves the line and column of an error, and of all that it lists, from
// the statement to the script. What has no place gets that of the statement.
func (st Statement) Place(err error) {
	shift(err, st.Line, st.Column, 0)
	var e *Error
	if !errors.As(err, &e) {
		return
	}
	for _, x := range append([]*Error{e}, e.Errors...) {
		if x.Line == 0 {
			x.Line, x.Column = st.Line, st.Column
		}
	}
}
