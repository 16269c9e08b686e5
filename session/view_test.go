package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/refresh"
)

const sales = `CREATE TABLE sale(id BIGINT PRIMARY KEY, shop TEXT, n INT);
INSERT INTO sale VALUES (1, 'a', 10), (2, 'a', 20), (3, 'b', 5);
`

func TestView(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, sales+"CREATE MATERIALIZED VIEW v(shop, c, total) AS SELECT shop, count(*), sum(n) FROM sale GROUP BY shop")
	is(t, "built", rows(t, s, "SELECT shop, c, total FROM v ORDER BY shop"), "a|2|30\nb|1|5")
	do(t, s, "INSERT INTO sale VALUES (4, 'b', 1);\nDELETE FROM sale WHERE shop = 'a'")
	is(t, "stands", rows(t, s, "SELECT shop, c, total FROM v ORDER BY shop"), "a|2|30\nb|1|5")
	res := do(t, s, "REFRESH MATERIALIZED VIEW v INCREMENTAL")
	is(t, "executed", res.Refresh.Executed, refresh.Incremental)
	is(t, "rows in", res.Refresh.RowsIn, int64(3))
	is(t, "refreshed", rows(t, s, "SELECT shop, c, total FROM v ORDER BY shop"), "b|2|6")
	if res = do(t, s, "REFRESH MATERIALIZED VIEW v"); !res.Refresh.NoOp {
		t.Errorf("nothing was pending: %+v", res.Refresh)
	}
	res = do(t, s, "REFRESH MATERIALIZED VIEW v COMPLETE")
	is(t, "executed", res.Refresh.Executed, refresh.Complete)
	is(t, "no change", res.Refresh.RowsOut, int64(0))
}

func TestDeferred(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, sales+"CREATE MATERIALIZED VIEW v BUILD DEFERRED AS SELECT shop FROM sale")
	e := fails(t, s, "SELECT * FROM v", "55000")
	is(t, "text", e.Msg, `materialized view "v" has not been populated`)
	fails(t, s, "CREATE MATERIALIZED VIEW w AS SELECT shop FROM v", "55000")
	do(t, s, "REFRESH MATERIALIZED VIEW v")
	is(t, "rows", rows(t, s, "SELECT count(*) FROM v"), "3")
}

// TestModes: a view that cannot be incremental says why, at once and at every refresh.
func TestModes(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, sales)
	const query = "SELECT shop, n FROM (SELECT shop, n, row_number() OVER (ORDER BY n) AS r FROM sale) AS x WHERE r <= 2"
	err := fails(t, s, "CREATE MATERIALIZED VIEW v REFRESH INCREMENTAL AS "+query, "0A000")
	if !strings.HasPrefix(err.Msg, "OPERATOR_NOT_SUPPORTED: ") {
		t.Errorf("no reason: %+v", err)
	}
	res := do(t, s, "CREATE MATERIALIZED VIEW v REFRESH AUTO AS "+query)
	if len(res.Notices) == 0 || res.Notices[0].Code != "OPERATOR_NOT_SUPPORTED" {
		t.Errorf("AUTO is silent: %+v", res.Notices)
	}
	if res = do(t, s, "CREATE MATERIALIZED VIEW w REFRESH COMPLETE AS "+query); len(res.Notices) != 0 {
		t.Errorf("COMPLETE was asked for: %+v", res.Notices)
	}
	do(t, s, "INSERT INTO sale VALUES (9, 'z', 1)")
	fails(t, s, "REFRESH MATERIALIZED VIEW v INCREMENTAL", "0A000")
	res = do(t, s, "REFRESH MATERIALIZED VIEW v")
	is(t, "executed", res.Refresh.Executed, refresh.Complete)
	is(t, "reason", res.Refresh.Reason, "OPERATOR_NOT_SUPPORTED")
	if len(res.Notices) != 1 {
		t.Errorf("a fallback is silent: %+v", res.Notices)
	}
	is(t, "rows", rows(t, s, "SELECT shop FROM v ORDER BY shop"), "b\nz")
}

func TestViewErrors(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, sales+"CREATE MATERIALIZED VIEW v AS SELECT shop FROM sale")
	fails(t, s, "CREATE MATERIALIZED VIEW v AS SELECT shop FROM sale", "42P07")
	fails(t, s, "CREATE TABLE v(a INT)", "42P07")
	fails(t, s, "CREATE MATERIALIZED VIEW sale AS SELECT 1 AS a", "42P07")
	is(t, "if not exists", do(t, s, "CREATE TABLE IF NOT EXISTS sale(a INT)").Notices[0].Code, "42P07")
	fails(t, s, "CREATE MATERIALIZED VIEW w AS SELECT shop, shop FROM sale", "42701")
	fails(t, s, "CREATE MATERIALIZED VIEW w(a, b) AS SELECT shop FROM sale", "42601")
	fails(t, s, "CREATE MATERIALIZED VIEW w AS SELECT nope FROM sale", "42703")
	fails(t, s, "CREATE MATERIALIZED VIEW w AS SELECT a FROM nope", "42P01")
	fails(t, s, "CREATE MATERIALIZED VIEW w AS SELECT 1 / (n - 10) AS q FROM sale", "22012")
	fails(t, s, "SELECT * FROM w", "42P01")
	fails(t, s, "REFRESH MATERIALIZED VIEW nope", "42P01")
	fails(t, s, "REFRESH MATERIALIZED VIEW sale", "42809")
}

func TestDrop(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, sales+"CREATE MATERIALIZED VIEW v AS SELECT shop FROM sale;\nCREATE MATERIALIZED VIEW w AS SELECT shop FROM v")
	err := fails(t, s, "DROP TABLE sale", "2BP01")
	is(t, "detail", err.Detail, "materialized view v depends on table sale")
	fails(t, s, "DROP MATERIALIZED VIEW v", "2BP01")
	fails(t, s, "DROP TABLE v", "42809")
	fails(t, s, "DROP MATERIALIZED VIEW sale", "42809")
	fails(t, s, "DROP TABLE nope", "42P01")
	is(t, "if exists", do(t, s, "DROP TABLE IF EXISTS nope").Notices[0].Message, `table "nope" does not exist, skipping`)
	is(t, "both", do(t, s, "DROP MATERIALIZED VIEW v, w").Tag, "DROP MATERIALIZED VIEW")
	is(t, "table", do(t, s, "DROP TABLE sale").Tag, "DROP TABLE")
	is(t, "objects", len(e.store.Catalog().Objects()), 0)
	do(t, s, sales+"CREATE MATERIALIZED VIEW v AS SELECT n FROM sale")
	is(t, "again", rows(t, s, "SELECT sum(n) FROM v"), "35")
}

func TestCreateTableErrors(t *testing.T) {
	s := newEngine(t).Session()
	for sql, code := range map[string]string{
		"CREATE TABLE t(a INT, a INT)":                         "42701",
		"CREATE TABLE t(a INT, PRIMARY KEY(b))":                "42703",
		"CREATE TABLE t(a INT, PRIMARY KEY(a, a))":             "42701",
		"CREATE TABLE t(a INT PRIMARY KEY, b INT PRIMARY KEY)": "42P16",
		"CREATE TABLE t(a NOSUCHTYPE)":                         "42704",
		"CREATE TABLE t(a DECIMAL(100,2))":                     "0A000",
	} {
		fails(t, s, sql, code)
	}
	do(t, s, "CREATE TABLE t(b TEXT, a INT, PRIMARY KEY(a, b))")
	fails(t, s, "INSERT INTO t VALUES (NULL, 1)", "23502")
	do(t, s, "INSERT INTO t VALUES ('x', 1), ('y', 1)")
	e := fails(t, s, "INSERT INTO t VALUES ('y', 1)", "23505")
	is(t, "detail", e.Detail, "Key (a, b)=(1, y) already exists.")
}

// TestReopenPlans: a plan is found again after reopening, by the stored definition
// and the objects that it was created over.
func TestReopenPlans(t *testing.T) {
	dir := t.TempDir() + "/db"
	e, err := Open(dir, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	s := e.Session()
	do(t, s, sales+"CREATE MATERIALIZED VIEW v AS SELECT shop, sum(n) AS n FROM sale GROUP BY shop;\nINSERT INTO sale VALUES (7, 'c', 7)")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if e, err = Open(dir, Options{MustExist: true}); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s = e.Session()
	is(t, "before", rows(t, s, "SELECT shop, n FROM v ORDER BY shop"), "a|30\nb|5")
	res := do(t, s, "REFRESH MATERIALIZED VIEW v INCREMENTAL")
	is(t, "rows in", res.Refresh.RowsIn, int64(1))
	is(t, "after", rows(t, s, "SELECT shop, n FROM v ORDER BY shop"), "a|30\nb|5\nc|7")
	obj, _ := e.store.Catalog().ByName("v")
	def, err := payloadOf(obj)
	if err != nil || def.Plan == nil || def.Full == nil || def.Query == "" || def.Settings["TimeZone"] != "UTC" {
		t.Errorf("payload: %+v %v", def, err)
	}
	plans, err := planner{e}.Plans(obj)
	if err != nil || plans.Incremental.Fingerprint() != def.Plan.Fingerprint() {
		t.Errorf("the plan of the stored definition is another one: %v", err)
	}
}

func TestExplain(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, sales+"CREATE MATERIALIZED VIEW v AS SELECT shop, sum(n) AS n FROM sale GROUP BY shop")
	for sql, want := range map[string]string{
		"EXPLAIN SELECT count(*) FROM sale":                                            "sale",
		"EXPLAIN (STAGE algebra) SELECT count(*) FROM sale":                            "sale",
		"EXPLAIN (STAGE 'all') SELECT count(*) FROM sale WHERE id = 1":                 "The query, rewritten",
		"EXPLAIN ANALYZE SELECT count(*) FROM sale":                                    "Rows: 1",
		"EXPLAIN CREATE MATERIALIZED VIEW w AS SELECT shop FROM sale":                  "Incremental: yes",
		"EXPLAIN CREATE MATERIALIZED VIEW w AS SELECT n FROM sale ORDER BY n OFFSET 1": "Incremental: no",
		"EXPLAIN REFRESH MATERIALIZED VIEW v":                                          "Frontier: ",
		"EXPLAIN CREATE MATERIALIZED VIEW w AS SELECT n FROM sale":                     "what was committed after the last refresh",
		"EXPLAIN STAGE delta SELECT n FROM sale OFFSET 1":                              "line 1, column 47 (OPERATOR_NOT_SUPPORTED)",
		"EXPLAIN STAGE algebra FORMAT json SELECT n FROM sale":                         `"kind": "algebra"`,
		"EXPLAIN (FORMAT svg) SELECT n FROM sale":                                      "<svg xmlns=",
		"EXPLAIN FORMAT dot SELECT n FROM sale":                                        "digraph plan",
		"EXPLAIN (FORMAT mermaid) SELECT shop FROM sale":                               "flowchart BT",
		"EXPLAIN (ANALYZE) REFRESH MATERIALIZED VIEW v":                                "Executed: INCREMENTAL",
	} {
		res, err := s.Run(context.Background(), sql)
		if err != nil {
			t.Errorf("%s: %s", sql, describeError(err))
			continue
		}
		is(t, sql, res.Rows.Schema[0].Name, "QUERY PLAN")
		out, err := cells(res.Rows)
		if text := strings.Join(out, "\n"); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v, no %q in\n%s", sql, err, want, text)
		}
	}
	fails(t, s, "EXPLAIN (NONSENSE) SELECT 1", "42601")
	fails(t, s, "EXPLAIN (STAGE nonsense) SELECT 1", "22023")
	fails(t, s, "EXPLAIN (FORMAT sql) SELECT 1", "22023")
	fails(t, s, "EXPLAIN (STAGE 'all', FORMAT json) SELECT 1", "0A000")
	fails(t, s, "EXPLAIN ANALYZE CREATE MATERIALIZED VIEW w AS SELECT n FROM sale", "0A000")
	fails(t, s, "SELECT * FROM w", "42P01")
	text, err := s.Explain(context.Background(), "SELECT nope FROM sale")
	if err == nil || All(err)[0].Pos != 7 {
		t.Errorf("%q %v", text, err)
	}
}

// TestViewOrder: rows of a view have no order, so ORDER BY alone does not keep a
// view from being incremental; under LIMIT it decides what the rows are.
func TestViewOrder(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE t(a INT, b INT);\nINSERT INTO t VALUES (1, 5), (2, 4), (3, 3)")
	res := do(t, s, "CREATE MATERIALIZED VIEW v REFRESH INCREMENTAL AS SELECT a FROM t ORDER BY b, a DESC")
	if len(res.Notices) != 1 || res.Notices[0].Code != "ORDER_BY_IGNORED" {
		t.Errorf("notices: %v", res.Notices)
	}
	do(t, s, "INSERT INTO t VALUES (4, 1);\nREFRESH MATERIALIZED VIEW v")
	is(t, "rows", rows(t, s, "SELECT a FROM v ORDER BY a"), "1\n2\n3\n4")
	do(t, s, "CREATE MATERIALIZED VIEW l REFRESH INCREMENTAL AS SELECT a FROM t ORDER BY b LIMIT 2")
	is(t, "least", rows(t, s, "SELECT a FROM l ORDER BY a"), "3\n4")
	do(t, s, "DELETE FROM t WHERE a = 4;\nREFRESH MATERIALIZED VIEW l")
	is(t, "the next one", rows(t, s, "SELECT a FROM l ORDER BY a"), "2\n3")
}

// TestLimitOfLists: a LIMIT over a list takes the first rows of that list, also where
// filters, columns and other limits stand in between.
func TestLimitOfLists(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE t(a INT, b INT);\nINSERT INTO t VALUES (5, 1), (4, 2), (3, 3), (2, 4), (1, 5)")
	for i, c := range []struct{ query, rows, after string }{
		{"SELECT a FROM (SELECT * FROM t ORDER BY b LIMIT 4) q LIMIT 2", "5\n4", "9\n5"},
		{"SELECT a FROM (SELECT * FROM t ORDER BY b) q WHERE a < 5 LIMIT 2", "4\n3", "3\n2"},
		{"SELECT a FROM (SELECT a + 1 AS a FROM t ORDER BY b LIMIT 4) q WHERE a < 6 LIMIT 2", "5\n4", "4\n3"},
		{"SELECT a FROM (SELECT a FROM (SELECT * FROM t ORDER BY b DESC LIMIT 4) p LIMIT 3) q OFFSET 1", "2\n3", "1\n2"},
	} {
		is(t, c.query, rows(t, s, c.query), c.rows)
		do(t, s, fmt.Sprintf("CREATE MATERIALIZED VIEW v%d AS %s", i, c.query))
		do(t, s, "DELETE FROM t WHERE a = 4;\nINSERT INTO t VALUES (9, 0), (0, 9)")
		res := do(t, s, fmt.Sprintf("REFRESH MATERIALIZED VIEW v%d", i))
		is(t, c.query+" refreshed", res.Refresh.Executed == refresh.Incremental, i < 3)
		is(t, c.query+" then", rows(t, s, c.query), c.after)
		is(t, "verify", rows(t, s, fmt.Sprintf("VERIFY MATERIALIZED VIEW v%d", i)), "")
		do(t, s, "DELETE FROM t WHERE a IN (0, 9);\nINSERT INTO t VALUES (4, 2)")
	}
}
