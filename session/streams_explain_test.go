package session

import (
	"strings"
	"testing"
)

// TestExplainAnalyzeRehearses: a dry run is measured and changes nothing; a cascade
// is run once and every view of it is shown.
func TestExplainAnalyzeRehearses(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, two+"INSERT INTO sale VALUES (4, 'c', 100)")
	has := func(text string, words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("no %q in\n%s", w, text)
			}
		}
	}
	before := e.store.Applied()
	has(rows(t, s, "EXPLAIN ANALYZE REFRESH MATERIALIZED VIEW a INCREMENTAL WITH DRY RUN"), "A dry run gives", "measured: 1 row in, 1 row out", "Rows in: 1, rows out: 1")
	is(t, "no commit", e.store.Applied(), before)
	is(t, "no task", rows(t, s, "SELECT count(*) FROM information_schema.refresh_history WHERE trigger = 'MANUAL'"), "0")
	text := rows(t, s, "EXPLAIN ANALYZE REFRESH MATERIALIZED VIEW b INCREMENTAL CASCADE")
	has(text, "Materialized view a (shop, n)", "Materialized view b (shops, n)", "Executed: INCREMENTAL (requested AUTO)", "Executed: INCREMENTAL (requested INCREMENTAL)")
	is(t, "once each", rows(t, s, "SELECT view_name, trigger FROM information_schema.refresh_history WHERE trigger <> 'CREATE' ORDER BY task_id"), "a|CASCADE\nb|MANUAL")
	is(t, "rows", rows(t, s, "SELECT * FROM b"), "3|135")
	fails(t, s, "EXPLAIN (ANALYZE, FORMAT svg) REFRESH MATERIALIZED VIEW b CASCADE", "0A000")
	is(t, "json", strings.Count(rows(t, s, "EXPLAIN (ANALYZE, FORMAT json) REFRESH MATERIALIZED VIEW b CASCADE"), `"run"`), 2)
}

// TestExplainAllStreams: without the words only sources with changes are listed.
func TestExplainAllStreams(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, sales+`CREATE TABLE shop (shop TEXT PRIMARY KEY, city TEXT);
CREATE MATERIALIZED VIEW v AS SELECT city, n FROM sale JOIN shop ON sale.shop = shop.shop;
INSERT INTO shop VALUES ('a', 'x')`)
	const explained = "EXPLAIN REFRESH MATERIALIZED VIEW v INCREMENTAL"
	short, long := rows(t, s, explained), rows(t, s, explained+" WITH ALL STREAMS")
	is(t, "said", strings.Contains(short, "Nothing is pending in sale: WITH ALL STREAMS lists that too."), true)
	is(t, "lines", strings.Count(long, "\n  sale ")-strings.Count(short, "\n  sale "), 1)
	is(t, "without a mode", strings.Contains(rows(t, s, "EXPLAIN REFRESH MATERIALIZED VIEW v"), "WITH ALL STREAMS"), false)
	for _, wrong := range []string{"REFRESH MATERIALIZED VIEW v INCREMENTAL WITH ALL STREAMS", "EXPLAIN REFRESH MATERIALIZED VIEW v COMPLETE WITH ALL STREAMS",
		"EXPLAIN REFRESH MATERIALIZED VIEW v WITH ALL STREAMS", "EXPLAIN REFRESH MATERIALIZED VIEW v INCREMENTAL WITH ALL RIVERS"} {
		fails(t, s, wrong, "42601")
	}
}

// TestPartitionsByName: what needs partitions is refused by its name, everywhere.
func TestPartitionsByName(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, two)
	for _, sql := range []string{"REFRESH MATERIALIZED VIEW a PARTITIONS", "REFRESH MATERIALIZED VIEW a PARTITIONS FALLBACK", "REFRESH MATERIALIZED VIEW a PARTITIONS (p, q)",
		"ALTER MATERIALIZED VIEW a REFRESH PARTITIONS ON MANUAL", "CREATE MATERIALIZED VIEW v REFRESH PARTITIONS AS SELECT * FROM sale",
		"CREATE MATERIALIZED VIEW v COMMENT 'c' PARTITION BY (date_trunc('day', shop)) DISTRIBUTED BY RANDOM AS SELECT * FROM sale"} {
		if e := fails(t, s, sql, "0A000"); !strings.Contains(e.Msg, "PARTITION") || e.Pos < 0 || e.Hint == "" {
			t.Errorf("%s: %+v", sql, e)
		}
	}
	fails(t, s, "REFRESH MATERIALIZED VIEW a SOMEHOW", "42601")
}

// TestColumnComments are kept and shown, also after a RENAME and from a dump.
func TestColumnComments(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, sales+`CREATE MATERIALIZED VIEW v (shop COMMENT 'it''s', "n 1") COMMENT 'c' AS SELECT shop, n FROM sale;
ALTER MATERIALIZED VIEW v RENAME w`)
	is(t, "shown", rows(t, s, "SHOW CREATE MATERIALIZED VIEW w"), `w|CREATE MATERIALIZED VIEW w (shop COMMENT 'it''s', "n 1") COMMENT 'c' AS SELECT shop, n FROM sale`)
}
