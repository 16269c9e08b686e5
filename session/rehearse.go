package session

import (
	"context"
	"errors"
	"io"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/zset"
)

// Explain explains a query, or a CREATE or REFRESH MATERIALIZED VIEW statement.
// The text may begin with EXPLAIN and its options.
func (s *Session) Explain(ctx context.Context, text string, args ...any) (string, error) {
	return s.ExplainWith(ctx, ExplainOptions{}, text, args...)
}

// ExplainWith is Explain with options, which count where the text names none.
func (s *Session) ExplainWith(ctx context.Context, o ExplainOptions, text string, args ...any) (string, error) {
	if err := o.Validate(); err != nil {
		return "", err
	}
	stmt, params, err := s.parse(ctx, text, args)
	if err != nil {
		return "", err
	}
	return s.explainParsed(ctx, stmt, o, params)
}

func (s *Session) explainParsed(ctx context.Context, stmt ast.Statement, o ExplainOptions, params []zset.Value) (string, error) {
	if x, ok := stmt.(*ast.Explain); ok && len(x.Options) == 0 {
		stmt = x.Stmt
	}
	if _, ok := stmt.(*ast.Explain); !ok {
		x := &ast.Explain{At: ast.At{Start: stmt.Pos()}, Stmt: stmt}
		for _, opt := range [][2]string{{"stage", o.Stage}, {"format", o.Format}} {
			if opt[1] != "" {
				x.Options = append(x.Options, ast.ExplainOption{At: x.At, Name: opt[0], Value: opt[1]})
			}
		}
		if o.Analyze {
			x.Options = append(x.Options, ast.ExplainOption{At: x.At, Name: "analyze"})
		}
		stmt = x
	}
	s.line, s.column = o.Line, o.Column
	defer func() { s.line, s.column = 0, 0 }()
	res, err := s.start(ctx, stmt, params)
	if err != nil {
		return "", err
	}
	defer res.Rows.Close()
	var out []byte
	for {
		b, err := res.Rows.Next(ctx)
		if errors.Is(err, io.EOF) {
			return string(out), nil
		}
		if err != nil {
			return "", err
		}
		for i := range b.N {
			out = append(zset.AppendText(out, &b.Cols[0], i), '\n')
		}
	}
}

// Rehearse is for a script of definitions and questions: it explains what can be
// explained and gives ok, and runs every other statement. A materialized view is
// explained and then created, for what follows may read it; one that would be
// refused for not being incremental is created all the same.
func (s *Session) Rehearse(ctx context.Context, o ExplainOptions, text string) (out string, ok bool, err error) {
	if err := o.Validate(); err != nil {
		return "", false, err
	}
	stmt, params, err := s.parse(ctx, text, nil)
	if err != nil {
		return "", false, err
	}
	switch n := stmt.(type) {
	case *ast.Query, *ast.Explain, *ast.Refresh:
		out, err = s.explainParsed(ctx, stmt, o, params)
		return out, true, err
	case *ast.CreateMaterializedView:
		if out, err = s.explainParsed(ctx, stmt, o, params); err != nil {
			return "", false, err
		}
		if n.Mode == ast.ModeIncremental || n.Mode == ast.ModeFallback {
			n.Mode = ast.ModeAuto
		}
		ok = true
	}
	res, err := s.start(ctx, stmt, params)
	if err == nil && res.Rows != nil {
		res.Rows.Close()
	}
	return out, ok, err
}
