package session

import (
	"strings"
	"testing"
)

// TestSourcesOfMovingViews: views that move with commits, one over the other, are right
// in the very commit in which their table changes its shape, or its rows after that.
func TestSourcesOfMovingViews(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"ALTER TABLE t RENAME TO u;\nINSERT INTO u VALUES (3, 1, 5)", "2|35"},
		{"ALTER TABLE t RENAME TO u;\nCREATE TABLE t(id BIGINT PRIMARY KEY, g INT, v INT);\nINSERT INTO t VALUES (9, 9, 9);\nINSERT INTO u VALUES (3, 1, 5)", "2|35"},
		{"ALTER TABLE t RENAME COLUMN v TO x;\nUPDATE t SET x = x + 1", "2|32"},
		{"ALTER TABLE t ADD COLUMN y INT;\nINSERT INTO t VALUES (3, 1, 5, 6)", "2|35"},
		{"TRUNCATE TABLE t", "0|"},
		{"TRUNCATE TABLE t;\nINSERT INTO t VALUES (4, 4, 4)", "1|4"},
		{"ALTER MATERIALIZED VIEW a RENAME TO z;\nDELETE FROM t WHERE id = 1", "1|20"},
	} {
		s := newEngine(t).Session()
		do(t, s, `CREATE TABLE t(id BIGINT PRIMARY KEY, g INT, v INT);
INSERT INTO t VALUES (1, 1, 10), (2, 2, 20);
CREATE MATERIALIZED VIEW a REFRESH ON COMMIT AS SELECT g, sum(v) AS s FROM t GROUP BY g;
CREATE MATERIALIZED VIEW b REFRESH ON COMMIT AS SELECT count(*) AS n, sum(s) AS s FROM a`)
		do(t, s, c.script)
		is(t, c.script, strings.ReplaceAll(rows(t, s, "SELECT * FROM b"), "NULL", ""), c.want)
		is(t, c.script, rows(t, s, "VERIFY MATERIALIZED VIEW b"), "")
	}
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE t(id BIGINT PRIMARY KEY);\nCREATE MATERIALIZED VIEW a REFRESH ON COMMIT AS SELECT * FROM t")
	fails(t, s, "DROP TABLE t", "2BP01")
	do(t, s, "DROP TABLE t CASCADE;\nCREATE TABLE t(id BIGINT PRIMARY KEY);\nINSERT INTO t VALUES (1)")
	fails(t, s, "SELECT * FROM a", "42P01")
}
