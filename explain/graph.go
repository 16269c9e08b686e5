package explain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ivmc/ivmc/zset"
)

// Graph says which views and streams read what.
type Graph struct {
	Nodes []*Node `json:"nodes"` // each after those that it reads
}

// Node is a table, view, materialized view or stream.
type Node struct {
	Name  string   `json:"name"`
	Kind  string   `json:"kind"`
	Reads []string `json:"reads"` // by name
	Rows  int64    `json:"rows"`
	Bytes int64    `json:"bytes"` // on disk: rows, history and what a view keeps

	View   *NodeView   `json:"view,omitempty"`   // of a materialized view
	Stream *NodeStream `json:"stream,omitempty"` // of a stream
}

// NodeStream is how a stream stands.
type NodeStream struct {
	Type    string `json:"type"`
	Pending int64  `json:"pending"`         // rows that are to be consumed
	Stale   string `json:"stale,omitempty"` // why it is to be read no more
}

// NodeView is how a materialized view stands.
type NodeView struct {
	Mode     string   `json:"mode"`
	Trigger  string   `json:"trigger,omitempty"` // ON SCHEDULE .. and so on
	Blockers []string `json:"blockers"`          // codes of why it is not incremental
	Built    bool     `json:"built"`
	Pending  int64    `json:"pending"`
	LagMS    int64    `json:"lag_ms"` // for how long it has lacked a change
}

// GraphFormats lists the formats of a graph.
func GraphFormats() []string { return []string{"text", "json", "dot", "mermaid", "svg"} }

// Format prints the graph.
func (g *Graph) Format(format string) (string, error) {
	switch format {
	case "text", "":
		return g.text(), nil
	case "json":
		b, err := json.MarshalIndent(g, "", "  ")
		return string(b) + "\n", err
	case "dot":
		return g.dot(), nil
	case "mermaid":
		return g.mermaid(), nil
	case "svg":
		return g.svg(), nil
	}
	return "", zset.Errorf("22023", -1, "unknown format %q of a graph", format)
}

// node finds one by name; nil: there is none.
func (g *Graph) node(name string) *Node {
	for _, n := range g.Nodes {
		if n.Name == name {
			return n
		}
	}
	return nil
}

// readers are those that read a node.
func (g *Graph) readers(name string) (out []*Node) {
	for _, n := range g.Nodes {
		if slices.Contains(n.Reads, name) {
			out = append(out, n)
		}
	}
	return out
}

func (n *Node) look() string {
	switch {
	case n.Kind == "table":
		return lookSource
	case n.Kind == "stream":
		return lookSide
	case n.View == nil:
		return lookPlain
	case len(n.View.Blockers) > 0:
		return lookBlocked
	}
	return lookDelta
}

// says is what stands below the name, a line an idea.
func (n *Node) says() []boxLine {
	out := []boxLine{{n.Kind, plainLine}}
	if s := n.Stream; s != nil {
		out = append(out, boxLine{s.Type, plainLine})
		switch {
		case s.Stale != "":
			return append(out, boxLine{"stale", boldLine})
		case s.Pending == 0:
			return append(out, boxLine{"up to date", dimLine})
		}
		return append(out, boxLine{fmt.Sprintf("%d pending", s.Pending), keptLine})
	}
	if n.View == nil {
		if n.Kind == "table" {
			out = append(out, boxLine{fmt.Sprintf("%s, %s", rowsText(n.Rows), bytesText(n.Bytes)), dimLine})
		}
		return out
	}
	v := n.View
	how := v.Mode
	if v.Trigger != "" {
		how += ", " + v.Trigger
	}
	out = append(out, boxLine{how, plainLine})
	for _, b := range v.Blockers {
		out = append(out, boxLine{"not incremental: " + b, boldLine})
	}
	if !v.Built {
		return append(out, boxLine{"not built yet", boldLine})
	}
	out = append(out, boxLine{fmt.Sprintf("%s, %s", rowsText(n.Rows), bytesText(n.Bytes)), dimLine})
	if v.Pending == 0 {
		return append(out, boxLine{"up to date", dimLine})
	}
	return append(out, boxLine{fmt.Sprintf("%d pending, %s behind", v.Pending, time.Duration(v.LagMS)*time.Millisecond), keptLine})
}

func rowsText(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// text is a tree below each that reads nothing. One that is read by several ways is
// told once.
func (g *Graph) text() string {
	var b strings.Builder
	told := map[string]bool{}
	var tell func(n *Node, first, rest string)
	tell = func(n *Node, first, rest string) {
		b.WriteString(first + strings.Join(wrapped(n.Name, mostText), " "))
		if told[n.Name] {
			b.WriteString(" (see above)\n")
			return
		}
		told[n.Name] = true
		var words []string
		for _, l := range n.says() {
			words = append(words, l.text)
		}
		b.WriteString(": " + strings.Join(words, "; ") + "\n")
		below := g.readers(n.Name)
		for i, r := range below {
			if i == len(below)-1 {
				tell(r, rest+"└─ ", rest+"   ")
			} else {
				tell(r, rest+"├─ ", rest+"│  ")
			}
		}
	}
	for _, n := range g.Nodes {
		if len(n.Reads) == 0 {
			tell(n, "", "")
		}
	}
	if b.Len() == 0 {
		return "There are no tables and views.\n"
	}
	return b.String()
}

// numbers are the nodes' names in a drawing: any text may be the name of a table.
func (g *Graph) numbers() map[string]int {
	out := map[string]int{}
	for i, n := range g.Nodes {
		out[n.Name] = i + 1
	}
	return out
}

// lines are all of a node's, its name first.
func (n *Node) lines() []string {
	out := wrapped(n.Name, boxText)
	for _, l := range n.says() {
		out = append(out, wrapped(l.text, boxText)...)
	}
	return out
}

func (g *Graph) dot() string {
	var b strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	b.WriteString("digraph views {\n")
	b.WriteString("  graph [rankdir=LR, fontname=\"sans-serif\"];\n")
	b.WriteString("  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=11];\n")
	b.WriteString("  edge [color=\"#2f855a\", penwidth=2];\n")
	at := g.numbers()
	for _, n := range g.Nodes {
		p, lines := paintOf(n.look()), n.lines()
		for i := range lines {
			lines[i] = quote.Replace(lines[i])
		}
		fmt.Fprintf(&b, "  n%d [label=\"%s\", fillcolor=\"%s\", color=\"%s\"];\n", at[n.Name], strings.Join(lines, `\n`), p.fill, p.line)
		for _, r := range n.Reads {
			fmt.Fprintf(&b, "  n%d -> n%d;\n", at[r], at[n.Name])
		}
	}
	b.WriteString("}\n")
	return b.String()
}

func (g *Graph) mermaid() string {
	var b strings.Builder
	at := g.numbers()
	looks := map[string]bool{}
	b.WriteString("flowchart LR\n")
	for _, n := range g.Nodes {
		looks[n.look()] = true
		fmt.Fprintf(&b, "  n%d[\"%s\"]:::%s\n", at[n.Name], mermaidText(n.lines()), n.look())
		for _, r := range n.Reads {
			fmt.Fprintf(&b, "  n%d --> n%d\n", at[r], at[n.Name])
		}
	}
	for _, p := range paints() {
		if looks[p.look] {
			fmt.Fprintf(&b, "  classDef %s fill:%s,stroke:%s,color:#1a202c\n", p.look, p.fill, p.line)
		}
	}
	return b.String()
}
