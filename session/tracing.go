package session

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"

	"github.com/ivmc/ivmc/trace"
	"github.com/ivmc/ivmc/zset"
)

// traced is start with a span, which ends with the last row that is read.
func (s *Session) traced(ctx context.Context, p *Prepared, params []zset.Value) (*Result, error) {
	ctx, end := s.engine.opts.Tracer.Start(ctx, trace.Statement, slog.String("statement", p.text))
	res, err := s.start(ctx, p.stmt, params)
	switch {
	case err != nil:
		end(err)
	case res.Rows == nil:
		end(nil, slog.String("tag", res.Tag), slog.Int64("rows", res.Affected))
	default:
		rows, free := res.Rows, res.Rows.close
		var once sync.Once
		rows.close = func() {
			free()
			once.Do(func() {
				err := rows.done
				if errors.Is(err, io.EOF) {
					err = nil
				}
				end(err, slog.String("tag", res.Tag), slog.Int64("rows", res.Affected))
			})
		}
	}
	return res, err
}
