package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/refresh"
)

const two = sales + `CREATE MATERIALIZED VIEW a AS SELECT shop, sum(n) AS n FROM sale GROUP BY shop;
CREATE MATERIALIZED VIEW b AS SELECT count(*) AS shops, sum(n) AS n FROM a;
`

// TestCascadeStatement: what the view reads is refreshed first, and all is said.
func TestCascadeStatement(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, two+"INSERT INTO sale VALUES (4, 'c', 100)")
	res := do(t, s, "REFRESH MATERIALIZED VIEW b INCREMENTAL CASCADE")
	is(t, "views", len(res.Cascade), 2)
	is(t, "order", res.Cascade[0].View+res.Refresh.View, "ab")
	is(t, "one base", res.Cascade[0].To, res.Refresh.To)
	is(t, "a goes by its own mode", res.Cascade[0].Requested, refresh.Auto)
	is(t, "rows", rows(t, s, "SELECT * FROM b"), "3|135")
	do(t, s, "CREATE MATERIALIZED VIEW c AS SELECT 100 / n AS q FROM a")
	do(t, s, "CREATE MATERIALIZED VIEW d AS SELECT c.q, b.n FROM b, c")
	do(t, s, "UPDATE sale SET n = 0 WHERE shop = 'b'")
	e := fails(t, s, "REFRESH MATERIALIZED VIEW d CASCADE", "22012")
	is(t, "text", e.Msg, `refresh of materialized view "c": division by zero`)
	for _, line := range []string{`"a" was refreshed by INCREMENTAL`, `"b" was refreshed by INCREMENTAL`, `"d" was not refreshed because "c" was not`} {
		if !strings.Contains(e.Detail, line) {
			t.Errorf("no %s in %s", line, e.Detail)
		}
	}
	is(t, "a sibling moved", rows(t, s, "SELECT * FROM b"), "3|130")
	do(t, s, "CREATE MATERIALIZED VIEW c2 BUILD DEFERRED AS SELECT 7 % n AS q FROM a;\nCREATE MATERIALIZED VIEW e BUILD DEFERRED AS SELECT c.q, c2.q AS r FROM b, c, c2")
	e = fails(t, s, "REFRESH MATERIALIZED VIEW e CASCADE", "22012")
	is(t, "all that failed", e.Msg+"\n"+e.Detail, `refresh of materialized view "c": division by zero
view "c", expression 100 / n, row (n = 0)
materialized view "a" was up to date
materialized view "b" was up to date
refresh of materialized view "c2": division by zero
materialized view "e" was not refreshed because "c" and "c2" were not`)
	do(t, s, "BEGIN")
	fails(t, s, "REFRESH MATERIALIZED VIEW b CASCADE", "25001")
}

// TestDryRun: the rows that would change, and nothing changes.
func TestDryRun(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, two)
	const dry = "REFRESH MATERIALIZED VIEW a INCREMENTAL WITH DRY RUN"
	is(t, "nothing pending", rows(t, s, dry), "")
	do(t, s, "UPDATE sale SET n = 6 WHERE shop = 'b';\nINSERT INTO sale VALUES (4, 'c', NULL), (5, NULL, 1)")
	before := e.store.Applied()
	want := strings.Split(rows(t, s, dry), "\n")
	is(t, "rows", len(want), 4)
	for _, w := range []string{"b|5|-1", "b|6|1", "c||1", "|1|1"} {
		if !strings.Contains(strings.ReplaceAll("\n"+strings.Join(want, "\n")+"\n", "NULL", ""), "\n"+w+"\n") {
			t.Errorf("no %s in %q", w, want)
		}
	}
	for offset := range 6 {
		for limit := range 6 {
			part := strings.Join(want[min(offset, 4):min(offset+limit, 4)], "\n")
			is(t, "part", rows(t, s, fmt.Sprintf("%s LIMIT %d OFFSET %d", dry, limit, offset)), part)
			is(t, "part", rows(t, s, fmt.Sprintf("%s LIMIT %d, %d", dry, offset, limit)), part)
		}
	}
	is(t, "column", do(t, s, dry).Rows.Schema[2].Name, "__IVM_WEIGHT__")
	is(t, "no commit", e.store.Applied(), before)
	is(t, "stands", rows(t, s, "SELECT * FROM a ORDER BY shop"), "a|30\nb|5")
	is(t, "rows out", do(t, s, "REFRESH MATERIALIZED VIEW a INCREMENTAL").Refresh.RowsOut, int64(4))
	is(t, "verified", rows(t, s, "VERIFY MATERIALIZED VIEW a"), "")
	is(t, "afterwards", rows(t, s, dry), "")
	do(t, s, "CREATE MATERIALIZED VIEW late BUILD DEFERRED AS SELECT shop FROM sale WHERE shop = 'a'")
	is(t, "never built", rows(t, s, "REFRESH MATERIALIZED VIEW late INCREMENTAL WITH DRY RUN"), "a|2")
	fails(t, s, "SELECT * FROM late", "55000")
	do(t, s, "REFRESH MATERIALIZED VIEW late")
	is(t, "built", rows(t, s, "SELECT count(*) FROM late"), "2")
	do(t, s, "CREATE MATERIALIZED VIEW top AS SELECT shop FROM sale ORDER BY n OFFSET 1")
	fails(t, s, "REFRESH MATERIALIZED VIEW top INCREMENTAL WITH DRY RUN", "0A000")
}

// TestFallback: the definition must be incremental; a refresh of another view by
// it is COMPLETE, with the reason.
func TestFallback(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, sales)
	const limited = "SELECT shop FROM sale ORDER BY n OFFSET 1"
	fails(t, s, "CREATE MATERIALIZED VIEW v REFRESH INCREMENTAL FALLBACK AS "+limited, "0A000")
	do(t, s, "CREATE MATERIALIZED VIEW w AS "+limited)
	do(t, s, "INSERT INTO sale VALUES (7, 'q', 0)")
	res := do(t, s, "REFRESH MATERIALIZED VIEW w INCREMENTAL FALLBACK")
	is(t, "executed", fmt.Sprint(res.Refresh.Requested, res.Refresh.Executed, res.Refresh.Reason, len(res.Notices)),
		fmt.Sprint(refresh.Fallback, refresh.Complete, "OPERATOR_NOT_SUPPORTED", 1))
	do(t, s, "CREATE MATERIALIZED VIEW v REFRESH INCREMENTAL FALLBACK COMMENT 'it''s' AS SELECT shop FROM sale")
	is(t, "kept", strings.Contains(rows(t, s, "SHOW CREATE MATERIALIZED VIEW v"), "REFRESH INCREMENTAL FALLBACK COMMENT 'it''s' AS SELECT"), true)
	do(t, s, "INSERT INTO sale VALUES (8, 'q', 0)")
	res = do(t, s, "REFRESH MATERIALIZED VIEW v")
	is(t, "incremental", fmt.Sprint(res.Refresh.Requested, res.Refresh.Executed, res.Refresh.Reason), fmt.Sprint(refresh.Fallback, refresh.Incremental, ""))
	do(t, s, "INSERT INTO sale VALUES (9, 'r', 1)")
	fails(t, s, "CREATE MATERIALIZED VIEW x PROPERTIES ('grace_period' = '1') AS SELECT shop FROM sale", "0A000")
	is(t, "if not exists", do(t, s, "CREATE MATERIALIZED VIEW IF NOT EXISTS v AS SELECT shop FROM sale").Notices[0].Code, "42P07")
}
