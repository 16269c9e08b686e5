package ast

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse holds, for any text: no panic; errors lie in the text, in order;
// what parses prints to a text that parses to the same tree; the pieces of Split
// stand where they say.
func FuzzParse(f *testing.F) {
	for _, src := range corpus(f) {
		f.Add(src)
	}
	f.Add(`SELECT 0 GROUP BY ((rollup(0))), "cube"(1), ROLLUP (DISTINCT 2)`)                    // functions of these names
	f.Add(`CREATE MATERIALIZED VIEW a (b COMMENT '', c COMMENT 'x') COMMENT '' AS SELECT 0, 1`) // comments that say nothing
	f.Add(`CREATE MATERIALIZED VIEW a (b COMMENT '') AS SELECT 0`)
	f.Add(`EXPLAIN("on")REFRESH MATERIALIZED VIEW A`) // an option that needs its quotes
	files, err := filepath.Glob("testdata/errors/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, block := range strings.Split(string(raw), "\n\n") {
			sql, _, _ := strings.Cut(strings.TrimPrefix(block, "errors\n"), "\n----")
			f.Add(sql)
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		checkSplit(t, src)
		st, err := Parse(src)
		if err != nil {
			checkErrors(t, src, err.(Errors))
			return
		}
		once := Print(st)
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("%q\nprinted: %s\n%s", src, once, err.(Errors).Render(once, "printed"))
		}
		if d := cmp.Diff(st, again, equalTrees); d != "" {
			t.Fatalf("%q\nprinted: %s\n%s", src, once, d)
		}
	})
}

func checkErrors(t *testing.T, src string, es Errors) {
	if len(es) == 0 || len(es) > maxErrors {
		t.Fatalf("%d errors", len(es))
	}
	n := Pos(utf8.RuneCountInString(src))
	for i, e := range es {
		if e.Code == codeInternal || e.Pos < 0 || e.Pos > n || i > 0 && e.Pos < es[i-1].Pos || e.Line < 1 || e.Col < 1 {
			t.Fatalf("%q: %s %q at %d, %d:%d", src, e.Code, e.Message, e.Pos, e.Line, e.Col)
		}
	}
	es.Render(src, "x")
}

func checkSplit(t *testing.T, src string) {
	if !utf8.ValidString(src) {
		Split(src)
		return
	}
	rs := []rune(src)
	for _, p := range Split(src) {
		if !strings.HasPrefix(string(rs[p.Offset:]), p.Text) {
			t.Fatalf("%q: %q is not at %d", src, p.Text, p.Offset)
		}
		if line, col := LineCol(src, p.Offset); line != p.Line || col != p.Col {
			t.Fatalf("%q: %d:%d, want %d:%d", src, p.Line, p.Col, line, col)
		}
	}
}
