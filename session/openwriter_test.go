package session

import "testing"

// TestOpenWriter: a view made while a transaction is open shows none of it, and
// all of it after its commit and one incremental step; nothing after a rollback.
func TestOpenWriter(t *testing.T) {
	for _, end := range []struct{ word, after string }{{"COMMIT", "3|31"}, {"ROLLBACK", "2|3"}} {
		e := newEngine(t)
		a, b := e.Session(), e.Session()
		do(t, a, `CREATE TABLE t(id BIGINT PRIMARY KEY, v INT);
INSERT INTO t VALUES (1, 1), (2, 2);
BEGIN;
INSERT INTO t VALUES (10, 10);
UPDATE t SET v = 20 WHERE id = 2;
`)
		do(t, b, "CREATE MATERIALIZED VIEW v AS SELECT COUNT(*) AS n, SUM(v) AS s FROM t")
		do(t, a, end.word)
		is(t, "before the refresh", rows(t, b, "SELECT * FROM v"), "2|3")
		do(t, b, "REFRESH MATERIALIZED VIEW v INCREMENTAL")
		is(t, end.word, rows(t, b, "SELECT * FROM v"), end.after)
	}
}
