package explain

import (
	"fmt"
	"strings"
)

// mermaidText is lines as the text of a box.
func mermaidText(lines []string) string {
	s := strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "`", "#96;").Replace(strings.Join(lines, "\n"))
	return strings.ReplaceAll(s, "\n", "<br/>")
}

// mermaid is the picture as a Mermaid flowchart.
func (pic *picture) mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart BT\n")
	fmt.Fprintf(&b, "  %%%% %s\n", strings.Join(wrapped(pic.title+": "+pic.note, mostText), " "))
	pic.root.walk(nil, func(x, reader *box) {
		open, end := `["`, `"]`
		if x.look == lookSide {
			open, end = `[("`, `")]`
		}
		fmt.Fprintf(&b, "  n%d%s%s%s:::%s\n", x.id, open, mermaidText(x.texts()), end, x.look)
		switch {
		case reader == nil:
		case x.look == lookSide:
			fmt.Fprintf(&b, "  n%d -.-> n%d\n", x.id, reader.id)
		default:
			fmt.Fprintf(&b, "  n%d ==> n%d\n", x.id, reader.id)
		}
	})
	for _, p := range paints() {
		if pic.looks[p.look] {
			fmt.Fprintf(&b, "  classDef %s fill:%s,stroke:%s,color:#1a202c\n", p.look, p.fill, p.line)
		}
	}
	return b.String()
}
