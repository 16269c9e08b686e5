package session

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestInsertParts: an INSERT of more rows than are entered at a time is one statement:
// a key that stands twice in it, or is there, is an error wherever it stands, and one
// that is ended in the middle leaves nothing.
func TestInsertParts(t *testing.T) {
	e, err := Open("", Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := e.Session()
	defer s.Close()
	do(t, s, "CREATE TABLE t(a BIGINT PRIMARY KEY, u BIGINT UNIQUE);\nINSERT INTO t VALUES (0, 0)")
	for _, c := range []struct{ what, sql, code string }{
		{"the same key in another part", "INSERT INTO t SELECT CASE i WHEN 150000 THEN 1 ELSE i END, i FROM generate_series(1, 150000) AS g(i)", "23505"},
		{"a stored key in a later part", "INSERT INTO t SELECT CASE i WHEN 150000 THEN 0 ELSE i END, i FROM generate_series(1, 150000) AS g(i)", "23505"},
		{"the same unique value in another part", "INSERT INTO t SELECT i, CASE i WHEN 150000 THEN 1 ELSE i END FROM generate_series(1, 150000) AS g(i)", "23505"},
	} {
		_, err := s.Run(context.Background(), c.sql)
		if es := All(err); len(es) != 1 || es[0].Code != c.code {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	for wait := time.Millisecond; wait < time.Minute; wait *= 2 {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		_, err := s.Run(ctx, "INSERT INTO t SELECT i, i FROM generate_series(1, 150000) AS g(i)")
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		is(t, "after one that was ended", rows(t, s, "SELECT count(*) FROM t"), "1")
	}
	do(t, s, "DELETE FROM t;\nINSERT INTO t SELECT i, i FROM generate_series(1, 150000) AS g(i)")
	is(t, "all parts", rows(t, s, "SELECT count(*), sum(a), sum(u) FROM t"), "150000|11250075000|11250075000")
}
