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

// TestUsageErrors: a wrong command line is told in one line, and where to read on.
func TestUsageErrors(t *testing.T) {
	t.Setenv("IVMC_DB", "")
	for line, want := range map[string]string{
		"lod":                  `there is no command "lod"; did you mean load?`,
		"zzzzzz":               `there is no command "zzzzzz"`,
		"help zzzzzz":          `there is no command "zzzzzz"`,
		"man zzzzzz":           `there is no command "zzzzzz"`,
		"--zz":                 "there is no flag --zz",
		"status a":             `"a" is one argument too many: ivmc status [flags]`,
		"load t":               "an argument is missing: ivmc load [flags] TABLE FILE..",
		"changes":              "an argument is missing: ivmc changes [flags] RELATION",
		"sql a b":              `"b" is one argument too many: ivmc sql [flags] [FILE | -]`,
		"sql -x":               "there is no flag -x",
		"sql -c":               "-c needs a value",
		"sql --memory=maybe":   `--memory "maybe": wanted is true or false`,
		"sql --format xml":     `unknown format "xml": table, csv or json`,
		"consume --batch x s":  `--batch "x": wanted is a whole number`,
		"serve --log-level x":  `log level "x": wanted debug, info, warn or error`,
		"load --format":        "--format needs a value",
		"completion tcsh":      `unknown shell "tcsh": bash, zsh, fish or powershell`,
		"refresh":              "give the names of views, or --all",
		"refresh --mode x v":   `"x" is no refresh mode`,
		"sql":                  "no database: give --db DIR, --memory, or set IVMC_DB",
		"status":               "no database: give --db DIR, or set IVMC_DB",
		"check":                "no database: give --db DIR, or set IVMC_DB",
		"verify":               "no database: give --db DIR, or set IVMC_DB",
		"dump":                 "no database: give --db DIR, or set IVMC_DB",
		"graph":                "no database: give --db DIR, or set IVMC_DB",
		"refresh v":            "no database: give --db DIR, or set IVMC_DB",
		"load t f.csv":         "no database: give --db DIR, or set IVMC_DB",
		"check --memory-limit": "--memory-limit needs a value",
	} {
		words := strings.Fields(line)
		status, out, errs := command(words...)
		try := "\nTry 'ivmc " + words[0] + " --help'.\n"
		if len(words) == 1 && strings.HasPrefix(want, "there is no") {
			try = "\nTry 'ivmc --help'.\n"
		}
		if status != exitUsage || out != "" || !strings.HasPrefix(errs, "ivmc: "+want) || !strings.HasSuffix(errs, try) {
			t.Errorf("%s: %d %q %q", line, status, out, errs)
		}
	}
	for _, name := range strings.Fields("changes check completion consume demo dump explain graph help load man refresh serve sql status verify version") {
		status, out, errs := command(name, "--help")
		if status != exitOK || errs != "" || !strings.Contains(out, "Usage:\n  ivmc "+name+" [flags]") {
			t.Errorf("%s: %d %q %q", name, status, out, errs)
		}
		if _, help, _ := command("help", name); help != out {
			t.Errorf("help %s: %q", name, help)
		}
		if status, _, errs := command(name, "--zz"); status != exitUsage || errs != "ivmc: there is no flag --zz\nTry 'ivmc "+name+" --help'.\n" {
			t.Errorf("%s: %d %q", name, status, errs)
		}
	}
}
