package storage

import (
	"errors"
	"strings"
	"syscall"

	"github.com/ivmc/ivmc/zset"
)

// What callers branch on, by errors.Is. Every error of this package that a user
// may see is also a *zset.Error (errors.As) with its SQLSTATE.
var (
	ErrLocked       = errors.New("store is locked")                  // another process, or this one, has it open
	ErrVersion      = errors.New("store has another version")        // written by a version of the format that we do not read
	ErrForeign      = errors.New("directory is not a store")         // not empty, and not ours
	ErrMissing      = errors.New("store does not exist")             // MustExist, and there is none
	ErrCorrupt      = errors.New("store is corrupt")                 // a checksum or a structure is wrong
	ErrFailed       = errors.New("store has failed")                 // a write failed; reads go on, commits do not
	ErrClosed       = errors.New("store is closed")                  // after Close
	ErrConflict     = errors.New("concurrent update")                // first committer won, 40001
	ErrReplan       = errors.New("catalog changed")                  // what follows a commit is to be found anew
	ErrConsumed     = errors.New("offset was consumed")              // another commit moved a stream first, 40001
	ErrUnique       = errors.New("duplicate key")                    // 23505
	ErrNoObject     = errors.New("object does not exist")            // dropped, or never there
	ErrBelowHorizon = errors.New("history is gone")                  // 72000, reclaimed: reading at or above Relation.Horizon works
	ErrExists       = errors.New("object exists")                    // 42P07
	ErrChange       = errors.New("change does not fit the relation") // XX000, a fault of the caller
)

// SQLSTATEs raised here.
const (
	codeConflict  = "40001"
	codeUnique    = "23505"
	codeNotNull   = "23502"
	codeExists    = "42P07"
	codeNoObject  = "42P01"
	codeCorrupt   = "XX001"
	codeInternal  = "XX000"
	codeIO        = "58030"
	codeFull      = "53100"
	codeLocked    = "55006"
	codeNotStore  = "58P01"
	codeVersion   = "0A000"
	codeClosed    = "57P03"
	codeLimit     = "54000"
	codeGone      = "72000"
	textConflict  = "could not serialize access due to concurrent update"
	textUniqueFmt = "duplicate key value violates unique constraint %q"
)

// coded is a *zset.Error of a kind.
type coded struct {
	err   *zset.Error
	kind  error
	cause error
}

func (e *coded) Error() string {
	if e.cause != nil {
		why, _, _ := strings.Cut(e.cause.Error(), "\n") // Pebble's corruptions name the type of their details behind it
		return e.err.Msg + ": " + why
	}
	return e.err.Msg
}

func (e *coded) Unwrap() []error {
	if e.cause != nil {
		return []error{e.err, e.kind, e.cause}
	}
	return []error{e.err, e.kind}
}

// Whole is the error for whoever sent the statement: with what caused it.
func (e *coded) Whole() *zset.Error {
	z := *e.err
	z.Msg = e.Error()
	if errors.Is(e.cause, syscall.ENOSPC) {
		z.Code = codeFull
		if z.Hint == "" {
			z.Hint = "Free space where the database lies, and open it again: what was committed is there."
		}
	}
	return &z
}

// SQLState is the SQLSTATE of e.
func (e *coded) SQLState() string { return e.err.Code }

func errorf(kind error, code, format string, args ...any) *coded {
	return &coded{kind: kind, err: zset.Errorf(code, -1, format, args...)}
}

func (e *coded) because(cause error) *coded {
	e.cause = cause
	return e
}

func errConflict() error { return errorf(ErrConflict, codeConflict, textConflict) }
