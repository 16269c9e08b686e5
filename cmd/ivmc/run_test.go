package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ivmc/ivmc"
)

// start runs the command in this process with pipes.
func start(t *testing.T, args ...string) (in io.WriteCloser, out *bufio.Reader, status chan int) {
	t.Helper()
	inr, inw := io.Pipe()
	outr, outw := io.Pipe()
	status = make(chan int, 1)
	go func() {
		status <- run(args, inr, outw, io.Discard)
		outw.Close()
	}()
	return inw, bufio.NewReader(outr), status
}

// TestStream: a statement runs when its semicolon arrives, and its line is
// flushed before the next one is read.
func TestStream(t *testing.T) {
	in, out, status := start(t, "sql", "--memory", "--format", "json", "-")
	for _, c := range []struct{ send, want string }{
		{"CREATE TABLE t(s TEXT);", `{"tag":"CREATE TABLE"}`},
		{"INSERT INTO t VALUES ('a;", ""},
		{"b'); ", `{"tag":"INSERT 0 1"}`},
		{"-- ; a comment\nSELECT s", ""},
		{" FROM t;", `{"columns":[{"name":"s","type":"text"}],"rows":[["a;b"]]}`},
		{" SELECT 1; SELECT\n x;", `{"columns":[{"name":"?column?","type":"integer"}],"rows":[["1"]]}`},
	} {
		if _, err := io.WriteString(in, c.send); err != nil {
			t.Fatal(err)
		}
		if c.want == "" {
			continue
		}
		got, err := out.ReadString('\n')
		if err != nil || strings.TrimSpace(got) != c.want {
			t.Fatalf("%q gave %q %v, wanted %q", c.send, got, err, c.want)
		}
	}
	got, _ := out.ReadString('\n')
	if want := `"line":3,"column":2}`; !strings.Contains(got, want) {
		t.Errorf("place: %s, wanted %s", got, want)
	}
	in.Close()
	if s := <-status; s != exitFailed {
		t.Errorf("status %d", s)
	}
}

// TestInterrupt: SIGINT ends the command with 130, also while it waits.
func TestInterrupt(t *testing.T) {
	in, out, status := start(t, "sql", "--memory", "--format", "json", "-")
	defer in.Close()
	io.WriteString(in, "SELECT 1;")
	if _, err := out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if s := <-status; s != exitInterrupted {
		t.Errorf("status %d", s)
	}
}

// TestLocked: a directory that another one has open gives 3 and the holder's pid.
func TestLocked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	db, err := ivmc.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var out, errw bytes.Buffer
	if s := run([]string{"sql", "--db", dir, "-c", "SELECT 1"}, strings.NewReader(""), &out, &errw); s != exitStore {
		t.Errorf("status %d", s)
	}
	if want := "this process"; !strings.Contains(errw.String(), want) {
		t.Errorf("message %q does not say %q", errw.String(), want)
	}
}
