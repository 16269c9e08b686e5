package ast

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/antlr4-go/antlr/v4"
	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ivmc/ivmc/grammar/gen"
)

// TestGolden runs testdata. The commands: parse (canonical SQL), tree (and the
// tree), errors (as Render shows them), split.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "parse", "tree":
				st, err := Parse(d.Input)
				if err != nil {
					d.Fatalf(t, "%s", err)
				}
				out := Print(st) + "\n"
				if d.Cmd == "tree" {
					out += dump(st)
				}
				return out
			case "errors":
				_, err := Parse(d.Input)
				var es Errors
				if !errors.As(err, &es) {
					return "no error\n"
				}
				out := es.Render(d.Input, "x.sql")
				return out + es[0].Code + "\n"
			case "split":
				var b strings.Builder
				for _, p := range Split(d.Input) {
					b.WriteString(strings.Join([]string{decimal(int(p.Offset)), decimal(p.Line), decimal(p.Col),
						strings.ReplaceAll(p.Text, "\n", "\\n")}, " | ") + "\n")
				}
				return b.String()
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

// corpus is every statement of the goldens and of the project's scenarios that
// parses, or is meant to.
func corpus(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, glob := range []string{"testdata/parse/*", "testdata/cases/*"} {
		files, err := filepath.Glob(glob)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s", glob)
		}
		for _, f := range files {
			out = append(out, inputs(t, f)...)
		}
	}
	return out
}

// inputs reads the statements of a datadriven file.
func inputs(t testing.TB, file string) []string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, block := range strings.Split(string(raw), "\n\n") {
		lines := strings.Split(block, "\n")
		for len(lines) > 0 && (lines[0] == "" || lines[0][0] == '#') {
			lines = lines[1:]
		}
		if len(lines) == 0 || lines[0] != "parse" && lines[0] != "tree" {
			continue
		}
		sql, _, _ := strings.Cut(strings.Join(lines[1:], "\n"), "\n----")
		out = append(out, sql)
	}
	return out
}

// equalTrees compares without positions, and without the text of a query.
var equalTrees = cmp.Options{
	cmpopts.IgnoreTypes(At{}),
	cmpopts.IgnoreFields(CreateMaterializedView{}, "QueryText"),
	cmpopts.IgnoreFields(CreateView{}, "QueryText"),
	cmpopts.IgnoreFields(TypedLiteral{}, "Str"),
	cmpopts.EquateEmpty(),
}

func checkFixpoint(t *testing.T, src string) {
	t.Helper()
	st, err := Parse(src)
	if err != nil {
		t.Fatalf("%s\n%s", src, err.(Errors).Render(src, "first"))
	}
	once := Print(st)
	again, err := Parse(once)
	if err != nil {
		t.Fatalf("%s\nprinted: %s\n%s", src, once, err.(Errors).Render(once, "printed"))
	}
	if d := cmp.Diff(st, again, equalTrees); d != "" {
		t.Fatalf("%s\nprinted: %s\n%s", src, once, d)
	}
	if twice := Print(again); twice != once {
		t.Fatalf("no fixpoint:\n%s\n%s", once, twice)
	}
}

func TestPrintIsFixpoint(t *testing.T) {
	all := corpus(t)
	if len(all) < 150 {
		t.Fatalf("only %d statements", len(all))
	}
	for _, src := range all {
		checkFixpoint(t, src)
	}
}

// fallbacks counts where prediction had to look at the whole context.
type fallbacks struct {
	antlr.DefaultErrorListener
	n int
}

func (f *fallbacks) ReportAttemptingFullContext(p antlr.Parser, d *antlr.DFA, start, stop int, _ *antlr.BitSet, _ *antlr.ATNConfigSet) {
	f.n++
}

// TestNoFullContext keeps the grammar free of what makes ANTLR slow: a place
// where SLL prediction does not suffice.
func TestNoFullContext(t *testing.T) {
	f := &fallbacks{}
	for _, src := range corpus(t) {
		ts, _, _ := tokenise(nil, src, DefaultLimits())
		before := f.n
		p := gen.NewIVM(ts)
		p.RemoveErrorListeners()
		p.AddErrorListener(f)
		p.GetInterpreter().SetPredictionMode(antlr.PredictionModeLL)
		p.Script()
		if f.n != before {
			t.Errorf("%d full-context predictions: %s", f.n-before, src)
		}
	}
}

// TestKeywordsAreTokens holds the table of words and the grammar together.
func TestKeywordsAreTokens(t *testing.T) {
	p := gen.NewIVM(&tokens{list: []token{{lexeme: lexeme{kind: antlr.TokenEOF}}}})
	symbolic := p.GetSymbolicNames()
	for kind := gen.IVMALL; kind < len(symbolic); kind++ {
		word := lower(symbolic[kind])
		if got, ok := keyword(word); !ok || got != kind {
			t.Errorf("%s is token %d, the table says %d", word, kind, got)
		}
	}
	for word, kind := range keywords {
		if kind >= gen.IVMALL && lower(symbolic[kind]) != word {
			t.Errorf("%s has the token of %s", word, symbolic[kind])
		}
	}
}
