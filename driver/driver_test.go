package driver_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/driver"
)

var ctx = context.Background()

func open(t testing.TB, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open("ivmc", name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func exec(t testing.TB, db interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
}, text string, args ...any) int64 {
	t.Helper()
	res, err := db.ExecContext(ctx, text, args...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func scan[T any](t testing.TB, db interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}, text string, args ...any) T {
	t.Helper()
	var v T
	if err := db.QueryRowContext(ctx, text, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func wantCode(t *testing.T, err error, code string) *ivmc.Error {
	t.Helper()
	var e *ivmc.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("wanted %s, got %v", code, err)
	}
	return e
}

const allTypes = `CREATE TABLE t(id BIGINT PRIMARY KEY, i2 SMALLINT, i4 INTEGER, i8 BIGINT, r REAL, f DOUBLE PRECISION, n DECIMAL(10,2),
	s TEXT, v VARCHAR(5), c CHAR(3), b BOOLEAN, y BYTEA, d DATE, ts TIMESTAMP, tz TIMESTAMPTZ, ti TIME, iv INTERVAL, u UUID)`

// TestValues: what goes in by parameters comes out by Scan, NULL too.
func TestValues(t *testing.T) {
	db := open(t, ":memory:")
	exec(t, db, allTypes)
	at := time.Date(2024, 2, 29, 23, 30, 0, 5000, time.FixedZone("", -5*3600))
	in, err := db.Prepare("INSERT INTO t VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18)")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := in.Exec(1, int16(-7), 8, int64(math.MinInt64), float32(1.5), math.Inf(1), "12.345", "ä'", "abc", "x", true, []byte{0, 255},
		at, at, at, "23:59:59.5", "1 day 02:00:00", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Exec(append([]any{2}, make([]any, 17)...)...); err != nil {
		t.Fatal(err)
	}
	var got struct {
		i2        int16
		i4        int
		i8        int64
		r         float32
		f         float64
		n, s, v   string
		c         string
		b         bool
		y         []byte
		d, ts, tz time.Time
		ti, iv, u string
	}
	row := db.QueryRow("SELECT i2,i4,i8,r,f,n,s,v,c,b,y,d,ts,tz,ti,iv,u FROM t WHERE tz = $1", at)
	if err := row.Scan(&got.i2, &got.i4, &got.i8, &got.r, &got.f, &got.n, &got.s, &got.v, &got.c, &got.b, &got.y, &got.d, &got.ts, &got.tz,
		&got.ti, &got.iv, &got.u); err != nil {
		t.Fatal(err)
	}
	if want := "{-7 8 -9223372036854775808 1.5 +Inf 12.35 ä' abc x   true [0 255] " +
		"{0 63844761600 <nil>} {5000 63844846200 <nil>} {5000 63844864200 <nil>} " +
		"23:59:59.5 1 day 02:00:00 a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}"; fmt.Sprint(got) != want {
		t.Errorf("got\n%v, wanted\n%s", got, want)
	}
	if !got.tz.Equal(at) {
		t.Errorf("moment %v, wanted %v", got.tz, at)
	}
	nulls := make([]any, 18)
	cells := make([]any, 18)
	for i := range cells {
		nulls[i] = &cells[i]
	}
	if err := db.QueryRow("SELECT * FROM t WHERE id = 2").Scan(nulls...); err != nil || !reflect.DeepEqual(cells[1:], make([]any, 17)) {
		t.Errorf("%v %v", cells, err)
	}
	if got := scan[time.Time](t, db, "SELECT d FROM t WHERE id = 1 AND d = $1", at); got.Day() != 29 {
		t.Errorf("%v", got)
	}
	if got := scan[string](t, db, "SELECT $1::timestamptz::text", "infinity"); got != "infinity" {
		t.Errorf("%v", got)
	}
}

// TestColumnTypes: each column says what it is, and what it can be scanned into.
func TestColumnTypes(t *testing.T) {
	db := open(t, ":memory:")
	exec(t, db, allTypes)
	exec(t, db, "INSERT INTO t(id) VALUES (1)")
	rows, err := db.Query("SELECT * FROM t")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	dest := make([]any, len(types))
	for i, c := range types {
		dest[i] = reflect.New(c.ScanType()).Interface()
		line := c.Name() + " " + c.DatabaseTypeName() + " " + c.ScanType().String()
		if n, _ := c.Nullable(); n {
			line += " null"
		}
		if n, ok := c.Length(); ok && n < math.MaxInt64 {
			line += fmt.Sprintf(" length %d", n)
		}
		if p, s, ok := c.DecimalSize(); ok {
			line += fmt.Sprintf(" (%d,%d)", p, s)
		}
		got = append(got, line)
	}
	want := `id BIGINT int64
i2 SMALLINT sql.NullInt16 null
i4 INTEGER sql.NullInt32 null
i8 BIGINT sql.NullInt64 null
r REAL sql.Null[float32] null
f DOUBLE PRECISION sql.NullFloat64 null
n NUMERIC sql.NullString null (10,2)
s TEXT sql.NullString null
v VARCHAR sql.NullString null length 5
c CHAR sql.NullString null length 3
b BOOLEAN sql.NullBool null
y BYTEA []uint8 null
d DATE sql.NullTime null
ts TIMESTAMP sql.NullTime null
tz TIMESTAMPTZ sql.NullTime null
ti TIME sql.NullString null
iv INTERVAL sql.NullString null
u UUID sql.NullString null`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s", s)
	}
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	if err := rows.Scan(dest...); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	db := open(t, ":memory:")
	exec(t, db, "CREATE TABLE t(a INT PRIMARY KEY); INSERT INTO t VALUES (1)")
	_, err := db.Exec("INSERT INTO t VALUES (1)")
	wantCode(t, err, "23505")
	_, err = db.Query("SELECT\n  x FROM t")
	if e := wantCode(t, err, "42703"); e.Line != 2 || e.Column != 3 {
		t.Errorf("%+v", e)
	}
	if _, err = db.Exec("SELECT * FROM nope"); !errors.Is(err, ivmc.ErrNotFound) {
		t.Errorf("%v", err)
	}
	_, err = db.Prepare("SELEC 1")
	wantCode(t, err, "42601")
	_, err = db.Exec("SELECT 1", 1)
	wantCode(t, err, "08P01")
	if _, err = db.Exec("SELECT $1", sql.Named("a", 1)); err == nil || !strings.Contains(err.Error(), "no names") {
		t.Errorf("%v", err)
	}
	wantCode(t, db.QueryRow("SELECT a / (a - 1) FROM t").Scan(new(int)), "22012")
	st, err := db.Prepare("SELECT a FROM t WHERE a = $1")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if _, err = st.Query(); err == nil || !strings.Contains(err.Error(), "expected 1 arguments") {
		t.Errorf("%v", err)
	}
	if res, err := db.Exec("INSERT INTO t VALUES (2)"); err != nil {
		t.Error(err)
	} else if _, err := res.LastInsertId(); err == nil {
		t.Error("a last inserted id")
	}
	if n := scan[int](t, db, "INSERT INTO t VALUES (3) RETURNING a * 2"); n != 6 {
		t.Errorf("returned %d", n)
	}
	exec(t, db, "DELETE FROM t WHERE a = 3")
	// A statement without rows asked as a query does its work and gives none.
	if err := db.QueryRow("DELETE FROM t WHERE a = 2").Scan(new(int)); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("%v", err)
	}
	if n := scan[int](t, db, "SELECT count(*) FROM t"); n != 1 {
		t.Errorf("%d rows", n)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Ping(); err == nil {
		t.Error("a closed database answers")
	}
}

func TestTransactions(t *testing.T) {
	db := open(t, ":memory:")
	exec(t, db, "CREATE TABLE t(a INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 1)")
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSnapshot})
	if err != nil {
		t.Fatal(err)
	}
	if n := exec(t, tx, "UPDATE t SET n = $1", 2); n != 1 {
		t.Errorf("%d rows", n)
	}
	if got := scan[int](t, tx, "SELECT n FROM t"); got != 2 {
		t.Errorf("own write: %d", got)
	}
	if got := scan[int](t, db, "SELECT n FROM t"); got != 1 {
		t.Errorf("write of another: %d", got)
	}
	exec(t, db, "UPDATE t SET n = 3")
	if err := tx.Commit(); !errors.Is(err, ivmc.ErrConflict) {
		t.Errorf("%v", err)
	}
	tx, _ = db.Begin()
	if _, err := tx.Exec("INSERT INTO t VALUES (1, 1)"); err == nil {
		t.Error("a duplicate")
	}
	if _, err := tx.Exec("SELECT 1"); err == nil {
		t.Error("a failed transaction goes on")
	}
	wantCode(t, tx.Commit(), "25P02")
	tx, _ = db.Begin()
	exec(t, tx, "DELETE FROM t")
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
	if got := scan[int](t, db, "SELECT n FROM t"); got != 3 {
		t.Errorf("after rollback: %d", got)
	}
	if _, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable}); err == nil {
		t.Error("serializable")
	}
	tx, err = db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := scan[int](t, tx, "SELECT n FROM t"); got != 3 {
		t.Errorf("%d", got)
	}
	for _, f := range []func() error{
		func() error { _, err := tx.Exec("DELETE FROM t"); return err },
		func() error { return tx.QueryRow("DELETE FROM t").Scan(new(int)) },
		func() error { return tx.QueryRow("INSERT INTO t VALUES (7, 7) RETURNING a").Scan(new(int)) },
		func() error { return tx.QueryRow("UPDATE t SET n = 4 RETURNING n").Scan(new(int)) },
		func() error { return tx.QueryRow("DELETE FROM t RETURNING n").Scan(new(int)) },
		func() error { return tx.QueryRow("WITH w AS (SELECT 1) DELETE FROM t RETURNING n").Scan(new(int)) },
		func() error { _, err := tx.Exec("UPDATE t SET n = 4 RETURNING n"); return err },
		func() error { _, err := tx.Exec("TRUNCATE t"); return err },
	} {
		wantCode(t, f(), "25006")
	}
	exec(t, tx, "SAVEPOINT s")
	exec(t, tx, "ROLLBACK TO s")
	exec(t, tx, "RELEASE s")
	if got := scan[int](t, tx, "SELECT n FROM t"); got != 3 {
		t.Errorf("%d", got)
	}
	if err := tx.Commit(); err != nil {
		t.Error(err)
	}
	exec(t, db, "DELETE FROM t")
	cancelled, cancel := context.WithCancel(ctx)
	tx, err = db.BeginTx(cancelled, nil)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, tx, "INSERT INTO t VALUES (9, 9)")
	cancel()
	if err := tx.Commit(); err == nil {
		t.Error("a cancelled transaction was committed")
	}
	if got := scan[int](t, db, "SELECT count(*) FROM t"); got != 0 {
		t.Errorf("%d rows of a cancelled transaction", got)
	}
}

// TestCancel: a context that ends stops what runs, and the connection goes on.
func TestCancel(t *testing.T) {
	db := open(t, ":memory:")
	db.SetMaxOpenConns(1)
	exec(t, db, "CREATE TABLE t(a INT)")
	for i := range 10 {
		exec(t, db, "INSERT INTO t VALUES ($1)", i)
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	_, err := db.ExecContext(short, "SELECT count(*) FROM t a, t b, t c, t d, t e, t f, t g, t h, t i, t j WHERE a.a + b.a + c.a < d.a + e.a * f.a")
	if err == nil {
		t.Fatal("ten billion rows were counted")
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	wantCode(t, err, "57014")
	done, cancel := context.WithCancel(ctx)
	rows, err := db.QueryContext(done, "SELECT a.a FROM t a, t b, t c, t d, t e, t f")
	if err != nil {
		t.Fatal(err)
	}
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	cancel()
	for rows.Next() {
	}
	if rows.Err() == nil {
		t.Error("all rows of a cancelled query")
	}
	if got := scan[int](t, db, "SELECT count(*) FROM t"); got != 10 {
		t.Errorf("%d", got)
	}
	if _, err := db.PrepareContext(done, "SELECT 1"); err == nil {
		t.Error("prepared under a cancelled context")
	}
}

// TestPool: what one user leaves behind in a connection the next one does not
// see; prepared statements outlive that.
func TestPool(t *testing.T) {
	db := open(t, ":memory:?TimeZone=Asia/Tokyo")
	db.SetMaxOpenConns(1)
	exec(t, db, "CREATE TABLE t(a INT)")
	st, err := db.Prepare("SELECT count(*) FROM t WHERE a > $1")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	exec(t, db, "SET TimeZone = 'UTC'; BEGIN; INSERT INTO t VALUES (1)")
	if got := scan[string](t, db, "SHOW TimeZone"); got != "Asia/Tokyo" {
		t.Errorf("the setting of another: %s", got)
	}
	var n int
	if err := st.QueryRow(0).Scan(&n); err != nil || n != 0 {
		t.Errorf("the transaction of another: %d, %v", n, err)
	}
	exec(t, db, "INSERT INTO t VALUES (1), (2)")
	if err := st.QueryRow(1).Scan(&n); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	// Within a connection they stay.
	c, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	exec(t, c, "SET TimeZone = 'UTC'")
	if got := scan[string](t, c, "SHOW TimeZone"); got != "UTC" {
		t.Errorf("%s", got)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestConcurrent: many goroutines over the pool, transfers that conflict and
// are run again; the sum stays, in the table and in a view that is refreshed meanwhile.
func TestConcurrent(t *testing.T) {
	db := open(t, ":memory:")
	db.SetMaxIdleConns(2)
	exec(t, db, "CREATE TABLE acc(id INT PRIMARY KEY, n INT); INSERT INTO acc VALUES (1, 50), (2, 50), (3, 0)")
	exec(t, db, "CREATE MATERIALIZED VIEW total AS SELECT sum(n) AS n FROM acc")
	move := func(from, to, n int) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		defer tx.Rollback()
		for _, by := range [][2]int{{from, -n}, {to, n}} {
			if _, err := tx.Exec("UPDATE acc SET n = n + $1 WHERE id = $2", by[1], by[0]); err != nil {
				return err
			}
		}
		return tx.Commit()
	}
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Go(func() {
			for i := range 15 {
				err := move(w%3+1, (w+1)%3+1, i)
				for errors.Is(err, ivmc.ErrConflict) {
					err = move(w%3+1, (w+1)%3+1, i)
				}
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := db.Exec("REFRESH MATERIALIZED VIEW total INCREMENTAL"); err != nil {
					t.Error(err)
				}
				for _, q := range []string{"SELECT sum(n) FROM acc", "SELECT n FROM total"} {
					if got := scan[int](t, db, q); got != 100 {
						t.Errorf("%s: %d", q, got)
					}
				}
			}
		})
	}
	wg.Wait()
}

// TestNames: what a data source name may say.
func TestNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a db")
	db := open(t, dir+"?no_sync=true&memory_limit=100000000&max_depth=50&statement_timeout=5s")
	exec(t, db, "CREATE TABLE t(a INT)")
	if got := scan[string](t, db, "SHOW statement_timeout"); got != "5s" {
		t.Errorf("%s", got)
	}
	if _, err := db.Exec("SELECT " + strings.Repeat("(", 60) + "1" + strings.Repeat(")", 60)); err == nil {
		t.Error("max_depth was not heard")
	}
	if _, err := sql.Open("ivmc", dir); !errors.Is(err, ivmc.ErrLocked) {
		t.Errorf("a second time: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir+"?must_exist=1")
	exec(t, again, "INSERT INTO t VALUES (1)")
	for name, want := range map[string]string{
		":memory:?colour=red":         "unrecognized configuration parameter",
		":memory:?no_sync=perhaps":    `option no_sync of data source name: "perhaps"`,
		":memory:?memory_limit=-1":    "MemoryLimit is negative",
		":memory:?TimeZone=Mars/Base": "invalid value",
		":memory:?%zz":                "invalid URL escape",
		"":                            "no directory",
		dir + "2?must_exist=true":     "there is no store",
	} {
		if db, err := sql.Open("ivmc", name); err == nil {
			db.Close()
			t.Errorf("%s was opened", name)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, wanted %s", name, err, want)
		}
	}
	if n := scan[int](t, open(t, ":memory:"), "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"); n != 0 {
		t.Errorf("a new database has %d tables", n)
	}
}

// TestConnector: a database of the program's own, which stays open.
func TestConnector(t *testing.T) {
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	pool := sql.OpenDB(driver.Connector(db))
	exec(t, pool, "CREATE TABLE t(a INT); INSERT INTO t VALUES (1)")
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(ctx, "INSERT INTO t VALUES (2)"); err != nil {
		t.Errorf("the database was closed: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	pool = sql.OpenDB(driver.Connector(db))
	if err := pool.Ping(); !errors.Is(err, ivmc.ErrClosed) {
		t.Errorf("%v", err)
	}
	pool.Close()
	// The door of programs that know no connectors.
	c, err := driver.Driver{}.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
