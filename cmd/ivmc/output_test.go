package main

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// full is a disk that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestLostOutput: no command that could not print is a success.
func TestLostOutput(t *testing.T) {
	dir := t.TempDir() + "/db"
	sql := "CREATE TABLE t(a INT PRIMARY KEY); INSERT INTO t VALUES (1); CREATE MATERIALIZED VIEW v AS SELECT count(*) FROM t; CREATE STREAM s ON TABLE t;"
	if s := run([]string{"sql", "--db", dir, "-c", sql}, strings.NewReader(""), io.Discard, io.Discard); s != exitOK {
		t.Fatalf("status %d", s)
	}
	for _, args := range [][]string{
		{"sql", "-c", "SELECT 1"}, {"sql", "-c", "SELECT 1", "--format", "json"}, {"sql", "-c", "SELECT 1", "--format", "csv"},
		{"status"}, {"status", "--format", "json"}, {"graph"}, {"refresh", "--all"}, {"verify"}, {"check"}, {"dump"}, {"changes", "t"},
		{"explain"}, {"explain", "--format", "json"}, {"explain", "--format", "svg"},
		{"version"}, {"help"}, {"help", "sql"}, {"man"}, {"man", "sql"}, {"completion", "bash"},
	} {
		var errw strings.Builder
		if s := run(append(args, "--db", dir), strings.NewReader(""), full{}, &errw); s == exitOK || !strings.Contains(errw.String(), "no space left") {
			t.Errorf("%q: status %d: %s", args, s, errw.String())
		}
	}
}
