package ivmc

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/session"
	"github.com/ivmc/ivmc/storage"
)

// TSO is a commit timestamp: milliseconds since 1970 shifted left by 18 bits,
// and a count below. Every commit has its own; later commits have larger ones.
type TSO = storage.TSO

// DB is an open database. It is safe for concurrent use.
type DB struct {
	engine *session.Engine
	opts   Options
}

// Open opens the database in dir and creates it if there is none. opts nil is
// the defaults. Errors: [ErrLocked], [ErrVersion], [ErrCorruption],
// [ErrNotFound] with MustExist, or what [Options.Validate] says.
func Open(dir string, opts *Options) (*DB, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if dir == "" && !o.InMemory && o.FS == nil {
		return nil, errors.New("ivmc: no directory: name one, or set Options.InMemory")
	}
	o.EnsureDefaults()
	lim := ast.DefaultLimits()
	lim.Bytes, lim.Depth = o.MaxStatementBytes, o.MaxDepth
	functions, err := library(o.Functions)
	if err != nil {
		return nil, publish(err, "")
	}
	e, err := session.Open(dir, session.Options{
		InMemory: o.InMemory, MustExist: o.MustExist, FS: o.FS, Clock: o.Clock,
		NoSync: o.NoSync, NoFiles: o.NoFiles, MemoryLimit: o.MemoryLimit, History: o.History, Logger: logger(o.Logger), Tracer: tracer(o.Tracer, o.Logger), Limits: lim, Functions: functions,
	})
	if err != nil {
		return nil, publish(err, "")
	}
	return &DB{engine: e, opts: o}, nil
}

// Close closes the database. What still runs is cancelled and fails with
// [ErrClosed], and Close waits for it; so does what readers and iterators that
// are open would read next. Whoever reads may call it in between. A second Close
// gives ErrClosed.
func (db *DB) Close() error { return publish(db.engine.Close(), "") }

// Options are those that db was opened with, defaults filled in.
func (db *DB) Options() Options { return db.opts }

// Session returns a new session with default settings. It belongs to one
// goroutine at a time; the caller closes it.
func (db *DB) Session() *Session { return &Session{s: db.engine.Session()} }

// Exec runs the statements of sql, one after another, each as a transaction of
// its own unless sql itself begins one. It stops at the first error; a
// transaction still open at the end is rolled back, which is an error (25000).
// The result is that of the last statement. Rows of queries are read and dropped.
func (db *DB) Exec(ctx context.Context, sql string, args ...any) (Result, error) {
	s := db.Session()
	res, err := s.Exec(ctx, sql, args...)
	if err == nil && s.InTransaction() {
		err = &Error{Code: "25000", Message: "the text leaves a transaction open, which was rolled back",
			Hint: "Use a session for transactions that span several calls."}
	}
	if cerr := s.Close(); err == nil {
		err = cerr
	}
	return res, err
}

// Query runs one statement that returns rows; any other is refused (02000) and
// does nothing. The caller releases the reader;
// see the package comment about its records. ctx governs reading too.
func (db *DB) Query(ctx context.Context, sql string, args ...any) (array.RecordReader, error) {
	s := db.Session()
	defer s.Close() // what the reader needs of the snapshot it holds itself
	return s.Query(ctx, sql, args...)
}

// Text is Query with cells as text, as psql prints them. The caller closes it.
func (db *DB) Text(ctx context.Context, sql string, args ...any) (*Text, error) {
	ctx = orBackground(ctx)
	s := db.Session()
	defer s.Close()
	res, err := s.s.Query(ctx, sql, args...)
	if err != nil {
		return nil, publish(err, sql)
	}
	return &Text{ctx: ctx, sql: sql, rows: res.Rows}, nil
}

// Apply writes the rows of rec to a table as one transaction and returns its
// TSO, 0 if there was nothing to write. The caller keeps rec.
//
// Columns are found by name; one that rec lacks takes its DEFAULT, NULL without one; one
// that the table lacks is an error (42703). Without a control column every row is an insert.
//
// A column __op of int8 says per row: 0 insert, 1 delete, 2 upsert. Rows work
// in order. A keyed table deletes and upserts by key; a bag deletes by whole
// row, where NULL matches NULL. A column __weight of int64 says how many copies
// of the row to add, or to remove if negative; rows then have no order, and in
// a keyed table -1 and +1 of one key are an update. Both columns at once are an
// error. An insert of a live key is an error (23505), as is the delete of a
// row that is not there (P0002); a failed Apply changes nothing.
func (db *DB) Apply(ctx context.Context, table string, rec arrow.Record) (TSO, error) {
	ctx = orBackground(ctx)
	tso, err := db.engine.Apply(ctx, table, rec)
	return tso, publish(err, "")
}

// ExplainOptions are the options of [Session.ExplainWith]. The zero value is the plan that
// runs, as text.
type ExplainOptions struct {
	// Stage is "algebra", "normalized", "delta", "full" or "all". Default: of a
	// view the delta plan, of a query the plan that runs. A query at stage delta
	// is taken for the definition of a view.
	Stage string
	// Format is "text", "json" (a contract, docs/json.md), "dot", "mermaid" or "svg".
	Format string
	// Analyze runs the query or the refresh, and shows what every operator did.
	Analyze bool
	// Line and Column are where the statement begins in its file, from 1; 0: at
	// the beginning.
	Line, Column int
}

// String lists the options with their defaults, one line.
func (o ExplainOptions) String() string {
	stage, format := o.Stage, o.Format
	if stage == "" {
		stage = "delta, of a query the one that runs"
	}
	if format == "" {
		format = "text"
	}
	return fmt.Sprintf("stage=%q format=%q analyze=%t line=%d column=%d", stage, format, o.Analyze, o.Line, o.Column)
}

// Validate says what value of o is none: 22023.
func (o *ExplainOptions) Validate() error { return publish(session.ExplainOptions(*o).Validate(), "") }

// Explain says how a query, or a CREATE or REFRESH MATERIALIZED VIEW statement,
// runs, and why a view is or is not incremental. sql may begin with EXPLAIN and
// its options. Nothing is changed, but by EXPLAIN ANALYZE of a refresh.
//
//	text, err := db.Explain(ctx, "EXPLAIN (FORMAT json) REFRESH MATERIALIZED VIEW by_state")
func (db *DB) Explain(ctx context.Context, sql string, args ...any) (string, error) {
	s := db.Session()
	defer s.Close()
	return s.ExplainWith(ctx, nil, sql, args...)
}

// ExplainWith is [DB.Explain] with the settings of the session, and with opts,
// which count where sql names no options. opts nil is the defaults.
func (s *Session) ExplainWith(ctx context.Context, opts *ExplainOptions, sql string, args ...any) (string, error) {
	ctx = orBackground(ctx)
	var o session.ExplainOptions
	if opts != nil {
		o = session.ExplainOptions(*opts)
	}
	text, err := s.s.ExplainWith(ctx, o, sql, args...)
	return text, publish(err, sql)
}

// Rehearse is for a script of definitions and questions, as a rule in a database
// in memory: it explains a query, or CREATE or REFRESH MATERIALIZED VIEW, and
// gives ok; it runs every other statement. A materialized view is explained and
// created, for what follows may read it.
func (s *Session) Rehearse(ctx context.Context, opts *ExplainOptions, sql string) (text string, ok bool, err error) {
	ctx = orBackground(ctx)
	var o session.ExplainOptions
	if opts != nil {
		o = session.ExplainOptions(*opts)
	}
	text, ok, err = s.s.Rehearse(ctx, o, sql)
	return text, ok, publish(err, sql)
}

// Graph says which views and streams read what, with sizes and how far views are
// behind, as "text", "json" (docs/json.md), "dot", "mermaid" or "svg".
func (db *DB) Graph(ctx context.Context, format string) (string, error) {
	ctx = orBackground(ctx)
	text, err := db.engine.Graph(ctx, format)
	return text, publish(err, "")
}

// Applied is the TSO below which everything is committed and readable.
func (db *DB) Applied() TSO { return db.engine.Store().Applied() }

// Views lists the materialized views, each after those that it reads.
func (db *DB) Views() []string { return db.engine.Views() }

// Sources lists the materialized views that a view reads, directly or through
// others, each after those that it reads itself; nil for what is no view.
func (db *DB) Sources(view string) []string { return db.engine.Sources(view) }
