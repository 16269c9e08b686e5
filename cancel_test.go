package ivmc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ivmc/ivmc"
)

// TestCancelled: every method that takes a context hears of its end before it
// does anything, says so (57014), and leaves the database as it was.
func TestCancelled(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE f(id BIGINT PRIMARY KEY, delay BIGINT); INSERT INTO f VALUES (1, 1); CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n FROM f")
	exec(t, db, "INSERT INTO f VALUES (2, 2)")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := db.Session()
	defer s.Close()
	insert, err := s.Prepare("INSERT INTO f VALUES (9, 9)")
	if err != nil {
		t.Fatal(err)
	}
	calls := doors(t, db, s, insert)
	for name, call := range calls {
		var e *ivmc.Error
		if err := call(ctx); !errors.As(err, &e) || e.Code != "57014" || !errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
	}
	want := reflect.TypeFor[context.Context]()
	for _, typ := range []reflect.Type{reflect.TypeFor[*ivmc.DB](), reflect.TypeFor[*ivmc.Session]()} {
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			if m.Type.NumIn() > 1 && m.Type.In(1) == want && calls[typ.Elem().Name()+"."+m.Name] == nil {
				t.Errorf("%s.%s takes a context and is not tried", typ.Elem().Name(), m.Name)
			}
		}
	}
	if got := text(t, db, "SELECT count(*), (SELECT n FROM v) FROM f"); got != "2|1" {
		t.Errorf("something was done: %s", got)
	}
}

// doors are the methods that take a context, by name.
func doors(t *testing.T, db *ivmc.DB, s *ivmc.Session, insert *ivmc.Prepared) map[string]func(ctx context.Context) error {
	read := func(rows *ivmc.Text, err error) error {
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
		}
		return rows.Err()
	}
	return map[string]func(ctx context.Context) error{
		"DB.Exec":             func(ctx context.Context) error { return second(db.Exec(ctx, "DELETE FROM f")) },
		"DB.Text":             func(ctx context.Context) error { return read(db.Text(ctx, "SELECT * FROM f")) },
		"DB.Apply":            func(ctx context.Context) error { return second(db.Apply(ctx, "f", flights(t, 7))) },
		"DB.Refresh":          func(ctx context.Context) error { return second(db.Refresh(ctx, "v", ivmc.Auto)) },
		"DB.RefreshCascade":   func(ctx context.Context) error { return second(db.RefreshCascade(ctx, "v", ivmc.Auto)) },
		"DB.RefreshViews":     func(ctx context.Context) error { return second(db.RefreshViews(ctx, ivmc.Auto, true)) },
		"DB.Verify":           func(ctx context.Context) error { return second(db.Verify(ctx, "v")) },
		"DB.VerifySample":     func(ctx context.Context) error { return second(db.VerifySample(ctx, "v", 2)) },
		"DB.Graph":            func(ctx context.Context) error { return second(db.Graph(ctx, "text")) },
		"DB.Explain":          func(ctx context.Context) error { return second(db.Explain(ctx, "EXPLAIN ANALYZE SELECT * FROM f")) },
		"DB.Status":           func(ctx context.Context) error { return second(db.Status(ctx)) },
		"Session.ExplainWith": func(ctx context.Context) error { return second(s.ExplainWith(ctx, nil, "SELECT * FROM f")) },
		"Session.Rehearse":    func(ctx context.Context) error { _, _, err := s.Rehearse(ctx, nil, "SELECT * FROM f"); return err },
		"DB.Check":            func(ctx context.Context) error { return second(db.Check(ctx)) },
		"DB.Load":             func(ctx context.Context) error { return second(db.Load(ctx, "f", ivmc.LoadOptions{}, "none.csv")) },
		"DB.Schedule":         func(ctx context.Context) error { return db.Schedule(ctx, nil) },
		"DB.Dump":             func(ctx context.Context) error { return db.Dump(ctx, io.Discard) },
		"DB.Query": func(ctx context.Context) error {
			r, err := db.Query(ctx, "SELECT * FROM f")
			if err != nil {
				return err
			}
			defer r.Release()
			r.Next()
			return r.Err()
		},
		"DB.Changes": func(ctx context.Context) error {
			for _, err := range db.Changes(ctx, "f", 0, db.Applied()) {
				return err
			}
			return nil
		},
		"DB.Subscribe": func(ctx context.Context) error {
			for _, err := range db.Subscribe(ctx, "f", ivmc.SubscribeOptions{Rows: true}) {
				return err
			}
			return nil
		},
		"Session.Exec":        func(ctx context.Context) error { return second(s.Exec(ctx, "DELETE FROM f")) },
		"Session.RunPrepared": func(ctx context.Context) error { return second(s.RunPrepared(ctx, insert)) },
		"Session.Run":         func(ctx context.Context) error { return second(s.Run(ctx, "DELETE FROM f")) },
		"Session.Query": func(ctx context.Context) error {
			r, err := s.Query(ctx, "SELECT * FROM f")
			if err != nil {
				return err
			}
			defer r.Release()
			r.Next()
			return r.Err()
		},
	}
}

// TestNilContext: a nil context is one that never ends.
func TestNilContext(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE f(id BIGINT PRIMARY KEY, delay BIGINT); CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n FROM f")
	s := db.Session()
	defer s.Close()
	insert, err := s.Prepare("INSERT INTO f VALUES (9, 9)")
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range doors(t, db, s, insert) {
		if name == "DB.Subscribe" || name == "DB.Schedule" { // they would go on for ever
			continue
		}
		var e *ivmc.Error
		if err := call(nil); errors.As(err, &e) && (e.Code == "XX000" || e.Code == "57014") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStopsWithin: a statement ends soon after its context, also within one
// expression over one text, within a function of the program and within a product.
func TestStopsWithin(t *testing.T) {
	asleep := make(chan struct{})
	db := openWith(t, []ivmc.Function{ivmc.Func1("sleep", func(int64) (int64, error) { <-asleep; return 1, nil })})
	defer close(asleep)
	exec(t, db, "CREATE TABLE t(a INT, s TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, NULL)")
	from := "t t0"
	for i := range 40 {
		from += fmt.Sprintf(", t t%d", i+1)
	}
	for _, sql := range []string{
		"SELECT repeat('ab', 10000000) ~ '(a|b){200}c'",
		"SELECT length(regexp_replace(repeat('ab', 10000000), '(a|b){200}c', '', 'g'))",
		"SELECT length(translate(repeat('a', 20000000), repeat('b', 60000) || 'a', 'x'))",
		"SELECT length(btrim(repeat('a', 20000000), repeat('b', 60000) || 'a'))",
		"SELECT max(length(repeat(t.s, 500000000 + t.a))) FROM t, t u, t v, t w",
		"SELECT sleep(1)",
		"SELECT sleep(a) FROM t",
		"INSERT INTO t SELECT sleep(a)::int, 'z' FROM t",
		"SELECT count(*) FROM " + from,
		"SELECT a.a FROM " + strings.Replace(from, "t t0", "t a", 1) + " LIMIT 1",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		start := time.Now()
		_, err := db.Exec(ctx, sql)
		var e *ivmc.Error
		if !errors.As(err, &e) || e.Code != "57014" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", sql, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: took %s", sql, took)
		}
		cancel()
		if _, err := db.Exec(context.Background(), strings.Replace("SET statement_timeout = 100; "+sql, "sleep(1)", "sleep(2)", 1)); !errors.As(err, &e) ||
			e.Code != "57014" || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("statement_timeout, %s: %v", sql, err)
		}
	}
	if got := text(t, db, "SELECT count(*) FROM t"); got != "3" {
		t.Errorf("%s rows", got)
	}
	if got := text(t, db, "SELECT 1 FROM "+from+" LIMIT 1"); got != "1" { // the first of equal rows is the first that comes
		t.Errorf("%q", got)
	}
}

// TestLongMessages: a message or detail quotes the beginning of a long value.
func TestLongMessages(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE k(s TEXT PRIMARY KEY, n INT CHECK (n > 0)); INSERT INTO k VALUES (repeat('k', 3000000), 1)")
	for _, sql := range []string{
		"INSERT INTO k VALUES (repeat('k', 3000000), 1)",
		"INSERT INTO k VALUES (repeat('x', 3000000), 0)",
		"SELECT 1 / length(substr(s, 4000000)) FROM k",
		"SELECT s::int FROM k",
		"SELECT '" + strings.Repeat("9", 1_000_000) + "x'::int",
	} {
		_, err := db.Exec(context.Background(), sql)
		var e *ivmc.Error
		if !errors.As(err, &e) || len(e.Message) > 1100 || len(e.Detail) > 3300 {
			t.Errorf("%.80s: %T, %d bytes", sql, err, len(fmt.Sprint(err)))
		}
	}
}

// TestCells: what Cell gave stays what it was.
func TestCells(t *testing.T) {
	db := open(t)
	rows, err := db.Text(context.Background(), "SELECT 'one', 'two', NULL, ''")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	rows.Next()
	a, _ := rows.Cell(0)
	b, _ := rows.Cell(1)
	c, null := rows.Cell(2)
	d, not := rows.Cell(3)
	if string(a) != "one" || string(b) != "two" || !null || c != nil || not || d == nil {
		t.Errorf("%q %q %q %t %q %t", a, b, c, null, d, not)
	}
	if got := (*ivmc.Options)(nil).String(); got != "defaults" {
		t.Error(got)
	}
}

// TestRefreshViews: all views stand for one moment then, whatever is written meanwhile.
func TestRefreshViews(t *testing.T) {
	var db *ivmc.DB
	more := func(n int64) (int64, error) {
		_, err := db.Exec(context.Background(), "INSERT INTO other VALUES ($1)", n)
		return n, err
	}
	db = openWith(t, []ivmc.Function{ivmc.Func1("more", more)})
	exec(t, db, `CREATE TABLE t(a BIGINT); CREATE TABLE other(a BIGINT); CREATE MATERIALIZED VIEW v AS SELECT more(a) AS a FROM t;
		CREATE MATERIALIZED VIEW w AS SELECT v.a, o.a AS b FROM v, other o; CREATE MATERIALIZED VIEW x AS SELECT a FROM other; INSERT INTO t VALUES (1), (2)`)
	reps, err := db.RefreshViews(context.Background(), ivmc.Default, false)
	if err != nil || len(reps) != 3 {
		t.Fatal(reps, err)
	}
	for _, r := range reps {
		if r.Err != nil || r.To != reps[0].To {
			t.Errorf("%+v", r)
		}
	}
	if got := text(t, db, "SELECT count(*) FROM other"); got != "2" {
		t.Errorf("%s rows were written meanwhile", got)
	}
	reps, err = db.RefreshViews(context.Background(), ivmc.Complete, true, "w", "none")
	if err != nil || len(reps) != 3 || reps[0].View != "v" || reps[0].Executed != ivmc.Incremental || reps[1].Executed != ivmc.Complete || !errors.Is(reps[2].Err, ivmc.ErrNotFound) {
		t.Errorf("%+v %v", reps, err)
	}
}
