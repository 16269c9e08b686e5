package session

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// clockEngine is an engine in memory whose clock stands where at points.
func clockEngine(t testing.TB, at *time.Time) *Engine {
	t.Helper()
	e, err := Open("", Options{InMemory: true, Clock: func() time.Time { return *at }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func clockAt(s string) time.Time {
	t, err := time.Parse("2006-01-02 15:04:05", s)
	if err != nil {
		panic(err)
	}
	return t
}

// TestChangeQueries is the page that @incr comes from, its examples to the letter.
func TestChangeQueries(t *testing.T) {
	at := clockAt("2026-09-14 10:00:00")
	s := clockEngine(t, &at).Session()
	do(t, s, `CREATE TABLE orders(order_id BIGINT, status VARCHAR(20), amount DECIMAL(10,2)) UNIQUE KEY(order_id);
INSERT INTO orders VALUES (1, 'created', 100.00), (2, 'created', 200.00), (3, 'created', 300.00);
`)
	at = clockAt("2026-09-14 10:05:00")
	do(t, s, `INSERT INTO orders VALUES (1, 'paid', 100.00);
DELETE FROM orders WHERE order_id = 2;
INSERT INTO orders VALUES (4, 'created', 400.00);
INSERT INTO orders VALUES (5, 'created', 500.00);
DELETE FROM orders WHERE order_id = 5;
`)
	at = clockAt("2026-09-14 11:00:00")
	for _, q := range []struct{ query, want string }{
		{`SELECT order_id, status, amount, __DORIS_BINLOG_OP__ AS op
FROM orders@incr(
    "startTimestamp" = "2026-09-14 10:03:00",
    "endTimestamp"   = "2026-09-14 10:10:00",
    "incrementType"  = "MIN_DELTA"
)
ORDER BY order_id, op`, `1|created|100.00|2
1|paid|100.00|3
2|created|200.00|1
4|created|400.00|0`},
		{`SELECT order_id, status, amount, __DORIS_BINLOG_OP__ AS op
FROM orders@incr(
    "startTimestamp" = "2026-09-14 10:03:00",
    "endTimestamp"   = "2026-09-14 10:10:00",
    "incrementType"  = "APPEND_ONLY"
)
ORDER BY order_id`, `4|created|400.00|0
5|created|500.00|0`},
		{`SELECT order_id, status, amount, __DORIS_BINLOG_OP__ AS op
FROM orders@incr(
    "startTimestamp" = "2026-09-14 10:03:00",
    "endTimestamp"   = "2026-09-14 10:10:00",
    "incrementType"  = "DETAIL"
)
ORDER BY __DORIS_BINLOG_TSO__, __DORIS_BINLOG_LSN__, op`, `1|created|100.00|2
1|paid|100.00|3
2|created|200.00|1
4|created|400.00|0
5|created|500.00|0
5|created|500.00|1`},
		{`SELECT order_id, status, amount, __DORIS_BINLOG_OP__ AS op
FROM orders@incr()
ORDER BY order_id`, `1|paid|100.00|0
3|created|300.00|0
4|created|400.00|0`},
		// The edges: [start, end) on commit time.
		{`SELECT count(*) FROM orders@incr("startTimestamp" = "2026-09-14 10:00:00", "endTimestamp" = "2026-09-14 10:05:00")`, "3"},
		{`SELECT count(*) FROM orders@incr("startTimestamp" = "2026-09-14 10:10:00", "endTimestamp" = "2026-09-14 10:03:00")`, "0"},
		{`SELECT count(*) FROM orders@incr("startTimestamp" = "2999-01-01 00:00:00")`, "0"},
		{`SELECT count(*) FROM orders@incr("endTimestamp" = "2999-01-01 00:00:00")`, "3"},
		{`SELECT * FROM orders FOR TIME AS OF '2026-09-14 10:00:00' ORDER BY 1`, "1|created|100.00\n2|created|200.00\n3|created|300.00"},
		{`SELECT * FROM orders FOR TIME AS OF TIMESTAMPTZ '2026-09-14 12:05:00+02' o ORDER BY 1`, "1|paid|100.00\n3|created|300.00\n4|created|400.00"},
		{`SELECT * FROM orders FOR TIME AS OF '2026-09-14 09:59:59'`, ""},
		{`SELECT count(*) FROM orders FOR VERSION AS OF 9223372036854775807`, "3"},
		{`SELECT count(*) FROM orders FOR TIME AS OF 'infinity'`, "3"},
	} {
		if got := rows(t, s, q.query); got != q.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", q.query, got, q.want)
		}
	}
	do(t, s, "SET time_zone = '+08:00'")
	if got := rows(t, s, `SELECT count(*) FROM orders@incr("startTimestamp" = "2026-09-14 18:03:00", "incrementType" = "detail")`); got != "6" {
		t.Errorf("in another zone: %s", got)
	}
}

// TestFoldedWindows: the scenario of the rival's own test of the three modes.
func TestFoldedWindows(t *testing.T) {
	at := clockAt("2026-01-01 00:00:00")
	s := clockEngine(t, &at).Session()
	do(t, s, "CREATE TABLE t(id BIGINT PRIMARY KEY, v INT);\nINSERT INTO t VALUES (1,10),(3,30);\n")
	at = clockAt("2026-01-01 01:00:00")
	do(t, s, `UPDATE t SET v=11 WHERE id=1;
UPDATE t SET v=12 WHERE id=1;
UPDATE t SET v=13 WHERE id=1;
INSERT INTO t VALUES (2,20);
DELETE FROM t WHERE id=2;
INSERT INTO t VALUES (2,21);
DELETE FROM t WHERE id=3;
INSERT INTO t VALUES (4,40);
INSERT INTO t VALUES (5,50);
DELETE FROM t WHERE id=5;
`)
	at = clockAt("2026-01-01 02:00:00")
	do(t, s, "INSERT INTO t VALUES (6,60)")
	w := `"startTimestamp"="2026-01-01 01:00:00","endTimestamp"="2026-01-01 02:00:00"`
	for _, q := range []struct{ query, want string }{
		{"SELECT id, v, __DORIS_BINLOG_OP__ FROM t@incr(" + w + ") ORDER BY 1, 3", "1|10|2\n1|13|3\n2|21|0\n3|30|1\n4|40|0"},
		{"SELECT id, v, __DORIS_BINLOG_OP__ FROM t@incr() ORDER BY 1, 3", "1|13|0\n2|21|0\n4|40|0\n6|60|0"},
		{"SELECT count(*) FROM t@incr(" + w + `,"incrementType"="DETAIL")`, "13"},
		{"SELECT id, v, __DORIS_BINLOG_OP__ FROM t@incr(" + w + `,"incrementType"="APPEND_ONLY")`, "2|20|0\n2|21|0\n4|40|0\n5|50|0"},
	} {
		if got := rows(t, s, q.query); got != q.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", q.query, got, q.want)
		}
	}
}

// TestReadingsAnywhere: where a table may stand, and what * shows.
func TestReadingsAnywhere(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, `CREATE TABLE t(id BIGINT PRIMARY KEY, v INT);
CREATE TABLE b(id BIGINT, v INT);
CREATE TABLE sink(id BIGINT, v INT, op INT);
INSERT INTO t VALUES (1,10),(2,20);
INSERT INTO b VALUES (1,10),(1,10),(NULL,3);
CREATE MATERIALIZED VIEW m AS SELECT id, v FROM t WHERE v > 10;
CREATE VIEW p AS SELECT id, v, __DORIS_BINLOG_OP__ AS op FROM t@incr();
INSERT INTO t VALUES (3,30);
DELETE FROM t WHERE id = 2;
UPDATE t SET id = 9 WHERE id = 1;
DELETE FROM b WHERE v = 3;
UPDATE b SET v = 11 WHERE id = 1;
REFRESH MATERIALIZED VIEW m;
`)
	for _, q := range []struct{ query, want string }{
		{"SELECT * FROM t@incr() ORDER BY id", "3|30\n9|10"},
		{"SELECT x.* FROM t@incr() AS x(k) WHERE k > 3", "9|10"},
		{"SELECT * FROM p ORDER BY id", "3|30|0\n9|10|0"},
		{`SELECT id, v, __DORIS_BINLOG_OP__ FROM t@incr("incrementType"="DETAIL")`, "1|10|0\n2|20|0\n3|30|0\n2|20|1\n1|10|1\n9|10|0"},
		{`SELECT *, __DORIS_BINLOG_OP__ FROM b@incr("incrementType"="DETAIL") WHERE id = 1`, "1|10|0\n1|10|0\n1|10|2\n1|11|3\n1|10|2\n1|11|3"},
		{"SELECT * FROM b@incr()", "1|11\n1|11"},
		{`SELECT * FROM b@incr("incrementType"="append_only") ORDER BY v`, "NULL|3\n1|10\n1|10"},
		{"SELECT id, __DORIS_BINLOG_OP__ FROM m@incr() ORDER BY 1", "3|0"},
		{`SELECT id, __DORIS_BINLOG_OP__ FROM m@incr("incrementType"="detail") ORDER BY __DORIS_BINLOG_TSO__, 2 DESC, 1`, "2|0\n2|1\n3|0"},
		{"WITH c AS (SELECT * FROM t@incr()) SELECT sum(a.v), count(*) FROM c a JOIN c b ON a.id = b.id", "40|2"},
		{"SELECT count(*) FROM t@incr() a NATURAL JOIN t b", "2"},
		{"SELECT v, count(*) FROM t@incr() GROUP BY v HAVING v > 10", "30|1"},
		{"SELECT (SELECT max(id) FROM t@incr()), (SELECT count(*) FROM t FOR VERSION AS OF 0)", "9|0"},
		{"SELECT id FROM t FOR TIME AS OF now() GROUP BY id ORDER BY id", "3\n9"},
	} {
		if got := rows(t, s, q.query); got != q.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", q.query, got, q.want)
		}
	}
	do(t, s, "INSERT INTO sink SELECT id, v, __DORIS_BINLOG_OP__ FROM t@incr()")
	if got := rows(t, s, "SELECT * FROM sink ORDER BY id"); got != "3|30|0\n9|10|0" {
		t.Error(got)
	}
	do(t, s, "TRUNCATE t;\nINSERT INTO t VALUES (7, 70);\n")
	if got := rows(t, s, `SELECT id, __DORIS_BINLOG_OP__ FROM t@incr("incrementType"="DETAIL")`); got != "7|0" {
		t.Errorf("behind a truncation: %s", got)
	}
	do(t, s, "ALTER TABLE t ADD COLUMN w TEXT DEFAULT 'old'")
	if got := rows(t, s, "SELECT * FROM t@incr()"); got != "7|70|old" {
		t.Errorf("records of before a column: %s", got)
	}
}

// TestReadingErrors: the texts that users and their tools look for.
func TestReadingErrors(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, `CREATE TABLE t(id BIGINT PRIMARY KEY, v INT);
CREATE TABLE off(x INT) PROPERTIES ("binlog.enable"="false");
CREATE TABLE thin(id INT PRIMARY KEY, v INT, w TEXT) PROPERTIES ("binlog.enable"="true", "binlog.format"="ROW", "binlog.need_historical_value"="false");
INSERT INTO thin VALUES (1, 1, 'a');
UPDATE thin SET v = 2;
DELETE FROM thin;
CREATE VIEW p AS SELECT * FROM t;
`)
	for _, q := range []struct{ query, code, text string }{
		{"SELECT * FROM off@incr()", "55000", "INCR query requires ROW binlog enabled on base table."},
		{"SELECT * FROM p@incr()", "42809", "INCR query requires ROW binlog enabled on base table."},
		{"SELECT * FROM thin@incr()", "55000", "MIN_DELTA INCR query requires base table to enable binlog.need_historical_value=true"},
		{`SELECT * FROM t@incr("startTime"="x")`, "22023", "Unsupported parameter in incr query"},
		{`SELECT * FROM t@incr("incrementType"="x")`, "22023", "Unsupported parameter in incr query"},
		{`SELECT * FROM t@incr("startTSO"="1", "startTimestamp"="2026-01-01 00:00:00")`, "22023", "Unsupported parameter in incr query"},
		{`SELECT * FROM t@incr("startTSO"="-1")`, "22023", "Unsupported parameter in incr query"},
		{`SELECT * FROM t@incr("endTimestamp"="2026-13-01 00:00:00")`, "22007", "Invalid TIMESTAMP format in incr clause"},
		{"SELECT * FROM t@snapshot()", "42809", "Invalid param type for olap table"},
		{"SELECT * FROM off FOR VERSION AS OF 1", "55000", "FOR VERSION/TIME AS OF requires row binlog"},
		{"SELECT * FROM thin FOR TIME AS OF now()", "55000", "FOR VERSION/TIME AS OF on merge-on-write table requires binlog.need_historical_value=true"},
		{"SELECT * FROM p FOR VERSION AS OF 1", "42809", "FOR VERSION/TIME AS OF is only supported on duplicate or unique merge-on-write tables"},
		{"SELECT * FROM t FOR VERSION AS OF NULL", "22004", "must not be null"},
		{"SELECT * FROM t FOR VERSION AS OF id", "42703", "does not exist"},
		{"SELECT * FROM t FOR TIME AS OF 3", "42804", "must be type timestamp"},
		{"CREATE MATERIALIZED VIEW x AS SELECT * FROM t@incr()", "0A000", "not supported"},
		{"CREATE TABLE x(a INT) PROPERTIES (\"binlog.format\"=\"row\")", "22023", "Invalid binlog format value: row"},
	} {
		if e := fails(t, s, q.query, q.code); !strings.Contains(e.Msg, q.text) {
			t.Errorf("%s: %s", q.query, e.Msg)
		}
	}
	if got := rows(t, s, `SELECT *, __DORIS_BINLOG_OP__ FROM thin@incr("incrementType"="DETAIL")`); got != "1|1|a|0\n1|NULL|NULL|2\n1|2|a|3\n1|NULL|NULL|1" {
		t.Errorf("without history:\n%s", got)
	}
	if got := rows(t, s, "SHOW CREATE TABLE off"); !strings.Contains(got, "PROPERTIES ('binlog.enable' = 'false')") {
		t.Error(got)
	}
}

// TestWindowsPartition: windows that touch, by time or by TSO, show every record
// once, whatever the clock does.
func TestWindowsPartition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		at := clockAt("2026-01-01 00:00:00")
		s := clockEngine(t, &at).Session()
		do(t, s, "CREATE TABLE t(id BIGINT PRIMARY KEY, v INT)")
		n := rapid.IntRange(1, 12).Draw(rt, "commits")
		for i := range n {
			do(t, s, "INSERT INTO t VALUES ("+string(rune('0'+i/10))+string(rune('0'+i%10))+", 1)")
			at = at.Add(time.Duration(rapid.IntRange(-1500, 2500).Draw(rt, "ms")) * time.Millisecond)
		}
		edges := []string{}
		for edge, k := clockAt("2026-01-01 00:00:00"), rapid.IntRange(0, 5).Draw(rt, "edges"); k >= 0; k-- {
			edges = append(edges, edge.Format("2006-01-02 15:04:05"))
			edge = edge.Add(time.Duration(rapid.IntRange(0, 4).Draw(rt, "s")) * time.Second)
		}
		seen := 0
		for i := range len(edges) + 1 {
			var params []string
			if i > 0 {
				params = append(params, `"startTimestamp"="`+edges[i-1]+`"`)
			}
			if i < len(edges) {
				params = append(params, `"endTimestamp"="`+edges[i]+`"`)
			}
			got := rows(t, s, `SELECT id FROM t@incr(`+strings.Join(append(params, `"incrementType"="DETAIL"`), ",")+")")
			seen += len(strings.Fields(got))
		}
		if seen != n {
			rt.Fatalf("%d of %d records, edges %v", seen, n, edges)
		}
	})
}

// TestRetention: what a table's properties give up is hidden at once, and a view
// that had not read it says so.
func TestRetention(t *testing.T) {
	at := clockAt("2026-01-01 00:00:00")
	s := clockEngine(t, &at).Session()
	do(t, s, `CREATE TABLE t(id BIGINT PRIMARY KEY, v INT) PROPERTIES ("binlog.ttl_seconds"="60", "binlog.pin"="false");
CREATE TABLE off(id BIGINT PRIMARY KEY, v INT) PROPERTIES ("binlog.enable"="false");
INSERT INTO t VALUES (1, 1);
INSERT INTO off VALUES (1, 1);
CREATE MATERIALIZED VIEW m AS SELECT v, count(*) AS n FROM t GROUP BY v;
CREATE MATERIALIZED VIEW o AS SELECT v, count(*) AS n FROM off GROUP BY v;
INSERT INTO t VALUES (2, 2);
`)
	if got := rows(t, s, "SELECT count(*) FROM t@incr()"); got != "2" {
		t.Error(got)
	}
	at = at.Add(2 * time.Minute)
	do(t, s, "INSERT INTO t VALUES (3, 3)")
	if e := fails(t, s, "SELECT * FROM t@incr()", "72000"); !strings.Contains(e.Detail, "BINLOG_BROKEN") {
		t.Error(e.Detail)
	}
	fails(t, s, "SELECT * FROM t FOR TIME AS OF '2025-12-31 00:00:00'", "72000")
	if got := rows(t, s, `SELECT id FROM t@incr("startTimestamp"="2026-01-01 00:01:30")`); got != "3" {
		t.Error(got)
	}
	if e := fails(t, s, "REFRESH MATERIALIZED VIEW m INCREMENTAL", "0A000"); !strings.Contains(e.Detail, "BINLOG_BROKEN") {
		t.Error(e.Detail)
	}
	res := do(t, s, "REFRESH MATERIALIZED VIEW m AUTO")
	if res.Refresh == nil || res.Refresh.Reason != "BINLOG_BROKEN" {
		t.Errorf("%+v", res.Refresh)
	}
	do(t, s, "INSERT INTO t VALUES (4, 3);\nREFRESH MATERIALIZED VIEW m INCREMENTAL;\nALTER TABLE t SET (\"binlog.ttl_seconds\"=\"600\");\n")
	if got := rows(t, s, "SELECT * FROM m ORDER BY v"); got != "1|1\n2|1\n3|2" {
		t.Error(got)
	}
	if e := fails(t, s, "REFRESH MATERIALIZED VIEW o INCREMENTAL", "0A000"); !strings.Contains(e.Detail, "BINLOG_NOT_ENABLED") {
		t.Error(e.Detail)
	}
	do(t, s, "UPDATE off SET v = 5;\nREFRESH MATERIALIZED VIEW o;\n")
	if got := rows(t, s, "SELECT * FROM o"); got != "5|1" {
		t.Error(got)
	}
	for q, text := range map[string]string{
		`ALTER TABLE t SET ("binlog.enable"="false")`:                "can't disable binlog when format is [Row]",
		`ALTER TABLE off SET ("binlog.enable"="true")`:               "not support change binlog format from STATEMENT_AND_SNAPSHOT to ROW",
		`ALTER TABLE t SET ("binlog.need_historical_value"="false")`: "not support change binlog.need_historical_value from true to false",
	} {
		if e := fails(t, s, q, "0A000"); e.Msg != text {
			t.Errorf("%s: %s", q, e.Msg)
		}
	}
	if got := rows(t, s, "SHOW CREATE TABLE t"); !strings.Contains(got, "PROPERTIES ('binlog.pin' = 'false', 'binlog.ttl_seconds' = '600')") {
		t.Error(got)
	}
}
