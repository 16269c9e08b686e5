package session

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// newEngine opens an engine in memory that the test's end closes.
func newEngine(t testing.TB) *Engine {
	t.Helper()
	e, err := Open("", Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// do runs statements, separated by semicolons at line ends, all of which must work.
func do(t testing.TB, s *Session, script string) *Result {
	t.Helper()
	var last *Result
	for _, text := range strings.Split(script, ";\n") {
		if strings.TrimSpace(text) == "" {
			continue
		}
		res, err := s.Run(context.Background(), text)
		if err != nil {
			t.Fatalf("%s: %s", text, describeError(err))
		}
		if res.Rows != nil {
			res.Rows.Close()
		}
		last = res
	}
	return last
}

func describeError(err error) string {
	var b strings.Builder
	for _, e := range All(err) {
		b.WriteString(e.Code + " " + e.Msg + " " + e.Detail + "\n")
	}
	return b.String()
}

// fails runs a statement that must fail with the code.
func fails(t testing.TB, s *Session, text, code string) *zset.Error {
	t.Helper()
	res, err := s.Run(context.Background(), text)
	if err == nil && res.Rows != nil {
		_, err = cells(res.Rows)
	}
	if err == nil {
		t.Fatalf("%s: wanted %s, it worked", text, code)
	}
	first := All(err)[0]
	if first.Code != code {
		t.Fatalf("%s: wanted %s, got %s", text, code, describeError(err))
	}
	return first
}

// rows runs a query and gives its rows, cells joined by |.
func rows(t testing.TB, s *Session, text string, args ...any) string {
	t.Helper()
	res, err := s.Run(context.Background(), text, args...)
	if err != nil {
		t.Fatalf("%s: %s", text, describeError(err))
	}
	out, err := cells(res.Rows)
	if err != nil {
		t.Fatalf("%s: %s", text, describeError(err))
	}
	return strings.Join(out, "\n")
}

func cells(r *Rows) ([]string, error) {
	defer r.Close()
	var out []string
	for {
		b, err := r.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		b = expand(b)
		for i := range b.N {
			line := ""
			for c := range b.Cols {
				if c > 0 {
					line += "|"
				}
				if b.Cols[c].IsNull(i) {
					line += "NULL"
					continue
				}
				line += string(zset.AppendText(nil, &b.Cols[c], i))
			}
			out = append(out, line)
		}
	}
}

// is compares with a message.
func is(t testing.TB, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got\n%v\nwanted\n%v", what, got, want)
	}
}

// idOf is the id of a relation.
func idOf(t testing.TB, e *Engine, name string) storage.ID {
	t.Helper()
	obj, ok := e.store.Catalog().ByName(name)
	if !ok {
		t.Fatalf("no relation %s", name)
	}
	return obj.ID
}
