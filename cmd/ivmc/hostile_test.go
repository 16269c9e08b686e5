//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The bounds of any answer: 10 seconds of a quiet machine, measured as processor
// time, of which a crowded one takes up to twice as much for the same work.
// hostileClock is how long it may take by the clock.
const (
	hostileTime  = 20 * time.Second
	hostileBytes = 1 << 30
	hostileClock = 5 * time.Minute
)

// answer is how a run of the command ended.
type answer struct {
	status   int
	out, err string
	took     time.Duration
	peak     int64 // of resident memory
}

// ask runs the command in a process of its own.
func ask(t *testing.T, in string, args ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hostileClock)
	defer cancel()
	c := exec.CommandContext(ctx, "ivmc", args...)
	var out, errs bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(in), &out, &errs
	c.Env = append(os.Environ(), "IVMC_DB=")
	_ = c.Run()
	a := answer{status: c.ProcessState.ExitCode(), out: out.String(), err: errs.String(), took: c.ProcessState.UserTime() + c.ProcessState.SystemTime()}
	a.peak = c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	return a
}

// sane reports an answer that nobody should get.
func (a answer) sane(t *testing.T) {
	t.Helper()
	if a.took > hostileTime {
		t.Errorf("took %s", a.took)
	}
	if a.peak > hostileBytes {
		t.Errorf("took %d MiB", a.peak>>20)
	}
	if a.status < 0 || a.status > 3 {
		t.Errorf("status %d", a.status)
	}
	for _, bad := range []string{"panic", "goroutine ", "XX000"} {
		if strings.Contains(a.err, bad) || strings.Contains(a.out, bad) {
			t.Errorf("%.2000s%.2000s", a.err, a.out)
		}
	}
}

// lastCode is the SQLSTATE of the last statement that failed; "" if none did.
func lastCode(out string) (code string) {
	for line := range strings.Lines(out) {
		var o struct{ Error *struct{ Code string } }
		if json.Unmarshal([]byte(line), &o) == nil && o.Error != nil {
			code = o.Error.Code
		}
	}
	return code
}

// TestHostile sends what no person would. Each is answered, or refused, in time,
// with little memory, and by an error of SQL.
func TestHostile(t *testing.T) {
	rep := strings.Repeat
	list := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	setup := "CREATE TABLE t(a INT, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, NULL);\n"
	long := rep("n", 10_000)
	cases := []struct {
		name, sql string
		code      string // "": an answer; "*": an answer or an error
	}{
		{"200k literals in a list", "SELECT a FROM t WHERE a IN (1" + rep(", 2", 200_000) + ");", ""},
		{"200k literals in VALUES", "SELECT count(*) FROM (VALUES (1)" + rep(", (2)", 200_000) + ") v;", ""},
		{"200k literals in INSERT", "INSERT INTO t VALUES (1, 'a')" + rep(", (2, 'b')", 200_000) + ";", ""},
		{"200k literals in a sum", "SELECT 1" + rep(" + 1", 200_000) + ";", "*"},
		{"200k words in a list", "SELECT a FROM t WHERE b IN ('x'" + rep(", 'y'", 200_000) + ");", ""},
		{"200k conditions", "SELECT a FROM t WHERE a = 1" + rep(" OR a = 2", 200_000) + ";", "*"},
		{"200k in a view", "CREATE MATERIALIZED VIEW v AS SELECT a FROM t WHERE a IN (1" + rep(", 2", 200_000) + ");", "*"},
		{"20k arms", "SELECT 1" + rep(" UNION ALL SELECT 1", 20_000) + ";", "*"},
		{"20k arms of a table", "SELECT a FROM t" + rep(" UNION ALL SELECT a FROM t", 20_000) + ";", "*"},
		{"20k arms of UNION", "SELECT 1" + rep(" UNION SELECT 2", 20_000) + ";", "*"},
		{"9000 arms of UNION", "SELECT 1" + rep(" UNION SELECT 2", 9000) + ";", ""},
		{"9000 arms of UNION in a view", "CREATE MATERIALIZED VIEW v AS SELECT a FROM t" + rep(" UNION SELECT a + 1 FROM t", 9000) + ";", ""},
		{"9000 arms of UNION and UNION ALL", "SELECT 1" + rep(" UNION SELECT 2 UNION ALL SELECT 3", 4500) + ";", ""},
		{"9000 arms of EXCEPT", "SELECT 1" + rep(" EXCEPT SELECT 2", 9000) + ";", "54001"},
		{"9000 conditions", "SELECT a FROM t WHERE a <> 0" + list(9000, func(i int) string { return fmt.Sprintf(" AND a <> %d", i) }) + ";", ""},
		{"20k arms in a view", "CREATE MATERIALIZED VIEW v AS SELECT a FROM t" + rep(" UNION ALL SELECT a FROM t", 20_000) + ";", "*"},
		{"100k parentheses", "SELECT " + rep("(", 100_000) + "1" + rep(")", 100_000) + ";", "54001"},
		{"100k NOTs", "SELECT " + rep("NOT ", 100_000) + "true;", "54001"},
		{"100k CASEs", "SELECT " + rep("CASE WHEN true THEN ", 100_000) + "1" + rep(" END", 100_000) + ";", "54001"},
		{"100k WHENs", "SELECT CASE a " + list(100_000, func(i int) string { return fmt.Sprintf("WHEN %d THEN %d ", i, i) }) + "END FROM t;", "*"},
		{"100k casts", "SELECT 1" + rep("::int", 100_000) + ";", "54001"},
		{"100k calls", "SELECT " + rep("abs(", 100_000) + "1" + rep(")", 100_000) + ";", "54001"},
		{"100k queries", "SELECT " + rep("(SELECT ", 100_000) + "1" + rep(")", 100_000) + ";", "54001"},
		{"10k WITHs", "WITH c0 AS (SELECT 1 AS a)" + list(10_000, func(i int) string { return fmt.Sprintf(", c%d AS (SELECT a FROM c%d)", i+1, i) }) + " SELECT * FROM c10000;", "*"},
		{"doubling WITHs", "WITH c0 AS (SELECT 1 AS a)" + list(60, func(i int) string {
			return fmt.Sprintf(", c%d AS (SELECT x.a FROM c%d x, c%d y)", i+1, i, i)
		}) + " SELECT count(*) FROM c60;", "*"},
		{"doubling views", "CREATE VIEW v0 AS SELECT a FROM t;" + list(12, func(i int) string {
			return fmt.Sprintf("CREATE VIEW v%d AS SELECT x.a FROM v%d x JOIN v%d y ON x.a = y.a;", i+1, i, i)
		}) + "CREATE MATERIALIZED VIEW v AS SELECT count(*) FROM v12;", "42P01"},
		{"1000 joins", "SELECT count(*) FROM t t0" + list(1000, func(i int) string { return fmt.Sprintf(" JOIN t t%d ON t%d.a = t%d.a", i+1, i, i+1) }) + ";", "*"},
		{"200 joins of lists", "SELECT count(*) FROM (VALUES (1)) t0(a)" + list(199, func(i int) string {
			return fmt.Sprintf(" JOIN (VALUES (1)) t%d(a) ON t%d.a = t%d.a", i+1, i+1, i)
		}) + ";", ""},
		{"200 joins in a view", "CREATE MATERIALIZED VIEW v AS SELECT count(*) FROM t t0" + list(199, func(i int) string { return fmt.Sprintf(" JOIN t t%d ON t%d.a = t%d.a", i+1, i+1, i) }) + "; INSERT INTO t VALUES (70, 'x'); REFRESH MATERIALIZED VIEW v INCREMENTAL;", ""},
		{"20k tables in FROM", "SELECT 1 FROM t t0" + list(20_000, func(i int) string { return fmt.Sprintf(", t t%d", i+1) }) + ";", "54001"},
		{"199 outer joins in a view", "CREATE MATERIALIZED VIEW v AS SELECT count(*) FROM t t0" + list(199, func(i int) string { return fmt.Sprintf(" LEFT JOIN t t%d ON t%d.a = t%d.a", i+1, i, i+1) }) + ";", ""},
		{"70 lists, any of them", "SELECT a FROM t WHERE a = 3" + list(70, func(i int) string { return fmt.Sprintf(" OR a IN (SELECT a + %d FROM t)", i) }) + ";", ""},
		{"300 lists, any of them", "SELECT a FROM t WHERE a = 3" + list(300, func(i int) string { return fmt.Sprintf(" OR a IN (SELECT a + %d FROM t)", i) }) + ";", "54001"},
		{"1000 queries as values in INSERT", "INSERT INTO t(a) SELECT 1 FROM (SELECT 1" + list(1000, func(i int) string { return fmt.Sprintf(", (SELECT max(a) + %d FROM t)", i) }) + " FROM t) q;", "54001"},
		{"500 windows in a view", "CREATE MATERIALIZED VIEW v AS SELECT a" + list(500, func(i int) string { return fmt.Sprintf(", sum(a) OVER (PARTITION BY a + %d) AS s%d", i, i) }) + " FROM t;", ""},
		{"100k WHENs in a view", "CREATE MATERIALIZED VIEW v AS SELECT CASE " + list(100_000, func(i int) string { return fmt.Sprintf("WHEN a = %d THEN %d ", i, i) }) + "END AS x FROM t;", "54001"},
		{"100k rows in a list in a view", "CREATE MATERIALIZED VIEW v AS SELECT a FROM t WHERE (a, b) IN ((0, 'x')" + list(100_000, func(i int) string { return fmt.Sprintf(", (%d, 'y')", i) }) + ");", "54001"},
		{"a sort by 20k expressions", "SELECT a FROM t ORDER BY a" + list(20_000, func(i int) string { return fmt.Sprintf(", a + %d", i) }) + ";", "54011"},
		{"100k columns", "SELECT 1" + rep(", 1", 100_000) + ";", "*"},
		{"a table of 100k columns", "CREATE TABLE w(c0 INT" + list(100_000, func(i int) string { return fmt.Sprintf(", c%d INT", i+1) }) + ");", "54011"},
		{"a sort by 100k", "SELECT a FROM t ORDER BY a" + rep(", a", 100_000) + ";", "*"},
		{"a literal of 10 MB", "SELECT length('" + rep("x", 10<<20) + "');", ""},
		{"a literal of 20 MB", "SELECT length('" + rep("x", 20<<20) + "');", "54000"},
		{"an open literal of 20 MB", "SELECT '" + rep("x;", 10<<20), "*"},
		{"a comment of 20 MB", "/*" + rep("x;", 10<<20) + "*/ SELECT 1;", "*"},
		{"an open comment", "/*" + rep("/*", 1<<20), "*"},
		{"20 MB of blanks", rep(" ", 20<<20) + "SELECT 1;", "*"},
		{"a million semicolons", rep(";", 1<<20) + "SELECT 1;", ""},
		{"a million errors", rep("x;", 100_000), "42601"},
		{"control bytes", "SELECT '" + list(31, func(i int) string { return string(rune(i + 1)) }) + "' AS s;", ""},
		{"NUL in a literal", "SELECT 'a\x00b';", "*"},
		{"NUL in a name", "CREATE TABLE \"a\x00b\"(a INT);", "*"},
		{"NUL by an escape", `SELECT E'a\000b';`, "*"},
		{"no UTF-8", "SELECT '\xff\xfe', \"\xc3(\";", "*"},
		{"a mark of byte order", "\ufeffSELECT 1;", "*"},
		{"half a surrogate", `SELECT U&'\d800', E'\ud800';`, "*"},
		{"a long name", "CREATE TABLE " + long + "(" + long + " INT); INSERT INTO " + long + " VALUES (1); SELECT " + long + " FROM " + long + "; SHOW TABLES;", "*"},
		{"quotes in names", `CREATE TABLE """;DROP TABLE t;--"("'" INT, """" TEXT); INSERT INTO """;DROP TABLE t;--" VALUES (1, ''''); SELECT * FROM """;DROP TABLE t;--"; SELECT * FROM t;`, ""},
		{"an empty name", `CREATE TABLE ""(a INT);`, "42601"},
		{"repeat of repeat", "SELECT length(repeat(repeat('x', 100000), 100000));", "*"},
		{"repeat of 2^31", "SELECT length(repeat('x', 2147483647));", "*"},
		{"lpad of 2^31", "SELECT length(lpad('x', 2147483647, 'y'));", "*"},
		{"doubling", "SELECT length(" + rep("concat(", 40) + "'xxxxxxxxxxxxxxxx'" + rep(", 'x')", 40) + ");", ""},
		{"replace that grows", "SELECT length(replace(replace(repeat('x', 20000), 'x', repeat('y', 1000)), 'y', repeat('z', 1000)));", "*"},
		{"a pattern of many parts", "SELECT repeat('a', 100000) LIKE '" + rep("%a", 1000) + "b';", ""},
		{"a pattern that backtracks", "SELECT repeat('a', 50) ~ '(a*)*b';", "*"},
		{"a pattern of many repeats", "SELECT 'a' ~ '(((a{1,100}){1,100}){1,100}){1,100}';", "*"},
		{"a huge power", "SELECT 10::numeric ^ 100000;", "*"},
		{"a huger power", "SELECT 1.0000000001::numeric ^ 99999999999;", "*"},
		{"many digits", "SELECT " + rep("9", 200_000) + ";", "*"},
		{"many digits behind the point", "SELECT 0." + rep("9", 200_000) + " * 2;", "*"},
		{"a huge exponent", "SELECT 1e999999999;", "*"},
		{"a product of all", "SELECT count(*) FROM (SELECT 1 AS x" + rep(" UNION ALL SELECT 1", 50) + ") a, (SELECT 1 AS x" + rep(" UNION ALL SELECT 1", 50) + ") b, t, t t2;", ""},
		{"limits", "SELECT a FROM t LIMIT 9223372036854775807 OFFSET 9223372036854775807;", ""},
		{"a limit below", "SELECT a FROM t LIMIT -1;", "*"},
		{"to a folder", "COPY t TO '.' (FORMAT csv);", "42809"},
		{"from a device", "COPY t FROM '/dev/zero' (FORMAT csv);", "42809"},
		{"from memory", "COPY t FROM '/proc/self/mem' (FORMAT csv);", "*"},
		{"to a device", "COPY t TO '/dev/full' (FORMAT csv);", "*"},
		{"from above", "COPY t FROM '../../../../../../../../../../nowhere.csv';", "58P01"},
		{"a name with NUL", "COPY t FROM E'a\\000.csv';", "*"},
		{"a long file name", "COPY t FROM '" + rep("x", 100_000) + ".csv';", "*"},
		{"a name of many folders", "COPY t TO '" + rep("x/", 50_000) + "y.csv';", "*"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && len(c.sql) > 1<<20 {
				t.Skip("large")
			}
			t.Parallel() // each is a process of its own, and what it takes is its own
			a := ask(t, setup+c.sql+"\nSELECT count(*) FROM t;", "sql", "--memory", "--format", "json", "-")
			a.sane(t)
			if code := lastCode(a.out); code != c.code && c.code != "*" {
				t.Errorf("code %q, wanted %q: %.500s", code, c.code, a.out)
			}
			if took := a.took; took > 3*time.Second {
				t.Logf("took %s, %d MiB", took.Round(time.Millisecond), a.peak>>20)
			}
		})
	}
}

// TestHostileArguments: other doors than statements.
func TestHostileArguments(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo.csv")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	name := func(s string) string { return filepath.Join(dir, s) }
	for file, text := range map[string]string{
		"empty.csv": "", "empty.json": "", "empty.parquet": "", "empty.arrow": "", "bin.csv": "\x00\x01\xff\xfe,\n", "quote.csv": "a\n\"", "wide.csv": strings.Repeat("a,", 100_000) + "b\n1",
		"deep.json": strings.Repeat("[", 1<<20), "deeper.json": `[{"a":` + strings.Repeat(`{"a":`, 1<<19), "twice.csv": "a,a\n1,2\n", "magic.parquet": "PAR1\xff\xff\xff\x7fPAR1", "magic.arrow": "ARROW1\x00\x00\xff\xff\xff\xff\xff\xff\xff\x7f",
		"line.csv": "a\n" + strings.Repeat("x", 40<<20), "gz.csv.gz": "\x1f\x8b\x08", "zst.csv.zst": "\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff",
	} {
		if err := os.WriteFile(name(file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("x", 10_000)
	cases := [][]string{
		{"load", "--memory"}, {"refresh", long}, {"verify", "\x01"}, {"load", "t"},
	}
	for _, file := range []string{fifo, dir, "/dev/zero", "/dev/null", "/proc/self/mem", name("../" + filepath.Base(dir) + "/empty.csv"), name("nowhere.csv"),
		name("empty.csv"), name("empty.json"), name("empty.parquet"), name("empty.arrow"), name("bin.csv"), name("quote.csv"), name("wide.csv"), name("deep.json"), name("deeper.json"),
		name("twice.csv"), name("magic.parquet"), name("magic.arrow"), name("line.csv"), name("gz.csv.gz"), name("zst.csv.zst"), long} {
		cases = append(cases, []string{"load", "t", file}, []string{"load", "t", file, "--format", "csv"})
	}
	for _, table := range []string{"", "a\"b;--", "ä\n", long, "information_schema.tables"} {
		cases = append(cases, []string{"load", table, name("quote.csv")}, []string{"refresh", table}, []string{"verify", table})
	}
	for _, db := range []string{fifo, name("empty.csv"), "/dev/null", long, "/proc", strings.Repeat("y/", 3000)} {
		cases = append(cases, []string{"status", "--db", db}, []string{"sql", "--db", db, "-c", "SELECT 1"}, []string{"check", "--db", db})
	}
	for i, args := range cases {
		t.Run(fmt.Sprintf("%d %.40s", i, strings.Join(args, " ")), func(t *testing.T) {
			if !strings.Contains(strings.Join(args, " "), "--db") && args[0] != "sql" {
				args = append(args, "--db", filepath.Join(dir, "db"))
			}
			a := ask(t, "", args...)
			a.sane(t)
		})
	}
	if a := ask(t, "", "check", "--db", filepath.Join(dir, "db")); a.status != exitOK {
		t.Errorf("after all of it: %s", a.out)
	}
}
