package session

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// TestDiskFull: the error of a store that failed says why, once, and keeps its kind.
// Nothing is read any more: the rows of a statement that failed may be in memory. What
// was acknowledged is there when it is opened again.
func TestDiskFull(t *testing.T) {
	full := false
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			return syscall.ENOSPC
		}
		return nil
	})
	mem := vfs.NewMem()
	e, err := Open("db", Options{FS: errorfs.Wrap(mem, inject)})
	if err != nil {
		t.Fatal(err)
	}
	s := e.Session()
	do(t, s, sales)
	full = true
	for _, id := range []int{7, 8} { // the commit that met the failure, and one after it
		_, err = s.Run(context.Background(), "INSERT INTO sale VALUES ($1, 'x', 1)", id)
		all := All(err)
		if len(all) != 1 || all[0].Code != "53100" || all[0].Hint == "" || !strings.Contains(all[0].Msg, "no space left") {
			t.Errorf("%s", describeError(err))
		}
		is(t, "cause", errors.Is(err, syscall.ENOSPC), true)
		// A commit that could be read before its sync failed ends all reads; one that met the
		// failure of another write before that was never to be seen.
		if _, err = s.Query(context.Background(), "SELECT count(*) FROM sale"); err == nil {
			is(t, "a read", rows(t, s, "SELECT count(*) FROM sale"), "3")
		} else if all := All(err); len(all) != 1 || all[0].Code != "53100" || all[0].Hint == "" {
			t.Errorf("a read: %s", describeError(err))
		}
	}
	e.Close()
	tables := errorfs.InjectorFunc(func(op errorfs.Op) error { // room for all but what the log is written out to
		if strings.HasSuffix(op.Path, ".sst") && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			return syscall.ENOSPC
		}
		return nil
	})
	_, err = Open("db", Options{FS: errorfs.Wrap(mem, tables)})
	if all := All(err); len(all) != 1 || all[0].Code != "53100" {
		t.Errorf("opening: %s", describeError(err))
	}
	full = false
	if e, err = Open("db", Options{FS: mem}); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	is(t, "opened again", rows(t, e.Session(), "SELECT count(*) FROM sale"), "3")
}

// TestSurplus: an argument that the one statement does not use is an error.
func TestSurplus(t *testing.T) {
	s := newEngine(t).Session()
	is(t, "used", rows(t, s, "SELECT $2::int + $1::int", 1, 2), "3")
	_, err := s.Query(context.Background(), "SELECT $1::int", 1, 2)
	if err == nil || All(err)[0].Code != "08P01" {
		t.Fatal(err)
	}
	is(t, "text", err.Error(), `bind message supplies 2 parameters, but prepared statement "" requires 1`)
}

// TestMeant: a relation that is not there, and one that was perhaps meant: a query of
// WITH, of this query or one around it, a table, a view, one of the catalog.
func TestMeant(t *testing.T) {
	s := newEngine(t).Session()
	do(t, s, sales)
	do(t, s, "CREATE MATERIALIZED VIEW takings AS SELECT shop, count(*) AS n FROM sale GROUP BY shop")
	for sql, want := range map[string]string{
		"SELECT * FROM sales":                                                              `Perhaps you meant "sale".`,
		"WITH totals AS (SELECT 1 AS a) SELECT * FROM total":                               `Perhaps you meant "totals".`,
		"WITH totals AS (SELECT 1 AS a) SELECT (SELECT a FROM (SELECT * FROM total) AS x)": `Perhaps you meant "totals".`,
		"WITH a AS (SELECT 1 AS a), b AS (SELECT * FROM taking) SELECT * FROM b":           `Perhaps you meant "takings".`,
		"SELECT * FROM information_schema.table":                                           `Perhaps you meant "information_schema.tables".`,
		"REFRESH MATERIALIZED VIEW takngs":                                                 `Perhaps you meant "takings".`,
		"SELECT * FROM nothing_like_it":                                                    "",
		"WITH totals AS (SELECT 1 AS a) SELECT * FROM public.total":                        "",
		"INSERT INTO sal WITH sat AS (SELECT 1) SELECT * FROM sat":                         `Perhaps you meant "sale".`,
	} {
		_, err := s.Run(context.Background(), sql)
		if all := All(err); len(all) != 1 || all[0].Code != "42P01" || all[0].Hint != want {
			t.Errorf("%s: %s", sql, describeError(err))
		}
	}
}
