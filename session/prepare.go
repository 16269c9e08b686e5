package session

import (
	"context"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/zset"
)

// Prepared is a statement that was read once and may run any number of times, in
// any session of its engine. Names and types are looked up anew at each run, so
// that it goes on after its tables changed. It never changes.
type Prepared struct {
	stmt   ast.Statement
	params int
	text   string
}

// Params is the number of its parameters: the highest n of $n.
func (p *Prepared) Params() int { return p.params }

// Reads reports whether it leaves data, catalog and settings alone: a query, or
// a savepoint.
func (p *Prepared) Reads() bool {
	switch n := p.stmt.(type) {
	case *ast.Query, *ast.Show, *ast.ShowObjects, *ast.ShowColumns, *ast.ShowCreate, *ast.ShowStreams,
		*ast.Savepoint, *ast.RollbackTo, *ast.Release:
		return true
	case *ast.Explain: // ANALYZE does what it explains
		_, query := n.Stmt.(*ast.Query)
		return query
	}
	return false
}

// HasRows reports whether it returns rows.
func (p *Prepared) HasRows() bool {
	switch n := p.stmt.(type) {
	case *ast.Refresh:
		return n.DryRun != nil
	case *ast.Query, *ast.Verify, *ast.Explain, *ast.Show, *ast.ShowObjects, *ast.ShowColumns, *ast.ShowCreate, *ast.ShowStreams:
		return true
	case *ast.Insert:
		return n.Returning != nil
	case *ast.Update:
		return n.Returning != nil
	case *ast.Delete:
		return n.Returning != nil
	}
	return false
}

// Prepare reads a statement. Only what the text says by itself is an error here.
func (s *Session) Prepare(text string) (*Prepared, error) {
	return s.prepare(context.Background(), text)
}

// prepare is [Session.Prepare] under ctx and the timeout of statements.
func (s *Session) prepare(ctx context.Context, text string) (p *Prepared, err error) {
	defer s.engine.guard(&err)
	if s.closed || s.engine.life.ctx.Err() != nil {
		return nil, ErrClosed
	}
	if len(text) > longText {
		within, cancel := s.statementContext(ctx)
		defer cancel()
		ctx = within
	}
	stmt, err := ast.ParseUnder(ctx, text, s.engine.opts.Limits)
	if err != nil {
		return nil, s.failed(ctxErr(ctx, err))
	}
	return &Prepared{stmt: stmt, params: paramsOf(stmt), text: text}, nil
}

// longText is bytes of a statement that may take so long to read that its timeout counts.
const longText = 1 << 14

// RunPrepared is [Session.RunAlone] of a statement that was read before.
func (s *Session) RunPrepared(ctx context.Context, p *Prepared, args ...any) (*Result, error) {
	if len(args) > p.params {
		return nil, s.failed(zset.Errorf("08P01", -1,
			"bind message supplies %d parameters, but prepared statement \"\" requires %d", len(args), p.params))
	}
	return s.runWith(ctx, p, args)
}

// runWith runs p with args, of which it may leave some unused.
func (s *Session) runWith(ctx context.Context, p *Prepared, args []any) (res *Result, err error) {
	defer s.engine.guard(&err)
	params, err := s.ready(p, args)
	if err != nil {
		return nil, err
	}
	if s.engine.opts.Tracer != nil {
		return s.traced(ctx, p, params)
	}
	return s.start(ctx, p.stmt, params)
}

// parse reads a statement and its parameters, and refuses what cannot run now.
func (s *Session) parse(ctx context.Context, text string, args []any) (ast.Statement, []zset.Value, error) {
	p, err := s.prepare(ctx, text)
	if err != nil {
		return nil, nil, err
	}
	params, err := s.ready(p, args)
	return p.stmt, params, err
}

// ready gives the values of args, and refuses what cannot run now.
func (s *Session) ready(p *Prepared, args []any) ([]zset.Value, error) {
	if s.closed || s.engine.life.ctx.Err() != nil {
		return nil, ErrClosed
	}
	params, err := Params(args)
	if err != nil {
		return nil, s.failed(err)
	}
	s.text = p.text
	if s.txn != nil && s.txn.failed && !endsTransaction(p.stmt) {
		return nil, worded(zset.Errorf("25P02", -1, "current transaction is aborted, commands ignored until end of transaction block"))
	}
	return params, nil
}

// paramsOf is the highest number of a parameter in stmt.
func paramsOf(stmt ast.Statement) int {
	highest := 0
	var walk func(n ast.Node)
	walk = func(n ast.Node) {
		if p, ok := n.(*ast.Param); ok {
			highest = max(highest, p.N)
		}
		ast.Children(n, walk)
	}
	walk(stmt)
	return highest
}
