package session

import (
	"fmt"
	"strings"
	"testing"
)

// TestViewTables: what the tables of materialized views say of a chain, before and
// after its sources moved, and of one that is not incremental.
func TestViewTables(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, two)
	do(t, s, `CREATE TABLE shop(name TEXT PRIMARY KEY, town TEXT);
		CREATE MATERIALIZED VIEW j AS SELECT town, n FROM sale JOIN shop ON sale.shop = shop.name;
		CREATE MATERIALIZED VIEW k AS SELECT n FROM shop JOIN sale ON sale.shop = shop.name;
		CREATE MATERIALIZED VIEW l BUILD DEFERRED AS SELECT shop FROM sale ORDER BY n OFFSET 1;
		INSERT INTO sale VALUES (4, 'c', 100)`)
	do(t, s, "REFRESH MATERIALIZED VIEW a")
	const views = "SELECT view_name, mode, is_incremental, blockers, state, pending, lag_tso > 0, lag_ms IS NULL, last_status, last_mode FROM information_schema.materialized_views"
	is(t, "views", rows(t, s, views), strings.TrimSpace(`
a|AUTO|t|NULL|NORMAL|0|f|f|SUCCESS|INCREMENTAL
b|AUTO|t|NULL|NORMAL|1|t|f|SUCCESS|COMPLETE
j|AUTO|t|NULL|NORMAL|1|t|f|SUCCESS|COMPLETE
k|AUTO|t|NULL|NORMAL|1|t|f|SUCCESS|COMPLETE
l|AUTO|f|OPERATOR_NOT_SUPPORTED|INIT|NULL|NULL|t|NULL|NULL`))
	is(t, "sources", rows(t, s, "SELECT view_name, source_name, source_kind, pending, insert_grade, change_cost FROM information_schema.materialized_view_sources ORDER BY 1, 2"), strings.TrimSpace(`
a|sale|table|0|incremental|O(d)
b|a|materialized view|1|incremental|O(d)
j|sale|table|1|incremental|O(d)
j|shop|table|0|incremental|O(d × m)
k|sale|table|1|incremental|O(d)
k|shop|table|0|incremental|O(d × m)
l|sale|table|NULL|complete|O(n)`))
	is(t, "blockers", rows(t, s, "SELECT view_name, code, object FROM information_schema.materialized_view_blockers"), "l|OPERATOR_NOT_SUPPORTED|OFFSET")
	do(t, s, "CREATE MATERIALIZED VIEW today AS SELECT current_date AS d, now ( ) AS n")
	is(t, "functions as they were written", rows(t, s, "SELECT object FROM information_schema.materialized_view_blockers WHERE view_name = 'today' ORDER BY 1"),
		"current_date\nnow()")
	do(t, s, "DROP MATERIALIZED VIEW today")
	is(t, "arrangements", rows(t, s, "SELECT arrangement, keys, shared_by, views FROM information_schema.arrangements"), "sale(shop)|NULL|2|j, k")
	is(t, "states", rows(t, s, "SELECT view_name, state, kind FROM information_schema.materialized_view_states"), "a|1|groups\nb|1|groups")
	is(t, "history", rows(t, s, "SELECT trigger, executed_mode, rows_in FROM information_schema.refresh_history WHERE view_name = 'a'"), "CREATE|COMPLETE|3\nMANUAL|INCREMENTAL|1")
	is(t, "tasks", rows(t, s, `SELECT mvname, refreshmode, progress FROM tasks("type" = "mv") WHERE mvname = 'a' ORDER BY taskid DESC LIMIT 1`), "a|INCREMENTAL|100.00% (1/1)")
	is(t, "infos", rows(t, s, `SELECT name, state, refreshstate, syncwithbasetables FROM mv_infos("database" = 'public') AS i`), strings.TrimSpace(`
a|NORMAL|SUCCESS|t
b|NORMAL|SUCCESS|f
j|NORMAL|SUCCESS|f
k|NORMAL|SUCCESS|f
l|INIT|INIT|f`))
	do(t, s, "CREATE VIEW mine AS SELECT t.mvname FROM tasks('type' = 'mv') t, mv_infos() WHERE name = t.mvname")
	is(t, "a plain view", rows(t, s, "SELECT DISTINCT mvname FROM mine ORDER BY 1"), "a\nb\nj\nk")
	fails(t, s, "CREATE MATERIALIZED VIEW m AS SELECT mvname FROM tasks('type' = 'mv')", "0A000")
	for _, bad := range []string{"tasks()", "tasks('type' = 'x')", "tasks('type' = 'mv', 'type' = 'mv')", "mv_infos('databank' = 'public')"} {
		fails(t, s, "SELECT * FROM "+bad, "22023")
	}
	fails(t, s, "SELECT * FROM nothing()", "42883")
	fails(t, s, "SELECT * FROM sale()", "42883")
}

// TestGradesAreTold: CREATE says where changes cost more than their rows, and
// mv_infos how every view follows every source, or why not.
func TestGradesAreTold(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, sales+"CREATE TABLE shop (shop TEXT, city TEXT)")
	is(t, "nothing to tell", len(do(t, s, "CREATE MATERIALIZED VIEW a AS SELECT shop, sum(n) AS n FROM sale GROUP BY shop").Notices), 0)
	res := do(t, s, "CREATE MATERIALIZED VIEW b AS SELECT city, n FROM sale JOIN shop ON sale.shop = shop.shop")
	is(t, "told", fmt.Sprint(res.Notices), `[{INCREMENTAL materialized view "b" is incremental; not all changes are O(d): sale incremental, O(d × m1); shop incremental, O(d × m2) `+
		`(d: changed rows; m1: rows of shop for one shop; m2: rows of sale for one shop)}]`)
	do(t, s, "CREATE MATERIALIZED VIEW c AS SELECT shop FROM sale ORDER BY n OFFSET 1")
	got := rows(t, s, `SELECT name, mvpartitioninfo, ivmgrades, ivmreasons <> '' FROM mv_infos("database" = "public") ORDER BY name`)
	is(t, "infos", got, "a|SELF_MANAGE|sale incremental, O(d)|f\nb|SELF_MANAGE|sale incremental, O(d × m1); shop incremental, O(d × m2)|f\nc|SELF_MANAGE|sale complete, O(n)|t")
	is(t, "jobs", rows(t, s, `SELECT mvdatabaseid, count(*) FROM jobs("type" = "mv") GROUP BY 1`), "1|3")
	is(t, "tasks", rows(t, s, `SELECT jobid = mvid, mvdatabaseid, needrefreshpartitions, completedpartitions, lastqueryid FROM tasks("type" = "mv") WHERE mvname = 'a'`), `t|1|["a"]|["a"]|NULL`)
}
