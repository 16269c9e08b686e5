package docs

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

var rewrite = flag.Bool("rewrite", false, "write the generated sections of the documentation")

// TestGenerated compares the generated sections with what the tables of the
// program say.
func TestGenerated(t *testing.T) {
	file := root + "/docs/sql.md"
	old := read(t, file)
	text := section(t, old, "operators", functions(func(f *expr.Func) bool { return !word(f.Name) }))
	text = section(t, text, "functions", functions(func(f *expr.Func) bool { return word(f.Name) && !cast(f) }))
	text = section(t, text, "aggregates", aggregates())
	text = section(t, text, "casts", casts())
	text = section(t, text, "strangers", wrapped(ast.Strangers()))
	text = section(t, text, "elsewhere", elsewhere())
	if text == old {
		return
	}
	if !*rewrite {
		t.Fatal("docs/sql.md is not what the tables say: go test ./internal/testkit/docs -rewrite, and read the difference")
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// section replaces what stands between the marks of a section.
func section(t *testing.T, text, name, body string) string {
	t.Helper()
	mark := "<!-- generated: " + name + " -->\n"
	head, rest, ok := strings.Cut(text, mark)
	_, tail, ok2 := strings.Cut(rest, "<!-- end -->")
	if !ok || !ok2 {
		t.Fatalf("docs/sql.md has no section %q", name)
	}
	return head + mark + "\n" + body + "\n<!-- end -->" + tail
}

// elsewhere is a table of the functions of other dialects.
func elsewhere() string {
	var b strings.Builder
	b.WriteString("| there | here |\n| --- | --- |\n")
	for names, write := range expr.Elsewhere {
		fmt.Fprintf(&b, "| `%s` | `%s` |\n", strings.Join(names, "`, `"), strings.ReplaceAll(write, "|", "\\|"))
	}
	return b.String()
}

// word reports whether name is written as a function; operators are signs, and
// words between or behind their arguments.
func word(name string) bool {
	return name[0] >= 'a' && name[0] <= 'z' && !strings.Contains(name, " ") && name != "like" && name != "ilike"
}

func cast(f *expr.Func) bool { return f.Name == "cast" || f.Name == "assign" || f.Name == "order_as" }

func kind(k zset.Kind) string {
	switch k {
	case expr.Any:
		return "any"
	case expr.Element:
		return "anyelement"
	}
	return strings.ReplaceAll(zset.Type{Kind: k}.String(), " without time zone", "")
}

// written are forms of arrays that are no names; the text says them.
var written = map[string]bool{"array": true, "[]": true, "[:]": true, "any": true, "all": true}

// functions is a table of the overloads of the functions that f takes.
func functions(f func(*expr.Func) bool) string {
	var b strings.Builder
	b.WriteString("| name | arguments → result |\n| --- | --- |\n")
	names, sigs, kinds := []string{}, map[string][]string{}, map[string][]string{}
	for _, fn := range expr.Functions() {
		if !f(fn) || cast(fn) || written[fn.Name] {
			continue
		}
		if !slices.Contains(names, fn.Name) {
			names = append(names, fn.Name)
		}
		sig, of := shape(fn)
		if !slices.Contains(sigs[fn.Name], sig) {
			sigs[fn.Name] = append(sigs[fn.Name], sig)
		}
		if of != "" {
			kinds[fn.Name+sig] = append(kinds[fn.Name+sig], of)
		}
	}
	for _, n := range names {
		var cells []string
		for _, sig := range sigs[n] {
			if of := kinds[n+sig]; len(of) == 1 {
				sig = strings.ReplaceAll(sig, "T", of[0])
			} else if len(of) > 1 {
				sig += " for " + strings.Join(of, ", ")
			}
			cells = append(cells, sig)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(n, "|", "\\|"), strings.Join(cells, "; "))
	}
	return b.String()
}

// shape is the signature of an overload, with T for the one type of all its
// arguments where they have one.
func shape(fn *expr.Func) (sig, of string) {
	var args []string
	one := len(fn.Args) > 0 && fn.Args[0] != expr.Any && fn.Result != expr.Any
	for _, a := range fn.Args {
		args = append(args, kind(a))
		one = one && a == fn.Args[0]
	}
	result := kind(fn.Result)
	if one {
		of = args[0]
		for i := range args {
			args[i] = "T"
		}
		if fn.Result == fn.Args[0] && fn.Result != zset.Bool { // a truth value stays one
			result = "T"
		}
	}
	sig = strings.Join(args, ", ")
	if fn.Variadic {
		sig += " .."
	}
	if fn.Rows {
		result = "rows"
	}
	return strings.TrimSpace(sig + " → " + result), of
}

func types() []zset.Type {
	return []zset.Type{zset.TInt2, zset.TInt4, zset.TInt8, zset.TNumeric, zset.TFloat4, zset.TFloat8, zset.TText, zset.TChar, zset.TBytea, zset.TBool,
		zset.TDate, zset.TTime, zset.TTimestamp, zset.TTimestampTZ, zset.TInterval, zset.TUUID}
}

func aggregates() string {
	var b strings.Builder
	b.WriteString("| name | argument → result |\n| --- | --- |\n")
	for _, name := range expr.Aggregates() {
		var sigs []string
		f8 := expr.Col(0, zset.TFloat8)
		if a, err := expr.ResolveAggregate(name, []*expr.Expr{f8, f8}, false, -1); err == nil {
			sigs = append(sigs, "double precision, double precision → "+kind(a.Typ.Kind))
		}
		for _, t := range types() {
			a, err := expr.ResolveAggregate(name, []*expr.Expr{expr.Col(0, t)}, false, -1)
			if err == nil {
				sigs = append(sigs, kind(t.Kind)+" → "+kind(a.Typ.Kind))
			}
		}
		switch name {
		case "count":
			sigs = []string{"* → bigint", "any → bigint"}
		case "string_agg":
			sigs = []string{"text, text → text", "bytea, bytea → bytea"}
		case "array_agg":
			sigs = []string{"any type but an array → array of it"}
		case "min", "max", "any_value":
			sigs = append(sigs, "anyarray → anyarray")
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, strings.Join(sigs, "; "))
	}
	return b.String()
}

// casts says in which context each type is cast to each other one.
func casts() string {
	var b strings.Builder
	b.WriteString("| from | by itself | in INSERT and UPDATE | written as a cast |\n| --- | --- | --- | --- |\n")
	for _, from := range types() {
		cells := make([][]string, 3)
		for _, to := range types() {
			if to.Kind == from.Kind {
				continue
			}
			for i, c := range []expr.CastContext{expr.Implicit, expr.Assignment, expr.Explicit} {
				if _, err := expr.Cast(expr.Col(0, from), to, c, -1); err == nil {
					cells[i] = append(cells[i], kind(to.Kind))
					break
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", kind(from.Kind), strings.Join(cells[0], ", "), strings.Join(cells[1], ", "), strings.Join(cells[2], ", "))
	}
	return b.String()
}
