package refresh

import (
	"context"
	"log/slog"

	"github.com/ivmc/ivmc/trace"
)

// Trace has a tracer hear of refreshes and their steps. Called before anything else,
// if at all.
func (e *Engine) Trace(t trace.Tracer) { e.tracer = t }

// traced begins the span of a refresh; its end says what the report says then.
func (e *Engine) traced(ctx context.Context, rep *Report) (context.Context, trace.End) {
	ctx, end := e.tracer.Start(ctx, trace.Refresh, slog.String("view", rep.View),
		slog.String("trigger", rep.Trigger.String()), slog.String("requested", rep.Requested.String()))
	return ctx, func(err error, _ ...slog.Attr) {
		end(err, slog.String("executed", rep.Executed.String()), slog.String("reason", rep.Reason), slog.Bool("noop", rep.NoOp),
			slog.Int64("rows_in", rep.RowsIn), slog.Int64("rows_out", rep.RowsOut),
			slog.Uint64("from", uint64(rep.From)), slog.Uint64("to", uint64(rep.To)))
	}
}

// stepping begins the span of a step or build.
func (e *Engine) stepping(ctx context.Context, rep *Report) (context.Context, trace.End) {
	if e.tracer == nil {
		return ctx, func(error, ...slog.Attr) {}
	}
	return e.tracer.Start(ctx, trace.Step, slog.String("view", rep.View), slog.String("mode", rep.Executed.String()))
}
