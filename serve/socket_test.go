package serve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestSocket: only its owner may use it, what a killed server left is replaced, a
// file that is no socket is not, and a path may be long.
func TestSocket(t *testing.T) {
	dir := t.TempDir()
	for len(dir) < 2*maxPath {
		dir = filepath.Join(dir, "a-directory-with-a-long-name")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(context.Background(), dir); !errors.Is(err, ErrNoServer) {
		t.Errorf("nobody: %v", err)
	}
	if _, err := Dial(context.Background(), filepath.Join(dir, "missing")); !errors.Is(err, ErrNoServer) {
		t.Errorf("no directory: %v", err)
	}
	l, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	l.(*listener).UnixListener.Close() // as a kill does
	if _, err := Dial(context.Background(), dir); !errors.Is(err, ErrNoServer) {
		t.Errorf("killed: %v", err)
	}
	_, _, st := served(t, dir)
	s := session(t, st)
	is(t, "row", do(t, s, "SELECT 1"), "[1]")
	s.Close()
	info, err := os.Lstat(filepath.Join(dir, SocketName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, SocketName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(other); err == nil {
		t.Error("a file was replaced by a socket")
	}
}
