package ivmc_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/ivmc/ivmc"
)

// functions are one of each kind.
func functions(calls *atomic.Int64) []ivmc.Function {
	draw := ivmc.Func1("draw", func(n int64) (int64, error) { return rand.Int64N(n), nil })
	draw.Volatile = true
	total := ivmc.VectorFunc("total", []string{"bigint", "numeric"}, "double precision", func(args []arrow.Array, n int) (arrow.Array, error) {
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		defer b.Release()
		for i := range n {
			if args[0].IsNull(i) || args[1].IsNull(i) {
				b.AppendNull()
				continue
			}
			var d float64
			fmt.Sscan(args[1].(*array.String).Value(i), &d)
			b.Append(float64(args[0].(*array.Int64).Value(i)) + d)
		}
		return b.NewArray(), nil
	})
	total.OnNull = true
	return []ivmc.Function{
		ivmc.Func1("slug", func(s string) (string, error) {
			calls.Add(1)
			return strings.ReplaceAll(strings.ToLower(s), " ", "-"), nil
		}),
		ivmc.Func1("slug", func(n int64) (string, error) { return fmt.Sprint("number ", n), nil }),
		ivmc.Func2("hypotenuse", func(a, b float64) (float64, error) { return math.Hypot(a, b), nil }),
		ivmc.Func2("or_zero", func(a sql.Null[int32], by int32) (sql.Null[int32], error) {
			return sql.Null[int32]{V: a.V + by, Valid: a.V != 7}, nil
		}),
		ivmc.Func3("between_days", func(from, to time.Time, ok bool) (bool, error) { return ok == (to.Sub(from) > 24*time.Hour), nil }),
		ivmc.Func1("flip", func(b []byte) ([]byte, error) {
			for i := range b {
				b[i] ^= 255
			}
			return b, nil
		}),
		ivmc.Func1("picky", func(n int64) (int64, error) {
			switch n {
			case 13:
				return 0, errors.New("unlucky")
			case 14:
				return 0, &ivmc.Error{Code: "22003", Message: "fourteen is too much", Hint: "Take less."}
			case 15:
				panic("fifteen")
			case 16:
				var none map[string]int
				none["x"] = 1
			}
			return n, nil
		}),
		ivmc.Func1("bad_text", func(n int64) (string, error) { return "\xff", nil }),
		ivmc.VectorFunc("short", []string{"bigint"}, "bigint", func(args []arrow.Array, n int) (arrow.Array, error) {
			return array.NewSlice(args[0], 0, int64(n-1)), nil
		}),
		ivmc.VectorFunc("wrong_type", []string{"bigint"}, "bigint", func(args []arrow.Array, n int) (arrow.Array, error) {
			b := array.NewBooleanBuilder(memory.DefaultAllocator)
			b.AppendNulls(n)
			b.Append(true)
			return array.NewSlice(b.NewArray(), 1, int64(n+1)), nil
		}),
		draw, total,
	}
}

func openWith(t testing.TB, fs []ivmc.Function) *ivmc.DB {
	t.Helper()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, Functions: fs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestFunctions(t *testing.T) {
	var calls atomic.Int64
	db := openWith(t, functions(&calls))
	exec(t, db, `CREATE TABLE t(id BIGINT PRIMARY KEY, s TEXT, v VARCHAR(20), n INT, d DECIMAL(8,2), f REAL, at TIMESTAMP, b BYTEA);
		INSERT INTO t VALUES (1, 'New York', 'A B', 5, 2.50, 3, '2024-01-01', '\x00ff'), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		(3, 'Rio', 'C', 7, 0.25, 4, '2024-02-01', '\x10')`)
	for _, c := range []struct{ sql, want string }{
		{"SELECT slug(s), slug(v), slug(n) FROM t ORDER BY id", "new-york|a-b|number 5 NULL|NULL|NULL rio|c|number 7"},
		{"SELECT slug('X Y'), slug(NULL::text) IS NULL, slug(2)", "x-y|t|number 2"},
		{"SELECT hypotenuse(f, 4), hypotenuse(3, n) FROM t ORDER BY id", "5|5.8309518948453 NULL|NULL 5.656854249492381|7.615773105863909"},
		{"SELECT or_zero(n, 1) FROM t ORDER BY id", "6 1 NULL"},
		{"SELECT or_zero(NULL, 3), or_zero(1, NULL) IS NULL", "3|t"},
		{"SELECT between_days(at, '2024-01-15 00:00:00+02', TRUE) FROM t ORDER BY id", "t NULL f"},
		{"SELECT flip(b), b FROM t ORDER BY id", `\xff00|\x00ff NULL|NULL \xef|\x10`},
		{"SELECT total(n, d), total(1, 0.5), total(NULL, d) FROM t ORDER BY id", "7.5|1.5|NULL NULL|1.5|NULL 7.25|1.5|NULL"},
		{"SELECT CASE WHEN n > 6 THEN slug(s) ELSE 'low' END FROM t ORDER BY id", "low low rio"},
		{"SELECT CASE WHEN n <> 7 THEN total(n, d) END FROM t ORDER BY id", "7.5 NULL NULL"},
		{"SELECT slug(s), count(*) FROM t GROUP BY slug(s) ORDER BY 1", "new-york|1 rio|1 NULL|1"},
		{"SELECT id FROM t WHERE slug(s) LIKE '%-%'", "1"},
		{"SELECT count(*) FROM t a JOIN t b ON slug(a.s) = slug(b.s)", "2"},
		{"SELECT id FROM t ORDER BY hypotenuse(f, 0) DESC NULLS LAST", "3 1 2"},
		{"SELECT CASE WHEN id < 0 THEN picky(13) ELSE picky(id) END FROM t ORDER BY id", "1 2 3"},
		{"SELECT draw(1), draw(1) FROM t WHERE draw(1) = 0 ORDER BY id LIMIT 1", "0|0"},
		{"SELECT bool_and(same) FROM (SELECT 1 AS same) x WHERE slug('a') = 'a'", ""},
	} {
		if c.want == "" {
			continue
		}
		if got := text(t, db, c.sql); got != c.want {
			t.Errorf("%s: %s, wanted %s", c.sql, got, c.want)
		}
	}
	if calls.Load() == 0 {
		t.Error("never called")
	}
	for _, c := range []struct{ sql, code, message string }{
		{"SELECT picky(12 + id) FROM t", "38000", "function picky: unlucky"},
		{"SELECT picky(13 + id) FROM t", "22003", "fourteen is too much"},
		{"SELECT picky(14 + id) FROM t", "38000", "function picky: panic: fifteen at functions_test.go:"},
		{"SELECT picky(16)", "38000", "nil map at functions_test.go:"},
		{"SELECT bad_text(1)", "22021", "UTF8"},
		{"SELECT short(id) FROM t", "38000", "cells that were asked for"},
		{"SELECT wrong_type(id) FROM t", "42804", "Arrow type"},
		{"SELECT slug(TRUE)", "42883", "function slug(boolean) does not exist"},
		{"SELECT slug()", "42883", "function slug() does not exist"},
		{"SELECT hypotenuse(1)", "42883", "does not exist"},
		{"SELECT slug(DISTINCT s) FROM t", "42809", "is not an aggregate"},
		{"SELECT between_days('infinity', now(), TRUE)", "22008", "infinite"},
		{"SELECT draw(0)", "38000", "panic: invalid argument to Int64N"},
		{"SELECT draw(id) FROM t a LEFT JOIN (SELECT draw(5) AS d FROM t) b ON a.id = b.d", "0A000", "a volatile function below a join"},
		{"SELECT count(*) FROM t WHERE draw(2) = 1", "0A000", "a volatile function below"},
		{"CREATE MATERIALIZED VIEW v AS SELECT draw(5)", "0A000", "a volatile function in a materialized view"},
		{"UPDATE t SET n = draw(5)", "0A000", "a volatile function in UPDATE"},
		{"DELETE FROM t WHERE draw(5) = 1", "0A000", "a volatile function in DELETE"},
	} {
		rows, err := db.Text(context.Background(), c.sql)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			rows.Close()
		}
		if strings.HasPrefix(c.sql, "UPDATE") || strings.HasPrefix(c.sql, "DELETE") || strings.HasPrefix(c.sql, "CREATE") {
			_, err = db.Exec(context.Background(), c.sql)
		}
		var e *ivmc.Error
		if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, c.message) {
			t.Errorf("%s: %v, wanted %s %s", c.sql, err, c.code, c.message)
		} else if e.Position == 0 && e.Code != "42804" {
			t.Errorf("%s: no place: %v", c.sql, e)
		}
	}
	exec(t, db, "INSERT INTO t(id, n) SELECT 10, draw(5)")
	if got := text(t, db, "SELECT n BETWEEN 0 AND 4 FROM t WHERE id = 10"); got != "t" {
		t.Error(got)
	}
}

// TestVolatileOnce: a volatile cell is one value wherever it is read.
func TestVolatileOnce(t *testing.T) {
	db := openWith(t, functions(new(atomic.Int64)))
	exec(t, db, "CREATE TABLE n(i BIGINT)")
	for i := range 200 {
		exec(t, db, "INSERT INTO n VALUES ($1)", i)
	}
	for _, q := range []string{
		"SELECT r = r2 AND r < 1000 FROM (SELECT r, r AS r2 FROM (SELECT draw(1000) AS r FROM n) a) b",
		"SELECT r < 500 FROM (SELECT draw(1000) AS r FROM n) a WHERE r < 500",
		"SELECT r = r2 FROM (SELECT r, r AS r2 FROM (SELECT draw(1000) AS r FROM n ORDER BY 1 LIMIT 50) a) b",
		"WITH c AS (SELECT draw(1000) AS r FROM n) SELECT r + 1 = 1 + r FROM c",
	} {
		if got := text(t, db, q); strings.Contains(got, "f") {
			t.Errorf("%s: %s", q, got)
		}
	}
	if got := text(t, db, "SELECT draw(1000000) = draw(1000000) FROM n"); !strings.Contains(got, "f") {
		t.Error("two calls are one value")
	}
	if got := text(t, db, "SELECT draw(1000000) FROM n LIMIT 2"); strings.Fields(got)[0] == strings.Fields(got)[1] {
		t.Error("two rows have one value")
	}
}

// TestFunctionsInViews: a view that calls functions follows its changes, is found
// again when the database is opened with them, and read but not refreshed without.
func TestFunctionsInViews(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	fs := functions(new(atomic.Int64))
	reopen := func(fs []ivmc.Function) *ivmc.DB {
		db, err := ivmc.Open(dir, &ivmc.Options{NoSync: true, Functions: fs})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	db := reopen(fs)
	exec(t, db, `CREATE TABLE t(id BIGINT PRIMARY KEY, s TEXT, n INT, d DECIMAL(8,2));
		CREATE VIEW plain AS SELECT slug(s) AS s, id FROM t`)
	views := map[string]string{
		"v1": "SELECT slug(s) AS s, count(*) AS n, sum(total(n, d)) AS d FROM t WHERE or_zero(n, 1) > 2 OR n IS NULL GROUP BY slug(s)",
		"v2": "SELECT a.id, b.id AS other FROM t a JOIN t b ON slug(a.s) = slug(b.s) AND hypotenuse(a.n, b.n) < 6",
		"v3": "SELECT id, CASE WHEN n > 3 THEN slug(s) ELSE slug(n) END AS s FROM t",
		"v4": "SELECT s, max(id) AS m FROM plain GROUP BY s",
		"v5": "SELECT a.id, b.s FROM t a LEFT JOIN plain b ON slug(a.s) = b.s AND a.id <> b.id",
	}
	for name, q := range views {
		exec(t, db, "CREATE MATERIALIZED VIEW "+name+" AS "+q)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	change := func(db *ivmc.DB) {
		for range rng.IntN(6) + 1 {
			id, n := rng.IntN(30), rng.IntN(8)
			var s any
			if k := rng.IntN(6); k > 0 {
				s = strings.Repeat("A ", k)
			}
			exec(t, db, "DELETE FROM t WHERE id = $1", id)
			if n > 0 {
				exec(t, db, "INSERT INTO t VALUES ($1, $2, nullif($3::int, 2), $4)", id, s, n, n*3)
			}
		}
	}
	follow := func(db *ivmc.DB) {
		for range 12 {
			change(db)
			for name := range views {
				rep, err := db.Refresh(context.Background(), name, ivmc.Incremental)
				if err != nil || rep.Executed != ivmc.Incremental {
					t.Fatalf("%s: %v %+v", name, err, rep)
				}
				if ver, err := db.Verify(context.Background(), name); err != nil || !ver.Equal {
					t.Fatalf("%s: %v %+v", name, err, ver)
				}
			}
		}
	}
	follow(db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = reopen(fs)
	follow(db)
	before := text(t, db, "SELECT * FROM v1 ORDER BY s")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	db = reopen(nil)
	if got := text(t, db, "SELECT * FROM v1 ORDER BY s"); got != before {
		t.Errorf("read without its functions: %s, wanted %s", got, before)
	}
	exec(t, db, "INSERT INTO t VALUES (1000, 'x', 1, 1)")
	if rep, err := db.Check(context.Background()); err != nil || len(rep.Faults) > 0 {
		t.Errorf("%+v %v", rep, err)
	}
	for name := range views {
		for _, mode := range []ivmc.Mode{ivmc.Auto, ivmc.Incremental, ivmc.Complete} {
			_, err := db.Refresh(context.Background(), name, mode)
			if e := wantError(t, err, "42883"); !strings.Contains(e.Message+e.Detail, "slug(text)") && !strings.Contains(e.Message, "function ") {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
	_, err := db.Refresh(context.Background(), "v3", ivmc.Auto)
	if e := wantError(t, err, "42883"); e.Hint == "" || !strings.Contains(e.Detail, "v3 was created with slug(") || !strings.Contains(e.Detail, "returns text") {
		t.Errorf("%+v", e)
	}
	_, err = db.Text(context.Background(), "SELECT * FROM plain")
	if e := wantError(t, err, "42883"); !strings.Contains(e.Message, `relation "plain"`) {
		t.Errorf("%+v", e)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	other := []ivmc.Function{ivmc.Func1("slug", func(s string) (int64, error) { return 1, nil })}
	db = reopen(other)
	_, err = db.Refresh(context.Background(), "v4", ivmc.Auto)
	if e := wantError(t, err, "42883"); !strings.Contains(e.Detail+e.Message, "slug(text)") {
		t.Errorf("%+v", e)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	db = reopen(fs)
	defer db.Close()
	follow(db)
}

// TestFunctionNames: what cannot be called is refused when the database is opened.
func TestFunctionNames(t *testing.T) {
	one := func(name string) ivmc.Function {
		return ivmc.Func1(name, func(n int64) (int64, error) { return n, nil })
	}
	for _, c := range []struct {
		fs   []ivmc.Function
		want string
	}{
		{[]ivmc.Function{one("lower")}, "name is that of a function of the system"},
		{[]ivmc.Function{one("sum")}, "name is that of a function of the system"},
		{[]ivmc.Function{one("coalesce")}, "name"},
		{[]ivmc.Function{one("Slug")}, `"Slug" is no name of a function`},
		{[]ivmc.Function{one("select")}, `no name of a function`},
		{[]ivmc.Function{one("a b")}, `no name of a function`},
		{[]ivmc.Function{one("")}, `no name of a function`},
		{[]ivmc.Function{one("f"), one("f")}, "already exists with same argument types"},
		{[]ivmc.Function{{Name: "f", Args: []string{"bigint"}, Result: "bigint"}}, "does nothing"},
		{[]ivmc.Function{ivmc.VectorFunc("f", []string{"colour"}, "bigint", nil)}, "colour"},
		{[]ivmc.Function{ivmc.VectorFunc("f", []string{"varchar(3)"}, "bigint", nil)}, "has a length"},
	} {
		_, err := ivmc.Open("", &ivmc.Options{InMemory: true, Functions: c.fs})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, wanted %s", c.fs, err, c.want)
		}
	}
	o := ivmc.Options{Functions: []ivmc.Function{one("f")}}
	if s := o.String(); !strings.Contains(s, "functions=f") || o.LogValue().String() != s {
		t.Error(s)
	}
	if s := one("f").String(); s != "f(bigint) returns bigint" {
		t.Error(s)
	}
}

func BenchmarkFunctions(b *testing.B) {
	db := openWith(b, []ivmc.Function{
		ivmc.Func1("twice", func(n int64) (int64, error) { return 2 * n, nil }),
		ivmc.Func1("slug", func(s string) (string, error) { return s, nil }),
		ivmc.VectorFunc("vtwice", []string{"bigint"}, "bigint", func(args []arrow.Array, n int) (arrow.Array, error) {
			out := array.NewInt64Builder(memory.DefaultAllocator)
			defer out.Release()
			out.Reserve(n)
			for _, v := range args[0].(*array.Int64).Int64Values() {
				out.UnsafeAppend(2 * v)
			}
			return out.NewArray(), nil
		}),
	})
	exec(b, db, "CREATE TABLE n(i BIGINT, s TEXT); INSERT INTO n VALUES (1, 'north')")
	for range 17 {
		exec(b, db, "INSERT INTO n SELECT i + 1, s FROM n")
	}
	for _, q := range []string{"sum(i * 2)", "sum(twice(i))", "sum(vtwice(i))", "max(lower(s))", "max(slug(s))"} {
		b.Run(q, func(b *testing.B) {
			for b.Loop() {
				text(b, db, "SELECT "+q+" FROM n")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/131072, "ns/row")
		})
	}
}
