package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// TestCommandsInScripts: what psql takes behind a backslash is taken from -c, a
// file and a pipe, outside quotes and comments; places count on.
func TestCommandsInScripts(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.sql")
	if err := os.WriteFile(other, []byte("SELECT 5 AS five; SELECT w"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := "-- a \\q of no meaning\n\\echo hel'lo'\nCREATE TABLE f(a INT); \\d f\nSELECT 'x\n\\q' AS t /* \\q */;\n\\x\nSELECT 7 AS seven /* s */ \\g\n-- c\n\\gx\n" +
		"\\nope\n\\d nowhere\n\\i " + other + "\nSELECT\n z;\n\\echo end"
	file := filepath.Join(dir, "s.sql")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := command("sql", "--memory", file)
	for _, want := range []string{"hello\nCREATE TABLE\nTable f\n", " t  \n----\n x +\n \\q\n", "seven | 7\n(1 row)\n\n-[ RECORD 1 ]\nseven | 7\n", "-[ RECORD 1 ]\nfive | 5", "end\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, want := range []string{"invalid command \\nope", `\d: relation "nowhere" does not exist`, other + ":1:26: ERROR", file + ":14:2: ERROR"} {
		if !strings.Contains(errs, want) {
			t.Errorf("no %q in\n%s", want, errs)
		}
	}
	if status != exitFailed {
		t.Errorf("status %d", status)
	}
	for _, c := range []struct {
		args   []string
		status int
		out    string
		errs   string
	}{
		{[]string{"--format", "json", "-c", "CREATE TABLE t (a INT) -- x", "-c", "SELECT 1 AS a;", "-c", "SELECT 2 AS b"}, exitOK,
			"{\"tag\":\"CREATE TABLE\"}\n{\"columns\":[{\"name\":\"a\",\"type\":\"integer\"}],\"rows\":[[\"1\"]]}\n{\"columns\":[{\"name\":\"b\",\"type\":\"integer\"}],\"rows\":[[\"2\"]]}\n", ""},
		{[]string{"-c", "SELECT 1\nAS a", "-c", "SELECT\n nope", "-c", "SELECT z"}, exitFailed, " a \n", "-c 2:2:2: ERROR"},
		{[]string{"-c", "SELECT 1\nAS a", "-c", "SELECT\n nope", "-c", "SELECT z"}, exitFailed, " a \n", "-c 3:1:8: ERROR"},
		{[]string{"-c", "SELECT\n nope"}, exitFailed, "", "-c:2:2: ERROR"},
		{[]string{"-c", `\dt`}, exitOK, "There are none.\n", ""},
		{[]string{"-c", "\\q\nSELECT 1"}, exitOK, "", ""},
		{[]string{"-c", `\d f`}, exitFailed, "", `\d: relation "f" does not exist`},
		{[]string{"-c", "\\d f\nSELECT 1", "--stop-on-error"}, exitFailed, "", `\d: relation "f" does not exist`},
		{[]string{"-c", `\g out.txt`}, exitFailed, "", `\g: "out.txt" is an argument too many`},
		{[]string{"--format", "csv", "-c", `\x on`}, exitFailed, "", `\x: it is for tables, and --format is csv`},
		{[]string{"-c", `\e`}, exitFailed, "", "there is no terminal"},
		{[]string{"-c", `\d f`, "--format", "json"}, exitFailed, `"message":"\\d is a command of the shell, and --format json prints what statements give","line":1`, ""},
	} {
		status, out, errs := command(append([]string{"sql", "--memory"}, c.args...)...)
		if status != c.status || !strings.Contains(out, c.out) || c.out == "" && out != "" || !strings.Contains(errs, c.errs) {
			t.Errorf("%q: %d %q %q", c.args, status, out, errs)
		}
	}
	// However the text arrives.
	var o, e strings.Builder
	status = run([]string{"sql", "--memory"}, iotest.OneByteReader(strings.NewReader("SELECT E'\\\\' AS b;\\echo one\r\n\\echo two")), &o, &e)
	if want := " b \n---\n \\\n(1 row)\n\none\ntwo\n"; status != exitOK || o.String() != want || e.String() != "" {
		t.Errorf("%d %q %q", status, o.String(), e.String())
	}
}
