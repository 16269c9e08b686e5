package explain

import (
	"fmt"
	"slices"
	"strings"
)

// columnGap is between the columns of a graph, in pixels, with room for its arrows.
const columnGap = 70

// spot is a node with its place, or a point that a long arrow passes.
type spot struct {
	node   *Node // nil: a point
	lines  []boxLine
	column int
	y      float64 // middle
	w, h   float64
	from   []*spot // in the column before
	to     []*spot // in the column behind
}

// ways are the arrows of a graph: the spots that each passes, ends included.
type ways [][]*spot

// columns sets every node into the column behind all that it reads, and points where
// an arrow goes past a column.
func (g *Graph) columns() (cols [][]*spot, all ways) {
	at := map[string]*spot{}
	put := func(s *spot) *spot {
		for len(cols) <= s.column {
			cols = append(cols, nil)
		}
		cols[s.column] = append(cols[s.column], s)
		return s
	}
	for _, n := range g.Nodes { // what it reads stands before it
		s := &spot{node: n}
		for _, l := range wrapped(n.Name, boxText) {
			s.lines = append(s.lines, boxLine{l, boldLine})
		}
		for _, l := range n.says() {
			for _, t := range wrapped(l.text, boxText) {
				s.lines = append(s.lines, boxLine{t, l.style})
			}
		}
		for _, l := range s.lines {
			s.w = max(s.w, float64(columnsOf(l.text))*charWide)
		}
		s.w, s.h = s.w+2*boxPad, float64(len(s.lines))*lineHigh+2*boxPad-2
		for _, r := range n.Reads {
			if in := at[r]; in != nil {
				s.column = max(s.column, in.column+1)
			}
		}
		at[n.Name] = put(s)
		for _, r := range n.Reads {
			in := at[r]
			if in == nil {
				continue
			}
			way := []*spot{in}
			for c := in.column + 1; c < s.column; c++ {
				way = append(way, put(&spot{column: c, h: lineHigh}))
			}
			way = append(way, s)
			for i := range len(way) - 1 {
				way[i].to, way[i+1].from = append(way[i].to, way[i+1]), append(way[i+1].from, way[i])
			}
			all = append(all, way)
		}
	}
	return cols, all
}

// middle is the mean place of spots, or what it is where there are none.
func middle(of []*spot, is float64) float64 {
	if len(of) == 0 {
		return is
	}
	sum := 0.0
	for _, s := range of {
		sum += s.y
	}
	return sum / float64(len(of))
}

// stack sets the spots of a column in their order as near to where they want to be
// as there is room: halfway between the packing from above and the one from below,
// each of which leaves the gaps, and so does their mean.
func stack(col []*spot, want []float64) {
	down := slices.Clone(want)
	for i := 1; i < len(col); i++ {
		down[i] = max(down[i], down[i-1]+gapOf(col[i-1], col[i]))
	}
	up := slices.Clone(want)
	for i := len(col) - 2; i >= 0; i-- {
		up[i] = min(up[i], up[i+1]-gapOf(col[i], col[i+1]))
	}
	for i, s := range col {
		s.y = (down[i] + up[i]) / 2
	}
}

func gapOf(a, b *spot) float64 { return (a.h+b.h)/2 + siblingGap }

// arrange orders the spots of every column by the middles of their neighbours, to
// and fro, and then sets them level with those.
func arrange(cols [][]*spot) {
	for _, col := range cols {
		stack(col, make([]float64, len(col)))
	}
	const rounds = 12
	for r := range rounds {
		for i := range cols {
			c := i
			if r%2 == 1 {
				c = len(cols) - 1 - i
			}
			wants := map[*spot]float64{}
			for _, s := range cols[c] {
				near := s.from
				if r%2 == 1 {
					near = s.to
				}
				wants[s] = middle(near, s.y)
			}
			if r < rounds-2 {
				slices.SortStableFunc(cols[c], func(a, b *spot) int {
					switch {
					case wants[a] < wants[b]:
						return -1
					case wants[a] > wants[b]:
						return 1
					}
					return 0
				})
			}
			want := make([]float64, len(cols[c]))
			for k, s := range cols[c] {
				want[k] = wants[s]
			}
			stack(cols[c], want)
		}
	}
}

// svg is the graph drawn: what is read on the left, who reads it on the right.
func (g *Graph) svg() string {
	cols, all := g.columns()
	arrange(cols)
	low, high := 0.0, 0.0
	left := make([]float64, len(cols)+1)
	left[0] = margin
	for c, col := range cols {
		wide := 0.0
		for _, s := range col {
			wide = max(wide, s.w)
			low, high = min(low, s.y-s.h/2), max(high, s.y+s.h/2)
		}
		left[c+1] = left[c] + wide + columnGap
	}
	looks := map[string]bool{}
	for _, n := range g.Nodes {
		looks[n.look()] = true
	}
	var legend []paint
	for _, p := range graphLegend() {
		if looks[p.look] {
			legend = append(legend, p)
		}
	}
	wide := max(left[len(cols)]-columnGap+margin, 420)
	top := margin - low
	tall := top + high + 2*lineHigh + float64(len(legend))*lineHigh*1.4
	var b strings.Builder
	openSVG(&b, wide, tall)
	for _, way := range all {
		for i := range len(way) - 1 {
			from, to := way[i], way[i+1]
			x1, x2 := left[from.column+1]-columnGap, left[to.column]
			// Straight to the end of the column, whose other boxes may be wider.
			fmt.Fprintf(&b, `<path d="M%.1f %.1fH%.1f" fill="none" %s/>`+"\n", left[from.column]+from.w, from.y+top, x1, thread)
			look := thread
			if to.node != nil {
				look = arrow(lookDelta)
				x2--
			}
			fmt.Fprintf(&b, `<path d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f" fill="none" %s/>`+"\n",
				x1, from.y+top, x1+columnGap*0.6, from.y+top, x2-columnGap*0.6, to.y+top, x2, to.y+top, look)
		}
	}
	for c, col := range cols {
		for _, s := range col {
			if s.node != nil {
				box := &laid{box: &box{look: s.node.look(), lines: s.lines}, w: s.w, h: s.h}
				box.frame(&b, left[c]+s.w/2, s.y+top-s.h/2)
			}
		}
	}
	y := top + high + 1.5*lineHigh
	for _, p := range legend {
		fmt.Fprintf(&b, `<rect x="%d" y="%.1f" width="22" height="12" rx="3" fill="%s" stroke="%s"/>`+"\n", margin, y, p.fill, p.line)
		write(&b, margin+32, y+10, p.says, "")
		y += lineHigh * 1.4
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// thread is an arrow on its way.
const thread = `stroke="#2f855a" stroke-width="2.2"`

// graphLegend says what the looks mean in a graph.
func graphLegend() []paint {
	says := map[string]string{lookSource: "table", lookPlain: "view, computed when it is read", lookSide: "stream",
		lookDelta: "materialized view, follows changes", lookBlocked: "materialized view, computed anew at every refresh"}
	var out []paint
	for _, p := range paints() {
		if s, ok := says[p.look]; ok {
			p.says = s
			out = append(out, p)
		}
	}
	return out
}
