package ivmc_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ivmc/ivmc"
)

// depth is the key of how many spans are open, in a context.
type depth struct{}

// spans writes a line for every span, in the order of their ends.
type spans struct {
	mu    sync.Mutex
	lines []string
	last  error
}

func (s *spans) Start(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, ivmc.SpanEnd) {
	n, _ := ctx.Value(depth{}).(int)
	return context.WithValue(ctx, depth{}, n+1), func(err error, more ...slog.Attr) {
		line := strings.Repeat("  ", n) + name
		for _, a := range slices.Concat(attrs, more) {
			switch a.Key {
			case "tso", "from", "to", "noop":
			default:
				line += fmt.Sprintf(" %s=%s", a.Key, a.Value)
			}
		}
		if err != nil {
			line += " failed"
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lines = append(s.lines, line)
		s.last = err
	}
}

// take gives what was written since.
func (s *spans) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := strings.Join(s.lines, "\n")
	s.lines = nil
	return out
}

// TestTracer: what is done is told as spans within each other, which end once, with
// the errors that callers get.
func TestTracer(t *testing.T) {
	heard := &spans{}
	var log strings.Builder
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, Tracer: heard, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	exec(t, db, "CREATE TABLE t(a BIGINT PRIMARY KEY); CREATE MATERIALIZED VIEW v AS SELECT sum(100 / a) AS s FROM t")
	heard.take()
	is := func(want string) {
		t.Helper()
		if got := heard.take(); got != strings.TrimPrefix(want, "\n") {
			t.Errorf("heard\n%s\nwanted%s", got, want)
		}
	}
	exec(t, db, "INSERT INTO t VALUES (1), (2)")
	is(`
  commit
statement statement=INSERT INTO t VALUES (1), (2) tag=INSERT 0 2 rows=2`)
	exec(t, db, "REFRESH MATERIALIZED VIEW v")
	is(`
    step view=v mode=INCREMENTAL
    commit
  refresh view=v trigger=MANUAL requested=AUTO executed=INCREMENTAL reason= rows_in=2 rows_out=2
statement statement=REFRESH MATERIALIZED VIEW v tag=REFRESH MATERIALIZED VIEW rows=0`)
	rows, err := db.Text(ctx, "SELECT a FROM t")
	if err != nil {
		t.Fatal(err)
	}
	is("")
	for rows.Next() {
	}
	rows.Close()
	is(`
statement statement=SELECT a FROM t tag= rows=0`)
	exec(t, db, "INSERT INTO t VALUES (0)")
	heard.take()
	if _, err := db.Refresh(ctx, "v", ivmc.Complete); err == nil {
		t.Fatal("1/0 is nothing")
	}
	is(`
  step view=v mode=COMPLETE failed
refresh view=v trigger=MANUAL requested=COMPLETE executed=COMPLETE reason= rows_in=0 rows_out=0 failed`)
	var e *ivmc.Error
	if !errors.As(heard.last, &e) || e.Code != "22012" {
		t.Errorf("%v", heard.last)
	}
	if text := log.String(); strings.Count(text, "msg=refresh") != 2 || !strings.Contains(text, "level=WARN") || !strings.Contains(text, "rows_in=2") {
		t.Errorf("log:\n%s", text)
	}
}

// printed is a tracer that prints.
type printed struct{}

func (printed) Start(ctx context.Context, name string, attrs ...slog.Attr) (context.Context, ivmc.SpanEnd) {
	fmt.Println("begin", name)
	return ctx, func(err error, attrs ...slog.Attr) { fmt.Println("end", name, err) }
}

// A tracer is one method. One for OpenTelemetry starts a span of its own with the
// context, and ends it in the function that it returns: see docs/library.md.
func ExampleTracer() {
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, Tracer: printed{}})
	if err != nil {
		panic(err)
	}
	defer db.Close()
	if _, err := db.Exec(context.Background(), "CREATE TABLE t(a INT)"); err != nil {
		panic(err)
	}
	// Output:
	// begin statement
	// begin commit
	// end commit <nil>
	// end statement <nil>
}
