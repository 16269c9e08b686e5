package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ivmc/ivmc/storage"
)

const pendingText = `SELECT __DORIS_STREAM_CHANGE_TYPE_COL__, id, v FROM s ORDER BY __DORIS_STREAM_SEQUENCE_COL__, __DORIS_STREAM_LSN_COL__, CASE __DORIS_STREAM_CHANGE_TYPE_COL__ WHEN 'UPDATE_AFTER' THEN 1 ELSE 0 END`

// TestStreamTypes is case 075: the three types over one window.
func TestStreamTypes(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, `CREATE TABLE t(id BIGINT PRIMARY KEY, v INT);
INSERT INTO t VALUES (1,10),(2,20),(3,30),(4,40),(5,50),(6,60);
CREATE STREAM s ON TABLE t;
CREATE STREAM d ON TABLE t PROPERTIES("type"="DETAIL");
CREATE STREAM a ON TABLE t PROPERTIES("type"="append_only");
UPDATE t SET v=11 WHERE id=1;
UPDATE t SET v=12 WHERE id=1;
UPDATE t SET v=21 WHERE id=2;
DELETE FROM t WHERE id=2;
DELETE FROM t WHERE id=3;
INSERT INTO t VALUES (3,33);
DELETE FROM t WHERE id=4;
INSERT INTO t VALUES (4,40);
UPDATE t SET v=51 WHERE id=5;
UPDATE t SET v=50 WHERE id=5;
DELETE FROM t WHERE id=6;
INSERT INTO t VALUES (7,70);
INSERT INTO t VALUES (8,80);
UPDATE t SET v=81 WHERE id=8;
INSERT INTO t VALUES (9,90);
DELETE FROM t WHERE id=9;
INSERT INTO t VALUES (10,100);
DELETE FROM t WHERE id=10;
INSERT INTO t VALUES (10,101);
`)
	is(t, "min_delta", rows(t, s, `SELECT __DORIS_STREAM_CHANGE_TYPE_COL__ AS op, id, v FROM s ORDER BY id, op DESC`),
		`UPDATE_BEFORE|1|10
UPDATE_AFTER|1|12
DELETE|2|20
UPDATE_BEFORE|3|30
UPDATE_AFTER|3|33
UPDATE_BEFORE|4|40
UPDATE_AFTER|4|40
UPDATE_BEFORE|5|50
UPDATE_AFTER|5|50
DELETE|6|60
APPEND|7|70
APPEND|8|81
APPEND|10|101`)
	is(t, "detail", rows(t, s, strings.Replace(pendingText, "FROM s", "FROM d", 1)), `UPDATE_BEFORE|1|10
UPDATE_AFTER|1|11
UPDATE_BEFORE|1|11
UPDATE_AFTER|1|12
UPDATE_BEFORE|2|20
UPDATE_AFTER|2|21
DELETE|2|21
DELETE|3|30
APPEND|3|33
DELETE|4|40
APPEND|4|40
UPDATE_BEFORE|5|50
UPDATE_AFTER|5|51
UPDATE_BEFORE|5|51
UPDATE_AFTER|5|50
DELETE|6|60
APPEND|7|70
APPEND|8|80
UPDATE_BEFORE|8|80
UPDATE_AFTER|8|81
APPEND|9|90
DELETE|9|90
APPEND|10|100
DELETE|10|100
APPEND|10|101`)
	is(t, "append_only", rows(t, s, `SELECT id, v FROM a ORDER BY __DORIS_STREAM_SEQUENCE_COL__, __DORIS_STREAM_LSN_COL__`), "3|33\n4|40\n7|70\n8|80\n9|90\n10|100\n10|101")
	is(t, "* hides the three columns", rows(t, s, `SELECT * FROM a WHERE id = 3`), "3|33")
	signed := `SELECT sum(CASE WHEN __DORIS_STREAM_CHANGE_TYPE_COL__ IN ('DELETE', 'UPDATE_BEFORE') THEN -v ELSE v END) + (SELECT sum(v) FROM d@snapshot()) FROM `
	is(t, "snapshot and net", rows(t, s, signed+"s"), "387")
	is(t, "snapshot and records", rows(t, s, signed+"d"), "387")
	is(t, "reset", rows(t, s, `SELECT * FROM d@reset() ORDER BY id`), rows(t, s, `SELECT * FROM t ORDER BY id`))
}

// TestStreamConsumption is case 077, and what else moves a stream or leaves it.
func TestStreamConsumption(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, `CREATE TABLE t(id BIGINT PRIMARY KEY, v INT);
CREATE TABLE sink(id BIGINT, v INT);
CREATE STREAM s ON TABLE t;
INSERT INTO t VALUES (1,1),(2,2);
INSERT INTO sink SELECT id, v FROM s WHERE 1 = 0;
`)
	is(t, "an empty plan consumes", rows(t, s, "SELECT * FROM s"), "")
	do(t, s, `INSERT INTO t VALUES (3,3);
INSERT INTO sink SELECT id, v FROM s WHERE v > 100;
`)
	is(t, "what is filtered is consumed", rows(t, s, "SELECT * FROM s"), "")
	do(t, s, `INSERT INTO t VALUES (4,4);
BEGIN;
INSERT INTO sink SELECT id, v FROM s;
ROLLBACK;
`)
	is(t, "a rollback leaves it", rows(t, s, pendingText), "APPEND|4|4")
	do(t, s, "INSERT INTO sink SELECT id, v FROM s")
	is(t, "consumed", rows(t, s, "SELECT * FROM s"), "")
	is(t, "sink", rows(t, s, "SELECT * FROM sink"), "4|4")

	do(t, s, "INSERT INTO t VALUES (5,5)")
	fails(t, s, "INSERT INTO sink SELECT id, v/(v-5) FROM s", "22012")
	is(t, "a failed statement leaves it", rows(t, s, pendingText), "APPEND|5|5")
	is(t, "so does @snapshot()", fmt.Sprint(do(t, s, "INSERT INTO sink SELECT id, v FROM s@snapshot() WHERE id > 1").Affected), "3")
	is(t, "and a SELECT", rows(t, s, pendingText), "APPEND|5|5")
	do(t, s, "INSERT INTO sink SELECT a.id, b.v FROM s a JOIN s b ON a.id = b.id WHERE a.id IN (SELECT id FROM s)")
	is(t, "several references, one move", rows(t, s, "SELECT * FROM s"), "")

	do(t, s, `INSERT INTO t VALUES (6,6);
CREATE STREAM other ON TABLE t PROPERTIES('show_initial_rows' = 'TRUE');
CREATE VIEW over AS SELECT id, v FROM s;
DELETE FROM sink;
INSERT INTO t VALUES (7,7);
INSERT INTO sink SELECT o.id, o.v FROM over JOIN other o ON over.id = o.id;
`)
	is(t, "two streams in one statement, one through a view", rows(t, s, "SELECT * FROM s UNION ALL SELECT * FROM other"), "")
	is(t, "joined", rows(t, s, "SELECT id, v FROM sink ORDER BY id"), "6|6\n7|7")
	do(t, s, `UPDATE t SET v = 70 WHERE id = 7;
UPDATE sink SET v = 0 WHERE id IN (SELECT id FROM s);
`)
	is(t, "UPDATE consumes", rows(t, s, "SELECT * FROM s"), "")
	is(t, "the other does not move with it", rows(t, s, "SELECT count(*) FROM other"), "2")
	do(t, s, "DELETE FROM sink WHERE id IN (SELECT id FROM other)")
	is(t, "DELETE consumes", rows(t, s, "SELECT * FROM other"), "")
	do(t, s, "UPDATE t SET v = 71 WHERE id = 7;\nINSERT INTO sink VALUES (7, 0);\nUPDATE sink SET v = s.v FROM s WHERE s.id = sink.id AND s.v = 71")
	is(t, "UPDATE FROM", rows(t, s, "SELECT v FROM sink WHERE id = 7 UNION ALL SELECT v FROM s"), "71")
	is(t, "DELETE USING, WITH, RETURNING", rows(t, s, "WITH w AS (SELECT id FROM other WHERE v = 71) DELETE FROM sink USING w WHERE w.id = sink.id RETURNING v"), "71")
	is(t, "consumed", rows(t, s, "SELECT * FROM other"), "")
	do(t, s, `INSERT INTO t VALUES (8,8);
INSERT INTO sink SELECT id, v FROM s@reset() WHERE id = 1;
`)
	is(t, "@reset() goes to now", rows(t, s, "SELECT * FROM s"), "")
	do(t, s, "INSERT INTO t SELECT id + 100, v FROM other")
	is(t, "a base that is fed from its own stream", rows(t, s, "SELECT id FROM other"), "108")
}

// TestStreamTransaction: one window a transaction, moved once.
func TestStreamTransaction(t *testing.T) {
	e := newEngine(t)
	a, b := e.Session(), e.Session()
	do(t, a, `CREATE TABLE t(id BIGINT PRIMARY KEY, v INT);
CREATE TABLE sink(id BIGINT, v INT);
CREATE STREAM s ON TABLE t;
INSERT INTO t VALUES (1,1),(2,2),(3,3),(4,4),(5,5),(6,6),(7,7),(8,8),(9,9),(10,10);
`)
	// case 093
	for _, s := range []*Session{a, b} {
		do(t, s, "BEGIN;\nINSERT INTO sink SELECT id, v FROM s")
	}
	do(t, a, "COMMIT")
	is(t, "the later one", fails(t, b, "COMMIT", "40001").Msg, "target offset already consumed")
	is(t, "once", rows(t, a, "SELECT count(*), sum(v) FROM sink"), "10|55")
	do(t, a, "INSERT INTO t VALUES (11,11);\nBEGIN;\nINSERT INTO sink SELECT id, v FROM s;\nROLLBACK")
	do(t, b, "INSERT INTO sink SELECT id, v FROM s")
	is(t, "once more", rows(t, a, "SELECT count(*), sum(v) FROM sink"), "11|66")
	do(t, a, "INSERT INTO t VALUES (0,0);\nBEGIN;\nSAVEPOINT p;\nINSERT INTO sink SELECT id, v FROM s;\nROLLBACK TO p;\nCOMMIT")
	is(t, "a savepoint leaves it", rows(t, a, pendingText), "APPEND|0|0")
	do(t, a, "BEGIN;\nINSERT INTO sink SELECT id, v FROM s;\nSAVEPOINT p;\nDELETE FROM sink;\nROLLBACK TO p;\nCOMMIT")
	is(t, "what was consumed before the savepoint stays so", rows(t, a, pendingText), "")
	do(t, b, "INSERT INTO t VALUES (12,12)")
	do(t, a, "BEGIN")
	is(t, "first read", rows(t, a, pendingText), "APPEND|12|12")
	do(t, b, "INSERT INTO t VALUES (13,13)")
	is(t, "second read", rows(t, a, pendingText), "APPEND|12|12")
	do(t, a, "INSERT INTO sink SELECT id, v FROM s;\nINSERT INTO t VALUES (14, 14)")
	is(t, "third read, consumed and with a write of its own", rows(t, a, pendingText), "APPEND|12|12")
	do(t, a, "INSERT INTO sink SELECT id + 1000, v FROM s;\nCOMMIT")
	is(t, "what came behind", rows(t, a, "SELECT id FROM s ORDER BY id"), "13\n14")
	is(t, "sink", rows(t, a, "SELECT id FROM sink WHERE id > 11 ORDER BY id"), "12\n1012")
	do(t, a, "BEGIN;\nINSERT INTO t VALUES (15, 15)")
	do(t, b, "INSERT INTO sink SELECT id, v FROM s")
	is(t, "the offset is that of the snapshot", rows(t, a, "SELECT id FROM s ORDER BY id"), "13\n14")
	do(t, a, "COMMIT")
	is(t, "behind", rows(t, a, "SELECT id FROM s"), "15")
}

// TestStreamInitialRows are the two vectors of section 4.2 and what a truncation leaves.
func TestStreamInitialRows(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, `CREATE TABLE t(id BIGINT, v INT);
CREATE TABLE sink(id BIGINT, v INT);
INSERT INTO t VALUES (1,1),(2,2);
CREATE STREAM show ON TABLE t PROPERTIES('type' = 'append_only', 'show_initial_rows' = 'true');
CREATE STREAM s ON TABLE t PROPERTIES('type' = 'append_only');
INSERT INTO t VALUES (3,3);
`)
	check := func(step, show, showSnap, hide, hideSnap string) {
		t.Helper()
		for _, q := range [][2]string{{"show", show}, {"show@snapshot()", showSnap}, {"s", hide}, {"s@snapshot()", hideSnap}} {
			is(t, step+": "+q[0], strings.ReplaceAll(rows(t, s, "SELECT id FROM "+q[0]+" ORDER BY id"), "\n", " "), q[1])
		}
	}
	check("before", "1 2 3", "", "3", "1 2")
	is(t, "words", rows(t, s, "SELECT DISTINCT __DORIS_STREAM_CHANGE_TYPE_COL__, __DORIS_STREAM_LSN_COL__ FROM show"), "APPEND|0")
	is(t, "sequence", rows(t, s, "SELECT DISTINCT __DORIS_STREAM_SEQUENCE_COL__ FROM show"), rows(t, s, "SELECT __DORIS_STREAM_SEQUENCE_COL__ FROM s"))
	do(t, s, "INSERT INTO sink SELECT * FROM show;\nINSERT INTO sink SELECT * FROM s")
	check("consumed", "", "1 2 3", "", "1 2 3")
	do(t, s, "INSERT INTO t VALUES (4,4)")
	check("a row more", "4", "1 2 3", "4", "1 2 3")
	do(t, s, "TRUNCATE t;\nINSERT INTO t VALUES (5,5)")
	check("truncated", "5", "", "5", "")
	do(t, s, "INSERT INTO sink SELECT * FROM s")
	check("truncated and consumed", "5", "", "", "5")

	do(t, s, `CREATE TABLE k(id BIGINT, v INT) UNIQUE KEY(id);
INSERT INTO k VALUES (1,10),(2,20);
CREATE STREAM a ON TABLE k PROPERTIES('type' = 'append_only', 'show_initial_rows' = 'false');
INSERT INTO k VALUES (1,11);
DELETE FROM k WHERE id = 2;
INSERT INTO k VALUES (3,30);
`)
	is(t, "append_only", rows(t, s, "SELECT * FROM a"), "3|30")
	is(t, "its snapshot", rows(t, s, "SELECT * FROM a@snapshot() ORDER BY id"), "1|10\n2|20")
}

// TestStreamErrors raises every text of a stream.
func TestStreamErrors(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, `CREATE TABLE t(id BIGINT PRIMARY KEY, v INT);
CREATE TABLE off(id BIGINT PRIMARY KEY, v INT) PROPERTIES("binlog.enable"="false");
CREATE TABLE brief(id BIGINT, v INT) UNIQUE KEY(id) PROPERTIES("binlog.need_historical_value"="false");
CREATE VIEW plain AS SELECT id FROM t;
CREATE MATERIALIZED VIEW m AS SELECT sum(v) AS v FROM t;
CREATE STREAM s ON TABLE t COMMENT 'all of it';
CREATE STREAM d ON TABLE brief PROPERTIES("type"="detail");
`)
	for _, x := range []struct{ text, code, says string }{
		{`CREATE STREAM x ON TABLE off`, "55000", "Base Olap table off need to enable row binlog for table stream"},
		{`CREATE STREAM x ON TABLE brief`, "55000", "MIN_DELTA table stream requires base mow table to enable binlog.need_historical_value=true"},
		{`CREATE STREAM x ON TABLE plain`, "42809", "is not supported for create table stream"},
		{`CREATE STREAM x ON TABLE s`, "42809", "is not supported for create table stream"},
		{`CREATE STREAM x ON TABLE nothing`, "42P01", `relation "nothing" does not exist`},
		{`CREATE STREAM x ON TABLE t PROPERTIES("type"="upserts")`, "22023", "not supported type: upserts"},
		{`CREATE STREAM x ON TABLE t PROPERTIES("kind"="detail")`, "22023", "Unknown properties: kind"},
		{`CREATE STREAM x ON TABLE t PROPERTIES("show_initial_rows"=" true ")`, "22023", "show_initial_rows must be `true` or `false`"},
		{`CREATE STREAM x ON TABLE t PROPERTIES("show_initial_rows"='')`, "22023", "show_initial_rows must be `true` or `false`"},
		{`CREATE STREAM s ON TABLE t`, "42P07", "already exists"},
		{`CREATE STREAM t ON TABLE t`, "42P07", "already exists"},
		{`CREATE TABLE s (i INT)`, "42P07", "already exists"},
		{`CREATE OR REPLACE STREAM s ON TABLE t`, "0A000", "do not support replace currently"},
		{`SELECT * FROM s@snapshot("a"="b")`, "22023", "snapshot does not accept parameters"},
		{`SELECT * FROM s@reset("a"="b")`, "22023", "reset does not accept parameters"},
		{`SELECT __DORIS_STREAM_CHANGE_TYPE_COL__ FROM s@snapshot()`, "42703", "Unknown column '__DORIS_STREAM_CHANGE_TYPE_COL__' in"},
		{`SELECT x.__doris_stream_lsn_col__ FROM s@reset() x`, "42703", "Unknown column '__DORIS_STREAM_LSN_COL__' in"},
		{`SELECT * FROM s@incr()`, "42809", "Invalid param type for olap table stream"},
		{`SELECT * FROM t@snapshot()`, "42809", "Invalid param type for olap table"},
		{`SELECT * FROM s FOR VERSION AS OF 1`, "42809", "FOR VERSION/TIME AS OF is only supported"},
		{`CREATE MATERIALIZED VIEW x AS SELECT * FROM s`, "0A000", "reading the log or another time here is not supported"},
		{`INSERT INTO s VALUES (1, 1)`, "42809", `cannot change stream "s"`},
		{`UPDATE s SET v = 1`, "42809", `cannot change stream "s"`},
		{`DELETE FROM s`, "42809", `cannot change stream "s"`},
		{`TRUNCATE s`, "42809", `cannot change stream "s"`},
		{`ALTER TABLE s ADD COLUMN x INT`, "42809", `cannot change stream "s"`},
		{`DROP TABLE s`, "42809", `"s" is not a table`},
		{`DROP STREAM t`, "42809", `"t" is not a stream`},
		{`DROP STREAM x`, "42P01", `stream "x" does not exist`},
		{`ALTER STREAM x SET COMMENT 'c'`, "42P01", `stream "x" does not exist`},
		{`SHOW CREATE STREAM t`, "42809", `"t" is not a stream`},
		{`SHOW STREAMS FROM elsewhere`, "3F000", `schema "elsewhere" does not exist`},
	} {
		if e := fails(t, s, x.text, x.code); !strings.Contains(e.Msg, x.says) {
			t.Errorf("%s: says %s", x.text, e.Msg)
		}
	}
	is(t, "DROP TABLE s", fails(t, s, "DROP TABLE s", "42809").Hint, "Use DROP STREAM.")
	is(t, "where the error is", fmt.Sprint(fails(t, s, "SELECT 1, v FROM d, s@incr()", "42809").Pos), "21")
	do(t, s, "CREATE STREAM IF NOT EXISTS s ON TABLE t;\nDROP STREAM IF EXISTS x;\nCREATE STREAM x ON TABLE m;\nINSERT INTO brief VALUES (1,1);\nINSERT INTO brief VALUES (1,2)")
	is(t, "without history the key alone went", rows(t, s, strings.Replace(pendingText, "FROM s", "FROM d", 1)), "APPEND|1|1\nUPDATE_BEFORE|1|NULL\nUPDATE_AFTER|1|2")
	is(t, "names", rows(t, s, "SHOW STREAMS"), "d\ns\nx")
	is(t, "like", rows(t, s, "SHOW STREAMS LIKE '_'"), "d\ns\nx")
	is(t, "where", rows(t, s, "SHOW STREAMS FROM public WHERE Tables_in_public <> $1 AND length(tables_in_public) = 1", "s"), "d\nx")
	is(t, "where the error is", fmt.Sprint(fails(t, s, "SHOW STREAMS WHERE nothing = 1", "42703").Pos), "19")
	is(t, "like nothing", rows(t, s, "SHOW STREAMS LIKE 'a%'"), "")
	is(t, "show create", rows(t, s, "SHOW CREATE STREAM s"), `s|CREATE STREAM s ON TABLE public.t COMMENT 'all of it' PROPERTIES ('type' = 'MIN_DELTA', 'show_initial_rows' = 'false')`)
	do(t, s, "ALTER STREAM s MODIFY COMMENT 'nothing'")
	is(t, "comment", rows(t, s, "SELECT stream_comment FROM information_schema.table_streams WHERE stream_name = 's'"), "nothing")
	is(t, "describe", rows(t, s, "DESC s"), rows(t, s, "DESC t"))
}

// TestStreamBase: what happens to the base.
func TestStreamBase(t *testing.T) {
	at := clockAt("2026-09-14 10:00:00")
	e := clockEngine(t, &at)
	s := e.Session()
	do(t, s, `CREATE TABLE t(id BIGINT PRIMARY KEY, v INT);
CREATE TABLE sink(id BIGINT, v INT);
INSERT INTO t VALUES (1,1);
CREATE STREAM s ON TABLE t;
CREATE STREAM show ON TABLE t PROPERTIES('show_initial_rows' = 'true');
CREATE STREAM empty ON TABLE sink PROPERTIES('show_initial_rows' = 'true');
`)
	const health = "SELECT stream_name, stream_type, consume_type, base_table_name, base_table_db, base_table_type, enabled, is_stale, stale_reason FROM information_schema.table_streams WHERE stream_name = 's'"
	const consumption = "SELECT stream_name, unit, consumption_status <> 'N/A', lag, last_consumption_time FROM information_schema.table_stream_consumption ORDER BY 1"
	is(t, "health", rows(t, s, health), "s|OLAP_TABLE_STREAM|MIN_DELTA|t|public|BASE TABLE|t|f|N/A")
	is(t, "never consumed", rows(t, s, consumption), "empty|sink|f|0|-1\ns|t|t|0|-1\nshow|t|f|N/A|-1")
	at = at.Add(time.Second)
	do(t, s, "INSERT INTO t VALUES (2,2)")
	is(t, "behind by a second", rows(t, s, "SELECT lag::BIGINT > 262143000 FROM information_schema.table_stream_consumption WHERE stream_name = 's'"), "t")
	at = at.Add(time.Second)
	do(t, s, "INSERT INTO sink SELECT * FROM s")
	is(t, "consumed", rows(t, s, consumption), fmt.Sprintf("empty|sink|f|N/A|-1\ns|t|t|0|%d\nshow|t|f|N/A|-1", at.UnixMilli()))
	do(t, s, "ALTER TABLE t ADD COLUMN w INT DEFAULT 7;\nINSERT INTO t VALUES (3,3,3)")
	is(t, "a column more", rows(t, s, "SELECT * FROM s"), "3|3|3")
	is(t, "in the snapshot", rows(t, s, "SELECT * FROM s@snapshot() ORDER BY id"), "1|1|7\n2|2|7")
	do(t, s, "DROP TABLE t;\nCREATE TABLE t(id BIGINT PRIMARY KEY, v INT);\nINSERT INTO t VALUES (9,9)")
	is(t, "dropped and made again", rows(t, s, health), "s|OLAP_TABLE_STREAM|MIN_DELTA|N/A|N/A|N/A|f|t|its base table was dropped")
	is(t, "unreadable", fails(t, s, "SELECT * FROM s", "55000").Msg, `stream "s" cannot be read: its base table was dropped`)
	fails(t, s, "SELECT * FROM s@reset()", "55000")
	fails(t, s, "DESC s", "55000")
	is(t, "needs FORCE", fails(t, s, "DROP STREAM s", "55000").Hint, "Use DROP STREAM s FORCE.")
	if rep, err := e.Check(t.Context()); err != nil || len(rep.Faults) > 0 {
		t.Error(rep, err)
	}
	do(t, s, "DROP STREAM s FORCE")
	is(t, "gone", rows(t, s, health), "")
	do(t, s, "CREATE STREAM s ON TABLE t;\nCREATE VIEW v AS SELECT * FROM s")
	fails(t, s, "DROP STREAM s FORCE", "2BP01")
	do(t, s, "DROP VIEW v;\nDROP STREAM s")
}

// TestStreamOnView: a materialized view has a log of its own, and COMPLETE logs
// only what differs.
func TestStreamOnView(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, `CREATE TABLE t(g TEXT, v INT);
CREATE TABLE sink(g TEXT, n BIGINT);
INSERT INTO t VALUES ('a', 1), ('b', 2);
CREATE MATERIALIZED VIEW m AS SELECT g, sum(v) AS n FROM t GROUP BY g;
CREATE STREAM s ON TABLE m;
`)
	const pending = "SELECT __DORIS_STREAM_CHANGE_TYPE_COL__ AS op, g, n FROM s ORDER BY g, n"
	is(t, "nothing yet", rows(t, s, pending), "")
	do(t, s, "INSERT INTO t VALUES ('a', 4), ('c', 9);\nREFRESH MATERIALIZED VIEW m INCREMENTAL")
	is(t, "incremental", rows(t, s, pending), "UPDATE_BEFORE|a|1\nUPDATE_AFTER|a|5\nAPPEND|c|9")
	do(t, s, "INSERT INTO sink SELECT g, n FROM s;\nDELETE FROM t WHERE g = 'c';\nREFRESH MATERIALIZED VIEW m COMPLETE")
	is(t, "complete", rows(t, s, pending), "DELETE|c|9")
	is(t, "snapshot", rows(t, s, "SELECT * FROM s@snapshot() ORDER BY g"), "a|5\nb|2\nc|9")
	do(t, s, "DROP MATERIALIZED VIEW m")
	fails(t, s, "SELECT * FROM s", "55000")
}

// TestUpdatesOfViews: a view whose rows have an identity shows a row that changed
// as a pair, whatever way it was refreshed, and another one as a delete and an insert.
func TestUpdatesOfViews(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, `CREATE TABLE t(id BIGINT PRIMARY KEY, g TEXT, v INT);
INSERT INTO t VALUES (1, 'a', 1), (2, NULL, 2), (3, 'b', 3)`)
	views := []struct{ query, detail, net, inserts string }{
		{"SELECT g, sum(v) AS n, 0 AS id FROM t GROUP BY g", "<|NULL|2|0 >|NULL|20|0 <|a|1|0 >|a|10|0 <|a|10|0 >|a|11|0 -|b|3|0 +|c|4|0", "<|NULL|2|0 >|NULL|20|0 <|a|1|0 >|a|11|0 -|b|3|0 +|c|4|0", "+|c|4|0"},
		{"SELECT 'x' AS g, sum(v) AS n, 0 AS id FROM t", "<|x|6|0 >|x|33|0 <|x|33|0 >|x|35|0", "<|x|6|0 >|x|35|0", ""},
		{"SELECT g, v AS n, id FROM t", "<|NULL|2|2 >|NULL|20|2 <|a|1|1 >|a|10|1 <|a|10|1 >|a|11|1 -|b|3|3 +|c|4|4", "<|NULL|2|2 >|NULL|20|2 <|a|1|1 >|a|11|1 -|b|3|3 +|c|4|4", "+|c|4|4"},
		{"SELECT g, v AS n, 0 AS id FROM t", "-|NULL|2|0 +|NULL|20|0 -|a|1|0 +|a|10|0 -|a|10|0 +|a|11|0 -|b|3|0 +|c|4|0", "-|NULL|2|0 +|NULL|20|0 -|a|1|0 +|a|11|0 -|b|3|0 +|c|4|0", "+|NULL|20|0 +|a|10|0 +|a|11|0 +|c|4|0"},
	}
	at := e.store.Applied()
	for i, v := range views {
		do(t, s, fmt.Sprintf("CREATE MATERIALIZED VIEW v%d AS %s", i, v.query))
		for _, kind := range []string{"detail", "min_delta", "append_only"} {
			do(t, s, fmt.Sprintf("CREATE STREAM %s%d ON TABLE v%[2]d PROPERTIES('type'='%[1]s')", kind, i))
		}
	}
	change := func(sql, mode string) {
		do(t, s, sql)
		for i := range views {
			do(t, s, fmt.Sprintf("REFRESH MATERIALIZED VIEW v%d %s", i, mode))
		}
	}
	change("UPDATE t SET v = 10 * v WHERE id < 3", "INCREMENTAL")
	change("DELETE FROM t WHERE id = 3;\nUPDATE t SET v = 11 WHERE id = 1;\nINSERT INTO t VALUES (4, 'c', 4)", "COMPLETE")
	for i, v := range views {
		for kind, want := range map[string]string{"detail": v.detail, "append_only": v.inserts, "min_delta": v.net} {
			order := "__DORIS_STREAM_SEQUENCE_COL__, g NULLS FIRST, n"
			if kind == "min_delta" {
				order = "g NULLS FIRST, n"
			}
			got := rows(t, s, fmt.Sprintf("SELECT CASE __DORIS_STREAM_CHANGE_TYPE_COL__ WHEN 'APPEND' THEN '+' WHEN 'DELETE' THEN '-' WHEN 'UPDATE_BEFORE' THEN '<' ELSE '>' END, g, n, id FROM %s%d ORDER BY %s", kind, i, order))
			is(t, kind+" of "+v.query, strings.ReplaceAll(got, "\n", " "), want)
		}
		updates := 0
		err := e.Changes(context.Background(), fmt.Sprint("v", i), at, e.store.Applied(), func(c *Changes) bool {
			for _, r := range c.Records {
				if r.Op == storage.OpUpdate {
					updates++
				}
			}
			return true
		})
		if want := strings.Count(v.detail, "<"); err != nil || updates != want {
			t.Errorf("%s: %d updates, want %d; %v", v.query, updates, want, err)
		}
	}
}

// TestStreamRetention is case 081: a stream whose place has left the log says so,
// before and after the log is cleaned, and goes on by @reset().
func TestStreamRetention(t *testing.T) {
	for _, clean := range []bool{false, true} {
		at := clockAt("2026-09-14 10:00:00")
		e := clockEngine(t, &at)
		s := e.Session()
		do(t, s, `CREATE TABLE t(id BIGINT PRIMARY KEY, v INT);
CREATE TABLE sink(id BIGINT, v INT);
CREATE STREAM fast ON TABLE t;
CREATE STREAM slow ON TABLE t;
`)
		retain := func(r storage.Retention) {
			t.Helper()
			obj, _ := e.store.Catalog().ByName("t")
			next := *obj
			next.Retention = r
			if _, err := e.store.Commit(t.Context(), &storage.Commit{Catalog: []storage.CatalogChange{{Put: &next}}}, storage.CommitOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		reclaim := func() {
			t.Helper()
			if !clean {
				return
			}
			rel, err := e.store.Relation(idOf(t, e, "t"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := e.store.Reclaim(t.Context(), idOf(t, e, "t"), rel.Expired()); err != nil {
				t.Fatal(err)
			}
		}
		retain(storage.Retention{TTL: time.Minute})
		do(t, s, "INSERT INTO t VALUES (1,1);\nINSERT INTO sink SELECT * FROM fast;\nINSERT INTO t VALUES (2,2)")
		at = at.Add(time.Hour)
		reclaim()
		do(t, s, "INSERT INTO t VALUES (3,3)")
		is(t, "a place in the log keeps it", rows(t, s, "SELECT id FROM slow ORDER BY id"), "1\n2\n3")
		retain(storage.Retention{TTL: time.Minute, Unpinned: true})
		if clean {
			if err := e.store.ReclaimDue(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"slow", "fast"} { // 2 is too old for both
			is(t, name, strings.Contains(fails(t, s, "SELECT * FROM "+name, "55000").Msg, "is stale: BINLOG_BROKEN"), true)
			fails(t, s, "SELECT * FROM "+name+"@snapshot()", "55000")
			fails(t, s, "INSERT INTO sink SELECT * FROM "+name, "55000")
		}
		is(t, "status", rows(t, s, "SELECT stream_name, enabled, is_stale, left(stale_reason, 13) FROM information_schema.table_streams ORDER BY 1"),
			"fast|t|t|BINLOG_BROKEN\nslow|t|t|BINLOG_BROKEN")
		c, err := e.Consumer("slow")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Poll(t.Context(), 10); err == nil {
			t.Error("a consumer of a stale stream is told nothing")
		}
		do(t, s, "DELETE FROM sink;\nINSERT INTO sink SELECT * FROM slow@reset()")
		is(t, "reset", rows(t, s, "SELECT * FROM sink ORDER BY id"), "1|1\n2|2\n3|3")
		do(t, s, "INSERT INTO t VALUES (4,4)")
		is(t, "goes on", rows(t, s, "SELECT __DORIS_STREAM_CHANGE_TYPE_COL__, * FROM slow"), "APPEND|4|4")
		is(t, "one of the two", rows(t, s, "SELECT stream_name FROM information_schema.table_streams WHERE is_stale"), "fast")
		if _, err := c.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		is(t, "nothing pending", rows(t, s, "SELECT * FROM slow"), "")
	}
}

// TestStreamReopen is case 087 as far as it concerns streams: what is read back is
// what was, also from a copy of the files at any moment after the commit.
func TestStreamReopen(t *testing.T) {
	fs := vfs.NewCrashableMem()
	open := func(fs vfs.FS) *Engine {
		e, err := Open("db", Options{FS: fs})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := open(fs)
	s := e.Session()
	do(t, s, `CREATE TABLE t2(id BIGINT PRIMARY KEY, v INT);
CREATE MATERIALIZED VIEW v2 AS SELECT sum(v) AS s FROM t2;
CREATE STREAM s2 ON TABLE t2;
CREATE TABLE sink(id BIGINT, v INT);
CREATE TABLE t3(id BIGINT PRIMARY KEY, v INT);
CREATE MATERIALIZED VIEW v3 AS SELECT sum(v) AS s FROM t3;
CREATE STREAM s3 ON TABLE t3 COMMENT 'kept';
INSERT INTO t3 VALUES (1, 100);
REFRESH MATERIALIZED VIEW v3;
INSERT INTO sink SELECT * FROM s3;
INSERT INTO t3 VALUES (2, 200);
DROP MATERIALIZED VIEW v2;
DROP STREAM s2;
DROP TABLE t2;
`)
	look := func(e *Engine) string {
		s := e.Session()
		defer s.Close()
		if rep, err := e.Check(t.Context()); err != nil || len(rep.Faults) > 0 {
			t.Error(rep, err)
		}
		return fmt.Sprint(e.store.AllOffsets(), "\n", rows(t, s, "SELECT * FROM information_schema.table_stream_consumption"), "\n",
			rows(t, s, "SELECT * FROM information_schema.table_streams"), "\n", rows(t, s, "SELECT __DORIS_STREAM_CHANGE_TYPE_COL__, * FROM s3"), "\n",
			rows(t, s, "SHOW CREATE STREAM s3"))
	}
	want := look(e)
	copied := open(fs.CrashClone(vfs.CrashCloneCfg{}))
	is(t, "a copy of the files", look(copied), want)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(fs)
	is(t, "opened again", look(again), want)
	for _, e := range []*Engine{copied, again} {
		s := e.Session()
		do(t, s, "REFRESH MATERIALIZED VIEW v3 INCREMENTAL")
		is(t, "the view", rows(t, s, "SELECT * FROM v3"), "300")
		is(t, "the stream", rows(t, s, "SELECT __DORIS_STREAM_CHANGE_TYPE_COL__, * FROM s3"), "APPEND|2|200")
		e.Close()
	}
}
