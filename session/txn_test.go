package session

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/ivmc/ivmc/storage"
)

const account = `CREATE TABLE acc(id BIGINT PRIMARY KEY, n INT);
INSERT INTO acc VALUES (1, 10), (2, 20), (3, 30);
`

// TestOwnWrites: later statements of a transaction see, change and remove its
// rows, new and old ones, by key, by scan and in joins; others do not see them.
func TestOwnWrites(t *testing.T) {
	e := newEngine(t)
	s, other := e.Session(), e.Session()
	do(t, s, account+"BEGIN;\nINSERT INTO acc VALUES (4, 40), (5, 50);\n")
	is(t, "tag", do(t, s, "UPDATE acc SET n = n + 1 WHERE id >= 3").Tag, "UPDATE 3")
	do(t, s, "DELETE FROM acc WHERE id IN (1, 5)")
	is(t, "scan", rows(t, s, "SELECT id, n FROM acc ORDER BY id"), "2|20\n3|31\n4|41")
	is(t, "key", rows(t, s, "SELECT n FROM acc WHERE id = 4"), "41")
	is(t, "gone key", rows(t, s, "SELECT n FROM acc WHERE id = 1"), "")
	is(t, "self join", rows(t, s, "SELECT a.id, b.id FROM acc a JOIN acc b ON a.id = b.id + 1 ORDER BY 1"), "3|2\n4|3")
	do(t, s, "INSERT INTO acc VALUES (1, 100)")
	is(t, "key moved", do(t, s, "UPDATE acc SET id = id + 1").Tag, "UPDATE 4")
	is(t, "again", rows(t, s, "SELECT id, n FROM acc ORDER BY id"), "2|100\n3|20\n4|31\n5|41")
	is(t, "others", rows(t, other, "SELECT id, n FROM acc ORDER BY id"), "1|10\n2|20\n3|30")
	do(t, s, "COMMIT")
	is(t, "after", rows(t, other, "SELECT id, n FROM acc ORDER BY id"), "2|100\n3|20\n4|31\n5|41")
}

// TestRollback leaves nothing.
func TestRollback(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, account)
	before := e.store.Applied()
	do(t, s, "BEGIN;\nDELETE FROM acc;\nINSERT INTO acc VALUES (9, 9);\nROLLBACK")
	is(t, "rows", rows(t, s, "SELECT count(*) FROM acc"), "3")
	is(t, "commits", e.store.Applied(), before)
	do(t, s, "BEGIN;\nDELETE FROM acc")
	s.Close()
	is(t, "closed", rows(t, e.Session(), "SELECT count(*) FROM acc"), "3")
	is(t, "budget", e.budget.Used(), int64(0))
}

// TestRepeatableRead: a transaction reads one moment.
func TestRepeatableRead(t *testing.T) {
	e := newEngine(t)
	a, b := e.Session(), e.Session()
	do(t, a, account+"BEGIN")
	is(t, "first", rows(t, a, "SELECT sum(n) FROM acc"), "60")
	do(t, b, "UPDATE acc SET n = 0;\nINSERT INTO acc VALUES (7, 7);\nDELETE FROM acc WHERE id = 2")
	is(t, "second", rows(t, a, "SELECT sum(n) FROM acc"), "60")
	is(t, "key", rows(t, a, "SELECT n FROM acc WHERE id = 2"), "20")
	do(t, a, "COMMIT")
	is(t, "after", rows(t, a, "SELECT sum(n) FROM acc"), "7")
}

// TestLostUpdate: of two transactions that write one row, the first to commit
// wins; the other gets 40001 and has no effect.
func TestLostUpdate(t *testing.T) {
	e := newEngine(t)
	a, b := e.Session(), e.Session()
	do(t, a, account)
	for name, second := range map[string]string{
		"update": "UPDATE acc SET n = n + 5 WHERE id = 1",
		"delete": "DELETE FROM acc WHERE id = 1",
	} {
		do(t, a, "BEGIN")
		do(t, b, "BEGIN")
		do(t, a, "UPDATE acc SET n = n + 1 WHERE id = 1")
		do(t, b, second+";\nINSERT INTO acc VALUES (100, 0)")
		do(t, a, "COMMIT")
		err := fails(t, b, "COMMIT", "40001")
		is(t, name, err.Msg, "could not serialize access due to concurrent update")
		is(t, name+" rows", rows(t, a, "SELECT count(*) FROM acc WHERE id = 100"), "0")
		is(t, name+" open", b.InTransaction(), false)
	}
	is(t, "sum", rows(t, a, "SELECT n FROM acc WHERE id = 1"), "12")
}

// TestSameKey: two transactions insert one key; the second fails.
func TestSameKey(t *testing.T) {
	e := newEngine(t)
	a, b := e.Session(), e.Session()
	do(t, a, account+"BEGIN;\nINSERT INTO acc VALUES (9, 1)")
	do(t, b, "BEGIN;\nINSERT INTO acc VALUES (9, 2)")
	do(t, a, "COMMIT")
	fails(t, b, "COMMIT", "40001")
	is(t, "row", rows(t, a, "SELECT n FROM acc WHERE id = 9"), "1")
}

// TestWriteSkew: snapshot isolation allows it, and so do we.
func TestWriteSkew(t *testing.T) {
	e := newEngine(t)
	a, b := e.Session(), e.Session()
	do(t, a, account+"BEGIN;\nUPDATE acc SET n = 0 WHERE id = 1 AND 10 < (10 + 20)")
	do(t, b, "BEGIN;\nUPDATE acc SET n = 0 WHERE id = 2")
	do(t, a, "COMMIT")
	do(t, b, "COMMIT")
	is(t, "rows", rows(t, a, "SELECT n FROM acc ORDER BY id"), "0\n0\n30")
}

// TestRetry: statements that are transactions of their own never lose an
// update and never fail by a race.
func TestRetry(t *testing.T) {
	e := newEngine(t)
	do(t, e.Session(), account)
	const workers, each = 4, 50
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s := e.Session()
			defer s.Close()
			for range each {
				if _, err := s.Run(context.Background(), "UPDATE acc SET n = n + 1 WHERE id = 1"); err != nil {
					t.Error(describeError(err))
				}
			}
		}()
	}
	wg.Wait()
	is(t, "n", rows(t, e.Session(), "SELECT n FROM acc WHERE id = 1"), "210")
}

// TestAborted: after an error a transaction waits for its end.
func TestAborted(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, account)
	for _, broken := range []string{"SELECT nope FROM acc", "SELEKT", "INSERT INTO acc VALUES (1, 1)", "INSERT INTO acc VALUES (NULL, 1)", "SELECT 1/0"} {
		do(t, s, "BEGIN;\nINSERT INTO acc VALUES (50, 50)")
		res, err := s.Run(context.Background(), broken)
		if err == nil && res.Rows != nil {
			_, err = cells(res.Rows)
		}
		if err == nil {
			t.Fatalf("%s worked", broken)
		}
		fails(t, s, "SELECT 1", "25P02")
		fails(t, s, "BEGIN", "25P02")
		is(t, broken, do(t, s, "COMMIT").Tag, "ROLLBACK")
		is(t, broken, rows(t, s, "SELECT count(*) FROM acc"), "3")
	}
}

// TestTransactionNotices are warnings as PostgreSQL gives them.
func TestTransactionNotices(t *testing.T) {
	s := newEngine(t).Session()
	for _, c := range []struct{ sql, tag, code string }{
		{"COMMIT", "COMMIT", "25P01"},
		{"ROLLBACK", "ROLLBACK", "25P01"},
		{"BEGIN", "BEGIN", ""},
		{"BEGIN", "BEGIN", "25001"},
		{"ROLLBACK", "ROLLBACK", ""},
	} {
		res := do(t, s, c.sql)
		code := ""
		if len(res.Notices) > 0 {
			code = res.Notices[0].Code
		}
		is(t, c.sql, res.Tag+" "+code, c.tag+" "+c.code)
	}
	do(t, s, account+"CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n FROM acc")
	for _, alone := range []string{"CREATE TABLE x(a INT)", "DROP TABLE acc", "REFRESH MATERIALIZED VIEW v", "CREATE MATERIALIZED VIEW w AS SELECT id FROM acc", "DROP MATERIALIZED VIEW v"} {
		do(t, s, "BEGIN")
		fails(t, s, alone, "25001")
		do(t, s, "ROLLBACK")
	}
}

// TestDroppedUnderTransaction: the table of an open transaction goes away.
func TestDroppedUnderTransaction(t *testing.T) {
	e := newEngine(t)
	a, b := e.Session(), e.Session()
	do(t, a, account+"BEGIN;\nINSERT INTO acc VALUES (9, 9)")
	do(t, b, "DROP TABLE acc")
	_, err := a.Run(context.Background(), "COMMIT")
	if !errors.Is(err, storage.ErrConflict) && !errors.Is(err, storage.ErrNoObject) {
		t.Errorf("commit into a dropped table: %v", err)
	}
}

// TestReaderOutlivesWrites: open rows show what was there when they were opened,
// whatever the transaction does meanwhile.
func TestReaderOutlivesWrites(t *testing.T) {
	e := newEngine(t)
	s := e.Session()
	do(t, s, account+"BEGIN;\nINSERT INTO acc VALUES (4, 40)")
	res, err := s.Run(context.Background(), "SELECT id FROM acc")
	if err != nil {
		t.Fatal(err)
	}
	do(t, s, "DELETE FROM acc WHERE id <= 2;\nINSERT INTO acc VALUES (5, 50);\nCOMMIT")
	got, err := cells(res.Rows)
	if err != nil {
		t.Fatal(err)
	}
	is(t, "rows", strings.Join(got, " "), "1 2 3 4")
}
