package storage

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

func TestOpenRefuses(t *testing.T) {
	fs := vfs.NewMem()
	refused := func(what string, dir string, o Options, kind error, words ...string) {
		t.Helper()
		o.FS = fs
		s, err := Open(dir, &o)
		if err == nil {
			_ = s.Close()
		}
		if !errors.Is(err, kind) {
			t.Fatalf("%s: %v", what, err)
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Fatalf("%s: %q does not say %q", what, err, w)
			}
		}
	}
	refused("missing", "db", Options{MustExist: true}, ErrMissing, `"db"`)
	if _, err := fs.Stat("db"); err == nil {
		t.Fatal("a refused Open made the directory")
	}
	if err := fs.MkdirAll("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	refused("empty", "empty", Options{MustExist: true}, ErrMissing)

	if err := fs.MkdirAll("other", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(fs, "other/letter.txt", "dear"); err != nil {
		t.Fatal(err)
	}
	refused("foreign", "other", Options{}, ErrForeign, "letter.txt")
	if names, err := fs.List("other"); err != nil || len(names) != 1 {
		t.Fatalf("a foreign directory was written to: %v %v", names, err)
	}
	refused("a file", "other/letter.txt", Options{}, ErrForeign)

	s := mustOpen(t, fs, Options{PID: 4711})
	refused("locked", "db", Options{}, ErrLocked, "process 4711")
	mustClose(t, s)
	mustClose(t, mustOpen(t, fs, Options{MustExist: true}))

	if err := writeFile(fs, "db/IVMC", markText+"7\n"); err != nil {
		t.Fatal(err)
	}
	refused("version in the mark", "db", Options{}, ErrVersion, "version 7", "version 1")
	if err := writeFile(fs, "db/IVMC", "junk"); err != nil {
		t.Fatal(err)
	}
	refused("damaged mark", "db", Options{}, ErrCorrupt)
	if err := writeFile(fs, "db/IVMC", markText+"1\n"); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, fs, Options{})
	if err := s.db.Set(section(secFormat), binary.BigEndian.AppendUint32(nil, 9), pebble.Sync); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
	refused("version in the key space", "db", Options{}, ErrVersion, "version 9", "version 1")
}

// TestLockedByProcess opens a store that another process holds.
func TestLockedByProcess(t *testing.T) {
	dir := os.Getenv("IVMC_STORAGE_TEST_LOCK")
	if dir != "" { // we are that process
		s, err := Open(dir, nil)
		fmt.Println("opened", err)
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		if s != nil {
			_ = s.Close()
		}
		return
	}
	dir = filepath.Join(t.TempDir(), "a", "db")
	cmd := exec.Command(os.Args[0], "-test.run=^TestLockedByProcess$")
	cmd.Env = append(os.Environ(), "IVMC_STORAGE_TEST_LOCK="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "opened <nil>\n" {
		t.Fatalf("%q %v", line, err)
	}
	_, err = Open(dir, nil)
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprint("process ", cmd.Process.Pid)) {
		t.Fatalf("%v", err)
	}
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, &Options{MustExist: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, nil); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "in use by this process") {
		t.Fatalf("the same process twice: %v", err)
	}
	mustClose(t, s)
}

// TestNoGoroutines opens and closes stores, and counts what is left.
func TestNoGoroutines(t *testing.T) {
	fs := vfs.NewMem()
	mustClose(t, mustOpen(t, fs, Options{}))
	before := runtime.NumGoroutine()
	for range 5 {
		s := mustOpen(t, fs, Options{MergeFan: 2})
		script(s, func(do func() error) bool { return do() == nil })
		mustClose(t, s)
		fs = vfs.NewMem()
		if _, err := Open("db", &Options{FS: fs, MustExist: true}); err == nil {
			t.Fatal("opened what is not there")
		}
	}
	for range 1000 { // those that are just ending
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	buf := make([]byte, 1<<16)
	t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
}
