package session

import (
	"context"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// reopened is an engine over a disk in memory, and a way to close it and open it again.
func reopened(t *testing.T) (e **Engine, again func() *Session) {
	t.Helper()
	fs := vfs.NewMem()
	open := func() *Engine {
		e, err := Open("db", Options{FS: fs})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	now := open()
	t.Cleanup(func() { now.Close() })
	return &now, func() *Session {
		t.Helper()
		if err := now.Close(); err != nil {
			t.Fatal(err)
		}
		now = open()
		return now.Session()
	}
}

// TestSavepoint: a transaction goes back to a savepoint, also after an error, and
// what it wrote before, the keys of it included, is as it was. What is committed
// reaches views, the log and the disk.
func TestSavepoint(t *testing.T) {
	e, again := reopened(t)
	s := (*e).Session()
	do(t, s, account+`CREATE TABLE u(id INT PRIMARY KEY, a INT UNIQUE, x TEXT);
CREATE TABLE bag(x TEXT);
INSERT INTO u VALUES (1, 1, 'one'), (2, 2, 'two');
INSERT INTO bag VALUES ('p'), ('q');
CREATE MATERIALIZED VIEW v AS SELECT x, count(*) AS n, sum(id) AS ids FROM u GROUP BY x;
CREATE MATERIALIZED VIEW b AS SELECT x, count(*) AS n FROM bag GROUP BY x;
BEGIN;
INSERT INTO u VALUES (3, 3, 'three'), (4, NULL, 'four');
UPDATE u SET a = 30 WHERE id = 1;
DELETE FROM u WHERE id = 2;
INSERT INTO bag VALUES ('r');
SAVEPOINT one`)
	want := "1|30|one\n3|3|three\n4|NULL|four"
	check := func(what string) {
		t.Helper()
		is(t, what, rows(t, s, "SELECT * FROM u ORDER BY id"), want)
		is(t, what+", by key", rows(t, s, "SELECT x FROM u WHERE id = 3"), "three")
		is(t, what+", gone key", rows(t, s, "SELECT x FROM u WHERE id = 2"), "")
		is(t, what+", bag", rows(t, s, "SELECT x FROM bag ORDER BY x"), "p\nq\nr")
	}
	for _, c := range []struct{ text, code string }{
		{"INSERT INTO u VALUES (5, 3, 'clash')", "23505"},
		{"INSERT INTO u VALUES (5, 30, 'clash')", "23505"},
		{"INSERT INTO u VALUES (9, 9, 'new'), (103, 8, 'clash')", "23505"},
		{"UPDATE u SET id = 7", "23505"},
		{"UPDATE u SET a = 1", "23505"},
		{"SELECT 1 / 0", "22012"},
		{"SELECT nothing", "42703"},
		{"SELEC 1", "42601"},
		{"INSERT INTO acc VALUES (1, 1)", "23505"}, // of a table that has no writes at the savepoint
	} {
		do(t, s, "INSERT INTO u VALUES (2, 2, 'back');\nUPDATE u SET x = upper(x), id = id + 100;\nDELETE FROM bag;\nDELETE FROM acc WHERE id = 2")
		fails(t, s, c.text, c.code)
		fails(t, s, "SELECT 1", "25P02")
		is(t, "tag", do(t, s, "ROLLBACK TO one").Tag, "ROLLBACK")
		check(c.text)
		is(t, "other table", rows(t, s, "SELECT count(*) FROM acc"), "3")
	}
	do(t, s, "TRUNCATE u;\nTRUNCATE bag;\nINSERT INTO u VALUES (3, 30, 'again');\nROLLBACK TO SAVEPOINT one")
	check("truncated")
	// Rows that are open show those of before, whatever is written in their place.
	res, err := s.Run(context.Background(), "SELECT x FROM bag")
	if err != nil {
		t.Fatal(err)
	}
	do(t, s, "INSERT INTO bag VALUES ('long enough to move');\nROLLBACK TO one;\nINSERT INTO bag VALUES ('other text')")
	got, err := cells(res.Rows)
	if err != nil || len(got) != 3 || got[2] != "r" {
		t.Errorf("open rows: %q, %v", got, err)
	}
	do(t, s, "ROLLBACK TO one;\nINSERT INTO u VALUES (2, 2, 'third'), (5, 1, 'five');\nRELEASE one")
	fails(t, s, "ROLLBACK TO one", "3B001")
	do(t, s, "ROLLBACK")
	is(t, "nothing", rows(t, s, "SELECT count(*) FROM u WHERE id > 2"), "0")
	do(t, s, "BEGIN;\nINSERT INTO u VALUES (3, 3, 'two');\nSAVEPOINT a;\nDELETE FROM u WHERE id = 1;\nDELETE FROM bag WHERE x = 'p';\nSAVEPOINT a;\nDELETE FROM u;\nROLLBACK TO a;\nRELEASE a;\nROLLBACK TO a;\nDELETE FROM bag WHERE x = 'q';\nCOMMIT")
	for k := range 2 {
		if k == 1 {
			s = again()
		}
		do(t, s, "REFRESH MATERIALIZED VIEW v INCREMENTAL;\nREFRESH MATERIALIZED VIEW b INCREMENTAL")
		is(t, "table", rows(t, s, "SELECT * FROM u ORDER BY id"), "1|1|one\n2|2|two\n3|3|two")
		is(t, "view", rows(t, s, "SELECT * FROM v ORDER BY x"), "one|1|1\ntwo|2|5")
		is(t, "view of a bag", rows(t, s, "SELECT * FROM b ORDER BY x"), "p|1")
	}
	is(t, "budget", (*e).budget.Used(), int64(0))
}

// TestSavepointNames: the words of SAVEPOINT outside a transaction, of names that
// are not there or twice, and of settings, which go back too.
func TestSavepointNames(t *testing.T) {
	s := newEngine(t).Session()
	for text, msg := range map[string]string{
		"SAVEPOINT a":             "SAVEPOINT can only be used in transaction blocks",
		"ROLLBACK TO a":           "ROLLBACK TO SAVEPOINT can only be used in transaction blocks",
		"RELEASE SAVEPOINT a":     "RELEASE SAVEPOINT can only be used in transaction blocks",
		"ROLLBACK TO SAVEPOINT a": "ROLLBACK TO SAVEPOINT can only be used in transaction blocks",
	} {
		is(t, text, fails(t, s, text, "25P01").Msg, msg)
	}
	do(t, s, account+"BEGIN;\nSAVEPOINT a;\nSAVEPOINT b")
	is(t, "unknown", fails(t, s, "RELEASE nowhere", "3B001").Msg, `savepoint "nowhere" does not exist`)
	fails(t, s, "SAVEPOINT c", "25P02")
	fails(t, s, "RELEASE a", "25P02")
	fails(t, s, "ROLLBACK TO nowhere", "3B001")
	fails(t, s, "SELECT 1", "25P02")
	do(t, s, "ROLLBACK TO A;\nSET TimeZone = 'Europe/Berlin';\nSAVEPOINT a;\nSET TimeZone = 'Asia/Tokyo'")
	do(t, s, "ROLLBACK TO a")
	is(t, "setting", rows(t, s, "SHOW TimeZone"), "Europe/Berlin")
	do(t, s, "RELEASE a;\nROLLBACK TO a")
	is(t, "setting of before", rows(t, s, "SHOW TimeZone"), "UTC")
	do(t, s, "COMMIT")
	fails(t, s, "RELEASE a", "25P01")
}
