package session

import (
	"context"
	"strings"
	"time"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Session is settings and at most one open transaction. It is not for
// concurrent use; sessions of one engine are independent of each other.
type Session struct {
	// Progress, if set, hears of a COPY how many bytes of its file are read, of how many.
	Progress func(done, size int64)

	// Dir is where COPY looks up names of files that do not begin at the root; "": the
	// directory of the process.
	Dir string

	engine   *Engine
	settings Settings
	txn      *txn // nil outside BEGIN .. COMMIT
	closed   bool
	text     string // of the statement that runs, or ran last
	line     int    // where an explained text begins in its file, from 1; 0: at the beginning
	column   int
}

// InTransaction reports whether BEGIN was run and neither COMMIT nor ROLLBACK since.
func (s *Session) InTransaction() bool { return s.txn != nil }

// Failed reports whether the open transaction takes nothing more but its end.
func (s *Session) Failed() bool { return s.txn != nil && s.txn.failed }

// Close rolls an open transaction back. Rows that are still open stay readable.
func (s *Session) Close() error {
	if s.closed {
		return ErrClosed
	}
	s.closed = true
	if s.txn != nil {
		s.txn.end()
		s.txn = nil
	}
	return nil
}

// Run runs one statement. The error is [Errors]: positions are offsets in
// text. Rows of the result are read lazily and must be closed.
func (s *Session) Run(ctx context.Context, text string, args ...any) (*Result, error) {
	return s.prepared(ctx, text, func(p *Prepared) (*Result, error) { return s.runWith(ctx, p, args) })
}

// RunAlone is [Session.Run] of a text whose arguments are for it alone: one that
// it does not use is an error (08P01).
func (s *Session) RunAlone(ctx context.Context, text string, args ...any) (*Result, error) {
	return s.prepared(ctx, text, func(p *Prepared) (*Result, error) { return s.RunPrepared(ctx, p, args...) })
}

// Query is [Session.Run] of a statement that returns rows. One that returns none
// is refused before it runs, so that nothing is done behind the error.
func (s *Session) Query(ctx context.Context, text string, args ...any) (*Result, error) {
	return s.prepared(ctx, text, func(p *Prepared) (*Result, error) {
		if !p.HasRows() {
			e := zset.Errorf("02000", int(p.stmt.Pos()), "the statement returns no rows")
			e.Hint = "Use Exec."
			return nil, s.failed(e)
		}
		return s.RunPrepared(ctx, p, args...)
	})
}

// prepared is run of the statement that text is.
func (s *Session) prepared(ctx context.Context, text string, run func(*Prepared) (*Result, error)) (*Result, error) {
	p, err := s.prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	return run(p)
}

// start runs a statement up to its first row.
func (s *Session) start(ctx context.Context, stmt ast.Statement, params []zset.Value) (*Result, error) {
	if err := s.engine.life.enter(); err != nil {
		return nil, err
	}
	defer s.engine.life.calls.Done()
	if err := ctx.Err(); err != nil {
		return nil, s.failed(err)
	}
	ctx, cancel := s.statementContext(ctx)
	st := &statement{s: s, params: params, now: s.engine.opts.Clock(), res: &Result{}, stop: ctx.Err}
	t := s.txn
	err := st.run(ctx, stmt)
	if err != nil && t != nil {
		err = t.late(err)
	}
	if err != nil {
		cancel()
		return nil, s.failed(ctxErr(ctx, err))
	}
	if st.res.Rows == nil {
		cancel()
		return st.res, nil
	}
	st.res.Rows.ctx, st.res.Rows.cancel, st.res.Rows.engine = ctx, cancel, s.engine
	st.res.Rows.fail = func(err error) error {
		if t != nil {
			t.failed = true // also where the session has gone on to another one
		}
		return worded(err)
	}
	return st.res, nil
}

// failed words an error and dooms the open transaction.
func (s *Session) failed(err error) error {
	if s.txn != nil {
		s.txn.failed = true
	}
	return worded(err)
}

func (s *Session) statementContext(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := s.engine.life.bind(ctx)
	d := s.settings.StatementTimeout
	if d <= 0 {
		return ctx, cancel
	}
	ctx, stop := context.WithTimeoutCause(ctx, d, errTimeout)
	return ctx, func() {
		stop()
		cancel()
	}
}

// endsTransaction tells the statements that lead out of a failed transaction.
func endsTransaction(stmt ast.Statement) bool {
	switch stmt.(type) {
	case *ast.Commit, *ast.Rollback, *ast.RollbackTo:
		return true
	}
	return false
}

// statement is one run of one statement.
type statement struct {
	s      *Session
	params []zset.Value
	now    time.Time
	res    *Result
	moves  map[storage.ID]consumption // streams that what is bound so far reads
	stop   func() error               // why the statement is to end, nil while it is not
}

// run is the one place that tells statements apart.
func (st *statement) run(ctx context.Context, stmt ast.Statement) (err error) {
	defer st.s.engine.guard(&err)
	switch n := stmt.(type) {
	case *ast.Query:
		return st.query(ctx, n)
	case *ast.Insert:
		return st.modify(ctx, n.Table, n)
	case *ast.Update:
		return st.modify(ctx, n.Table, n)
	case *ast.Delete:
		return st.modify(ctx, n.Table, n)
	case *ast.Begin:
		return st.begin()
	case *ast.Commit:
		return st.commit(ctx)
	case *ast.Rollback:
		return st.rollback()
	case *ast.Savepoint:
		return st.savepoint(n)
	case *ast.RollbackTo:
		return st.rollbackTo(n)
	case *ast.Release:
		return st.release(n)
	case *ast.CreateTable:
		return st.ddl(ctx, func() error { return st.createTable(ctx, n) })
	case *ast.CreateTableAs:
		return st.ddl(ctx, func() error { return st.createTableAs(ctx, n) })
	case *ast.CreateView:
		return st.ddl(ctx, func() error { return st.createQuery(ctx, n) })
	case *ast.Rename:
		return st.ddl(ctx, func() error { return st.rename(ctx, n) })
	case *ast.AlterTable:
		return st.ddl(ctx, func() error { return st.alter(ctx, n) })
	case *ast.Truncate:
		return st.truncate(ctx, n)
	case *ast.ShowObjects:
		return st.showObjects(n)
	case *ast.ShowColumns:
		return st.showColumns(n)
	case *ast.ShowCreate:
		return st.showCreate(n)
	case *ast.CreateStream:
		return st.ddl(ctx, func() error { return st.createStream(ctx, n) })
	case *ast.AlterStream:
		return st.ddl(ctx, func() error { return st.alterStream(ctx, n) })
	case *ast.DropStream:
		return st.ddl(ctx, func() error { return st.dropStream(ctx, n) })
	case *ast.ShowStreams:
		return st.showStreams(ctx, n)
	case *ast.Drop:
		return st.ddl(ctx, func() error { return st.drop(ctx, n) })
	case *ast.CreateMaterializedView:
		return st.ddl(ctx, func() error { return st.createView(ctx, n) })
	case *ast.Refresh:
		return st.refresh(ctx, n)
	case *ast.AlterView:
		return st.ddl(ctx, func() error { return st.alterView(ctx, n) })
	case *ast.Job:
		return st.job(ctx, n)
	case *ast.Verify:
		return st.verify(ctx, n)
	case *ast.Copy:
		return st.copy(ctx, n)
	case *ast.Explain:
		return st.explain(ctx, n)
	case *ast.Set:
		return st.set(n)
	case *ast.Show:
		return st.show(n)
	}
	return unsupported(stmt)
}

// unsupported names a statement that the grammar knows and nothing runs.
func unsupported(stmt ast.Statement) error {
	what, hint := "this statement", ""
	switch stmt.(type) {
	case *ast.Comment:
		what = "COMMENT"
	}
	err := zset.Errorf("0A000", int(stmt.Pos()), "%s is not supported", what)
	err.Hint = hint
	return err
}

func (st *statement) begin() error {
	st.res.Tag = "BEGIN"
	if st.s.txn != nil {
		st.res.notice("25001", "there is already a transaction in progress")
		return nil
	}
	st.s.txn = st.s.engine.begin()
	st.s.txn.before = st.s.settings
	return nil
}

func (st *statement) commit(ctx context.Context) error {
	t := st.s.txn
	if t == nil {
		st.res.Tag = "COMMIT"
		st.res.notice("25P01", "there is no transaction in progress")
		return nil
	}
	st.s.txn = nil // a failed commit ends the transaction too
	if t.failed {
		t.end()
		st.s.settings = t.before
		st.res.Tag = "ROLLBACK"
		return nil
	}
	tso, err := t.commit(ctx, !st.s.settings.NoSync)
	if err != nil {
		st.s.settings = t.before
	}
	st.res.Tag, st.res.TSO = "COMMIT", tso
	return err
}

func (st *statement) rollback() error {
	st.res.Tag = "ROLLBACK"
	if st.s.txn == nil {
		st.res.notice("25P01", "there is no transaction in progress")
		return nil
	}
	st.s.txn.end()
	st.s.settings = st.s.txn.before
	st.s.txn = nil
	return nil
}

// alone refuses statements that are transactions of their own (25001).
func (st *statement) alone(what string) error {
	if st.s.txn == nil {
		return nil
	}
	return zset.Errorf("25001", -1, "%s cannot run inside a transaction block", what)
}

// ddl runs f with every other change of the catalog shut out.
func (st *statement) ddl(ctx context.Context, f func() error) error {
	select {
	case st.s.engine.ddl <- struct{}{}:
		defer func() { <-st.s.engine.ddl }()
		return f()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (st *statement) set(n *ast.Set) error {
	var err *zset.Error
	if n.Default {
		err = st.s.settings.Reset(n.Name.Text)
	} else {
		err = st.s.settings.Set(n.Name.Text, n.Value)
	}
	if err != nil {
		err.Pos = int(n.Name.Pos())
		return err
	}
	st.res.Tag = "SET"
	return nil
}

func (st *statement) show(n *ast.Show) error {
	if strings.EqualFold(n.Name.Text, "all") {
		st.res.Rows = textRows([]string{"name", "setting"}, st.s.settings.all())
		return nil
	}
	set, err := findSetting(n.Name.Text)
	if err != nil {
		err.Pos = int(n.Name.Pos())
		return err
	}
	st.res.Rows = textRows([]string{set.name}, [][]string{{set.show(&st.s.settings)}})
	return nil
}

// transaction is the transaction of the session, or one for this statement alone.
func (st *statement) transaction() (t *txn, own bool) {
	if st.s.txn != nil {
		return st.s.txn, false
	}
	return st.s.engine.begin(), true
}
