package ivmc

import (
	"context"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/session"
)

// Session is settings and at most one transaction. It is not for concurrent
// use; any number of sessions may be open at once.
type Session struct{ s *session.Session }

// Notice is something worth saying that is no error.
type Notice struct {
	Code    string // a SQLSTATE, or the code of a reason such as NONDETERMINISTIC_FUNCTION
	Message string
}

// Result is what a statement did.
type Result struct {
	Tag          string // as PostgreSQL prints it: "INSERT 0 3"; "SELECT 2" for a query
	RowsAffected int64  // rows inserted, updated or deleted
	TSO          TSO    // of the commit, 0 if there was none
	Notices      []Notice
	Refresh      *RefreshReport   // of REFRESH MATERIALIZED VIEW
	Cascade      []*RefreshReport // of one with CASCADE: of every view, sources first, the view itself last
}

// Outcome is the result of one statement with its rows, if it returns some.
type Outcome struct {
	Result
	// Rows is nil for a statement that returns none. The caller closes it.
	Rows *Text
}

// Close ends the session and rolls an open transaction back. A second Close
// gives [ErrClosed].
func (s *Session) Close() error { return publish(s.s.Close(), "") }

// OnProgress has f hear how much of a file COPY has read, in bytes; nil: nobody.
func (s *Session) OnProgress(f func(done, size int64)) { s.s.Progress = f }

// SetDir says where COPY looks up names of files that do not begin at the root;
// "" is the directory of the process.
func (s *Session) SetDir(dir string) { s.s.Dir = dir }

// InTransaction reports whether a transaction is open.
func (s *Session) InTransaction() bool { return s.s.InTransaction() }

// Failed reports whether the open transaction takes nothing more but its end: a
// statement of it failed.
func (s *Session) Failed() bool { return s.s.Failed() }

// Exec runs the statements of sql one after another and stops at the first
// error. The result is that of the last one. Rows of queries are read and
// dropped. Arguments are those of every statement; of one alone, all must be
// used (08P01).
func (s *Session) Exec(ctx context.Context, sql string, args ...any) (Result, error) {
	ctx = orBackground(ctx)
	var last Result
	pieces := ast.Split(sql)
	run := s.s.Run
	if len(pieces) == 1 {
		run = s.s.RunAlone
	}
	for _, p := range pieces {
		res, err := run(ctx, p.Text, args...)
		if err == nil && res.Rows != nil {
			var n int64
			if n, err = drain(ctx, res.Rows); err == nil {
				if res.Tag == "" {
					res.Tag = session.SelectTag(n)
				}
			}
		}
		if err != nil {
			err = publish(err, p.Text)
			shift(err, p.Line, p.Col, int(p.Offset))
			return last, err
		}
		last = resultOf(res)
	}
	return last, nil
}

// Query runs one statement that returns rows, see [DB.Query]. Within a
// transaction it sees the transaction's own writes. The reader goes on after
// the session moved on. A statement that returns none is refused (02000) and
// does nothing.
func (s *Session) Query(ctx context.Context, sql string, args ...any) (array.RecordReader, error) {
	ctx = orBackground(ctx)
	res, err := s.s.Query(ctx, sql, args...)
	if err != nil {
		return nil, publish(err, sql)
	}
	return newReader(ctx, sql, res.Rows), nil
}

// Run runs one statement, whatever it is, and gives rows as text.
func (s *Session) Run(ctx context.Context, sql string, args ...any) (*Outcome, error) {
	ctx = orBackground(ctx)
	res, err := s.s.RunAlone(ctx, sql, args...)
	return outcome(ctx, sql, res, err)
}

func resultOf(r *session.Result) Result {
	out := Result{Tag: r.Tag, RowsAffected: r.Affected, TSO: r.TSO}
	for _, n := range r.Notices {
		out.Notices = append(out.Notices, Notice(n))
	}
	if r.Refresh != nil {
		out.Refresh = reportOf(r.Refresh)
	}
	for _, c := range r.Cascade {
		out.Cascade = append(out.Cascade, reportOf(c))
	}
	return out
}
