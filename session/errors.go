package session

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sort"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Errors are all errors of one statement, sorted by position. It is never empty.
type Errors []*zset.Error

// Error is the first message.
func (es Errors) Error() string { return es[0].Msg }

// SQLState is the code of the first error.
func (es Errors) SQLState() string { return es[0].Code }

// Unwrap gives the single errors to errors.Is and errors.As.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// ErrClosed is returned by every call after the engine or session was closed.
var ErrClosed = errors.New("closed")

// causes gives errors that carry no SQLSTATE of their own one, first match wins.
func causes() []struct {
	is   error
	code string
	msg  string // "" keeps the text
} {
	return []struct {
		is   error
		code string
		msg  string
	}{
		{errTimeout, "57014", "canceling statement due to statement timeout"},
		{context.DeadlineExceeded, "57014", "canceling statement due to deadline of the caller"},
		{context.Canceled, "57014", "canceling statement due to user request"},
		{storage.ErrConflict, "40001", "could not serialize access due to concurrent update"},
		{storage.ErrFailed, "58030", ""},
		{storage.ErrCorrupt, "XX001", ""},
		{ErrClosed, "57P01", ""},
	}
}

// errTimeout is the cause of a context that statement_timeout ended.
var errTimeout = errors.New("statement timeout")

// wordedError keeps the cause for errors.Is beside the worded errors.
type wordedError struct {
	Errors
	cause error
}

func (w wordedError) Unwrap() []error { return append(w.Errors.Unwrap(), w.cause) }

// All lists the single errors in err, sorted by position; nil for nil.
func All(err error) Errors {
	if err == nil {
		return nil
	}
	var es Errors
	flatten(err, &es)
	if len(es) == 0 {
		es = Errors{zset.Errorf("XX000", -1, "%v", err)}
	}
	sort.SliceStable(es, func(i, j int) bool { return es[i].Pos < es[j].Pos })
	seen := map[string]bool{}
	return slices.DeleteFunc(es, func(e *zset.Error) bool { // what went wrong once is said once
		key := fmt.Sprint(e.Code, e.Pos, e.Msg)
		was := seen[key]
		seen[key] = true
		return was
	})
}

// flatten walks the error tree down to the errors that carry a SQLSTATE.
func flatten(err error, out *Errors) {
	if e, ok := err.(*zset.Error); ok {
		*out = append(*out, e)
		return
	}
	if e, ok := err.(*ast.Error); ok {
		*out = append(*out, &zset.Error{Code: e.Code, Msg: e.Message, Hint: e.Hint, Pos: int(e.Pos)})
		return
	}
	if w, ok := err.(interface{ Whole() *zset.Error }); ok {
		*out = append(*out, w.Whole())
		return
	}
	n := len(*out)
	switch u := err.(type) {
	case wordedError: // its cause is what Errors were made of
		*out = append(*out, u.Errors...)
		return
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			flatten(e, out)
		}
	case interface{ Unwrap() error }:
		if e := u.Unwrap(); e != nil {
			flatten(e, out)
		}
	}
	if len(*out) > n {
		return
	}
	for _, c := range causes() {
		if errors.Is(err, c.is) {
			msg := c.msg
			if msg == "" {
				msg = err.Error()
			}
			*out = append(*out, zset.Errorf(c.code, -1, "%s", msg))
			return
		}
	}
}

// worded makes Errors of any error and keeps the cause.
func worded(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := err.(wordedError); ok {
		return err
	}
	return wordedError{Errors: All(err), cause: err}
}

// guard turns a panic into an error of code XX000, and gives the stack of one
// from below to the log. Nothing is half done after one: a statement changes the
// store by one commit or not at all.
func (e *Engine) guard(err *error) {
	if p := recover(); p != nil {
		*err = zset.Recovered(p, debug.Stack())
	}
	var in *zset.Internal
	if errors.As(*err, &in) {
		if l := e.opts.Logger; l != nil {
			l.Errorf("%s\n%s", in.Err.Msg, in.Stack)
		}
		*err = in.Err
	}
}

// ctxErr is why ctx ended, as far as this package knows.
func ctxErr(ctx context.Context, err error) error {
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		if cause := context.Cause(ctx); errors.Is(cause, errTimeout) || errors.Is(cause, ErrClosed) {
			return cause
		}
	}
	return err
}
