package session

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// TestUniqueSessions: of sessions that take the same further keys at once, each
// key has one winner, and the others are told 23505 or, in a transaction, 40001.
func TestUniqueSessions(t *testing.T) {
	e := newEngine(t)
	do(t, e.Session(), "CREATE TABLE u(id INT PRIMARY KEY, a INT UNIQUE)")
	const workers, keys = 4, 40
	var won atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := e.Session()
			run := func(text string) error {
				_, err := s.Run(context.Background(), text)
				return err
			}
			for k := range keys {
				texts := []string{fmt.Sprintf("INSERT INTO u VALUES (%d, %d)", w*1000+k, k)}
				if k%2 == 1 {
					texts = []string{"BEGIN", texts[0], "COMMIT"}
				}
				var err error
				for _, text := range texts {
					if err = run(text); err != nil {
						break
					}
				}
				if err == nil {
					won.Add(1)
					continue
				}
				if code := All(err)[0].Code; code != "23505" && code != "40001" {
					t.Errorf("key %d: %s", k, describeError(err))
				}
				if s.InTransaction() {
					if err := run("ROLLBACK"); err != nil {
						t.Error(err)
					}
				}
			}
		}()
	}
	wg.Wait()
	is(t, "winners", won.Load(), int64(keys))
	is(t, "rows", rows(t, e.Session(), "SELECT count(*), count(DISTINCT a) FROM u"), "40|40")
}

// TestReplaceUnderReader: rows that are open, and a transaction that began before,
// show the view as it was, whatever takes its place.
func TestReplaceUnderReader(t *testing.T) {
	e := newEngine(t)
	s, other := e.Session(), e.Session()
	do(t, s, "CREATE TABLE a(id INT);\nINSERT INTO a VALUES (1), (2);\nCREATE MATERIALIZED VIEW m AS SELECT id FROM a;\nCREATE VIEW p AS SELECT id FROM a")
	do(t, other, "BEGIN")
	for _, name := range []string{"m", "p"} {
		res, err := s.Run(context.Background(), "SELECT id FROM "+name+" ORDER BY id")
		if err != nil {
			t.Fatal(err)
		}
		kind := map[string]string{"m": "MATERIALIZED VIEW", "p": "VIEW"}[name]
		do(t, s, "CREATE OR REPLACE "+kind+" "+name+" AS SELECT id + 10 AS id FROM a")
		got, err := cells(res.Rows)
		is(t, name+": open rows", fmt.Sprint(got, err), "[1 2] <nil>")
		is(t, name+": now", rows(t, s, "SELECT id FROM "+name+" ORDER BY id"), "11\n12")
		is(t, name+": of before", rows(t, other, "SELECT id FROM "+name+" ORDER BY id"), "1\n2")
	}
}

// TestUnknownSchema: a relation of a schema that is not there is 42P01, and one to
// be made there 3F000; nothing changes under the bare name.
func TestUnknownSchema(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, "CREATE TABLE t(a INT);\nINSERT INTO public.t VALUES (1)")
	for _, c := range []struct{ text, code string }{
		{"INSERT INTO nope.t VALUES (2)", "42P01"},
		{"UPDATE nope.t SET a = 2", "42P01"},
		{"DELETE FROM nope.t", "42P01"},
		{"TRUNCATE nope.t", "42P01"},
		{"ALTER TABLE nope.t RENAME TO u", "42P01"},
		{"CREATE TABLE nope.u(a INT)", "3F000"},
		{"CREATE TABLE nope.u AS SELECT 1 AS x", "3F000"},
	} {
		_, err := s.Run(context.Background(), c.text)
		if err == nil || All(err)[0].Code != c.code {
			t.Errorf("%s: wanted %s, got %v", c.text, c.code, err)
		}
	}
	is(t, "rows", rows(t, s, "SELECT a FROM t"), "1")
}
