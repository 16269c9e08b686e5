package delta

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Format prints the plan for people and tools: "text" (a tree), "json" (the tree
// and the plan's fingerprint), "dot" (Graphviz), "mermaid". Any other word is text.
func (p *Plan) Format(format string) string {
	d := p.Describe()
	switch format {
	case "json":
		b, err := json.MarshalIndent(struct {
			Kind        string       `json:"kind"`
			Fingerprint string       `json:"fingerprint"`
			Inputs      []Input      `json:"inputs"`
			Arranged    []Arranged   `json:"arrangements,omitempty"`
			States      []State      `json:"states,omitempty"`
			Plan        *Description `json:"plan"`
		}{p.kind(), p.Print, p.Inputs, p.Arranged, p.States, d}, "", "  ")
		if err != nil {
			return err.Error()
		}
		return string(b) + "\n"
	case "dot":
		return graph(d, "digraph plan {\n  node [shape=box];\n", "}\n",
			func(id int, text string) string { return fmt.Sprintf("  n%d [label=%q];\n", id, text) },
			func(from, to int) string { return fmt.Sprintf("  n%d -> n%d;\n", from, to) })
	case "mermaid":
		return graph(d, "flowchart BT\n", "",
			func(id int, text string) string {
				return fmt.Sprintf("  n%d[\"%s\"]\n", id, strings.ReplaceAll(strings.ReplaceAll(text, `"`, "#quot;"), "\n", "<br/>"))
			},
			func(from, to int) string { return fmt.Sprintf("  n%d --> n%d\n", from, to) })
	}
	var b strings.Builder
	b.WriteString(p.kind() + "\n")
	writeText(&b, d, "")
	return b.String()
}

func (p *Plan) kind() string {
	if p.FromEmpty {
		return "full plan"
	}
	return "delta plan"
}

// writeText prints one operator a line, its inputs indented below.
func writeText(b *strings.Builder, d *Description, indent string) {
	b.WriteString(indent)
	if d.Class != "" {
		fmt.Fprintf(b, "[%s] ", d.Class)
	}
	b.WriteString(d.Text)
	if d.State != "" {
		fmt.Fprintf(b, "  {%s}", d.State)
	}
	if d.Cost != "" {
		fmt.Fprintf(b, "  -- %s", d.Cost)
	}
	b.WriteByte('\n')
	for _, in := range d.Ins {
		writeText(b, in, indent+"  ")
	}
}

func graph(d *Description, open, close string, node func(int, string) string, edge func(from, to int) string) string {
	var b strings.Builder
	b.WriteString(open)
	next := 0
	var walk func(d *Description) int
	walk = func(d *Description) int {
		id := next
		next++
		text := d.Text
		if d.Class != "" {
			text = fmt.Sprintf("[%s] %s", d.Class, text)
		}
		if d.State != "" {
			text += "\n" + d.State
		}
		if d.Cost != "" {
			text += "\n" + d.Cost
		}
		b.WriteString(node(id, text))
		for _, in := range d.Ins {
			b.WriteString(edge(walk(in), id))
		}
		return id
	}
	walk(d)
	b.WriteString(close)
	return b.String()
}
