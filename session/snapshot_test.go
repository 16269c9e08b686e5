package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// noticesOf are the notices of a query, code and text.
func noticesOf(t *testing.T, s *Session, sql string) string {
	t.Helper()
	res, err := s.Run(context.Background(), sql)
	if err != nil {
		t.Fatal(describeError(err))
	}
	if _, err := cells(res.Rows); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, n := range res.Notices {
		out = append(out, n.Code+" "+n.Message)
	}
	return strings.Join(out, "\n")
}

// TestBehind: a view says what it lacks, and nothing when it lacks nothing.
func TestBehind(t *testing.T) {
	clock := time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	fs := vfs.NewMem()
	open := func() (*Engine, *Session) {
		e, err := Open("db", Options{FS: fs, Clock: func() time.Time { clock = clock.Add(time.Millisecond); return clock }})
		if err != nil {
			t.Fatal(err)
		}
		return e, e.Session()
	}
	e, s := open()
	do(t, s, sales+`CREATE MATERIALIZED VIEW v AS SELECT shop, count(*) AS c FROM sale GROUP BY shop;
CREATE MATERIALIZED VIEW w AS SELECT x.shop, y.c FROM v x, v y WHERE x.shop = y.shop`)
	is(t, "current", noticesOf(t, s, "SELECT * FROM v, w"), "")
	f, _ := e.views.Frontier(idOf(t, e, "v"))
	stands := fmt.Sprintf(`stands for %d (%s); `, f, f.Time().UTC().Format("2006-01-02 15:04:05.000"))
	do(t, s, "INSERT INTO sale VALUES (8, 'q', 1)")
	is(t, "one", noticesOf(t, s, "SELECT c FROM v a WHERE c > (1)"), `VIEW_BEHIND view "v" `+stands+"1 change is pending")
	do(t, s, "UPDATE sale SET n = n + 1 WHERE shop = 'a'")
	is(t, "once a view", noticesOf(t, s, "SELECT a.c FROM v a, v b, sale"), `VIEW_BEHIND view "v" `+stands+"5 changes are pending")
	if got := noticesOf(t, s, "SELECT * FROM w"); !strings.Contains(got, `view "w" stands for`) || !strings.Contains(got, "5 changes are pending") {
		t.Errorf("a chain: %s", got)
	}
	is(t, "tables", noticesOf(t, s, "SELECT * FROM sale"), "")
	do(t, s, "REFRESH MATERIALIZED VIEW v")
	is(t, "refreshed", noticesOf(t, s, "SELECT * FROM v"), "")
	if got := noticesOf(t, s, "SELECT * FROM w"); !strings.Contains(got, `view "w" stands for`) {
		t.Errorf("the parent moved: %q", got)
	}
	do(t, s, "REFRESH MATERIALIZED VIEW w")
	is(t, "all refreshed", noticesOf(t, s, "SELECT * FROM w, v"), "")

	// A transaction is not behind for what came after its snapshot.
	s2 := e.Session()
	do(t, s2, "BEGIN")
	do(t, s, "INSERT INTO sale VALUES (9, 'q', 1)")
	is(t, "snapshot", noticesOf(t, s2, "SELECT * FROM v"), "")
	is(t, "now", noticesOf(t, s, "SELECT * FROM v") != "", true)
	do(t, s2, "COMMIT")

	// After reopening nothing is loaded to say so.
	e.Close()
	e, s = open()
	defer e.Close()
	if got := noticesOf(t, s, "SELECT * FROM v"); !strings.HasSuffix(got, "; changes are pending") {
		t.Errorf("reopened: %q", got)
	}
	st, err := e.store.Stats(idOf(t, e, "sale"))
	if err != nil || st.Loaded {
		t.Errorf("the notice loaded the table: %v %v", st.Loaded, err)
	}
	do(t, s, "REFRESH MATERIALIZED VIEW v")
	is(t, "reopened and refreshed", noticesOf(t, s, "SELECT * FROM v"), "")
}

// TestLate: what was made after a transaction began is not read as if it were empty.
func TestLate(t *testing.T) {
	e := newEngine(t)
	s, old := e.Session(), e.Session()
	do(t, s, sales)
	begin := func() { do(t, old, "BEGIN") }
	begin()
	do(t, s, "CREATE MATERIALIZED VIEW v AS SELECT shop FROM sale;\nCREATE TABLE t2(a INT)")
	err := fails(t, old, "SELECT * FROM sale, v", "55000")
	is(t, "text", err.Msg, "materialized view v was created after this transaction began")
	is(t, "place", err.Pos, len("SELECT * FROM sale, "))
	fails(t, old, "SELECT 1", "25P02")
	do(t, old, "ROLLBACK")
	is(t, "later", rows(t, old, "SELECT count(*) FROM v"), "3")

	begin()
	do(t, s, "DROP TABLE t2;\nCREATE TABLE t2(a INT, b INT);\nCREATE TABLE t3(a INT)")
	is(t, "insert", fails(t, old, "INSERT INTO t3 VALUES (1)", "55000").Msg, "table t3 was created after this transaction began")
	do(t, old, "ROLLBACK")
	begin()
	is(t, "never there", fails(t, old, "SELECT * FROM nope", "42P01").Msg, `relation "nope" does not exist`)
	do(t, old, "ROLLBACK")

	// Dropped since: the name, not a number.
	begin()
	do(t, s, "DROP TABLE t3")
	is(t, "dropped", fails(t, old, "SELECT * FROM t3", "42P01").Msg, `relation "t3" does not exist`)
	do(t, old, "ROLLBACK")
}

// TestPanic: a broken invariant is an error of its statement; the stack is for
// the log.
func TestPanic(t *testing.T) {
	var log logged
	e, err := Open("", Options{InMemory: true, Logger: &log})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	boom := func() (err error) {
		defer e.guard(&err)
		var m map[string]int
		m["x"] = 1
		return nil
	}
	got := All(boom())[0]
	is(t, "code", got.Code, "XX000")
	is(t, "message", got.Msg, "internal error: assignment to entry in nil map")
	is(t, "detail", got.Detail, "This is a bug in ivmc. The statement was stopped and changed nothing.")
	if !strings.Contains(string(log), "snapshot_test.go") {
		t.Errorf("no stack in the log: %q", log)
	}
}

type logged string

func (l *logged) Infof(string, ...any) {}
func (l *logged) Errorf(format string, args ...any) {
	*l += logged(fmt.Sprintf(format, args...))
}
