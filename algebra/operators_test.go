package algebra

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ivmc/ivmc/expr"
)

// lines is how the line of each operator in EXPLAIN starts.
var lines = map[string]string{
	"Scan": "scan", "Filter": "filter", "Project": "project", "Join": "join", "UnionAll": "union all",
	"Aggregate": "aggregate", "Sort": "sort", "Limit": "limit", "Values": "values",
	"Outer": "left join", "Match": "anti join", "Combine": "except", "Window": "window",
	"Apply": "apply", "Unnest": "unnest", "GroupingSets": "aggregate by sets",
}

// TestOperators: every type with a definition has its own file, is in the table
// above, and stands in a golden file of bind.
func TestOperators(t *testing.T) {
	pkgs, err := parser.ParseDir(token.NewFileSet(), ".", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, pkg := range pkgs {
		for name, file := range pkg.Files {
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if ok && f.Name.Name == "eval" && f.Recv != nil {
					found[f.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name] = name
				}
			}
		}
	}
	golden := ""
	paths, _ := filepath.Glob("testdata/bind/*")
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		golden += string(b)
	}
	for op, file := range found {
		if file != strings.ToLower(op)+".go" {
			t.Errorf("%s is defined in %s", op, file)
		}
		if lines[op] == "" || !strings.Contains(golden, "\n"+lines[op]) && !strings.Contains(golden, " "+lines[op]+" ") {
			t.Errorf("%s has no golden", op)
		}
	}
	if len(found) != len(lines) {
		t.Errorf("operators %v, table %v", found, lines)
	}
}

// TestDefinitions: what has a definition here is an aggregate. The converse
// shows when a query meets one without: Eval fails with XX000.
func TestDefinitions(t *testing.T) {
	for name := range definitions {
		if !expr.IsAggregate(name) {
			t.Errorf("%s is no aggregate", name)
		}
	}
}

// TestLongChains: ten thousand terms in a row bind, normalise and print, in a
// time that grows with their number.
func TestLongChains(t *testing.T) {
	cat := tables{}
	if err := cat.create("CREATE TABLE t (a bigint, s text)"); err != nil {
		t.Fatal(err)
	}
	const n = 9000
	for name, sql := range map[string]string{
		"plus":  "SELECT a" + strings.Repeat(" + a", n) + " FROM t",
		"and":   "SELECT a FROM t WHERE a > 1" + strings.Repeat(" AND a < 5", n),
		"or":    "SELECT a FROM t WHERE a > 1" + strings.Repeat(" OR a < 5", n),
		"||":    "SELECT s" + strings.Repeat(" || s", n) + " FROM t",
		"union": "SELECT a FROM t" + strings.Repeat(" UNION ALL SELECT a FROM t", n),
		"in":    "SELECT a FROM t WHERE a IN (1" + strings.Repeat(", 1", n) + ")",
	} {
		start := time.Now()
		q, err := bound(sql, Env{Catalog: cat})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		bindTime := time.Since(start)
		if Format(Normalize(q)) == "" {
			t.Fatal("nothing printed")
		}
		t.Logf("%-6s parse and bind %v, normalise and print %v", name, bindTime, time.Since(start)-bindTime)
	}
}

// TestManyErrors: complaints are capped.
func TestManyErrors(t *testing.T) {
	_, err := bound("SELECT x"+strings.Repeat(", x", 100), Env{Catalog: tables{}})
	if es, ok := err.(Errors); !ok || len(es) != maxErrors {
		t.Fatalf("got %v", err)
	}
}

// TestExponentialWith: a chain of WITH queries that doubles at each link is
// refused, not expanded.
func TestExponentialWith(t *testing.T) {
	sql := "WITH w0 AS (SELECT 1 AS a)"
	for i := range 40 {
		sql += fmt.Sprintf(", w%d AS (SELECT x.a FROM w%d x, w%d y)", i+1, i, i)
	}
	_, err := bound(sql+" SELECT a FROM w40", Env{Catalog: tables{}})
	if err == nil || !strings.Contains(err.Error(), "too complex") {
		t.Fatalf("got %v", err)
	}
}

// TestManyTables: 200 tables join, one more is refused with its position.
func TestManyTables(t *testing.T) {
	from := func(n int) string {
		return "SELECT 1 FROM (SELECT 1 AS a) t0" + many(n-1)
	}
	if _, err := bound(from(maxTables), Env{Catalog: tables{}}); err != nil {
		t.Fatal(err)
	}
	_, err := bound(from(maxTables+1), Env{Catalog: tables{}})
	if es, ok := err.(Errors); !ok || es[0].Code != codeTooComplex || es[0].Pos <= 0 {
		t.Fatalf("got %v", err)
	}
}

func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", (SELECT 1 AS a) t%d", i+1)
	}
	return b.String()
}
