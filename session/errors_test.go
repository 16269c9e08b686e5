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

// TestDiskFull: the error of a store that failed says why, once, and keeps its
// kind; what was committed is still read.
func TestDiskFull(t *testing.T) {
	full := false
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			return syscall.ENOSPC
		}
		return nil
	})
	e, err := Open("db", Options{FS: errorfs.Wrap(vfs.NewMem(), inject)})
	if err != nil {
		t.Fatal(err)
	}
	s := e.Session()
	do(t, s, sales)
	full = true
	for _, id := range []int{7, 8} { // the commit that met the failure, and one after it
		_, err = s.Run(context.Background(), "INSERT INTO sale VALUES ($1, 'x', 1)", id)
		all := All(err)
		if len(all) != 1 || all[0].Code != "53100" || !strings.Contains(all[0].Msg, "no space left") {
			t.Errorf("%s", describeError(err))
		}
		is(t, "cause", errors.Is(err, syscall.ENOSPC), true)
		is(t, "reads go on", rows(t, s, "SELECT count(*) FROM sale WHERE id < 7"), "3")
	}
	full = false
	e.Close()
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
