package session

import (
	"os"
	"strings"
	"testing"
)

// sourceLife is the rows of docs/sources.md, and what shows each. A statement
// that must fail has the code before it; "? " is a query with its rows behind "=>".
var sourceLife = []struct{ happens, does, script string }{
	{"`DROP TABLE t`", "is refused (2BP01)", `2BP01 DROP TABLE t
REFRESH MATERIALIZED VIEW a INCREMENTAL`},
	{"`DROP TABLE t CASCADE`", "drops the views", `DROP TABLE t CASCADE
42P01 SELECT * FROM a
42P01 SELECT * FROM b
? SELECT count(*) FROM information_schema.materialized_views => 0`},
	{"`DROP TABLE t CASCADE`, `CREATE TABLE t`", "nothing of the old views", `DROP TABLE t CASCADE
CREATE TABLE t(id BIGINT PRIMARY KEY, g INT, v INT)
42P01 REFRESH MATERIALIZED VIEW a
CREATE MATERIALIZED VIEW a AS SELECT g, sum(v) AS s FROM t GROUP BY g
INSERT INTO t VALUES (1, 1, 100)
REFRESH MATERIALIZED VIEW a INCREMENTAL
? SELECT * FROM a => 1|100`},
	{"`ALTER TABLE t RENAME TO u`", "goes on by its changes", `ALTER TABLE t RENAME TO u
INSERT INTO u VALUES (3, 1, 5)
REFRESH MATERIALIZED VIEW a INCREMENTAL
? SELECT * FROM a => 1|35
? SELECT source_name FROM information_schema.materialized_view_sources WHERE view_name = 'a' => u`},
	{"`ALTER TABLE t RENAME TO u`, `CREATE TABLE t`", "goes on with u", `ALTER TABLE t RENAME TO u
CREATE TABLE t(id BIGINT PRIMARY KEY, g INT, v INT)
INSERT INTO t VALUES (1, 7, 7)
INSERT INTO u VALUES (3, 1, 5)
REFRESH MATERIALIZED VIEW a INCREMENTAL
? SELECT * FROM a => 1|35`},
	{"`ALTER TABLE t RENAME COLUMN v TO x`", "goes on by its changes", `ALTER TABLE t RENAME COLUMN v TO x
UPDATE t SET x = x + 1
REFRESH MATERIALIZED VIEW a INCREMENTAL
REFRESH MATERIALIZED VIEW w INCREMENTAL
? SELECT s FROM a => 32
? SELECT sum(v) FROM w => 32`},
	{"`ALTER TABLE t ADD COLUMN y`", "goes on by its changes", `ALTER TABLE t ADD COLUMN y INT DEFAULT 7
INSERT INTO t VALUES (3, 2, 5, 9)
REFRESH MATERIALIZED VIEW w INCREMENTAL
? SELECT * FROM w WHERE id = 3 => 3|2|5
42703 SELECT y FROM w`},
	{"`TRUNCATE TABLE t`", "takes all rows away", `TRUNCATE TABLE t
REFRESH MATERIALIZED VIEW a INCREMENTAL
? SELECT count(*) FROM a => 0`},
	{"`TRUNCATE TABLE t`, `INSERT`", "one refresh does both", `TRUNCATE TABLE t
INSERT INTO t VALUES (3, 2, 20), (4, 3, 30)
REOPEN
REFRESH MATERIALIZED VIEW a INCREMENTAL
? SELECT g, s FROM a ORDER BY g => 2|20 3|30
UPDATE t SET v = 21 WHERE id = 3
REFRESH MATERIALIZED VIEW a INCREMENTAL
? SELECT g, s FROM a ORDER BY g => 2|21 3|30`},
	{"`ALTER MATERIALIZED VIEW a RENAME TO b`", "goes on, and so do", `ALTER MATERIALIZED VIEW a RENAME TO aa
INSERT INTO t VALUES (3, 2, 5)
REFRESH MATERIALIZED VIEW b INCREMENTAL CASCADE
? SELECT * FROM b => 2`},
	{"`CREATE OR REPLACE MATERIALIZED VIEW a`, the same columns", "see what differs", `CREATE OR REPLACE MATERIALIZED VIEW a AS SELECT g, sum(v) + 1 AS s FROM t WHERE v > 15 OR g = 1 GROUP BY g
INSERT INTO t VALUES (3, 1, 5)
REFRESH MATERIALIZED VIEW b INCREMENTAL CASCADE
? SELECT s FROM a => 36
? SELECT * FROM b => 1`},
	{"`CREATE OR REPLACE MATERIALIZED VIEW a`, other columns", "is refused (2BP01)", `2BP01 CREATE OR REPLACE MATERIALIZED VIEW a AS SELECT g FROM t GROUP BY g`},
	{"retention gives up changes", "strict INCREMENTAL is refused", `CREATE TABLE r(id BIGINT PRIMARY KEY, v INT) PROPERTIES ('binlog.pin' = 'false', 'binlog.max_history_nums' = '1')
INSERT INTO r VALUES (1, 1)
CREATE MATERIALIZED VIEW rv AS SELECT sum(v) AS s FROM r
INSERT INTO r VALUES (2, 2)
UPDATE r SET v = 3 WHERE id = 2
UPDATE r SET v = 4 WHERE id = 2
0A000 REFRESH MATERIALIZED VIEW rv INCREMENTAL
REFRESH MATERIALIZED VIEW rv
? SELECT * FROM rv => 5
? SELECT reason FROM information_schema.refresh_history WHERE view_name = 'rv' AND status = 'SUCCESS' AND trigger = 'MANUAL' => BINLOG_BROKEN`},
	{"a row on which its expression fails", "fails as a whole", `CREATE MATERIALIZED VIEW q AS SELECT id, 100 / v AS d FROM t
INSERT INTO t VALUES (3, 1, 0), (4, 1, 50)
22012 REFRESH MATERIALIZED VIEW q INCREMENTAL
22012 REFRESH MATERIALIZED VIEW q
? SELECT count(*) FROM q => 2
? SELECT status, error_code FROM information_schema.refresh_history WHERE view_name = 'q' AND trigger = 'MANUAL' => FAILED|22012 FAILED|22012
UPDATE t SET v = 1 WHERE id = 3
REFRESH MATERIALIZED VIEW q INCREMENTAL
? SELECT count(*), max(d) FROM q => 4|100`},
	{"a source view whose refresh failed", "stops below it", `CREATE MATERIALIZED VIEW q AS SELECT id, 100 / v AS d FROM t
CREATE MATERIALIZED VIEW qn AS SELECT count(*) AS n FROM q
INSERT INTO t VALUES (3, 1, 0)
22012 REFRESH MATERIALIZED VIEW qn CASCADE
? SELECT n FROM qn => 2
REFRESH MATERIALIZED VIEW a INCREMENTAL
UPDATE t SET v = 1 WHERE id = 3
REFRESH MATERIALIZED VIEW qn INCREMENTAL CASCADE
? SELECT n FROM qn => 3`},
}

// TestLifeOfSources runs what docs/sources.md says, and verifies every view that
// is left.
func TestLifeOfSources(t *testing.T) {
	text, err := os.ReadFile("../docs/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	var rowsOf []string
	for _, l := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(l, "| ") && !strings.HasPrefix(l, "| ---") && !strings.HasPrefix(l, "| what happens") {
			rowsOf = append(rowsOf, l)
		}
	}
	is(t, "rows of the page", len(rowsOf), len(sourceLife))
	for i, c := range sourceLife {
		if i < len(rowsOf) && (!strings.HasPrefix(rowsOf[i], "| "+c.happens) || !strings.Contains(rowsOf[i], c.does)) {
			t.Errorf("the page says %s, the test %s: %s", rowsOf[i], c.happens, c.does)
		}
		t.Run(c.happens, func(t *testing.T) {
			e, again := reopened(t)
			s := (*e).Session()
			do(t, s, `CREATE TABLE t(id BIGINT PRIMARY KEY, g INT, v INT);
				INSERT INTO t VALUES (1, 1, 10), (2, 1, 20);
				CREATE MATERIALIZED VIEW a AS SELECT g, sum(v) AS s FROM t GROUP BY g;
				CREATE MATERIALIZED VIEW b AS SELECT count(*) AS n FROM a;
				CREATE MATERIALIZED VIEW w AS SELECT * FROM t`)
			for _, l := range strings.Split(c.script, "\n") {
				code, stmt, _ := strings.Cut(l, " ")
				switch {
				case l == "REOPEN":
					s = again()
				case code == "?":
					q, want, _ := strings.Cut(stmt, " => ")
					is(t, q, strings.ReplaceAll(rows(t, s, q), "\n", " "), want)
				case len(code) == 5 && strings.ContainsAny(code, "0123456789"):
					fails(t, s, stmt, code)
				default:
					do(t, s, l)
				}
			}
			for _, v := range (*e).Views() {
				is(t, "verify "+v, rows(t, s, "VERIFY MATERIALIZED VIEW "+v), "")
			}
		})
	}
}
