package ivmc

import (
	"context"
	"log/slog"
	"time"

	"github.com/ivmc/ivmc/trace"
)

// Tracer hears of spans: what is done, about what, how long it takes and how it ends.
// It has one method,
//
//	Start(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, ivmc.SpanEnd)
//
// and spans within a span begin with the context that its Start returned. The errors
// that a span ends with are those that callers are given.
//
// Tracers are called by many goroutines at a time, and hold up what they hear of.
type Tracer = trace.Tracer

// SpanEnd ends a span, once; err is nil if all went well.
type SpanEnd = trace.End

// The names of spans, with their attributes at the beginning and at the end.
const (
	// SpanStatement is one statement, until its last row is read or given up:
	// statement; tag, rows.
	SpanStatement = trace.Statement
	// SpanRefresh is one refresh of a view: view, trigger, requested; executed, reason,
	// noop, rows_in, rows_out, from, to.
	SpanRefresh = trace.Refresh
	// SpanStep is the computation of what a refresh changes: view, mode.
	SpanStep = trace.Step
	// SpanCommit is one commit, with the wait for the disk if there is one: tso at its end.
	SpanCommit = trace.Commit
)

// tracer is what hears of spans: t, and the log of refreshes. nil is nobody.
func tracer(t Tracer, l *slog.Logger) Tracer {
	var log Tracer
	if l != nil {
		log = refreshLog{l}
	}
	if both := trace.Both(t, log); both != nil {
		return published{both}
	}
	return nil
}

// published gives a tracer the errors that callers get.
type published struct{ t Tracer }

func (p published) Start(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, SpanEnd) {
	ctx, end := p.t.Start(ctx, name, attrs...)
	return ctx, func(err error, attrs ...slog.Attr) { end(publish(err, ""), attrs...) }
}

// refreshLog writes a record for every refresh: one that failed is a warning, and one
// that found nothing to do is for debugging.
type refreshLog struct{ l *slog.Logger }

func (r refreshLog) Start(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, SpanEnd) {
	if name != SpanRefresh {
		return ctx, func(error, ...slog.Attr) {}
	}
	start := time.Now()
	return ctx, func(err error, more ...slog.Attr) {
		level := slog.LevelInfo
		for _, a := range more {
			if a.Key == "noop" && a.Value.Bool() {
				level = slog.LevelDebug
			}
		}
		all := append(attrs[:len(attrs):len(attrs)], more...)
		if err != nil {
			level = slog.LevelWarn
			all = append(attrs[:len(attrs):len(attrs)], slog.Any("error", err))
		}
		if r.l.Enabled(ctx, level) {
			r.l.LogAttrs(ctx, level, "refresh", append(all, slog.Float64("ms", float64(time.Since(start).Microseconds())/1000))...)
		}
	}
}
