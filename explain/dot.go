package explain

import (
	"fmt"
	"strings"
)

// dot is the picture for Graphviz.
func (pic *picture) dot() string {
	var b strings.Builder
	text := func(ls []string) string {
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(strings.Join(ls, "\n"))
	}
	line := func(ls []string) string { return strings.ReplaceAll(text(ls), "\n", `\n`) }
	b.WriteString("digraph plan {\n")
	fmt.Fprintf(&b, "  graph [rankdir=BT, fontname=\"sans-serif\", labelloc=t, label=\"%s\"];\n", line(append([]string{pic.title}, wrapped(pic.note, 90)...)))
	b.WriteString("  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\", fontsize=11];\n")
	b.WriteString("  edge [color=\"#2f855a\", penwidth=2];\n")
	looks := map[string]paint{}
	for _, p := range paints() {
		looks[p.look] = p
	}
	pic.root.walk(nil, func(x, reader *box) {
		p, shape := looks[x.look], ""
		if x.look == lookSide {
			shape = ", shape=cylinder, style=\"filled,dashed\""
		}
		fmt.Fprintf(&b, "  n%d [label=\"%s\", fillcolor=\"%s\", color=\"%s\"%s];\n", x.id, line(x.texts()), p.fill, p.line, shape)
		if reader == nil {
			return
		}
		style := ""
		if x.look == lookSide {
			style = " [style=dashed, color=\"#718096\", penwidth=1]"
		}
		fmt.Fprintf(&b, "  n%d -> n%d%s;\n", x.id, reader.id, style)
	})
	b.WriteString("}\n")
	return b.String()
}
