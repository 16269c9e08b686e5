package ivmc_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"testing"

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
	read := func(rows *ivmc.Text, err error) error {
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
		}
		return rows.Err()
	}
	calls := map[string]func() error{
		"DB.Exec":             func() error { return second(db.Exec(ctx, "DELETE FROM f")) },
		"DB.Text":             func() error { return read(db.Text(ctx, "SELECT * FROM f")) },
		"DB.Apply":            func() error { return second(db.Apply(ctx, "f", flights(t, 7))) },
		"DB.Refresh":          func() error { return second(db.Refresh(ctx, "v", ivmc.Auto)) },
		"DB.RefreshCascade":   func() error { return second(db.RefreshCascade(ctx, "v", ivmc.Auto)) },
		"DB.Verify":           func() error { return second(db.Verify(ctx, "v")) },
		"DB.VerifySample":     func() error { return second(db.VerifySample(ctx, "v", 2)) },
		"DB.Graph":            func() error { return second(db.Graph(ctx, "text")) },
		"DB.Explain":          func() error { return second(db.Explain(ctx, "EXPLAIN ANALYZE SELECT * FROM f")) },
		"DB.Status":           func() error { return second(db.Status(ctx)) },
		"Session.ExplainWith": func() error { return second(s.ExplainWith(ctx, nil, "SELECT * FROM f")) },
		"Session.Rehearse":    func() error { _, _, err := s.Rehearse(ctx, nil, "SELECT * FROM f"); return err },
		"DB.Check":            func() error { return second(db.Check(ctx)) },
		"DB.Load":             func() error { return second(db.Load(ctx, "f", ivmc.LoadOptions{}, "none.csv")) },
		"DB.Schedule":         func() error { return db.Schedule(ctx, nil) },
		"DB.Dump":             func() error { return db.Dump(ctx, io.Discard) },
		"DB.Query": func() error {
			r, err := db.Query(ctx, "SELECT * FROM f")
			if err != nil {
				return err
			}
			defer r.Release()
			r.Next()
			return r.Err()
		},
		"DB.Changes": func() error {
			for _, err := range db.Changes(ctx, "f", 0, db.Applied()) {
				return err
			}
			return nil
		},
		"DB.Subscribe": func() error {
			for _, err := range db.Subscribe(ctx, "f", ivmc.SubscribeOptions{Rows: true}) {
				return err
			}
			return nil
		},
		"Session.Exec":        func() error { return second(s.Exec(ctx, "DELETE FROM f")) },
		"Session.RunPrepared": func() error { return second(s.RunPrepared(ctx, insert)) },
		"Session.Run":         func() error { return second(s.Run(ctx, "DELETE FROM f")) },
		"Session.Query": func() error {
			r, err := s.Query(ctx, "SELECT * FROM f")
			if err != nil {
				return err
			}
			defer r.Release()
			r.Next()
			return r.Err()
		},
	}
	for name, call := range calls {
		var e *ivmc.Error
		if err := call(); !errors.As(err, &e) || e.Code != "57014" {
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
