package ivmctest_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/ivmctest"
)

const shop = `CREATE TABLE sale(id BIGINT PRIMARY KEY, shop TEXT, amount DECIMAL(10,2), at TIMESTAMPTZ, tag VARCHAR(2) UNIQUE);
	CREATE TABLE shop(name TEXT, city CHAR(4), open DATE NOT NULL);
	INSERT INTO shop VALUES ('north', 'Oslo', '2020-01-01')`

// TestViews: views of many kinds hold.
func TestViews(t *testing.T) {
	for _, q := range []string{
		"SELECT shop, count(*) AS sales, sum(amount) AS total, max(at) AS last FROM sale GROUP BY shop",
		"SELECT s.id, o.city, s.amount * 2 AS twice FROM sale s LEFT JOIN shop o ON s.shop = o.name",
		"SELECT DISTINCT shop FROM sale WHERE amount > 0 UNION ALL SELECT name FROM shop",
		"SELECT name FROM shop WHERE name NOT IN (SELECT shop FROM sale WHERE shop IS NOT NULL)",
		"CREATE MATERIALIZED VIEW a AS SELECT shop, sum(amount) AS s FROM sale GROUP BY shop; CREATE MATERIALIZED VIEW b AS SELECT count(*) AS n, max(s) AS m FROM a",
	} {
		ivmctest.View(t, ivmctest.Options{Schema: shop, View: q, Steps: 25})
	}
}

// TestTypes: there are values of all types.
func TestTypes(t *testing.T) {
	ivmctest.View(t, ivmctest.Options{
		Schema: `CREATE TABLE "Odd name"(i2 SMALLINT, i4 INT NOT NULL, n NUMERIC, d DECIMAL(3,1), r REAL, f DOUBLE PRECISION, b BOOLEAN, s TEXT, v VARCHAR(1),
			c CHAR(3), y BYTEA, u UUID, dt DATE, ti TIME, ts TIMESTAMP, tz TIMESTAMPTZ, iv INTERVAL, "a ""b" BIGINT)`,
		View:  `SELECT i2, r, f, v, c, y, u, dt, ti, ts, tz, iv, count(*) AS n, sum(f) AS sf, sum(n) AS sn, max(iv) AS m FROM "Odd name" GROUP BY i2, r, f, v, c, y, u, dt, ti, ts, tz, iv`,
		Steps: 15, Rows: 30,
	})
}

// recorder is a test that fails without one.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper() {}
func (r *recorder) Fatalf(format string, args ...any) {
	r.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}
func (r *recorder) Errorf(format string, args ...any) { r.said += fmt.Sprintf(format, args...) }

// said is what a test would have failed with.
func said(f func(t testing.TB)) string {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r.said
}

func TestOptionsPrint(t *testing.T) {
	const want = "steps=60 changes=6 rows=12 seed=9 values=0 script=false functions=0 any_mode=true may_fail=false"
	if got := (ivmctest.Options{Seed: 9, AnyMode: true}).String(); got != want {
		t.Errorf("%s, wanted %s", got, want)
	}
}

// TestFailure: a view that does not hold fails with a script that is as small as
// can be.
func TestFailure(t *testing.T) {
	broken := func() []ivmc.Function { // says something else each second time, but always for 7
		var calls atomic.Int64
		return []ivmc.Function{ivmc.Func1("mark", func(n int64) (int64, error) {
			if n == 7 {
				return calls.Add(1), nil
			}
			return n, nil
		})}
	}
	text := said(func(t testing.TB) {
		ivmctest.View(t, ivmctest.Options{
			Schema:    "CREATE TABLE t(id BIGINT PRIMARY KEY, n BIGINT, s TEXT)",
			View:      "SELECT id, mark(n) AS m FROM t",
			Functions: broken(),
		})
	})
	if lines := strings.Split(text, "\n"); !strings.Contains(text, "view v differs from its query in") || !strings.Contains(text, "mark(bigint) returns bigint") ||
		strings.Count(text, "INSERT INTO") != 1 || strings.Count(text, "REFRESH") > 1 || len(lines) > 15 {
		t.Errorf("%s", text)
	}
	text = said(func(t testing.TB) {
		ivmctest.View(t, ivmctest.Options{Schema: "CREATE TABLE t(a INT, b INT NOT NULL)", View: "SELECT a, 10 / (b - 1) AS c FROM t"})
	})
	if want := `view v cannot be refreshed: ivmc: division by zero (22012)
  view "v", expression 10 / (b - 1), row (a = 1, b = 1)

-- This shows it again, by ivmc sql --memory:
CREATE TABLE t(a INT, b INT NOT NULL);
CREATE MATERIALIZED VIEW v AS SELECT a, 10 / (b - 1) AS c FROM t;
`; !strings.HasPrefix(text, want) || strings.Count(text, "\n") > 8 || !strings.HasSuffix(text, "REFRESH MATERIALIZED VIEW \"v\" INCREMENTAL;\n") {
		t.Errorf("%s", text)
	}
	for _, c := range []struct {
		o    ivmctest.Options
		want string
	}{
		{ivmctest.Options{Schema: "CREATE TABLE t(a INT)", View: "SELECT a, now() AS n FROM t"}, "NONDETERMINISTIC_FUNCTION"},
		{ivmctest.Options{Schema: "CREATE TABLE t(a INT)", View: "SELECT b FROM t"}, `view: ivmc: 1:38: column "b" does not exist`},
		{ivmctest.Options{Schema: "CREATE TABLE t(a INT", View: "SELECT 1"}, "schema: ivmc: 1:21"},
		{ivmctest.Options{Schema: "CREATE TABLE t(a INT)", View: "CREATE VIEW x AS SELECT a FROM t"}, "there is no materialized view"},
		{ivmctest.Options{View: "SELECT 1 AS a"}, "the schema has no table"},
		{ivmctest.Options{Schema: "CREATE TABLE t(a TEXT CHECK (a LIKE 'Q%') NOT NULL)", View: "SELECT a FROM t"}, "takes none of 400 rows"},
		{ivmctest.Options{Schema: "CREATE TABLE t(a INT)", View: "SELECT a FROM t", Values: map[string][]any{"t.b": {1}}}, `Values["t.b"]: there is no such column`},
		{ivmctest.Options{Schema: "CREATE TABLE t(a INT)", View: "SELECT a FROM t", Values: map[string][]any{"t.a": {[]int{1}}}}, "has no SQL literal"},
		{ivmctest.Options{Schema: "CREATE TABLE t(a INT)", View: "SELECT a FROM t", Script: "INSERT INTO t VALUES (1);\nINSERT INTO u VALUES (1)"}, "script, line 2"},
		{ivmctest.Options{Schema: "CREATE TABLE t(a INT)", View: "SELECT a FROM t", Script: "INSERT INTO t VALUES (1);\nBEGIN;\nINSERT INTO t VALUES (2);\n"},
			"script, line 2: the transaction that begins here has no end"},
	} {
		if text := said(func(t testing.TB) { ivmctest.View(t, c.o) }); !strings.Contains(text, c.want) {
			t.Errorf("%+v: %s, wanted %s", c.o, text, c.want)
		}
	}
}

// TestOptions: what else can be said.
func TestOptions(t *testing.T) {
	ivmctest.View(t, ivmctest.Options{Schema: "CREATE TABLE t(a INT)", View: "SELECT a FROM t ORDER BY a LIMIT 3", AnyMode: true, Steps: 10})
	ivmctest.View(t, ivmctest.Options{Schema: "CREATE TABLE t(a INT, b INT)", View: "SELECT a / b AS c FROM t", MayFail: true, Steps: 30})
	ivmctest.View(t, ivmctest.Options{
		Schema: "CREATE TABLE t(a TEXT CHECK (a LIKE 'Q%') NOT NULL, at TIMESTAMPTZ, b BYTEA, f REAL, o BOOLEAN)", View: "SELECT a, at, count(*) AS n FROM t GROUP BY a, at",
		Values: map[string][]any{"t.a": {"Q1", "Q'2"}, "t.at": {time.Now(), nil}, "t.b": {[]byte("x")}, "t.f": {1.5}, "t.o": {true}}, Steps: 10})
	ivmctest.View(t, ivmctest.Options{
		Schema: "CREATE TABLE t(a INT PRIMARY KEY, b INT)", View: "SELECT b, count(*) AS n FROM t GROUP BY b",
		Script: `INSERT INTO t VALUES (1, 1), (2, NULL);
			BEGIN; UPDATE t SET a = a + 10; DELETE FROM t WHERE b IS NULL; COMMIT;
			BEGIN; DELETE FROM t; ROLLBACK;
			DELETE FROM t`})
	calls := 0
	ivmctest.View(t, ivmctest.Options{Schema: "CREATE TABLE t(a BIGINT)", View: "SELECT twice(a) AS b FROM t", Steps: 5, Functions: []ivmc.Function{
		ivmc.Func1("twice", func(n int64) (int64, error) { calls++; return 2 * n, nil })}})
	if calls == 0 {
		t.Error("the function was not called")
	}
}

// TestVerify: the views of a database that was filled otherwise.
func TestVerify(t *testing.T) {
	calls := int64(0)
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, Functions: []ivmc.Function{
		ivmc.Func1("count_up", func(int64) (int64, error) { calls++; return calls, nil })}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(context.Background(), `CREATE TABLE t(a BIGINT); CREATE MATERIALIZED VIEW good AS SELECT a FROM t;
		CREATE MATERIALIZED VIEW bad AS SELECT count_up(a) AS n FROM t; INSERT INTO t VALUES (1)`); err != nil {
		t.Fatal(err)
	}
	ivmctest.Verify(t, db, "good")
	if text := said(func(t testing.TB) { ivmctest.Verify(t, db) }); !strings.Contains(text, "view bad differs") || strings.Contains(text, "good") {
		t.Error(text)
	}
}

// A test of a view: incremental equals recomputed, whatever changes.
func ExampleView() {
	t := exampleTest{}
	ivmctest.View(t, ivmctest.Options{
		Schema: `CREATE TABLE sale(id BIGINT PRIMARY KEY, shop TEXT, amount DECIMAL(10,2))`,
		View:   `SELECT shop, count(*) AS sales, sum(amount) AS total FROM sale GROUP BY shop`,
	})
	fmt.Println("holds")
	// Output:
	// holds
}

// exampleTest stands for the *testing.T of a test.
type exampleTest struct{ testing.TB }

func (exampleTest) Helper() {}
func (exampleTest) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stdout, format, args...)
}
