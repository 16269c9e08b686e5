// Package trace tells a program what happens inside, as spans: a name, what it is
// about, how long it took and how it ended. It depends on nothing, so that any
// tracing library can hear of them by a few lines.
package trace

import (
	"context"
	"log/slog"
)

// The names of spans.
const (
	// Statement is one statement, until its last row is read or given up. Begins with
	// "statement", the text; ends with "tag", and "rows" that were changed.
	Statement = "statement"
	// Refresh is one refresh of a view, within a statement or by itself. Begins with
	// "view", "trigger" and "requested"; ends with "executed", "reason", "rows_in",
	// "rows_out", "from" and "to".
	Refresh = "refresh"
	// Step is the computation of what a refresh changes. Begins with "view" and "mode".
	Step = "step"
	// Commit is one commit of the store, with the wait for the disk if there is one.
	// Ends with "tso".
	Commit = "commit"
)

// Tracer hears of spans. It is called by many goroutines at a time, and holds up
// what it hears of.
type Tracer interface {
	// Start begins a span. Those within it begin with the context that it returns.
	Start(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, End)
}

// End ends a span, once. err is nil if all went well.
type End func(err error, attrs ...slog.Attr)

// Both is the tracers that are not nil, one after the other; nil if none is left.
func Both(ts ...Tracer) Tracer {
	var all tracers
	for _, t := range ts {
		if t != nil {
			all = append(all, t)
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return all
}

// tracers are several.
type tracers []Tracer

func (ts tracers) Start(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, End) {
	ends := make([]End, len(ts))
	for i, t := range ts {
		ctx, ends[i] = t.Start(ctx, name, attrs...)
	}
	return ctx, func(err error, attrs ...slog.Attr) {
		for i := len(ends) - 1; i >= 0; i-- {
			ends[i](err, attrs...)
		}
	}
}
