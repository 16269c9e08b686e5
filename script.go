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
func (s *Script) Next() (Statement, error) {
	p, err := s.s.Next()
	return Statement{Text: p.Text, Line: p.Line, Column: p.Col}, err
}

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
