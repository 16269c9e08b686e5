package zset

// Internal is the error of a broken invariant: a panic that was caught at the
// edge of a package. The stack is for the log of the database, not for whoever
// sent the statement; they get Err.
type Internal struct {
	Err   *Error
	Stack []byte
}

// Recovered makes an Internal (XX000) of what recover gave and of the stack.
func Recovered(p any, stack []byte) *Internal {
	e := Errorf("XX000", -1, "internal error: %v", p)
	e.Detail = "This is a bug in ivmc. The statement was stopped and changed nothing."
	e.Hint = "Please report it with the statement; the stack is in the log of the database."
	return &Internal{Err: e, Stack: stack}
}

// Error is the message of Err.
func (e *Internal) Error() string { return e.Err.Msg }

// Unwrap is Err.
func (e *Internal) Unwrap() error { return e.Err }
