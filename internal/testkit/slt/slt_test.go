package slt

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/internal/testkit/postgres"
)

var (
	filesFlag   = flag.String("files", "", "files to run instead of testdata/slt, separated by commas; patterns are taken")
	seedFlag    = flag.Uint64("seed", 1, "of the churn")
	refreshFlag = flag.Bool("refresh", false, "bring materialized views up to date before each query")
	markFlag    = flag.Bool("mark", false, "put skipif ivmc before the records that fail, and take it away from those that pass")
	rewriteFlag = flag.Bool("rewrite", false, "write the results that PostgreSQL gives into the files")
)

// scripts are the files to run.
func scripts(t *testing.T) []string {
	t.Helper()
	patterns := "../../../testdata/slt/*.slt"
	if *filesFlag != "" {
		patterns = *filesFlag
	}
	var out []string
	for _, p := range strings.FieldsFunc(patterns, func(r rune) bool { return r == ',' || r == ' ' }) {
		found, err := filepath.Glob(p)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found...)
	}
	if len(out) == 0 {
		t.Fatalf("no files: %s", patterns)
	}
	return out
}

func parseFile(t *testing.T, name string) []Record {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	records, err := Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// openOurs gives an empty database in memory.
func openOurs() (Engine, func(), error) {
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, NoSync: true})
	if err != nil {
		return nil, nil, err
	}
	s := db.Session()
	return NewEngine(s), func() { _ = s.Close(); _ = db.Close() }, nil
}

// TestFiles runs each file as printed, and as views under change.
func TestFiles(t *testing.T) {
	total := &ChurnReport{}
	for _, name := range scripts(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			records := parseFile(t, name)
			e, done, err := openOurs()
			if err != nil {
				t.Fatal(err)
			}
			if *markFlag {
				defer done()
				if err := mark(name, e, records); err != nil {
					t.Fatal(err)
				}
				return
			}
			rep := Run(e, records, Options{Refresh: *refreshFlag})
			done()
			for _, f := range rep.Failures {
				t.Error(f)
			}
			churned, err := Churn(openOurs, records, *seedFlag)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range churned.Wrong {
				t.Error(w)
			}
			for _, s := range append(churned.Slow, churned.Refused...) {
				t.Log("not incremental: " + s)
			}
			t.Logf("%d records as printed; %d views incremental, %d by COMPLETE, %d refused, %d comparisons", rep.Passed,
				churned.Strict, churned.Auto, len(churned.Refused), churned.Steps)
			total.Add(churned)
		})
	}
	t.Logf("views: %d incremental, %d by COMPLETE, %d refused; %d comparisons", total.Strict, total.Auto, len(total.Refused), total.Steps)
}

// judge is PostgreSQL as an engine.
type judge struct{ c *postgres.Conn }

func (j judge) Names() []string { return []string{"postgresql", "postgres"} }

func (j judge) Exec(sql string) (*Result, error) {
	r, err := j.c.Exec(sql)
	if err != nil {
		return nil, err
	}
	if r.Code != "" {
		return nil, &Failure{r.Code, r.Message}
	}
	out := &Result{Count: tagCount(r.Tag)}
	for _, c := range r.Columns {
		out.Names, out.Types = append(out.Names, c.Name), append(out.Types, c.Type)
	}
	for _, row := range r.Rows {
		line := make([]Cell, len(row))
		for i, c := range row {
			line[i] = Cell{c.Text, c.Null}
		}
		out.Rows = append(out.Rows, line)
	}
	return out, nil
}

// TestFilesOfPostgres: what the files want is what PostgreSQL gives.
func TestFilesOfPostgres(t *testing.T) {
	srv, err := postgres.Start()
	if errors.Is(err, postgres.ErrAbsent) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Stop()
	for _, name := range scripts(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			c, err := srv.Connect()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := c.Exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public"); err != nil {
				t.Fatal(err)
			}
			records := parseFile(t, name)
			if *rewriteFlag {
				if err := rewrite(name, judge{c}, records); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, f := range Run(judge{c}, records, Options{Refresh: *refreshFlag}).Failures {
				t.Error(f)
			}
		})
	}
}
