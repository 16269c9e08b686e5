package driver

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"

	"github.com/ivmc/ivmc"
)

// connection is a session. database/sql sees to it that one goroutine has it at a time.
type connection struct {
	c        *connector
	s        *ivmc.Session
	owns     *connector // of Driver.Open: closed with the connection
	readOnly bool       // the open transaction is
	closed   bool
}

var (
	_ sqldriver.Conn               = (*connection)(nil)
	_ sqldriver.ConnBeginTx        = (*connection)(nil)
	_ sqldriver.ConnPrepareContext = (*connection)(nil)
	_ sqldriver.ExecerContext      = (*connection)(nil)
	_ sqldriver.QueryerContext     = (*connection)(nil)
	_ sqldriver.Pinger             = (*connection)(nil)
	_ sqldriver.SessionResetter    = (*connection)(nil)
	_ sqldriver.Validator          = (*connection)(nil)
	_ sqldriver.NamedValueChecker  = (*connection)(nil)
)

func (c *connection) Close() error {
	c.closed = true
	err := c.s.Close()
	if c.owns != nil {
		err = errors.Join(err, c.owns.Close())
	}
	return err
}

// IsValid is asked before the connection goes back to the pool.
func (c *connection) IsValid() bool { return !c.closed }

// ResetSession begins a new session where the last user may have left settings
// or a transaction. Statements that were prepared go on.
func (c *connection) ResetSession(ctx context.Context) error {
	s, err := c.c.session(ctx)
	if err != nil {
		return err
	}
	err = c.s.Close()
	c.s, c.readOnly = s, false
	return err
}

func (c *connection) Ping(ctx context.Context) error {
	_, err := c.s.Exec(ctx, "SELECT 1")
	return err
}

func (c *connection) Prepare(text string) (sqldriver.Stmt, error) {
	return c.PrepareContext(context.Background(), text)
}

func (c *connection) PrepareContext(ctx context.Context, text string) (sqldriver.Stmt, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := c.s.Prepare(text)
	if err != nil {
		return nil, err
	}
	return &prepared{c: c, p: p}, nil
}

// CheckNamedValue leaves values as they are: the session knows more types than
// database/sql does.
func (c *connection) CheckNamedValue(v *sqldriver.NamedValue) error {
	if v.Name != "" {
		return fmt.Errorf("ivmc: parameters have numbers, $1, and no names: %q", v.Name)
	}
	return nil
}

func values(args []sqldriver.NamedValue) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = a.Value
	}
	return out
}

// ExecContext runs one statement or several.
func (c *connection) ExecContext(ctx context.Context, text string, args []sqldriver.NamedValue) (sqldriver.Result, error) {
	if c.readOnly {
		p, err := c.s.Prepare(text)
		if err != nil {
			return nil, err
		}
		return (&prepared{c: c, p: p}).ExecContext(ctx, args)
	}
	res, err := c.s.Exec(ctx, text, values(args)...)
	if err != nil {
		return nil, err
	}
	return result(res.RowsAffected), nil
}

func (c *connection) QueryContext(ctx context.Context, text string, args []sqldriver.NamedValue) (sqldriver.Rows, error) {
	p, err := c.s.Prepare(text)
	if err != nil {
		return nil, err
	}
	return (&prepared{c: c, p: p}).QueryContext(ctx, args)
}

// Begin is for callers without a context.
func (c *connection) Begin() (sqldriver.Tx, error) {
	return c.BeginTx(context.Background(), sqldriver.TxOptions{})
}

// BeginTx begins a transaction. Its isolation is that of a snapshot.
func (c *connection) BeginTx(ctx context.Context, opts sqldriver.TxOptions) (sqldriver.Tx, error) {
	switch level := sql.IsolationLevel(opts.Isolation); level {
	case sql.LevelDefault, sql.LevelReadUncommitted, sql.LevelReadCommitted, sql.LevelRepeatableRead, sql.LevelSnapshot:
	default:
		return nil, &ivmc.Error{Code: "0A000", Message: fmt.Sprintf("isolation level %s is not supported", level),
			Hint: "Transactions are isolated by snapshot: sql.LevelSnapshot."}
	}
	if _, err := c.s.Exec(ctx, "BEGIN"); err != nil {
		return nil, err
	}
	c.readOnly = opts.ReadOnly
	return transaction{c}, nil
}

// transaction ends what BeginTx began.
type transaction struct{ c *connection }

func (t transaction) Commit() error {
	t.c.readOnly = false
	res, err := t.c.s.Exec(context.Background(), "COMMIT")
	if err == nil && res.Tag == "ROLLBACK" {
		return &ivmc.Error{Code: "25P02", Message: "a statement of the transaction had failed: it was rolled back"}
	}
	return err
}

func (t transaction) Rollback() error {
	t.c.readOnly = false
	_, err := t.c.s.Exec(context.Background(), "ROLLBACK")
	return err
}

// result is a number of rows.
type result int64

func (result) LastInsertId() (int64, error) {
	return 0, errors.New("ivmc: there is no last inserted id: keys are those that INSERT was given")
}

func (r result) RowsAffected() (int64, error) { return int64(r), nil }
