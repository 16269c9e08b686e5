package explain_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/explain"
)

var rewrite = flag.Bool("rewrite", false, "write what is printed as what is expected")

// goldens are the scripts of testdata.
func goldens(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	out := all[:0]
	for _, f := range all {
		if filepath.Base(f) != "schema.sql" {
			out = append(out, f)
		}
	}
	if len(out) < 40 {
		t.Fatalf("%d goldens", len(out))
	}
	return out
}

// rehearse explains the statements of files, which run in an empty database.
func rehearse(t *testing.T, o ivmc.ExplainOptions, files ...string) string {
	t.Helper()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := db.Session()
	defer s.Close()
	var parts []string
	for _, f := range files {
		parts = nil
		in, err := os.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		script := ivmc.NewScript(in)
		for {
			st, err := script.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			o.Line, o.Column = st.Line, st.Column
			text, ok, err := s.Rehearse(context.Background(), &o, st.Text)
			if err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			if ok {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, "\n")
}

// outer is a column of a query further out, which its APPLY names.
var outer = regexp.MustCompile(`outer[0-9]+#[0-9]+`)

func lines(text string) []string { return strings.Split(text, "\n") }

// compare checks a golden file, or writes it.
func compare(t *testing.T, file, got string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s is another (%v): go test ./explain -rewrite, and read the difference; now\n%s", file, err, got)
	}
}

// TestGoldens: all stages of every script as text, and as JSON and pictures where
// there is such a file.
func TestGoldens(t *testing.T) {
	seen := ""
	for _, f := range goldens(t) {
		base := strings.TrimSuffix(f, ".sql")
		text := rehearse(t, ivmc.ExplainOptions{Stage: "all"}, "testdata/schema.sql", f)
		seen += text
		compare(t, base+".txt", text)
		for i, l := range lines(text) {
			if utf8.RuneCountInString(l) > explain.Width {
				t.Errorf("%s.txt:%d: wider than %d columns", base, i+1, explain.Width)
			}
			if strings.Contains(outer.ReplaceAllString(l, ""), "#") {
				t.Errorf("%s.txt:%d: a column by number: %s", base, i+1, l)
			}
		}
		for _, format := range []string{"json", "dot", "mermaid", "svg"} {
			file := base + "." + format
			if _, err := os.Stat(file); err == nil {
				compare(t, file, rehearse(t, ivmc.ExplainOptions{Stage: "delta", Format: format}, "testdata/schema.sql", f))
			}
		}
	}
	for _, c := range delta.Codes() {
		if c.Definition && !strings.Contains(seen, "("+c.Code+")") {
			t.Errorf("no golden shows %s", c.Code)
		}
	}
}

// TestEveryOperator: every operator of plans and of the algebra stands in a golden.
func TestEveryOperator(t *testing.T) {
	op := regexp.MustCompile(`"op": "([^"]+)"`)
	seen := map[string]bool{}
	for _, f := range goldens(t) {
		for _, stage := range []string{"normalized", "delta", "full"} {
			script := f
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(b), "EXPLAIN (") {
				text := strings.ReplaceAll(string(b), "STAGE 'all'", "STAGE '"+stage+"', FORMAT json")
				tmp := filepath.Join(t.TempDir(), "q.sql")
				if err := os.WriteFile(tmp, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				script = tmp
			}
			for _, m := range op.FindAllStringSubmatch(rehearse(t, ivmc.ExplainOptions{Stage: stage, Format: "json"}, "testdata/schema.sql", script), -1) {
				seen[m[1]] = true
			}
		}
	}
	for _, o := range delta.Ops() {
		if !seen[string(o)] {
			t.Errorf("no golden has the operator %q", o)
		}
	}
	for _, name := range []string{"scan", "filter", "project", "join", "outer", "match", "combine", "union all", "aggregate", "sort", "window", "limit", "unnest", "values"} {
		if !seen[name] {
			t.Errorf("no golden has %q of the algebra", name)
		}
	}
}
