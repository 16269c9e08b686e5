package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// tso is the digits of a TSO.
var tso = regexp.MustCompile(`[0-9]{17,}`)

// ran is what a command printed, and its status.
func ran(args ...string) (string, string, int) {
	var out, errw bytes.Buffer
	status := run(args, strings.NewReader(""), &out, &errw)
	return tso.ReplaceAllString(out.String(), "TSO"), errw.String(), status
}

func TestConsume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	sql := func(text string) string {
		t.Helper()
		out, errs, status := ran("sql", "--db", dir, "--format", "csv", "-c", text)
		if status != 0 {
			t.Fatal(text, errs)
		}
		return out
	}
	sql(`CREATE TABLE t(id BIGINT PRIMARY KEY, v TEXT); CREATE STREAM s ON TABLE t PROPERTIES("type"="detail");
INSERT INTO t VALUES (1, 'a'); INSERT INTO t VALUES (2, NULL); UPDATE t SET v = 'b"' WHERE id = 1; INSERT INTO t VALUES (3, 'c'), (4, 'd'), (5, 'e')`)
	if out, errs, status := ran("consume", "s", "--db", dir, "--", "false"); status != exitFailed || !strings.Contains(errs, "the stream stays where it was") {
		t.Error(out, errs, status)
	}
	if _, errs, status := ran("consume", "s", "--db", dir, "--", "/no/such/command"); status != exitFailed || !strings.Contains(errs, "cannot run") {
		t.Error(errs, status)
	}
	log := filepath.Join(t.TempDir(), "log")
	script := `test $(wc -l < ` + log + `) -lt 6 && { echo "-- $IVMC_STREAM $((IVMC_FROM < IVMC_TO))"; cat; } | tee -a ` + log
	os.WriteFile(log, nil, 0o600)
	out, errs, status := ran("consume", "s", "--db", dir, "--batch", "2", "--", "sh", "-c", script)
	if want := `-- s 1
{"op":"APPEND","tso":"TSO","lsn":0,"row":{"id":1,"v":"a"}}
{"op":"APPEND","tso":"TSO","lsn":0,"row":{"id":2,"v":null}}
-- s 1
{"op":"UPDATE_BEFORE","tso":"TSO","lsn":0,"row":{"id":1,"v":"a"}}
{"op":"UPDATE_AFTER","tso":"TSO","lsn":0,"row":{"id":1,"v":"b\""}}
`; out != want || status != exitFailed {
		t.Errorf("%s %s %d", out, errs, status)
	}
	if got := sql("SELECT id FROM s ORDER BY id"); got != "id\n3\n4\n5\n" {
		t.Errorf("what the command refused: %s", got)
	}
	// The input is a file, which is all there before the command starts.
	if out, errs, status = ran("consume", "s", "--db", dir, "--", "sh", "-c", "test -f /dev/stdin && wc -l; exit 1"); status != exitFailed || strings.TrimSpace(out) != "3" {
		t.Error(out, errs, status)
	}
	sql("INSERT INTO t VALUES (6, 'f')")
	out, errs, status = ran("consume", "s", "--db", dir, "--envelope", "debezium", "--", "tail", "-n", "1")
	if status != 0 || !strings.Contains(out, `{"op":"c","before":null,"after":{"id":6,"v":"f"},"source":{"connector":"ivmc","schema":"public","table":"t","tso":"TSO"`) {
		t.Error(out, errs, status)
	}
	if out, _, status := ran("consume", "s", "--db", dir, "--", "cat"); out != "" || status != 0 {
		t.Error("nothing is left", out, status)
	}
	for _, args := range [][]string{{"consume", "s"}, {"consume", "s", "--"}, {"consume", "s", "cat"}, {"consume", "s", "--envelope", "x", "--", "cat"},
		{"consume", "s", "--batch", "0", "--", "cat"}, {"changes"}, {"changes", "t", "--type", "x"}, {"changes", "t", "--format", "x"}, {"changes", "t", "--since", "now"}} {
		if _, _, status := ran(append(args[:1:1], append([]string{"--db", dir}, args[1:]...)...)...); status != exitUsage {
			t.Errorf("%v: status %d", args, status)
		}
	}
	for _, args := range [][]string{{"consume", "t", "--db", dir, "--", "cat"}, {"changes", "none", "--db", dir}} {
		if _, errs, status := ran(args...); status != exitFailed || errs == "" {
			t.Errorf("%v: %s %d", args, errs, status)
		}
	}
}

func TestChanges(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	if _, errs, status := ran("sql", "--db", dir, "-c", `CREATE TABLE "T t"(id BIGINT PRIMARY KEY, v TEXT); INSERT INTO "T t" VALUES (1, 'a'), (2, 'b'); DELETE FROM "T t" WHERE id = 2`); status != 0 {
		t.Fatal(errs)
	}
	for _, x := range []struct{ args, want string }{
		{"--type detail", `{"__op":"APPEND","__tso":"TSO","__lsn":0,"id":1,"v":"a"}
{"__op":"APPEND","__tso":"TSO","__lsn":1,"id":2,"v":"b"}
{"__op":"DELETE","__tso":"TSO","__lsn":0,"id":2,"v":"b"}
`},
		{"", `{"__op":"APPEND","__tso":"TSO","__lsn":0,"id":1,"v":"a"}` + "\n"},
		{"--format csv", "__op,__tso,__lsn,id,v\nAPPEND,TSO,0,1,a\n"},
		{"--until 5", ""},
		{"--since 5 --type append_only --format csv", "__op,__tso,__lsn,id,v\nAPPEND,TSO,0,1,a\nAPPEND,TSO,1,2,b\n"},
	} {
		out, errs, status := ran(append([]string{"changes", "T t", "--db", dir}, strings.Fields(x.args)...)...)
		if out != x.want || status != 0 {
			t.Errorf("%s: %s%s %d", x.args, out, errs, status)
		}
	}
	if out, _, status := ran("changes", "T t", "--db", dir, "--since", "2100-01-01 00:00:00"); out != "" || status != 0 {
		t.Error(out, status)
	}
	var out, errw bytes.Buffer
	if run([]string{"changes", "T t", "--db", dir, "--format", "arrow", "--type", "detail"}, strings.NewReader(""), &out, &errw) != 0 {
		t.Fatal(errw.String())
	}
	r, err := ipc.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	n := int64(0)
	for r.Next() {
		n += r.Record().NumRows()
	}
	if n != 3 || r.Err() != nil || r.Schema().Field(0).Name != "__op" {
		t.Error(n, r.Err(), r.Schema())
	}
}
