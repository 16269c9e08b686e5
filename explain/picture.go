package explain

import (
	"fmt"
	"strings"

	"github.com/ivmc/ivmc/delta"
)

// The looks of a box.
const (
	lookView    = "view"    // the result
	lookBlocked = "blocked" // the result, computed anew each time
	lookDelta   = "delta"   // class D
	lookGroups  = "groups"  // class R
	lookPlain   = "plain"   // of a full plan or of the algebra
	lookSource  = "source"  // changes or rows of a relation
	lookSide    = "side"    // what is looked up
)

// picture is a report as boxes in a tree, the result first. What a look-up reads
// is a box of its own, behind its input.
type picture struct {
	title string
	note  string
	root  *box
	looks map[string]bool // that occur
}

type box struct {
	id    int
	look  string
	lines []boxLine
	ins   []*box
}

// boxLine is a line of text in a box.
type boxLine struct {
	text  string
	style lineStyle
}

type lineStyle uint8

const (
	plainLine lineStyle = iota
	boldLine
	keptLine // what is kept
	dimLine  // cost, measures
)

// texts are the lines as text.
func (b *box) texts() (out []string) {
	for _, l := range b.lines {
		out = append(out, l.text)
	}
	return out
}

// boxText is the columns of the text in a box, boxLines the most lines of one text.
const (
	boxText  = 38
	boxLines = 6
)

func (r *Report) picture() *picture {
	pic := &picture{title: r.title(), note: r.Summary, looks: map[string]bool{}}
	next := 0
	name := "result"
	if r.View != nil {
		name = *r.View
	}
	top := pic.box(&next, lookView)
	top.text(name, boldLine)
	cols := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		cols[i] = c.Name
	}
	top.text(strings.Join(cols, ", "), plainLine)
	if r.Incremental != nil {
		if *r.Incremental {
			top.text("incremental", dimLine)
		} else {
			top.look = lookBlocked
			pic.looks[lookBlocked] = true
			for _, b := range r.Blockers {
				top.text("not incremental: "+b.Object, boldLine)
			}
		}
	}
	top.ins = []*box{pic.operator(&next, r.Plan)}
	pic.root = top
	return pic
}

func (pic *picture) box(next *int, look string) *box {
	*next++
	pic.looks[look] = true
	return &box{id: *next, look: look}
}

// text adds lines, of a long text the first.
func (b *box) text(s string, style lineStyle) {
	if s == "" {
		return
	}
	ls := wrapped(s, boxText)
	if len(ls) > boxLines {
		ls = append(ls[:boxLines:boxLines], "..")
	}
	for _, l := range ls {
		b.lines = append(b.lines, boxLine{l, style})
	}
}

func (pic *picture) operator(next *int, o *Operator) *box {
	o = o.shown()
	b := pic.box(next, lookOf(o))
	text := o.Text
	if o.Class != "" && b.look != lookSource {
		text = "[" + o.Class + "] " + text
	}
	style := plainLine
	if b.look == lookSource {
		style = boldLine
	}
	head, tail, cut := strings.Cut(text, ": ")
	if b.look == lookSource && cut {
		b.text(head, style)
		b.text(tail, plainLine)
	} else {
		b.text(text, style)
	}
	for _, k := range o.Keeps {
		size := ""
		if k.Size != nil {
			size = " (" + bytesText(k.Size.Bytes) + ")"
		}
		b.text(fmt.Sprintf("keeps state %d%s", k.State, size), keptLine)
	}
	if o.Cost != nil {
		b.text("cost "+o.Cost.Order, dimLine)
	}
	if m := o.Measured; m != nil {
		b.text(fmt.Sprintf("%d rows, %.3f ms", m.RowsOut, m.Millis), dimLine)
	}
	for _, in := range o.Inputs {
		b.ins = append(b.ins, pic.operator(next, in))
	}
	if o.Op == string(delta.OpLookup) && o.Reads != nil {
		b.ins = append(b.ins, pic.side(next, o.Reads))
	}
	return b
}

// side is the box of what a look-up reads.
func (pic *picture) side(next *int, r *delta.Reads) *box {
	name := fmt.Sprintf("state %d", r.State)
	if r.Relation != "" {
		name = r.Relation
		if r.As != "" && r.As != r.Relation {
			name += " AS " + r.As
		}
	}
	b := pic.box(next, lookSide)
	b.text(name+" @"+r.Side, boldLine)
	switch {
	case r.Arrangement != "":
		b.text("arrangement "+r.Arrangement, plainLine)
	case r.How != "kept rows" && r.Relation != "":
		b.text(r.How, plainLine)
	}
	return b
}

func lookOf(o *Operator) string {
	switch {
	case o.Reads != nil && (o.Reads.How == "changes" || o.Reads.How == "scan"), o.Op == "find", o.Op == "scan":
		return lookSource
	case o.Class == string(delta.ClassKeys):
		return lookGroups
	case o.Class == string(delta.ClassDelta):
		return lookDelta
	}
	return lookPlain
}

// walk calls f for every box and its reader, readers first; that of the root is nil.
func (b *box) walk(reader *box, f func(b, reader *box)) {
	f(b, reader)
	for _, in := range b.ins {
		in.walk(b, f)
	}
}

// paint is how a look is drawn.
type paint struct {
	look, fill, line, says string
}

// paints lists the looks in the order of the legend.
func paints() []paint {
	return []paint{
		{lookView, "#ffffff", "#1a202c", "result"},
		{lookBlocked, "#fde8e8", "#c53030", "result, computed anew at every refresh"},
		{lookDelta, "#e3f4e8", "#2f855a", "[D] works on changed rows alone"},
		{lookGroups, "#fdf0d5", "#b7791f", "[R] computes touched groups anew"},
		{lookPlain, "#eef1f6", "#56657f", "works on all rows"},
		{lookSource, "#e1effc", "#2b6cb0", "rows that are read"},
		{lookSide, "#f7f7f7", "#718096", "looked up as it stood @lo or @hi"},
	}
}
