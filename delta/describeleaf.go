package delta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/expr"
)

// leafOf tells of a whole relation read.
func (x *describer) leafOf(n *Node, d *Description, how, side string) *Input {
	in := &x.plan.Inputs[n.Input]
	d.Columns = x.inputColumns(in)
	d.ident = moved(in.Key, in.Cols)
	if len(in.Key) == 0 {
		d.ident = nil
	}
	d.Reads = &Reads{Relation: in.Name, As: in.As, How: how, Side: side, Columns: fieldNames(in)}
	return in
}

func columnsText(in *Input) string {
	if len(in.Fields) == 0 {
		return ": how many"
	}
	return ": " + list(fieldNames(in))
}

func sayChanges(x *describer, n *Node, d *Description) {
	in := x.leafOf(n, d, "changes", "(lo, hi]")
	d.Text = "changes of " + in.called() + " (lo, hi]" + columnsText(in)
	d.Cost = cost("O(d)", changed("changed rows of "+in.Name))
}

func sayScan(x *describer, n *Node, d *Description) {
	in := x.leafOf(n, d, "scan", x.atHi())
	if in.Read != nil {
		sayRead(in, d)
		return
	}
	d.Text = "scan " + in.called() + at(x.atHi()) + columnsText(in)
	d.Cost = cost("O(n)", Term{"n", "rows of " + in.Name})
}

// sayRead is another reading than the rows of now.
func sayRead(in *Input, d *Description) {
	if in.Read.Kind == ReadImage {
		d.Text = fmt.Sprintf("scan %s as of %d%s", in.called(), in.Read.Hi, columnsText(in))
		d.Cost = cost("O(n)", Term{"n", "rows of " + in.Name + " then"})
		return
	}
	d.Text = fmt.Sprintf("read the log of %s, %s of (%d, %d]%s", in.called(), in.Read.Kind, in.Read.Lo, in.Read.Hi, columnsText(in))
	d.Cost = cost("O(d)", Term{"d", "records of " + in.Name + " in the window"})
}

func sayFind(x *describer, n *Node, d *Description) {
	in := x.leafOf(n, d, "primary key", x.atHi())
	for _, k := range in.Key {
		d.Reads.Key = append(d.Reads.Key, in.bareColumn(k))
	}
	d.Text = fmt.Sprintf("find %s%s by primary key (%s), %s%s", in.called(), at(x.atHi()), strings.Join(d.Reads.Key, ", "),
		count(len(n.Find.Keys), "key"), columnsText(in))
	d.Cost, d.OneRow = cost("O(k)", Term{"k", "keys asked for"}), len(n.Find.Keys) < 2
}

// atHi is the side of what is read as a whole. A plan from empty has one moment
// only, and names none.
func (x *describer) atHi() string {
	if x.plan.FromEmpty {
		return ""
	}
	return string(Hi)
}

func at(side string) string {
	if side == "" {
		return ""
	}
	return " @" + side
}

func sayNothing(_ *describer, n *Node, d *Description) {
	d.Text, d.Cost, d.Columns = "nothing: constants do not change", cost("none"), numbered(len(n.Types))
}

func sayValues(_ *describer, n *Node, d *Description) {
	d.Text, d.Cost = "values, "+count(len(n.Values.Rows), "row"), cost("O(n)", Term{"n", "rows as written"})
	d.Columns = numbered(len(n.Types))
	copy(d.Columns, n.Values.Names)
	d.OneRow = len(n.Values.Rows) < 2
}

// linear is the cost of an operator that looks at every row once.
func (x *describer) linear() Cost {
	if x.plan.FromEmpty {
		return cost("O(n)", Term{"n", "rows from below"})
	}
	return cost("O(d)", changed("changed rows from below"))
}

func sayFilter(x *describer, n *Node, d *Description) {
	d.Text, d.Cost = "filter "+d.expr(n.Filter.Pred), x.linear()
}

func sayProject(x *describer, n *Node, d *Description) {
	d.Cost = x.linear()
	below := d.Inputs[0]
	texts := below.exprs(n.Project.Exprs)
	d.Columns = slices.Clone(texts)
	at := make([]int, len(texts))
	d.plain = true
	for i, e := range n.Project.Exprs {
		at[i] = -1
		if e.Op == expr.OpCol {
			at[i] = e.Col
		} else {
			d.plain = false
		}
		if i >= len(n.Project.Names) || n.Project.Names[i] == "?column?" {
			continue
		}
		name := n.Project.Names[i]
		if texts[i] != name && !strings.HasSuffix(texts[i], "."+name) {
			d.Columns[i] = name
			texts[i] += " AS " + name
			d.plain = false
		}
	}
	d.ident = moved(below.ident, at)
	d.Text = "project " + list(texts)
}

func sayUnion(x *describer, n *Node, d *Description) {
	d.Text, d.Cost = "union all", x.linear()
	d.OneRow = len(d.Inputs) == 1 && d.Inputs[0].OneRow
	if !n.Union.Terms {
		d.ident = nil
		return
	}
	d.Text = "join: one term for each input that changed"
	for _, in := range d.Inputs {
		if !slices.Equal(in.ident, d.ident) {
			d.ident = nil
		}
	}
}

func sayConsolidate(x *describer, _ *Node, d *Description) {
	d.Text, d.Cost = "consolidate, if a row raises an error: rows that came and went cancel first", x.linear()
}

func sayNegate(x *describer, _ *Node, d *Description) {
	d.Text, d.Cost = "negate: these rows go", x.linear()
}

func sayRepeat(x *describer, n *Node, d *Description) {
	d.Text, d.Cost = "each row as often as the lesser of its two counts", x.linear()
	if n.Repeat.Less {
		d.Text = "each row as often as it is more on the left than on the right"
	}
	d.ident = nil
}

func sayShare(x *describer, n *Node, d *Description) {
	d.Cost = x.linear()
	if len(n.Ins) > 0 {
		d.Text = fmt.Sprintf("shared rows %d: made once, read in several places", n.Share.ID+1)
		return
	}
	d.Text = fmt.Sprintf("shared rows %d again", n.Share.ID+1)
	d.Columns = numbered(len(n.Types))
	if made := x.shares[n.Share.ID]; made != nil {
		m := x.describe(made)
		d.Columns, d.ident, d.OneRow = m.Columns, m.ident, m.OneRow
	}
}
