package session

import (
	"context"
	"errors"
	"testing"
	"time"
)

// forEver is a query that nobody lives to see the end of.
const forEver = "SELECT count(*) FROM m x, m y, m z, m u"

// running opens an engine with a table m, and gives a channel that hears of
// every statement that has begun.
func running(t *testing.T) (*Engine, chan struct{}) {
	t.Helper()
	begun := make(chan struct{}, 100)
	e, err := Open("", Options{InMemory: true, Clock: func() time.Time {
		select {
		case begun <- struct{}{}:
		default:
		}
		return time.Now()
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := e.Session()
	do(t, s, "CREATE TABLE m(a INT);\nINSERT INTO m VALUES (1), (2), (3), (4), (5), (6), (7), (8)")
	for range 9 {
		do(t, s, "INSERT INTO m SELECT a FROM m")
	}
	for len(begun) > 0 {
		<-begun
	}
	return e, begun
}

// TestCloseEndsStatements: Close ends what runs, and returns when it has ended.
func TestCloseEndsStatements(t *testing.T) {
	ctx := context.Background()
	for name, run := range map[string]func(e *Engine) error{
		"query": func(e *Engine) error {
			res, err := e.Session().Run(ctx, forEver)
			if err == nil {
				_, err = cells(res.Rows)
			}
			return err
		},
		"insert": func(e *Engine) error {
			_, err := e.Session().Run(ctx, "INSERT INTO m "+"SELECT count(*)::int FROM m x, m y, m z, m u")
			return err
		},
		"explain": func(e *Engine) error {
			_, err := e.Session().Explain(ctx, "EXPLAIN ANALYZE "+forEver)
			return err
		},
		"view": func(e *Engine) error {
			_, err := e.Session().Run(ctx, "CREATE MATERIALIZED VIEW v AS "+forEver)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, begun := running(t)
			got := make(chan error, 1)
			go func() { got <- run(e) }()
			<-begun
			if err := e.Close(); err != nil {
				t.Error(err)
			}
			if err := <-got; !errors.Is(err, ErrClosed) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestCloseByReader: whoever reads rows or changes may close in between.
func TestCloseByReader(t *testing.T) {
	ctx := context.Background()
	e, _ := running(t)
	res, err := e.Session().Run(ctx, "SELECT x.a FROM m x, m y")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := res.Rows.Next(ctx); err != nil {
		t.Fatal(err)
	}
	calls := 0
	err = e.Changes(ctx, "m", 0, e.store.Applied(), func(*Changes) bool {
		if calls++; calls == 1 {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
		return true
	})
	if !errors.Is(err, ErrClosed) || calls != 1 {
		t.Errorf("changes: %v after %d calls", err, calls)
	}
	if _, err := res.Rows.Next(ctx); !errors.Is(err, ErrClosed) {
		t.Errorf("rows: %v", err)
	}
	res.Rows.Close()
}
