package zset

import "fmt"

// Error is what a statement fails with: a SQLSTATE and a text as PostgreSQL
// words it. Pos is the offset, in characters from 0, of the offending place in
// the statement; -1 where that is unknown. Object names the view, table or
// column concerned, if any.
type Error struct {
	Code   string
	Msg    string
	Detail string
	Hint   string
	Pos    int
	Object string
}

// Errorf makes an Error. The code is a SQLSTATE of five characters.
func Errorf(code string, pos int, format string, args ...any) *Error {
	return &Error{Code: code, Msg: fmt.Sprintf(format, args...), Pos: pos}
}

// Error is the message alone; who prints it adds code, detail and hint.
func (e *Error) Error() string { return e.Msg }

// SQLState is the SQLSTATE of e.
func (e *Error) SQLState() string { return e.Code }

// The codes raised by this package.
const (
	CodeOutOfRange     = "22003" // numeric value out of range
	CodeTooLong        = "22001" // string data right truncation
	CodeBadDatetime    = "22007" // invalid datetime format
	CodeDatetimeRange  = "22008" // datetime field overflow
	CodeDivisionByZero = "22012"
	CodeBadText        = "22P02" // invalid text representation
	CodeNoColumn       = "42703"
	CodeTypeMismatch   = "42804"
	CodeNotNull        = "23502"
	CodeOutOfMemory    = "53200"
	CodeCorrupt        = "XX001"
)
