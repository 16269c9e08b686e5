package session

import (
	"strings"
	"testing"
)

// TestStreamOverBaseChanges: one row of the table of what happens to a base after the other.
func TestStreamOverBaseChanges(t *testing.T) {
	const health = "SELECT base_table_name, enabled, is_stale FROM information_schema.table_streams WHERE stream_name = 's'"
	for name, f := range map[string]func(t *testing.T, s *Session){
		"a column more, and one renamed": func(t *testing.T, s *Session) {
			do(t, s, "ALTER TABLE t ADD COLUMN w TEXT DEFAULT 'x';\nINSERT INTO t VALUES (2, 2, 'y');\nALTER TABLE t RENAME COLUMN v TO n")
			is(t, "columns", rows(t, s, "SELECT id, n, w FROM s ORDER BY id"), "1|1|x\n2|2|y")
			is(t, "described", strings.Count(rows(t, s, "DESC s"), "\n"), 2)
			do(t, s, "SET show_hidden_columns = true")
			is(t, "described with what * hides", strings.HasSuffix(rows(t, s, "DESC s"),
				"__doris_stream_change_type_col__|text|no||\n__doris_stream_sequence_col__|bigint|no||\n__doris_stream_lsn_col__|bigint|no||"), true)
			is(t, "* hides them all the same", rows(t, s, "SELECT * FROM s WHERE id = 2"), "2|2|y")
		},
		"another name": func(t *testing.T, s *Session) {
			do(t, s, "ALTER TABLE t RENAME TO r;\nINSERT INTO r VALUES (2, 2)")
			is(t, "follows", rows(t, s, "SELECT * FROM s ORDER BY id"), "1|1\n2|2")
			is(t, "health", rows(t, s, health), "r|t|f")
			is(t, "unit", rows(t, s, "SELECT unit FROM information_schema.table_stream_consumption"), "r")
			is(t, "as made", strings.Contains(rows(t, s, "SHOW CREATE STREAM s"), "ON TABLE public.r "), true)
			do(t, s, "CREATE TABLE t(id INT);\nINSERT INTO t VALUES (77);\nINSERT INTO sink SELECT id FROM s")
			is(t, "another table of the old name is another table", rows(t, s, "SELECT id FROM sink ORDER BY id"), "1\n2")
		},
		"a name of the stream": func(t *testing.T, s *Session) {
			do(t, s, "CREATE VIEW over AS SELECT id FROM s")
			fails(t, s, "ALTER TABLE s RENAME TO z", "42809")
			is(t, "there", rows(t, s, "SELECT * FROM over"), "1")
		},
		"truncated": func(t *testing.T, s *Session) {
			do(t, s, "TRUNCATE t")
			is(t, "no deletes", rows(t, s, "SELECT * FROM s"), "")
			is(t, "no snapshot", rows(t, s, "SELECT * FROM s@snapshot()"), "")
			do(t, s, "INSERT INTO t VALUES (1, 5)")
			is(t, "what came after", rows(t, s, pendingText), "APPEND|1|5")
			is(t, "health", rows(t, s, health), "t|t|f")
		},
		"dropped": func(t *testing.T, s *Session) {
			do(t, s, "DROP TABLE t")
			is(t, "health", rows(t, s, health), "N/A|f|t")
			fails(t, s, "SELECT * FROM s", "55000")
			fails(t, s, "DROP STREAM s", "55000")
			do(t, s, "DROP STREAM s FORCE;\nCREATE TABLE s(i INT)")
		},
		"dropped and made again (case 094)": func(t *testing.T, s *Session) {
			do(t, s, "DROP TABLE t;\nCREATE TABLE t(id BIGINT PRIMARY KEY, v INT);\nINSERT INTO t VALUES (1, 100)")
			is(t, "health", rows(t, s, health), "N/A|f|t")
			fails(t, s, "INSERT INTO sink SELECT id FROM s", "55000")
			is(t, "nothing of it", rows(t, s, "SELECT count(*) FROM sink"), "0")
		},
		"rolled back": func(t *testing.T, s *Session) {
			do(t, s, "BEGIN;\nTRUNCATE t;\nINSERT INTO t VALUES (9, 9);\nROLLBACK")
			is(t, "as before", rows(t, s, pendingText), "APPEND|1|1")
		},
		"a view replaced": func(t *testing.T, s *Session) {
			do(t, s, `CREATE MATERIALIZED VIEW m AS SELECT v, count(*) AS n FROM t GROUP BY v;
CREATE STREAM o ON TABLE m PROPERTIES('show_initial_rows' = 'true');
CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT id AS n FROM t;
INSERT INTO t VALUES (2, 2);
REFRESH MATERIALIZED VIEW m`)
			fails(t, s, "SELECT * FROM o", "55000")
			is(t, "health", rows(t, s, "SELECT base_table_name, enabled, is_stale FROM information_schema.table_streams WHERE stream_name = 'o'"), "N/A|f|t")
			do(t, s, "DROP STREAM o FORCE;\nCREATE STREAM o ON TABLE m PROPERTIES('show_initial_rows' = 'true')")
			is(t, "anew", rows(t, s, "SELECT * FROM o ORDER BY n"), "1\n2")
		},
		"a view renamed": func(t *testing.T, s *Session) {
			do(t, s, `CREATE MATERIALIZED VIEW m AS SELECT v, count(*) AS n FROM t GROUP BY v;
CREATE STREAM o ON TABLE m;
ALTER MATERIALIZED VIEW m RENAME TO q;
INSERT INTO t VALUES (2, 1);
REFRESH MATERIALIZED VIEW q COMPLETE`)
			is(t, "follows", strings.NewReplacer("UPDATE_BEFORE", "DELETE", "UPDATE_AFTER", "APPEND").Replace(
				rows(t, s, "SELECT __DORIS_STREAM_CHANGE_TYPE_COL__, * FROM o ORDER BY n")), "DELETE|1|1\nAPPEND|1|2")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newEngine(t).Session()
			do(t, s, "CREATE TABLE t(id BIGINT PRIMARY KEY, v INT);\nCREATE TABLE sink(id BIGINT);\nCREATE STREAM s ON TABLE t;\nINSERT INTO t VALUES (1, 1)")
			f(t, s)
			if rep, err := s.engine.Check(t.Context()); err != nil || len(rep.Faults) > 0 {
				t.Error(rep, err)
			}
		})
	}
}

// TestPropertiesShown: what was given is shown, and what is shown makes the same.
func TestPropertiesShown(t *testing.T) {
	s := newEngine(t).Session()
	for given, shown := range map[string]string{
		``: ``,
		`"binlog.enable"="true", "binlog.format"="ROW"`:                    `'binlog.enable' = 'true', 'binlog.format' = 'ROW'`,
		`"enable_unique_key_merge_on_write"="true", "Replication_num"="1"`: `'enable_unique_key_merge_on_write' = 'true', 'replication_num' = '1'`,
		`"binlog.ttl_seconds"="86400", "BINLOG.max_bytes"="9223372036854775807", "binlog.max_history_nums"="5", "binlog.pin"="TRUE", "binlog.need_historical_value"="false"`: `'binlog.max_bytes' = '9223372036854775807', 'binlog.max_history_nums' = '5', 'binlog.need_historical_value' = 'false', 'binlog.pin' = 'true', 'binlog.ttl_seconds' = '86400'`,
	} {
		text := "CREATE TABLE t(id INT, PRIMARY KEY (id))"
		if given != "" {
			text += " PROPERTIES (" + given + ")"
		}
		do(t, s, text)
		made := strings.TrimPrefix(rows(t, s, "SHOW CREATE TABLE t"), "t|")
		_, got, _ := strings.Cut(made, " PROPERTIES (")
		is(t, given, strings.TrimSuffix(got, ")"), shown)
		do(t, s, "DROP TABLE t;\n"+made)
		is(t, "again", strings.TrimPrefix(rows(t, s, "SHOW CREATE TABLE t"), "t|"), made)
		do(t, s, "ALTER TABLE t SET ('binlog.pin' = 'true')")
		is(t, "given later", strings.Contains(rows(t, s, "SHOW CREATE TABLE t"), "'binlog.pin' = 'true'"), true)
		do(t, s, "DROP TABLE t")
	}
}

// TestDeletesAreLogged is case 080: whatever a DELETE is written by, its rows are in
// the log with what they were.
func TestDeletesAreLogged(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, `CREATE TABLE t(id BIGINT PRIMARY KEY, g INT, v INT);
INSERT INTO t VALUES (1,1,10),(2,1,20),(3,2,30),(4,NULL,40);
CREATE MATERIALIZED VIEW a AS SELECT g, COUNT(*) AS n, SUM(v) AS s FROM t GROUP BY g;
CREATE MATERIALIZED VIEW p AS SELECT id, v FROM t;
CREATE STREAM s ON TABLE t PROPERTIES('type' = 'detail');
DELETE FROM t WHERE g = 1;
DELETE FROM t WHERE v > 35;
DELETE FROM t WHERE g = 99;
DELETE FROM t WHERE id IN (SELECT id FROM t WHERE g = 2 AND v < 0);
REFRESH MATERIALIZED VIEW a INCREMENTAL;
REFRESH MATERIALIZED VIEW p INCREMENTAL`)
	is(t, "the log", rows(t, s, "SELECT __DORIS_STREAM_CHANGE_TYPE_COL__, * FROM s"), "DELETE|1|1|10\nDELETE|2|1|20\nDELETE|4|NULL|40")
	is(t, "groups", rows(t, s, "SELECT * FROM a"), "2|1|30")
	is(t, "rows", rows(t, s, "SELECT * FROM p"), "3|30")
}

// TestTableOfCluster: what says where a cluster lays a table down is kept and shown,
// and named once.
func TestTableOfCluster(t *testing.T) {
	s := newEngine(t).Session()
	res := do(t, s, `CREATE TABLE t(id BIGINT, v INT) UNIQUE KEY(id) DISTRIBUTED BY HASH(id, v) BUCKETS 10 PROPERTIES ("replication_num" = "3", "binlog.pin" = "false")`)
	is(t, "notices", len(res.Notices), 1)
	is(t, "which", res.Notices[0].Message, "DISTRIBUTED BY, replication_num of a table: kept and shown, without effect on one machine")
	do(t, s, "ALTER TABLE t RENAME COLUMN v TO w;\nALTER TABLE t SET ('replication_num' = '1')")
	const made = "CREATE TABLE t (id bigint, w integer) UNIQUE KEY (id) DISTRIBUTED BY HASH (id, w) BUCKETS 10 PROPERTIES ('binlog.pin' = 'false', 'replication_num' = '1')"
	is(t, "shown", rows(t, s, "SHOW CREATE TABLE t"), "t|"+made)
	do(t, s, "DROP TABLE t;\n"+made)
	is(t, "again", rows(t, s, "SHOW CREATE TABLE t"), "t|"+made)
	is(t, "none", len(do(t, s, "CREATE TABLE u(id INT)").Notices), 0)
	fails(t, s, "CREATE TABLE x(id INT) DISTRIBUTED BY HASH(nothing)", "42703")
	fails(t, s, "CREATE TABLE x(id INT) UNIQUE KEY(id) PROPERTIES ('enable_unique_key_merge_on_write' = 'false')", "22023")
	fails(t, s, "CREATE TABLE x(id INT, v VARIANT)", "0A000")
	do(t, s, "CREATE TABLE off(id INT) PROPERTIES ('binlog.enable' = 'false')")
	err := fails(t, s, "ALTER TABLE off SET ('binlog.format' = 'ROW')", "0A000")
	is(t, "text", err.Msg, "not support change binlog format from STATEMENT_AND_SNAPSHOT to ROW")
}
