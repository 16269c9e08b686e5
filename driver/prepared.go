package driver

import (
	"context"
	sqldriver "database/sql/driver"

	"github.com/ivmc/ivmc"
)

// prepared is a statement of a connection, read once.
type prepared struct {
	c *connection
	p *ivmc.Prepared
}

var (
	_ sqldriver.StmtExecContext   = (*prepared)(nil)
	_ sqldriver.StmtQueryContext  = (*prepared)(nil)
	_ sqldriver.NamedValueChecker = (*prepared)(nil)
)

func (p *prepared) Close() error  { return nil }
func (p *prepared) NumInput() int { return p.p.Params() }

func (p *prepared) CheckNamedValue(v *sqldriver.NamedValue) error { return p.c.CheckNamedValue(v) }

func (p *prepared) Exec(args []sqldriver.Value) (sqldriver.Result, error) {
	return p.ExecContext(context.Background(), numbered(args))
}

func (p *prepared) Query(args []sqldriver.Value) (sqldriver.Rows, error) {
	return p.QueryContext(context.Background(), numbered(args))
}

func numbered(args []sqldriver.Value) []sqldriver.NamedValue {
	out := make([]sqldriver.NamedValue, len(args))
	for i, a := range args {
		out[i] = sqldriver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return out
}

// ExecContext runs the statement and reads the rows that it may have to their end.
func (p *prepared) ExecContext(ctx context.Context, args []sqldriver.NamedValue) (sqldriver.Result, error) {
	out, err := p.run(ctx, args)
	if err != nil {
		return nil, err
	}
	if out.Rows != nil {
		defer out.Rows.Close()
		for out.Rows.Next() {
		}
		if err := out.Rows.Err(); err != nil {
			return nil, err
		}
	}
	return result(out.RowsAffected), nil
}

// QueryContext runs the statement; one without rows gives none.
func (p *prepared) QueryContext(ctx context.Context, args []sqldriver.NamedValue) (sqldriver.Rows, error) {
	out, err := p.run(ctx, args)
	if err != nil {
		return nil, err
	}
	if out.Rows == nil {
		return &rows{}, nil
	}
	return &rows{text: out.Rows, cols: out.Rows.Columns()}, nil
}

func (p *prepared) run(ctx context.Context, args []sqldriver.NamedValue) (*ivmc.Outcome, error) {
	if p.c.readOnly && !p.p.Reads() {
		return nil, &ivmc.Error{Code: "25006", Message: "cannot execute this statement in a read-only transaction"}
	}
	return p.c.s.RunPrepared(ctx, p.p, values(args)...)
}
