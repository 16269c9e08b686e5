package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/zset"
)

// limited opens an engine in memory with a memory limit of n bytes.
func limited(t *testing.T, n int64) (*Engine, *Session) {
	t.Helper()
	e, err := Open("", Options{InMemory: true, MemoryLimit: n})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, e.Session()
}

// numbers makes a table of n rows, id and a text of 20 bytes.
func numbers(t *testing.T, s *Session, table string, n int) {
	t.Helper()
	do(t, s, "CREATE TABLE "+table+"(id BIGINT, s TEXT)")
	var sql strings.Builder
	for i := 0; i < n; i += 1000 {
		sql.Reset()
		sql.WriteString("INSERT INTO " + table + " VALUES ")
		for k := i; k < min(i+1000, n); k++ {
			if k > i {
				sql.WriteByte(',')
			}
			fmt.Fprintf(&sql, "(%d,'%020d')", k, k)
		}
		do(t, s, sql.String())
	}
}

// TestMemoryOfQueries: whatever gathers rows stops at the limit and names itself.
func TestMemoryOfQueries(t *testing.T) {
	e, s := limited(t, 2<<20)
	numbers(t, s, "a", 20_000)
	for _, c := range []struct{ sql, holder string }{
		{"SELECT x.id FROM a x, a y ORDER BY x.id, y.id", "sort"}, // 4 * 10^8 rows
		{"SELECT x.id + y.id, count(*) FROM a x, a y GROUP BY x.id + y.id, x.s", "aggregation"},
		{"SELECT DISTINCT x.s, y.s FROM a x, a y", "aggregation"},
		{"SELECT min(s || id) FROM a GROUP BY s || s || s || s || s", "aggregation"},
	} {
		err := fails(t, s, c.sql, "53200")
		is(t, "message", err.Msg, "memory limit of 2097152 bytes exceeded")
		if !strings.Contains(err.Detail, "the "+c.holder+" needs") || err.Hint == "" {
			t.Errorf("%s: %s / %s", c.sql, err.Detail, err.Hint)
		}
		is(t, "held after "+c.sql, e.budget.Used(), int64(0))
	}
	is(t, "the limit holds for what is gathered", rows(t, s, "SELECT id FROM a ORDER BY s DESC LIMIT 1"), "19999")
	is(t, "streams need nothing", rows(t, s, "SELECT count(*) FROM a x WHERE id >= 0"), "20000")
	is(t, "held", e.budget.Used(), int64(0))
}

func TestMemoryOfHashJoin(t *testing.T) {
	e, s := limited(t, 1<<20)
	numbers(t, s, "a", 30_000)
	err := fails(t, s, "SELECT x.id FROM a x, a y WHERE x.s = y.s", "53200")
	if !strings.Contains(err.Detail, "the table of a hash join needs") {
		t.Error(err.Detail)
	}
	is(t, "held", e.budget.Used(), int64(0))
}

// TestMemoryOfOpenRows: rows that are open hold memory until they are closed.
func TestMemoryOfOpenRows(t *testing.T) {
	e, s := limited(t, 16<<20)
	numbers(t, s, "a", 20_000)
	res, err := s.Run(context.Background(), "SELECT id FROM a ORDER BY s")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := res.Rows.Next(context.Background()); err != nil {
		t.Fatal(err)
	}
	if e.budget.Used() < 20_000*(8+20) {
		t.Errorf("a sort of 20000 rows holds %d bytes", e.budget.Used())
	}
	res.Rows.Close()
	res.Rows.Close()
	is(t, "held", e.budget.Used(), int64(0))
}

// TestMemoryOfViews: a build that is too large leaves no view; a step that is
// too large leaves the view as it was; what a view keeps is counted and given
// back with it.
func TestMemoryOfViews(t *testing.T) {
	e, s := limited(t, 2<<20)
	numbers(t, s, "a", 20_000)
	err := fails(t, s, "CREATE MATERIALIZED VIEW v AS SELECT s, count(*) AS n, sum(id) AS t, max(id) AS m FROM a GROUP BY s", "53200")
	if !strings.Contains(err.Detail, "needs") {
		t.Error(err.Detail)
	}
	fails(t, s, "SELECT * FROM v", "42P01")
	is(t, "held by no view", e.budget.Used(), int64(0))

	do(t, s, "CREATE TABLE b(k BIGINT, s TEXT)")
	do(t, s, "INSERT INTO b VALUES (1, 'x')")
	do(t, s, "CREATE MATERIALIZED VIEW w AS SELECT s, count(*) AS n, max(k) AS m FROM b GROUP BY s")
	small := e.budget.Used()
	if small == 0 {
		t.Error("the state of a view is not counted")
	}
	var many strings.Builder
	many.WriteString("INSERT INTO b VALUES (0, 'y')")
	for i := range 2000 {
		fmt.Fprintf(&many, ",(%d,'%s%d')", i, strings.Repeat("z", 100), i)
	}
	for range 4 { // in transactions that fit
		do(t, s, strings.ReplaceAll(many.String(), "zz'", "zz"))
	}
	// 2000 groups of 100 bytes fit; ten thousand long ones do not
	do(t, s, "REFRESH MATERIALIZED VIEW w INCREMENTAL")
	if e.budget.Used() <= small {
		t.Errorf("more groups, no more memory: %d", e.budget.Used())
	}
	for i := range 6 {
		do(t, s, strings.ReplaceAll(many.String(), "'z", fmt.Sprintf("'%d-z", i)))
	}
	before := rows(t, s, "SELECT count(*), sum(n) FROM w")
	for _, mode := range []string{"INCREMENTAL", "COMPLETE", "AUTO"} {
		fails(t, s, "REFRESH MATERIALIZED VIEW w "+mode, "53200")
		is(t, "after "+mode, rows(t, s, "SELECT count(*), sum(n) FROM w"), before)
	}
	if _, err := e.Verify(context.Background(), "w"); err != nil && All(err)[0].Code != "53200" {
		t.Error(describeError(err))
	}
	do(t, s, "DROP MATERIALIZED VIEW w")
	is(t, "held after the drop", e.budget.Used(), int64(0))
}

// TestMemoryOfIdleViews: views that nobody refreshes make room, and come back
// from what is stored.
func TestMemoryOfIdleViews(t *testing.T) {
	e, s := limited(t, 2500<<10)
	numbers(t, s, "a", 6_000)
	do(t, s, "CREATE MATERIALIZED VIEW v AS SELECT s, count(*) AS n, max(id) AS m FROM a GROUP BY s")
	held := e.budget.Used()
	is(t, "a query that needs the room", rows(t, s, "SELECT count(*) FROM (SELECT DISTINCT id, s, s || s || s || s || s || s || s || s AS q FROM a) x"), "6000")
	if e.budget.Used() >= held {
		t.Errorf("nobody made room: %d of %d", e.budget.Used(), held)
	}
	do(t, s, "INSERT INTO a VALUES (7, 'new'), (5, '00000000000000000003')")
	res := do(t, s, "REFRESH MATERIALIZED VIEW v INCREMENTAL")
	is(t, "rows out", res.Refresh.RowsOut, int64(3)) // one new group, and one as it was and as it is
	rep, err := e.Verify(context.Background(), "v")
	if err != nil || !rep.Equal {
		t.Error(rep, err)
	}
}

func TestMemoryOfRecords(t *testing.T) {
	b := zset.NewBudget(100)
	e := &Engine{budget: b}
	err := All(e.reserve("rows of the record", 200, 200))[0]
	is(t, "code", err.Code, "53200")
	is(t, "detail", err.Detail, "The rows of the record need 200 bytes; everything else holds 0.")
}

// TestMemoryOfLongValues: what expressions make of little is counted as well, for
// each batch of rows and each kind of function, and in a view's own refresh.
func TestMemoryOfLongValues(t *testing.T) {
	e, s := limited(t, 32<<20)
	do(t, s, "CREATE TABLE x(id INT PRIMARY KEY, s TEXT)")
	do(t, s, "INSERT INTO x SELECT a, repeat('x', 1000) FROM generate_series(1, 1000) t(a)")
	for _, sql := range []string{
		"SELECT length(repeat(s, 1000)) FROM x",
		"SELECT length(lpad(s, 100000)) FROM x",
		"SELECT length(format('%500000000s', s)) FROM x",
		"SELECT length(regexp_replace(s, 'x', s, 'g')) FROM x",
		"SELECT length(replace(s, 'x', s)) FROM x",
		"SELECT length(concat(s, repeat('y', 100000))) FROM x",
		"SELECT length(s || repeat('y', 100000)) FROM x",
		"SELECT max(repeat('y', 50000000)) FROM x",
		"SELECT repeat('y', 100000), s FROM x",
		"SELECT cardinality(array_agg(repeat(s, 100))) FROM x",
		"SELECT length(encode(repeat(s, 50)::bytea, 'hex')) FROM x",
		"SELECT upper(repeat(s, 100)) FROM x",
		"SELECT a FROM x, unnest(string_to_array(repeat(s, 100), 'z')) t(a)",
		"SELECT count(*) FROM generate_series(1, 16000000)",
	} {
		err := fails(t, s, sql, "53200")
		if !strings.Contains(err.Detail, "the computing of long values needs") || err.Hint == "" {
			t.Errorf("%s: %s / %s", sql, err.Detail, err.Hint)
		}
		is(t, "held after "+sql, e.budget.Used(), int64(0))
	}
	is(t, "what fits", rows(t, s, "SELECT max(length(repeat(s, 10))) FROM x"), "10000")
	is(t, "held", e.budget.Used(), int64(0))
	do(t, s, "CREATE TABLE y(id INT PRIMARY KEY, n INT)")
	do(t, s, "INSERT INTO y SELECT a, a FROM generate_series(1, 1000) t(a)")
	do(t, s, "CREATE MATERIALIZED VIEW v AS SELECT id, length(repeat('abc', n)) AS n FROM y")
	do(t, s, "INSERT INTO y VALUES (0, 100000000)")
	fails(t, s, "REFRESH MATERIALIZED VIEW v INCREMENTAL", "53200")
	fails(t, s, "REFRESH MATERIALIZED VIEW v", "53200")
	is(t, "the view as it was", rows(t, s, "SELECT sum(n), count(*) FROM v"), "1501500|1000")
	do(t, s, "UPDATE y SET n = 0 WHERE id = 0")
	do(t, s, "REFRESH MATERIALIZED VIEW v INCREMENTAL")
	is(t, "the view after", rows(t, s, "SELECT sum(n), count(*) FROM v"), "1501500|1001")
}
