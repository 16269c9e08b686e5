package ivmc

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/session"
	"github.com/ivmc/ivmc/storage"
)

// What callers branch on, with errors.Is.
var (
	// ErrClosed: the database or session was closed.
	ErrClosed = errors.New("ivmc: closed")
	// ErrLocked: another process has the directory open; the text names it.
	ErrLocked = errors.New("ivmc: database is locked")
	// ErrNotFound: no such database, table, view or row (P0002).
	ErrNotFound = errors.New("ivmc: not found")
	// ErrCorruption: what is stored is not what was written.
	ErrCorruption = errors.New("ivmc: corruption")
	// ErrVersion: the directory was written by another version, or is no database.
	ErrVersion = errors.New("ivmc: wrong version")
	// ErrConflict: another transaction committed a change of the same row first
	// (40001). Run the transaction again.
	ErrConflict = errors.New("ivmc: conflict")
)

// Error is what a statement fails with.
type Error struct {
	Code     string // SQLSTATE, five characters
	Message  string
	Detail   string
	Hint     string
	Line     int    // from 1; 0 where there is no place
	Column   int    // from 1, in characters
	Position int    // from 1, in characters from the start of the text; 0 where there is no place
	Object   string // the table, view or operator concerned, if any
	// Errors is all that is wrong with the statement, sorted by place; this
	// error is the first. The elements have no Errors of their own.
	Errors []*Error

	is error // one of the sentinels, or nil
}

// Error is code and message, with the place if there is one.
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("ivmc: %d:%d: %s (%s)", e.Line, e.Column, e.Message, e.Code)
	}
	return fmt.Sprintf("ivmc: %s (%s)", e.Message, e.Code)
}

// Is makes errors.Is work with the sentinels, and with [context.Canceled] and
// [context.DeadlineExceeded] where the context of the call ended it.
func (e *Error) Is(target error) bool { return e.is != nil && e.is == target }

// SQLState is Code.
func (e *Error) SQLState() string { return e.Code }

// sentinels maps causes and codes to what callers branch on; first match wins.
func sentinels() []struct {
	cause error
	code  string
	is    error
} {
	return []struct {
		cause error
		code  string
		is    error
	}{
		{session.ErrClosed, "", ErrClosed},
		{storage.ErrClosed, "", ErrClosed},
		{storage.ErrLocked, "", ErrLocked},
		{storage.ErrVersion, "", ErrVersion},
		{storage.ErrForeign, "", ErrVersion},
		{storage.ErrMissing, "", ErrNotFound},
		{storage.ErrNoObject, "", ErrNotFound},
		{storage.ErrCorrupt, "", ErrCorruption},
		{storage.ErrConflict, "", ErrConflict},
		{context.DeadlineExceeded, "", context.DeadlineExceeded},
		{context.Canceled, "", context.Canceled},
		{nil, "40001", ErrConflict},
		{nil, "XX001", ErrCorruption},
		{nil, "42P01", ErrNotFound},
		{nil, "P0002", ErrNotFound},
	}
}

// publish makes an *Error of err; text is what positions refer to, "" for none.
func publish(err error, text string) error {
	if err == nil {
		return nil
	}
	var done *Error
	if errors.As(err, &done) {
		return err
	}
	var list []*Error
	for _, e := range session.All(err) {
		out := &Error{Code: e.Code, Message: cut(e.Msg), Detail: cut(e.Detail), Hint: e.Hint, Object: e.Object}
		if e.Pos >= 0 && text != "" {
			out.Position = e.Pos + 1
			out.Line, out.Column = ast.LineCol(text, ast.Pos(e.Pos))
		}
		for _, s := range sentinels() {
			if s.cause != nil && errors.Is(err, s.cause) || s.cause == nil && s.code == e.Code {
				out.is = s.is
				break
			}
		}
		list = append(list, out)
	}
	first := *list[0]
	first.Errors = list
	return &first
}

// shift moves places from a statement to the text that it is part of.
func shift(err error, line, column, offset int) {
	var e *Error
	if !errors.As(err, &e) {
		return
	}
	for _, x := range append([]*Error{e}, e.Errors...) {
		if x.Line == 0 {
			continue
		}
		if x.Line == 1 {
			x.Column += column - 1
		}
		x.Line += line - 1
		x.Position += offset
	}
}

// maxLine is the most bytes that a line of a message or detail has: it may quote a
// value of any length.
const maxLine = 1000

// cut shortens the lines of a text that are too long.
func cut(text string) string {
	if len(text) <= maxLine {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if len(l) > maxLine {
			lines[i] = fmt.Sprintf("%s... (%d bytes more)", strings.ToValidUTF8(l[:maxLine], ""), len(l)-maxLine)
		}
	}
	return strings.Join(lines, "\n")
}

// orBackground is ctx, or for nil a context that never ends.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}
