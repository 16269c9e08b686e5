package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExplainUsage: what cannot be explained so is refused with what can.
func TestExplainUsage(t *testing.T) {
	two := "CREATE TABLE t(a INT); CREATE MATERIALIZED VIEW v AS SELECT a FROM t; CREATE MATERIALIZED VIEW w AS SELECT a FROM v"
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"-c", two, "--format", "svg"}, exitUsage, "choose one with -c 'REFRESH MATERIALIZED VIEW v' (views: v, w)"},
		{[]string{"-c", two, "--format", "mermaid"}, exitUsage, "mermaid is one picture, and there are 2"},
		{[]string{"-c", two, "--format", "yaml"}, exitUsage, `unknown format "yaml"`},
		{[]string{"-c", two, "--stage", "last"}, exitUsage, `unknown stage "last"`},
		{[]string{"-c", ""}, exitUsage, "wanted is a query, or CREATE or REFRESH MATERIALIZED VIEW"},
		{[]string{"-c", "CREATE TABLE t(a INT)"}, exitUsage, "nothing to explain"},
	} {
		status, out, errs := command(append([]string{"explain"}, c.args...)...)
		if status != c.status || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%q: %d %q %q", c.args, status, out, errs)
		}
	}
	if status, out, errs := command("explain", "-c", two+"; SELECT 1", "--format", "dot"); status != exitOK || strings.Count(out, "digraph") != 3 {
		t.Errorf("%d %q %q", status, out, errs)
	}
	if status, out, _ := command("explain", "-c", "SELECT 1 AS a", "--format", "svg"); status != exitOK || strings.Count(out, "<svg") != 1 {
		t.Errorf("%d %q", status, out)
	}
}

// TestRefreshTogether: what one command refreshes stands for one moment, and what
// fails keeps from it only what reads it.
func TestRefreshTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	say := func(args ...string) (int, string, string) {
		return command(append(args, "--db", dir)...)
	}
	if status, _, errs := say("sql", "-c", `CREATE TABLE t(a INT); CREATE MATERIALIZED VIEW v AS SELECT a FROM t; CREATE MATERIALIZED VIEW w AS SELECT a FROM v;
		CREATE MATERIALIZED VIEW d AS SELECT 1 / a AS b FROM t; CREATE MATERIALIZED VIEW e AS SELECT b FROM d; INSERT INTO t VALUES (1)`); status != exitOK {
		t.Fatal(errs)
	}
	if status, out, errs := say("refresh", "--all"); status != exitOK || strings.Count(out, "INCREMENTAL") != 4 {
		t.Errorf("%d %s %s", status, out, errs)
	}
	if status, _, errs := say("sql", "-c", "INSERT INTO t VALUES (0)"); status != exitOK {
		t.Fatal(errs)
	}
	status, out, errs := say("refresh", "--all")
	for _, want := range []string{"ivmc: d: division by zero", `ivmc: e: materialized view "e" was not refreshed because "d" was not`} {
		if status != exitFailed || !strings.Contains(errs, want) {
			t.Errorf("%d %s %s, wanted %s", status, out, errs, want)
		}
	}
	if _, out, _ := say("sql", "--format", "csv", "-c", "SELECT count(*) FROM w"); !strings.Contains(out, "2") {
		t.Errorf("%s", out)
	}
	if status, out, errs := say("refresh", "w", "none", "--cascade"); status != exitFailed || !strings.Contains(out, "v ") || !strings.Contains(errs, "ivmc: none: ") {
		t.Errorf("%d %s %s", status, out, errs)
	}
}
