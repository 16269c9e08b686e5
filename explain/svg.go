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
	depth         int
	x, w, h, span float64 // centre; size; width of all below
	ins           []*laid
}

// svg is the picture drawn: the result on top, every level of the tree on a line.
func (pic *picture) svg() string {
	var levels []float64 // heights
	var measure func(b *box, depth int) *laid
	measure = func(b *box, depth int) *laid {
		l := &laid{box: b, depth: depth}
		wide := columnsOf(b.head)
		for _, s := range b.lines {
			wide = max(wide, columnsOf(s))
		}
		l.w, l.h = float64(wide)*charWide+2*boxPad, float64(1+len(b.lines))*lineHigh+2*boxPad-2
		if depth == len(levels) {
			levels = append(levels, 0)
		}
		levels[depth] = max(levels[depth], l.h)
		for _, in := range b.ins {
			k := measure(in, depth+1)
			l.ins = append(l.ins, k)
			l.span += k.span
		}
		l.span += float64(max(len(l.ins)-1, 0)) * siblingGap
		l.span = max(l.span, l.w)
		return l
	}
	root := measure(pic.root, 0)
	head := wrapped(pic.note, 100)
	wide := root.span
	for _, s := range append([]string{pic.title}, head...) {
		wide = max(wide, float64(columnsOf(s))*charWide)
	}
	legend := pic.legend()
	for _, p := range legend {
		wide = max(wide, float64(columnsOf(p.says))*charWide+40)
	}
	root.place(margin+(wide-root.span)/2, nil)

	top := make([]float64, len(levels)+1)
	top[0] = margin + float64(1+len(head))*lineHigh + 20
	for i, h := range levels {
		top[i+1] = top[i] + h + levelGap
	}
	high := top[len(levels)] + float64(len(legend))*lineHigh*1.4 + margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="12">`+"\n",
		wide+2*margin, high, wide+2*margin, high)
	b.WriteString(`<defs>` +
		`<marker id="d" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="#2f855a"/></marker>` +
		`<marker id="s" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="#718096"/></marker></defs>` + "\n")
	b.WriteString(`<rect width="100%" height="100%" fill="#ffffff"/>` + "\n")
	write(&b, margin, margin+12, pic.title, "font-weight=\"bold\"")
	for i, s := range head {
		write(&b, margin, margin+12+float64(i+1)*lineHigh, s, "")
	}
	root.draw(&b, top, nil)
	drawLegend(&b, legend, top[len(levels)])
	b.WriteString("</svg>\n")
	return b.String()
}

// place gives l and all below it their centres, from left on.
func (l *laid) place(left float64, _ *laid) {
	l.x = left + l.span/2
	inner := float64(max(len(l.ins)-1, 0)) * siblingGap
	for _, in := range l.ins {
		inner += in.span
	}
	at := left + (l.span-inner)/2
	for _, in := range l.ins {
		in.place(at, l)
		at += in.span + siblingGap
	}
}

func (l *laid) draw(b *strings.Builder, top []float64, reader *laid) {
	y := top[l.depth]
	if reader != nil {
		from, to := y, top[reader.depth]+reader.h
		mid := from - levelGap/2
		style := `stroke="#2f855a" stroke-width="2.2" marker-end="url(#d)"`
		if l.look == lookSide {
			style = `stroke="#718096" stroke-width="1.4" stroke-dasharray="5 4" marker-end="url(#s)"`
		}
		// Several arrows into one box end side by side.
		end := reader.x
		if n := len(reader.ins); n > 1 {
			for i, in := range reader.ins {
				if in == l {
					end += (float64(i) - float64(n-1)/2) * min(30, (reader.w-20)/float64(n))
				}
			}
		}
		fmt.Fprintf(b, `<path d="M%.1f %.1fV%.1fH%.1fV%.1f" fill="none" stroke-linejoin="round" %s/>`+"\n", l.x, from, mid, end, to+1, style)
	}
	p := paintOf(l.look)
	dash, round := "", 7
	if l.look == lookSide {
		dash, round = ` stroke-dasharray="5 4"`, 16
	}
	fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%d" fill="%s" stroke="%s" stroke-width="1.5"%s/>`+"\n",
		l.x-l.w/2, y, l.w, l.h, round, p.fill, p.line, dash)
	left := l.x - l.w/2 + boxPad
	write(b, left, y+boxPad+10, l.head, fmt.Sprintf(`font-weight="bold" fill="%s"`, p.line))
	for i, s := range l.lines {
		write(b, left, y+boxPad+10+float64(i+1)*lineHigh, s, "")
	}
	for _, in := range l.ins {
		in.draw(b, top, l)
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

func drawLegend(b *strings.Builder, ps []paint, y float64) {
	for i, p := range ps {
		at := y + float64(i)*lineHigh*1.4
		dash := ""
		if p.look == lookSide {
			dash = ` stroke-dasharray="3 2"`
		}
		fmt.Fprintf(b, `<rect x="%d" y="%.1f" width="18" height="12" rx="3" fill="%s" stroke="%s"%s/>`+"\n", margin, at, p.fill, p.line, dash)
		write(b, margin+28, at+10, p.says, "")
	}
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
