package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// TestLoadStandardInput: - is what comes in, among files, and errors say so.
func TestLoadStandardInput(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := filepath.Join(t.TempDir(), "db")
	load := func(in string, args ...string) (int, string) {
		var out, errw bytes.Buffer
		status := run(append([]string{"load", "--db", dir, "t"}, args...), strings.NewReader(in), &out, &errw)
		return status, errw.String()
	}
	for _, c := range []struct {
		in, args string
		status   int
		want     string
	}{
		{"id,s\n1,x\n2,y\n", "- --format csv", exitOK, "2 rows"},
		{"{\"id\": 3}", "--format json -", exitOK, "1 row"},
		{"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\xcb\x4c\xd1\x29\xe6\x32\xd1\xa9\xe0\x02\x00\xa4\x73\x5e\xc4\x09\x00\x00\x00", "- --format csv", exitOK, "1 row"},
		{"id\ts\n5\tx\n", `- --format csv --delimiter \t`, exitOK, "1 row"},
		{"id;s\n5;x\n", "- --format csv", exitFailed, "If ';' parts its columns"},
		{"id,s\n4,x\nz,y\n", "- --format csv", exitFailed, "File \"standard input\", row 2, column \"id\"."},
		{"id,s\n", "-", exitUsage, "give --format"},
		{"id,s\n", "- - --format csv", exitUsage, "can be read once"},
	} {
		if status, errs := load(c.in, strings.Fields(c.args)...); status != c.status || !strings.Contains(errs, c.want) {
			t.Errorf("%s: %d %s", c.args, status, errs)
		}
	}
	if _, out, _ := command("sql", "--db", dir, "--format", "csv", "-c", "SELECT sum(id), count(s) FROM t"); !strings.Contains(out, "15,4") {
		t.Error(out)
	}
	if left, _ := filepath.Glob(filepath.Join(t.TempDir(), "..", "*", "ivmc-load-*")); len(left) > 0 {
		t.Error(left)
	}
}
