package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/algebra"
	sqlast "github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// pair is the catalog of the table of constructs: t with a key, u a bag.
type pair struct{}

func (pair) Relation(name string) (algebra.Relation, bool) {
	s := zset.Schema{{Name: "id", Type: zset.TInt8}, {Name: "k", Type: zset.TInt8}, {Name: "s", Type: zset.TText}, {Name: "n", Type: zset.TInt8},
		{Name: "at", Type: zset.TTimestamp}}
	switch name {
	case "t":
		return algebra.Relation{ID: 1, Name: name, Schema: s, Key: []int{0}}, true
	case "u":
		return algebra.Relation{ID: 2, Name: name, Schema: s}, true
	}
	return algebra.Relation{}, false
}

// constructs are what a view may be made of, each with the least query that has it.
func constructs() [][2]string {
	return [][2]string{
		{"filter", "SELECT id, n FROM t WHERE n > 5"},
		{"expressions, CASE, casts", "SELECT id, CASE WHEN n > 5 THEN s ELSE n::text END AS c FROM t"},
		{"inner join by equality", "SELECT t.id, u.s FROM t JOIN u ON t.k = u.k"},
		{"join by any condition", "SELECT t.id, u.s FROM t JOIN u ON t.n < u.n"},
		{"join of three", "SELECT t.id, u.s, w.n FROM t JOIN u ON t.k = u.k JOIN t w ON u.n = w.n"},
		{"cross join", "SELECT t.id, u.s FROM t CROSS JOIN u"},
		{"LEFT and RIGHT JOIN", "SELECT t.id, u.s FROM t LEFT JOIN u ON t.k = u.k"},
		{"FULL JOIN", "SELECT t.id, u.s FROM t FULL JOIN u ON t.k = u.k"},
		{"IN and EXISTS of a query", "SELECT id FROM t WHERE k IN (SELECT k FROM u)"},
		{"NOT IN and NOT EXISTS", "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.k)"},
		{"query as a value", "SELECT id, (SELECT max(n) FROM u WHERE u.k = t.k) AS m FROM t"},
		{"UNION ALL", "SELECT k FROM t UNION ALL SELECT k FROM u"},
		{"DISTINCT, UNION", "SELECT DISTINCT k FROM t"},
		{"INTERSECT", "SELECT k FROM t INTERSECT SELECT k FROM u"},
		{"EXCEPT", "SELECT k FROM t EXCEPT SELECT k FROM u"},
		{"GROUP BY with COUNT, SUM, AVG", "SELECT k, count(*) AS c, sum(n) AS s, avg(n) AS a FROM t GROUP BY k"},
		{"MIN and MAX", "SELECT k, min(n) AS a, max(n) AS b FROM t GROUP BY k"},
		{"STRING_AGG, ARRAY_AGG", "SELECT k, string_agg(s, ',' ORDER BY id) AS l FROM t GROUP BY k"},
		{"aggregates of DISTINCT values", "SELECT k, count(DISTINCT n) AS c FROM t GROUP BY k"},
		{"aggregates with FILTER", "SELECT k, count(*) FILTER (WHERE n > 0) AS c FROM t GROUP BY k"},
		{"aggregates of all rows", "SELECT count(*) AS c, sum(n) AS s FROM t"},
		{"HAVING", "SELECT k, count(*) AS c FROM t GROUP BY k HAVING count(*) > 1"},
		{"WITH, queries in FROM", "WITH w AS (SELECT k, sum(n) AS s FROM t GROUP BY k) SELECT u.s AS name, w.s FROM u JOIN w ON u.k = w.k"},
		{"ORDER BY without LIMIT, which a view ignores", "SELECT id, n FROM t ORDER BY n"},
		{"LIMIT and OFFSET", "SELECT id, n FROM t ORDER BY n LIMIT 10"},
		{"window functions", "SELECT id, row_number() OVER (PARTITION BY k ORDER BY n) AS r FROM t"},
		{"window functions over all rows", "SELECT id, row_number() OVER (ORDER BY n) AS r FROM t"},
		{"OFFSET without LIMIT", "SELECT id, n FROM t ORDER BY n OFFSET 10"},
		{"lists in FROM: unnest", "SELECT t.id, x.e FROM t, unnest(string_to_array(s, ',')) AS x(e)"},
		{"series in FROM: generate_series", "SELECT t.id, g.i FROM t CROSS JOIN LATERAL generate_series(1, n) AS g(i)"},
		{"LATERAL query", "SELECT t.id, x.s FROM t LEFT JOIN LATERAL (SELECT u.s FROM u WHERE u.k = t.k) x ON true"},
		{"LATERAL query with LIMIT: the first rows of each", "SELECT t.id, x.s FROM t CROSS JOIN LATERAL (SELECT u.s FROM u WHERE u.k = t.k ORDER BY u.n LIMIT 3) x"},
		{"now() and its kin", "SELECT id FROM t WHERE at > now()"},
	}
}

// support is the table of constructs, as they are derived.
func support(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| construct | example | class | state kept | cost of a change in |\n| --- | --- | --- | --- | --- |\n")
	for _, c := range constructs() {
		class, state, price := derived(t, c[1])
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", c[0], c[1], class, state, price)
	}
	return b.String()
}

func derived(t *testing.T, sql string) (class, state, price string) {
	stmt, err := sqlast.Parse(sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	n, err := algebra.Bind(stmt.(*sqlast.Query), algebra.Env{Catalog: pair{}})
	if err != nil {
		return "refused", "", strings.ReplaceAll(err.Error(), "|", "\\|")
	}
	n = algebra.Normalize(algebra.Unordered(n))
	plan, blockers := delta.Derive(n, delta.Options{})
	if len(blockers) > 0 {
		return "F", "", "COMPLETE: `" + blockers[0].Code + "`"
	}
	var classes, states, prices []string
	var walk func(d *delta.Description)
	walk = func(d *delta.Description) {
		if !slices.Contains(classes, string(d.Class)) {
			classes = append(classes, string(d.Class))
		}
		for _, k := range d.Keeps {
			if !slices.Contains(states, k.What) {
				states = append(states, k.What)
			}
		}
		for _, in := range d.Inputs {
			walk(in)
		}
	}
	walk(plan.Describe())
	slices.Sort(classes)
	for _, g := range plan.Grades() {
		prices = append(prices, g.Relation+" "+g.Changes.Cost.Order)
	}
	if len(states) == 0 {
		states = []string{"none"}
	}
	return strings.Join(classes, ", "), strings.ReplaceAll(strings.Join(states, "; "), "|", "\\|"), strings.Join(prices, ", ")
}

// aggregateClasses is the table of aggregates with what they keep.
func aggregateClasses() string {
	kept := map[expr.AggClass]string{
		expr.Linear:  "an accumulator for each group: what comes is added, what goes subtracted, exactly",
		expr.Ordered: "the values of each group with counts, in order",
		expr.List:    "the values of each group with counts, in the order of the list",
	}
	by := map[expr.AggClass][]string{}
	for _, name := range expr.Aggregates() {
		for _, typ := range []zset.Type{zset.TInt8, zset.TBool, zset.TText} {
			args := []*expr.Expr{expr.Col(0, typ)}
			if expr.Arity(name) == 2 {
				args = append(args, expr.Col(0, typ))
			}
			if a, err := expr.ResolveAggregate(name, args, false, -1); err == nil {
				by[a.Class()] = append(by[a.Class()], "`"+name+"`")
				break
			}
		}
	}
	var b strings.Builder
	b.WriteString("| aggregates | state |\n| --- | --- |\n")
	for _, c := range []expr.AggClass{expr.Linear, expr.Ordered, expr.List} {
		if len(by[c]) > 0 {
			fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(by[c], ", "), kept[c])
		}
	}
	return b.String()
}

// functionNames lists the functions by name.
func functionNames() string {
	var names []string
	for _, f := range expr.Functions() {
		if f.Callable() {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for i, n := range names {
		names[i] = "`" + n + "`"
	}
	return wrapped(names)
}

// wrapped is words in lines of about 120 characters.
func wrapped(words []string) string {
	var b strings.Builder
	n := 0
	for i, w := range words {
		if i < len(words)-1 {
			w += ","
		}
		if n > 0 && n+1+len(w) > 118 {
			b.WriteByte('\n')
			n = 0
		} else if n > 0 {
			b.WriteByte(' ')
			n++
		}
		b.WriteString(w)
		n += len(w)
	}
	return b.String() + "\n"
}

// options is the table of the fields of an options struct in a file of the root package.
func options(t *testing.T, file, name string) string {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| field | type | what it does |\n| --- | --- | --- |\n")
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != name {
			return true
		}
		said := ""
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			doc := strings.Join(strings.Fields(field.Doc.Text()+" "+field.Comment.Text()), " ")
			if doc == "" { // told with the one before
				doc = said
			}
			said = doc
			src, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				t.Fatal(err)
			}
			typ := string(src[field.Type.Pos()-1 : field.Type.End()-1])
			for _, id := range field.Names {
				fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", id.Name, typ, strings.NewReplacer("[", "", "]", "", "|", "\\|").Replace(doc))
			}
		}
		return false
	})
	return b.String()
}

// TestReference compares the generated pages with what the program says.
func TestReference(t *testing.T) {
	for file, parts := range map[string]map[string]string{
		"sql-support.md": {"constructs": support(t), "aggregates": aggregateClasses(), "functions": functionNames(), "casts": casts()},
		"options.md": {"options": options(t, "options.go", "Options"), "load": options(t, "load.go", "LoadOptions"),
			"subscribe": options(t, "subscribe.go", "SubscribeOptions"), "ivmctest": options(t, "ivmctest/view.go", "Options")},
	} {
		path := root + "/docs/" + file
		old := read(t, path)
		text := old
		for name, body := range parts {
			text = section(t, text, name, body)
		}
		if text == old {
			continue
		}
		if !*rewrite {
			t.Errorf("docs/%s is not what the program says: go test ./internal/testkit/docs -rewrite, and read the difference", file)
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
