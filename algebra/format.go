package algebra

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/ivmc/ivmc/expr"
)

// Format prints n as an indented tree, one operator a line, inputs below their
// reader: the algebra stages of EXPLAIN. Columns appear by name, qualified
// where a name alone would not say which.
func Format(n Node) string {
	var b strings.Builder
	var print func(Node, int)
	print = func(n Node, depth int) {
		fmt.Fprintf(&b, "%s%s\n", strings.Repeat("  ", depth), n.line())
		for _, in := range n.Inputs() {
			print(in, depth+1)
		}
	}
	print(n, 0)
	return b.String()
}

// Outline is a node for people: what it is called, its line of [Format], its columns.
type Outline struct {
	Op      string
	Text    string
	Columns []string
	Inputs  []*Outline
}

// Describe outlines n and all nodes below it.
func Describe(n Node) *Outline {
	name := columns(n)
	o := &Outline{Op: opName(n), Text: n.line(), Columns: make([]string, len(n.Schema()))}
	for i := range o.Columns {
		o.Columns[i] = name(i)
	}
	for _, in := range n.Inputs() {
		o.Inputs = append(o.Inputs, Describe(in))
	}
	return o
}

// opName is the name of the type in words: union all.
func opName(n Node) string {
	var b strings.Builder
	for i, c := range reflect.TypeOf(n).Elem().Name() {
		if i > 0 && c >= 'A' && c <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return strings.ToLower(b.String())
}

// label is what a column is called, and where it comes from.
type label struct{ table, name string }

// labels lists the columns of n; computed ones have no table.
func labels(n Node) []label {
	switch n := n.(type) {
	case *Filter, *Sort, *Limit:
		return labels(n.Inputs()[0])
	case *Match:
		return labels(n.L)
	case *Join, *Outer:
		var ls []label
		for _, in := range n.Inputs() {
			ls = append(ls, labels(in)...)
		}
		return ls
	case *Aggregate:
		below, ls := labels(n.Input), make([]label, len(n.Names))
		for i, name := range n.Names {
			ls[i] = label{name: name}
			if i < len(n.Keys) && n.Keys[i].Op == expr.OpCol && below[n.Keys[i].Col].name == name {
				ls[i] = below[n.Keys[i].Col]
			}
		}
		return ls
	case *Window:
		ls := labels(n.Input)
		for _, c := range n.Calls {
			ls = append(ls, label{name: c.Name})
		}
		return ls
	case *Scan:
		ls := make([]label, 0, len(n.Fields)+1)
		for _, f := range n.Schema() {
			ls = append(ls, label{n.As, f.Name})
		}
		return ls
	case *Project:
		below, ls := labels(n.Input), make([]label, len(n.Exprs))
		for i, e := range n.Exprs {
			ls[i] = label{name: n.Names[i]}
			if e.Op == expr.OpCol && e.Col < len(below) && below[e.Col].name == n.Names[i] {
				ls[i] = below[e.Col]
			}
		}
		return ls
	}
	s := n.Schema()
	ls := make([]label, len(s))
	for i := range s {
		ls[i] = label{name: s[i].Name}
	}
	return ls
}

// columns names the columns of n for [expr.Expr.Format]: name, or table.name,
// the first that is unique; of those that remain, the n-th is name(n).
func columns(n Node) func(int) string {
	ls := labels(n)
	names, full := map[string]int{}, map[label]int{}
	for _, l := range ls {
		names[l.name]++
		full[l]++
	}
	return func(i int) string {
		switch {
		case i >= outerBase && i < scalarBase:
			return fmt.Sprintf("outer%d#%d", (i-outerBase)/levelWidth, (i-outerBase)%levelWidth)
		case i < 0 || i >= len(ls):
			return fmt.Sprintf("#%d", i)
		}
		l := ls[i]
		switch {
		case names[l.name] == 1 && l.name != "?column?":
			return quoteIdent(l.name)
		case l.table != "" && full[l] == 1:
			return quoteIdent(l.table) + "." + quoteIdent(l.name)
		}
		if l.name == "?column?" {
			return fmt.Sprintf("column%d", i+1)
		}
		n := 1
		for _, o := range ls[:i] {
			if o == l {
				n++
			}
		}
		if n == 1 {
			return quoteIdent(l.name)
		}
		return fmt.Sprintf("%s(%d)", quoteIdent(l.name), n)
	}
}

// quoteIdent prints a name so that it reads back as the same name.
func quoteIdent(s string) string {
	plain := s != "" && (s[0] < '0' || s[0] > '9')
	for _, r := range s {
		if !(r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 0x80) {
			plain = false
		}
	}
	if plain {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// list joins the n texts that f makes.
func list(n int, sep string, f func(int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f(i)
	}
	return strings.Join(parts, sep)
}

// named prints e, and its name unless that is what it prints as.
func named(text, name string) string {
	if text == quoteIdent(name) || strings.HasSuffix(text, "."+quoteIdent(name)) {
		return text
	}
	return text + " as " + quoteIdent(name)
}
