package session

import (
	"context"
	"errors"
	"io"

	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Result is what one statement gave: rows, or a tag alone.
type Result struct {
	// Tag is the command tag as PostgreSQL prints it: "INSERT 0 3", "BEGIN". It
	// is empty where Rows is set, but for RETURNING.
	Tag string
	// Affected is the number of rows that a DML statement wrote.
	Affected int64
	Notices  []Notice
	// Refresh is set by REFRESH MATERIALIZED VIEW.
	Refresh *refresh.Report
	// Cascade is set by one with CASCADE: of all views, that one last.
	Cascade []*refresh.Report
	// TSO is that of the commit that the statement made; 0 if it made none.
	TSO storage.TSO
	// Rows is set by statements that return rows. The caller closes it.
	Rows *Rows
}

// Notice is something worth saying that is no error. Code is a SQLSTATE, or
// the code of a blocker (NONDETERMINISTIC_FUNCTION and so on).
type Notice struct {
	Code, Message string
}

func (r *Result) notice(code, msg string) {
	r.Notices = append(r.Notices, Notice{Code: code, Message: msg})
}

// Rows is the rows of a query, in batches. It reads what the statement saw when
// it started, whatever is committed meanwhile. Not for concurrent use.
type Rows struct {
	Schema zset.Schema
	Zone   *zset.Zone // in which a TIMESTAMPTZ is printed; nil: UTC
	engine *Engine
	ctx    context.Context // the statement's, with its timeout
	next   func(ctx context.Context) (*zset.Batch, error)
	cancel context.CancelFunc // ends the statement
	close  func()             // frees the snapshot; idempotent
	fail   func(error) error  // words the error, dooms the transaction
	done   error
}

// Next returns the next batch, of at least one row, or [io.EOF]. A batch may
// have weights. It is valid until the next call. The rows are closed after any error.
func (r *Rows) Next(ctx context.Context) (*zset.Batch, error) {
	if r.done != nil {
		return nil, r.done
	}
	if err := ctx.Err(); err != nil {
		return nil, r.stop(r.fail(err))
	}
	if err := r.engine.life.enter(); err != nil {
		return nil, r.stop(r.fail(err))
	}
	defer r.engine.life.calls.Done()
	stop := context.AfterFunc(ctx, r.cancel) // the caller's context ends the statement too
	defer stop()
	for {
		b, err := r.pull()
		switch {
		case errors.Is(err, io.EOF):
			return nil, r.stop(io.EOF)
		case err != nil && ctx.Err() != nil:
			return nil, r.stop(r.fail(ctx.Err()))
		case err != nil:
			return nil, r.stop(r.fail(ctxErr(r.ctx, err)))
		case b != nil && b.N > 0:
			return b, nil
		}
	}
}

func (r *Rows) pull() (b *zset.Batch, err error) {
	defer r.engine.guard(&err)
	return r.next(r.ctx)
}

func (r *Rows) stop(err error) error {
	r.done = err
	r.cancel()
	r.close()
	return err
}

// Close ends the query early and frees what it holds. Closing twice is allowed.
func (r *Rows) Close() {
	if r.done == nil {
		r.done = io.EOF
	}
	r.cancel()
	r.close()
}
