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
	s := newEngine(t).Session()
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

// TestUpsertIsWhole: rows that replace others have no inner order, however many they
// are: values of a UNIQUE column go from row to row.
func TestUpsertIsWhole(t *testing.T) {
	s := newEngine(t).Session()
	defer s.Close()
	do(t, s, "CREATE TABLE l(a INT, b INT UNIQUE) UNIQUE KEY(a);\nINSERT INTO l SELECT i, i FROM generate_series(1, 65537) AS g(i);\n"+
		"INSERT INTO l SELECT i % 65537 + 1, i FROM generate_series(1, 65537) AS g(i)")
	is(t, "moved", rows(t, s, "SELECT count(*), count(DISTINCT b), sum(CASE WHEN a % 65537 = (b + 1) % 65537 THEN 0 ELSE 1 END) FROM l"), "65537|65537|0")
	do(t, s, "CREATE TABLE u(id INT, k INT);\nINSERT INTO u VALUES (1, 0), (2, 5), (3, 0), (4, 0)")
	do(t, s, "CREATE MATERIALIZED VIEW c AS SELECT k FROM (SELECT k FROM u ORDER BY id) y WHERE k >= 0 LIMIT 2")
	is(t, "the first of a list, by definition", rows(t, s, "VERIFY MATERIALIZED VIEW c"), "")
	res, err := s.Run(context.Background(), "SELECT k FROM u WHERE CASE WHEN k = 5 THEN true WHEN (SELECT id FROM u) = 1 THEN NULL ELSE false END")
	if err == nil {
		_, err = cells(res.Rows)
	}
	if es := All(err); len(es) != 1 || es[0].Code != "21000" {
		t.Errorf("the error of a query in a condition: %v", err)
	}
}
