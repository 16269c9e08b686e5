package slt

import (
	"slices"
	"strings"
	"testing"
)

func sortLines(l []string) { slices.Sort(l) }

// fake answers from a table.
type fake map[string]*Result

func (fake) Names() []string { return []string{"fake"} }

func (f fake) Exec(sql string) (*Result, error) {
	if r, ok := f[sql]; ok {
		return r, nil
	}
	return nil, &Failure{"42601", "what is " + sql}
}

func ints(width int, cells ...string) *Result {
	r := &Result{Count: -1}
	for range width {
		r.Types = append(r.Types, "integer")
	}
	for row := range slices.Chunk(cells, width) {
		var line []Cell
		for _, c := range row {
			line = append(line, Cell{Text: c, Null: c == "NULL"})
		}
		r.Rows = append(r.Rows, line)
	}
	return r
}

// TestFormats: the dialects that results are written in, right and wrong.
func TestFormats(t *testing.T) {
	e := fake{"q": ints(2, "3", "4", "1", "NULL"), "one": ints(1, "2", "1"), "s": &Result{Count: 3},
		"text": {Types: []string{"text", "boolean", "numeric"}, Rows: [][]Cell{{{Text: ""}, {Text: "t"}, {Text: "2.50"}}, {{Text: "a b\n"}, {Null: true}, {Text: "1e3"}}}}}
	for _, c := range []struct {
		text string
		good bool
	}{
		{"query II nosort\nq\n----\n3\n4\n1\nNULL", true},
		{"query II nosort\nq\n----\n1\nNULL\n3\n4", false},
		{"query II rowsort\nq\n----\n1\nNULL\n3\n4", true},
		{"query II rowsort\nq\n----\n3\n4\n1\nNULL", true},
		{"query II valuesort\nq\n----\n1\n3\n4\nNULL", true},
		{"query II valuesort\nq\n----\n1\n4\n3\nNULL", false},
		{"query II\nq\n----\n3 4\n1 NULL", true},
		{"query II\nq\n----\n1 NULL\n3 4", false},
		{"query II rowsort\nq\n----\n1|NULL\n3|4", true},
		{"query II rowsort\nq\n----\n1|NULL", false},
		{"query II rowsort\nq\n----", false},
		{"query III rowsort\nq\n----\n1|NULL", false},
		{"query II nosort\nq\n----\n4 values hashing to " + hash([]string{"3", "4", "1", "NULL"}), true},
		{"query II rowsort\nq\n----\n4 values hashing to " + hash([]string{"3", "4", "1", "NULL"}), false},
		{"query I nosort x\none\n----\n2\n1\n\nquery I rowsort x\none\n----\n1\n2", false},
		{"query I rowsort x\none\n----\n2\n1\n\nquery I rowsort x\none\n----\n1\n2", true},
		{"control sortmode rowsort\n\nquery I\none\n----\n1\n2", true},
		{"query TTR\ntext\n----\n(empty)\ttrue\t2.500\na b@\tNULL\t1000", true},
		{"query TTR\ntext\n----\n(empty)\tfalse\t2.500\na b@\tNULL\t1000", false},
		{"statement ok\ns", true}, {"statement count 3\ns", true}, {"statement count 2\ns", false}, {"statement ok\nnothing;", false},
		{"statement error\nnothing", true}, {"statement error 42601\nnothing", true}, {"statement error 42602\nnothing", false},
		{"statement error what .* nothing\nnothing", true}, {"statement error\ns", false}, {"statement error\nnothing\n----\nwhat is nothing", true},
		{"query error 42601\nnothing", true}, {"query error 1\ns", false},
		{"skipif fake\nstatement ok\nnothing", true}, {"onlyif other\nstatement ok\nnothing", true}, {"onlyif fake\nstatement ok\nnothing", false},
		{"halt\n\nstatement ok\nnothing", true}, {"hash-threshold 8\n\n# nothing\nsubtest a\n\nstatement ok\ns", true},
	} {
		records, err := Parse(c.text)
		if err != nil {
			t.Fatalf("%q: %v", c.text, err)
		}
		if rep := Run(e, records, Options{}); (len(rep.Failures) == 0) != c.good {
			t.Errorf("%q: %s", c.text, strings.Join(rep.Failures, "\n"))
		}
	}
	for _, bad := range []string{"statement", "statement maybe\ns", "statement count x\ns", "hash-threshold"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// stale is ours, but a refresh after the second one of a view does nothing.
type stale struct {
	Engine
	seen map[string]int
}

func (s stale) Exec(sql string) (*Result, error) {
	if strings.HasPrefix(sql, "REFRESH") {
		if s.seen[sql]++; s.seen[sql] > 2 {
			return &Result{Count: -1}, nil
		}
	}
	return s.Engine.Exec(sql)
}

// TestChurnSees: a view that does not follow its tables is found, with a script.
func TestChurnSees(t *testing.T) {
	records, err := Parse("statement ok\nCREATE TABLE t (a int, b text)\n\nstatement ok\nINSERT INTO t VALUES (1, 'x'), (1, 'x'), (2, NULL)\n\nquery I\nSELECT sum(a), b FROM t GROUP BY b")
	if err != nil {
		t.Fatal(err)
	}
	right, err := Churn(openOurs, records, 1)
	if err != nil || len(right.Wrong) > 0 || right.Strict != 1 || right.Steps < 5 {
		t.Errorf("%+v %v", right, err)
	}
	wrong, err := Churn(func() (Engine, func(), error) {
		e, done, err := openOurs()
		return stale{e, map[string]int{}}, done, err
	}, records, 1)
	if err != nil || len(wrong.Wrong) == 0 || !strings.Contains(wrong.Wrong[0], "INSERT INTO t VALUES") {
		t.Errorf("%+v %v", wrong, err)
	}
}
