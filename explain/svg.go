package explain

import (
	"fmt"
	"html"
	"strings"
)

// Measures of a drawing, in pixels. Text is set in a font of fixed width.
const (
	charWide   = 7.3
	lineHigh   = 16
	boxPad     = 10
	siblingGap = 24
	levelGap   = 44
	margin     = 24
)

// laid is a box with its place.
type laid struct {
	*box
	depth int
	x     float64 // centre, from the reader's while it is laid out, then from the left edge
	w, h  float64
	ins   []*laid
	edges []edges // of all that hangs below it, by depth from its own on, from its centre
}

// edges are how far a level of a tree reaches to the left and right.
type edges struct{ left, right float64 }

// lay sets the inputs of l side by side, each as near to those before it as the
// levels that they share allow, and l over their middle.
func (l *laid) lay() {
	var all []edges
	for i, in := range l.ins {
		shift := 0.0
		for d, e := range in.edges {
			if i > 0 && d < len(all) {
				shift = max(shift, all[d].right+siblingGap-e.left)
			}
		}
		in.x = shift
		for d, e := range in.edges {
			if d == len(all) {
				all = append(all, edges{shift + e.left, shift + e.right})
				continue
			}
			all[d].right = shift + e.right
		}
	}
	l.edges = []edges{{-l.w / 2, l.w / 2}}
	if len(l.ins) == 0 {
		return
	}
	middle := (l.ins[0].x + l.ins[len(l.ins)-1].x) / 2
	for _, in := range l.ins {
		in.x -= middle
	}
	for _, e := range all {
		l.edges = append(l.edges, edges{e.left - middle, e.right - middle})
	}
}

// svg is the picture drawn: the result on top, every level of the tree on a line.
func (pic *picture) svg() string {
	var levels []float64 // heights
	var measure func(b *box, depth int) *laid
	measure = func(b *box, depth int) *laid {
		l := &laid{box: b, depth: depth}
		wide := 0
		for _, s := range b.lines {
			wide = max(wide, columnsOf(s.text))
		}
		l.w, l.h = float64(wide)*charWide+2*boxPad, float64(len(b.lines))*lineHigh+2*boxPad-2
		if depth == len(levels) {
			levels = append(levels, 0)
		}
		levels[depth] = max(levels[depth], l.h)
		for _, in := range b.ins {
			l.ins = append(l.ins, measure(in, depth+1))
		}
		l.lay()
		return l
	}
	root := measure(pic.root, 0)
	head := wrapped(pic.note, 100)
	span := edges{}
	for _, e := range root.edges {
		span = edges{min(span.left, e.left), max(span.right, e.right)}
	}
	wide := span.right - span.left
	for _, s := range append([]string{pic.title}, head...) {
		wide = max(wide, float64(columnsOf(s))*charWide)
	}
	legend := pic.legend()
	for _, p := range legend {
		wide = max(wide, float64(columnsOf(p.says))*charWide+40)
	}
	root.place(margin + (wide-span.right-span.left)/2)

	top := make([]float64, len(levels)+1)
	top[0] = margin + float64(1+len(head))*lineHigh + 20
	for i, h := range levels {
		top[i+1] = top[i] + h + levelGap
	}
	high := top[len(levels)] + float64(len(legend)+2)*lineHigh*1.4 + margin/2
	var b strings.Builder
	openSVG(&b, wide+2*margin, high)
	write(&b, margin, margin+12, pic.title, "font-weight=\"bold\"")
	for i, s := range head {
		write(&b, margin, margin+12+float64(i+1)*lineHigh, s, "")
	}
	root.draw(&b, top, nil)
	pic.drawLegend(&b, top[len(levels)])
	b.WriteString("</svg>\n")
	return b.String()
}

// openSVG begins a drawing: its size, its arrows' heads, its paper.
func openSVG(b *strings.Builder, wide, high float64) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="12">`+"\n",
		wide, high, wide, high)
	b.WriteString(`<defs>` +
		`<marker id="d" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="#2f855a"/></marker>` +
		`<marker id="s" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="#718096"/></marker></defs>` + "\n")
	b.WriteString(`<rect width="100%" height="100%" fill="#ffffff"/>` + "\n")
}

// place moves l, and with it all below, to the right by x.
func (l *laid) place(x float64) {
	l.x += x
	for _, in := range l.ins {
		in.place(l.x)
	}
}

func (l *laid) draw(b *strings.Builder, top []float64, reader *laid) {
	y := top[l.depth]
	if reader != nil {
		from, to := y, top[reader.depth]+reader.h
		mid := from - levelGap/2
		// Several arrows into one box end side by side.
		end := reader.x
		if n := len(reader.ins); n > 1 {
			for i, in := range reader.ins {
				if in == l {
					end += (float64(i) - float64(n-1)/2) * min(30, (reader.w-20)/float64(n))
				}
			}
		}
		fmt.Fprintf(b, `<path d="M%.1f %.1fV%.1fH%.1fV%.1f" fill="none" stroke-linejoin="round" %s/>`+"\n", l.x, from, mid, end, to+1, arrow(l.look))
	}
	l.frame(b, l.x, y)
	for _, in := range l.ins {
		in.draw(b, top, l)
	}
}

// frame draws the box itself, its middle at x and its upper edge at y.
func (l *laid) frame(b *strings.Builder, x, y float64) {
	p := paintOf(l.look)
	dash, round := "", 7
	if l.look == lookSide {
		dash, round = ` stroke-dasharray="5 4"`, 16
	}
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%d" fill="%s" stroke="%s" stroke-width="1.5"%s/>`+"\n",
		x-l.w/2, y, l.w, l.h, round, p.fill, p.line, dash)
	left := x - l.w/2 + boxPad
	styles := map[lineStyle]string{plainLine: `fill="#1a202c"`, boldLine: `font-weight="bold" fill="` + p.line + `"`,
		keptLine: `fill="#6b46c1"`, dimLine: `fill="#718096"`}
	for i, s := range l.lines {
		write(b, left, y+boxPad+10+float64(i)*lineHigh, s.text, styles[s.style])
	}
}

func write(b *strings.Builder, x, y float64, s, style string) {
	if style != "" {
		style = " " + style
	}
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" xml:space="preserve"%s>%s</text>`+"\n", x, y, style, html.EscapeString(s))
}

// legend is the looks that occur.
func (pic *picture) legend() (out []paint) {
	for _, p := range paints() {
		if pic.looks[p.look] && p.look != lookView {
			out = append(out, p)
		}
	}
	return out
}

// flows are the arrows of the legend.
func flows() []paint {
	return []paint{
		{lookDelta, "", "#2f855a", "rows go on to the next operator"},
		{lookSide, "", "#718096", "rows are looked up, not gone through"},
	}
}

// drawLegend explains boxes and arrows below the tree.
func (pic *picture) drawLegend(b *strings.Builder, y float64) {
	next := func() float64 {
		y += lineHigh * 1.4
		return y - lineHigh*1.4
	}
	for _, p := range pic.legend() {
		at, dash := next(), ""
		if p.look == lookSide {
			dash = ` stroke-dasharray="3 2"`
		}
		fmt.Fprintf(b, `<rect x="%d" y="%.1f" width="22" height="12" rx="3" fill="%s" stroke="%s"%s/>`+"\n", margin, at, p.fill, p.line, dash)
		write(b, margin+32, at+10, p.says, "")
	}
	for _, p := range flows() {
		if p.look == lookSide && !pic.looks[lookSide] {
			continue
		}
		at := next() + 6
		fmt.Fprintf(b, `<path d="M%d %.1fH%d" fill="none" %s/>`+"\n", margin, at, margin+24, arrow(p.look))
		write(b, margin+32, at+4, p.says, "")
	}
}

// arrow is how the way up from a box is drawn.
func arrow(look string) string {
	if look == lookSide {
		return `stroke="#718096" stroke-width="1.4" stroke-dasharray="5 4" marker-end="url(#s)"`
	}
	return `stroke="#2f855a" stroke-width="2.2" marker-end="url(#d)"`
}

func paintOf(look string) paint {
	for _, p := range paints() {
		if p.look == look {
			return p
		}
	}
	return paint{fill: "#ffffff", line: "#000000"}
}

// columnsOf is how many columns of a font of fixed width s takes; East Asian
// letters take two.
func columnsOf(s string) (n int) {
	for _, r := range s {
		n++
		if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0x1f300) {
			n++
		}
	}
	return n
}
