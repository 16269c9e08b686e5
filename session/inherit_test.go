package session

import (
	"strings"
	"testing"
)

// TestReplaceKeepsStates: what is not replaced is not computed again; what fails
// leaves the view as it was.
func TestReplaceKeepsStates(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, sales+"CREATE MATERIALIZED VIEW v AS SELECT shop, sum(n) AS n FROM sale GROUP BY shop")
	const history = "SELECT rows_in, detail FROM information_schema.refresh_history WHERE view_name = 'v' ORDER BY task_id DESC LIMIT 1"
	const over = "CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT shop, n FROM (SELECT shop, sum(n) AS n FROM sale GROUP BY shop) AS x "
	res := do(t, s, over+"WHERE n > 6")
	is(t, "notice", res.Notices[0].Code+": "+res.Notices[0].Message, `STATE_KEPT: materialized view "v": 1 of 1 states were kept`)
	is(t, "no row of the table is read", rows(t, s, history), "0|1 of 1 states were kept")
	do(t, s, "INSERT INTO sale VALUES (9, 'b', 6)")
	do(t, s, over+"WHERE n > 7")
	is(t, "the change alone is read", rows(t, s, history), "1|1 of 1 states were kept")
	is(t, "rows", rows(t, s, "SELECT * FROM v ORDER BY shop"), "a|30\nb|11")
	do(t, s, "INSERT INTO sale VALUES (10, 'z', 0)")
	fails(t, s, over+"WHERE 1 / n > 7", "22012")
	is(t, "as it was", rows(t, s, "SELECT * FROM v ORDER BY shop"), "a|30\nb|11")
	is(t, "its state too", rows(t, s, "REFRESH MATERIALIZED VIEW v INCREMENTAL WITH DRY RUN"), "")
	do(t, s, "UPDATE sale SET n = 100 WHERE id = 10;\nREFRESH MATERIALIZED VIEW v INCREMENTAL")
	is(t, "moves on", rows(t, s, "SELECT * FROM v ORDER BY shop"), "a|30\nb|11\nz|100")
	// Other columns make another view, which takes them over too.
	res = do(t, s, strings.Replace(over, "SELECT shop, n", "SELECT n, shop, 1 AS one", 1))
	is(t, "another view", res.Notices[0].Code, "STATE_KEPT")
	is(t, "verified", rows(t, s, "VERIFY MATERIALIZED VIEW v"), "")
	// A view that failed to be made takes none.
	fails(t, s, strings.Replace(over, "SELECT shop, n", "SELECT 1 / (n - 30) AS q", 1), "22012")
	do(t, s, "INSERT INTO sale VALUES (11, 'z', 1);\nREFRESH MATERIALIZED VIEW v INCREMENTAL")
	is(t, "rows", rows(t, s, "SELECT n FROM v ORDER BY n"), "11\n30\n101")
	is(t, "verified", rows(t, s, "VERIFY MATERIALIZED VIEW v"), "")
	// What is another computation is one.
	is(t, "another", len(do(t, s, "CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT shop, count(n) AS n FROM sale GROUP BY shop").Notices), 0)
}
