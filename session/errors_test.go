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
