package ivmc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ivmc/ivmc"
)

func exec(t testing.TB, db *ivmc.DB, sql string, args ...any) ivmc.Result {
	t.Helper()
	res, err := db.Exec(context.Background(), sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return res
}

// text is a query's rows, cells joined by |, rows by a blank.
func text(t testing.TB, db *ivmc.DB, sql string, args ...any) string {
	t.Helper()
	rows, err := db.Text(context.Background(), sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var cells []string
		for i := range rows.Columns() {
			c, null := rows.Cell(i)
			if null {
				c = []byte("NULL")
			}
			cells = append(cells, string(c))
		}
		out = append(out, strings.Join(cells, "|"))
	}
	if rows.Err() != nil {
		t.Fatalf("%s: %v", sql, rows.Err())
	}
	return strings.Join(out, " ")
}

func wantError(t *testing.T, err error, code string) *ivmc.Error {
	t.Helper()
	var e *ivmc.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("wanted %s, got %v", code, err)
	}
	return e
}

func TestExec(t *testing.T) {
	db := open(t)
	ctx := context.Background()
	res := exec(t, db, "CREATE TABLE t(a INT PRIMARY KEY, s TEXT); INSERT INTO t VALUES (1, 'x;y'), (2, NULL); SELECT a FROM t")
	if res.Tag != "SELECT 2" {
		t.Errorf("tag %q", res.Tag)
	}
	res = exec(t, db, "UPDATE t SET s = $1 WHERE a > $2", "z", 0)
	if res.Tag != "UPDATE 2" || res.RowsAffected != 2 || res.TSO == 0 || res.TSO != db.Applied() {
		t.Errorf("%+v", res)
	}
	_, err := db.Exec(ctx, "INSERT INTO t VALUES (3, 'c');\n\n  SELECT ä FROM\n t; INSERT INTO t VALUES (4, 'd')")
	e := wantError(t, err, "42703")
	if e.Line != 3 || e.Column != 10 || e.Position != 42 {
		t.Errorf("place %d:%d, position %d", e.Line, e.Column, e.Position)
	}
	if got := text(t, db, "SELECT a FROM t ORDER BY a"); got != "1 2 3" {
		t.Errorf("after an error: %s", got)
	}
	_, err = db.Exec(ctx, "BEGIN; INSERT INTO t VALUES (9, 'q')")
	wantError(t, err, "25000")
	exec(t, db, "BEGIN; INSERT INTO t VALUES (8, 'q'); COMMIT")
	if got := text(t, db, "SELECT a FROM t ORDER BY a"); got != "1 2 3 8" {
		t.Errorf("transactions in a text: %s", got)
	}
	_, err = db.Query(ctx, "DELETE FROM t WHERE a = 8")
	wantError(t, err, "02000")
	_, err = db.Text(ctx, "DELETE FROM t WHERE a = 8")
	wantError(t, err, "02000")
	if got := text(t, db, "SELECT a FROM t ORDER BY a"); got != "1 2 3 8" {
		t.Errorf("a refused statement did something: %s", got)
	}
	exec(t, db, "")
}

func TestErrors(t *testing.T) {
	db := open(t)
	ctx := context.Background()
	exec(t, db, "CREATE TABLE t(a INT)")
	_, err := db.Exec(ctx, "SELECT x, y FROM t")
	e := wantError(t, err, "42703")
	if len(e.Errors) != 2 || e.Errors[0].Column != 8 || e.Errors[1].Column != 11 {
		t.Errorf("all errors: %+v", e.Errors)
	}
	if want := `ivmc: 1:8: column "x" does not exist (42703)`; e.Error() != want {
		t.Errorf("%q, wanted %q", e.Error(), want)
	}
	for _, c := range []struct {
		sql string
		is  error
	}{
		{"SELECT * FROM nope", ivmc.ErrNotFound},
		{"DROP TABLE nope", ivmc.ErrNotFound},
		{"REFRESH MATERIALIZED VIEW nope", ivmc.ErrNotFound},
	} {
		if _, err := db.Exec(ctx, c.sql); !errors.Is(err, c.is) {
			t.Errorf("%s: %v is not %v", c.sql, err, c.is)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = db.Exec(cancelled, "SELECT * FROM t")
	wantError(t, err, "57014")
}

func TestConflict(t *testing.T) {
	db := open(t)
	ctx := context.Background()
	exec(t, db, "CREATE TABLE t(a INT PRIMARY KEY, n INT); INSERT INTO t VALUES (1, 1)")
	s := db.Session()
	defer s.Close()
	if _, err := s.Exec(ctx, "BEGIN; UPDATE t SET n = 2"); err != nil {
		t.Fatal(err)
	}
	exec(t, db, "UPDATE t SET n = 3")
	_, err := s.Exec(ctx, "COMMIT")
	if !errors.Is(err, ivmc.ErrConflict) {
		t.Errorf("%v", err)
	}
	wantError(t, err, "40001")
}

func TestClose(t *testing.T) {
	db := open(t)
	ctx := context.Background()
	s := db.Session()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); !errors.Is(err, ivmc.ErrClosed) {
		t.Errorf("second Close of a session: %v", err)
	}
	if _, err := s.Exec(ctx, "SELECT 1"); !errors.Is(err, ivmc.ErrClosed) {
		t.Errorf("closed session: %v", err)
	}
	open := db.Session()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"Close":   db.Close(),
		"Exec":    second(db.Exec(ctx, "SELECT 1")),
		"Query":   second(db.Query(ctx, "SELECT 1")),
		"Apply":   second(db.Apply(ctx, "t", nil)),
		"Refresh": second(db.Refresh(ctx, "v", ivmc.Auto)),
		"Verify":  second(db.Verify(ctx, "v")),
		"Explain": second(db.Explain(ctx, "SELECT 1")),
		"session": second(open.Exec(ctx, "SELECT 1")),
	} {
		if !errors.Is(err, ivmc.ErrClosed) {
			t.Errorf("%s after Close: %v", name, err)
		}
	}
	for _, err := range db.Changes(ctx, "t", 0, 1) {
		if !errors.Is(err, ivmc.ErrClosed) {
			t.Errorf("Changes after Close: %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := ivmc.Open(filepath.Join(dir, "none"), &ivmc.Options{MustExist: true}); !errors.Is(err, ivmc.ErrNotFound) {
		t.Errorf("missing: %v", err)
	}
	foreign := filepath.Join(dir, "foreign")
	if err := os.MkdirAll(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(foreign, "f"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ivmc.Open(foreign, nil); !errors.Is(err, ivmc.ErrVersion) {
		t.Errorf("foreign: %v", err)
	}
	db, err := ivmc.Open(filepath.Join(dir, "db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := ivmc.Open(filepath.Join(dir, "db"), nil); !errors.Is(err, ivmc.ErrLocked) || !strings.Contains(err.Error(), "this process") {
		t.Errorf("locked: %v", err)
	}
	var z *ivmc.Error
	if _, err := ivmc.Open(filepath.Join(dir, "db"), nil); !errors.As(err, &z) || z.Code != "55006" || !strings.Contains(z.Hint, "share it") {
		t.Errorf("%+v does not say what to do in one process", z)
	}
	if _, err := ivmc.Open("", nil); err == nil || !strings.Contains(err.Error(), "no directory") {
		t.Errorf("no name: %v", err)
	}
	_, err = ivmc.Open("", &ivmc.Options{InMemory: true, MustExist: true, MemoryLimit: -1, MaxDepth: -1, FS: vfs.NewMem()})
	for _, want := range []string{"InMemory excludes FS", "InMemory excludes MustExist", "MemoryLimit", "MaxDepth"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("options: no %q in %v", want, err)
		}
	}
	o := ivmc.Options{}
	o.EnsureDefaults()
	if o.MaxDepth != 500 || o.MaxStatementBytes != 16<<20 || o.Clock == nil || o.Validate() != nil {
		t.Errorf("defaults: %s", o.String())
	}
	if want := "no_sync=false memory_limit=0 max_statement_bytes=16777216 max_depth=500 history=100"; o.String() != want {
		t.Errorf("%q", o.String())
	}
}

// TestApplyRefreshChanges goes through the library from change to view to log.
func TestApplyRefreshChanges(t *testing.T) {
	db := open(t)
	ctx := context.Background()
	exec(t, db, "CREATE TABLE f(id BIGINT PRIMARY KEY, delay BIGINT); CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n, sum(delay) AS s FROM f")
	rec := flights(t, 1, 2, 3)
	t1, err := db.Apply(ctx, "f", rec)
	if err != nil || t1 == 0 || t1 != db.Applied() {
		t.Fatal(t1, err)
	}
	rec.Release()
	t2, err := db.Apply(ctx, "f", flights(t, -2, 3, 4))
	if err != nil || t2 <= t1 {
		t.Fatal(t2, err)
	}
	rep, err := db.Refresh(ctx, "v", ivmc.Incremental)
	if err != nil || rep.View != "v" || rep.Executed != ivmc.Incremental || rep.To < t2 || rep.RowsIn == 0 || rep.Commit == 0 {
		t.Fatalf("%+v %v", rep, err)
	}
	if got := text(t, db, "SELECT n, s FROM v"); got != "3|80" {
		t.Errorf("view: %s", got)
	}
	ver, err := db.Verify(ctx, "v")
	if err != nil || !ver.Equal || ver.Rows != 1 || ver.Frontier != rep.To {
		t.Errorf("%+v %v", ver, err)
	}
	var got []string
	for ch, err := range db.Changes(ctx, "f", 0, ^ivmc.TSO(0)) {
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprint(ch.Op, ch.LSN, ch.TSO == t1)
		if ch.Before.Exists() {
			line += fmt.Sprint(" -", ch.Before.Value(0))
		}
		if ch.After.Exists() {
			line += fmt.Sprint(" +", ch.After.Text(0))
		}
		got = append(got, line)
	}
	want := "insert 0 true +1; insert 1 true +2; insert 2 true +3; delete 0 false -2; update 1 false -3 +3; insert 2 false +4"
	if strings.Join(got, "; ") != want {
		t.Errorf("changes\n%s\nwanted\n%s", strings.Join(got, "; "), want)
	}
	n := 0
	for range db.Changes(ctx, "f", t1, t2) {
		n++
		break
	}
	for _, err := range db.Changes(ctx, "nope", 0, t2) {
		if !errors.Is(err, ivmc.ErrNotFound) {
			t.Errorf("%v", err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d", n)
	}
	if plan, err := db.Explain(ctx, "CREATE MATERIALIZED VIEW w AS SELECT delay FROM f"); err != nil || !strings.Contains(plan, "Incremental: yes. ") {
		t.Errorf("%s %v", plan, err)
	}
}

// TestConcurrent: writers, refreshes and readers at once; every reader sees
// whole transactions.
func TestConcurrent(t *testing.T) {
	db := open(t)
	ctx := context.Background()
	exec(t, db, "CREATE TABLE acc(id BIGINT PRIMARY KEY, n INT); INSERT INTO acc VALUES (1, 50), (2, 50)")
	exec(t, db, "CREATE MATERIALIZED VIEW v AS SELECT sum(n) AS s FROM acc")
	var wg sync.WaitGroup
	work := func(n int, f func(i int) error) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range n {
				if err := f(i); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	for w := range 2 {
		work(40, func(i int) error {
			s := db.Session()
			defer s.Close()
			for {
				_, err := s.Exec(ctx, "BEGIN; UPDATE acc SET n = n - $1 WHERE id = 1; UPDATE acc SET n = n + $1 WHERE id = 2; COMMIT", i%5+w)
				if !errors.Is(err, ivmc.ErrConflict) {
					return err
				}
			}
		})
	}
	work(40, func(int) error { return second(db.Refresh(ctx, "v", ivmc.Incremental)) })
	for _, q := range []string{"SELECT sum(n) FROM acc", "SELECT s FROM v"} {
		work(60, func(int) error {
			if got := text(t, db, q); got != "100" {
				return fmt.Errorf("%s: %s", q, got)
			}
			return nil
		})
	}
	wg.Wait()
}

func TestClock(t *testing.T) {
	at := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, Clock: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec(t, db, "CREATE TABLE t(a INT)")
	if got := exec(t, db, "INSERT INTO t VALUES (1)").TSO.Time(); !got.Equal(at) {
		t.Errorf("%v", got)
	}
}

func TestMode(t *testing.T) {
	for _, m := range []ivmc.Mode{ivmc.Default, ivmc.Auto, ivmc.Incremental, ivmc.Complete} {
		if got, err := ivmc.ParseMode(strings.ToLower(m.String())); err != nil || got != m {
			t.Errorf("%s: %v %v", m, got, err)
		}
	}
	if _, err := ivmc.ParseMode("never"); err == nil {
		t.Error("never is a mode")
	}
}
