package ivmc

import (
	"context"

	"github.com/ivmc/ivmc/session"
)

// Prepared is one statement that was read once, for any number of runs, in any
// session of its database. It never changes. Names and types are looked up anew
// at each run.
type Prepared struct {
	p   *session.Prepared
	sql string
}

// Prepare reads one statement. Errors are those that the text alone shows, of
// its syntax and its size; those of names and types come when it runs.
func (s *Session) Prepare(sql string) (*Prepared, error) {
	p, err := s.s.Prepare(sql)
	if err != nil {
		return nil, publish(err, sql)
	}
	return &Prepared{p: p, sql: sql}, nil
}

// RunPrepared is [Session.Run] of a statement that was read before.
func (s *Session) RunPrepared(ctx context.Context, p *Prepared, args ...any) (*Outcome, error) {
	ctx = orBackground(ctx)
	res, err := s.s.RunPrepared(ctx, p.p, args...)
	return outcome(ctx, p.sql, res, err)
}

// Params is the number of arguments that it needs.
func (p *Prepared) Params() int { return p.p.Params() }

// Reads reports whether it leaves data, catalog and settings alone: a query, or a
// savepoint. INSERT, UPDATE and DELETE do not, also those that return rows.
func (p *Prepared) Reads() bool { return p.p.Reads() }

func outcome(ctx context.Context, sql string, res *session.Result, err error) (*Outcome, error) {
	if err != nil {
		return nil, publish(err, sql)
	}
	out := &Outcome{Result: resultOf(res)}
	if res.Rows != nil {
		out.Rows = &Text{ctx: ctx, sql: sql, rows: res.Rows}
	}
	return out, nil
}
