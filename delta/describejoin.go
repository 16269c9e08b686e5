package delta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/expr"
)

func sayLookup(x *describer, n *Node, d *Description) {
	if n.Lookup.State >= 0 {
		x.kin(n, d)
		return
	}
	l, below := n.Lookup, d.Inputs[0]
	in := &x.plan.Inputs[l.Input]
	probe := below.keys(l.Keys)
	r := &Reads{Relation: in.Name, As: in.As, Side: string(l.Side), Columns: []string{}}
	d.Reads = r
	d.Columns = pickNames(below.Columns, l.Keep)
	var read []string
	for _, c := range l.Cols {
		read = append(read, x.column(in, c))
		r.Columns = append(r.Columns, in.bareColumn(c))
	}
	d.Columns = beside(d.Columns, read)
	d.Cost = cost("O(d)", changed("changed rows from below"))
	single := true // a row finds one at most
	who := fmt.Sprintf("look up %s @%s", in.called(), l.Side)
	switch {
	case l.Arranged < 0:
		key := make([]string, len(in.Key))
		for i, k := range in.Key {
			key[i] = x.column(in, k)
			r.Key = append(r.Key, in.bareColumn(k))
		}
		r.How = "primary key"
		d.Text = who + " by primary key: " + equal(key, probe)
	case len(l.Keys) == 0:
		single, r.How = false, "every row"
		d.Text = who + ": every row, for nothing connects it"
		d.every(below, "rows of "+in.Name)
	default:
		a := &x.plan.Arranged[l.Arranged]
		var key []string
		for _, k := range a.Keys {
			k = readable(k)
			s := k.Format(func(i int) string { return in.bareColumn(a.Cols[i]) })
			full := k.Format(func(i int) string { return x.column(in, a.Cols[i]) })
			if wholeText(k) != "" {
				s, full = "whole row", TheRow
			}
			r.Key, key = append(r.Key, s), append(key, full)
		}
		r.How = "arrangement"
		r.Arrangement = in.Name + "(" + strings.Join(r.Key, ", ") + ")"
		d.Text = who + " by arrangement " + r.Arrangement + ": " + equal(key, probe)
		var cols []int
		for _, k := range keyColumns(a.Keys) {
			cols = append(cols, a.Cols[k])
		}
		if single = len(in.Key) > 0 && coveredBy(in.Key, cols); !single {
			d.factor = "rows of " + in.Name + " for one " + strings.Join(r.Key, ", ")
			if slices.Contains(r.Key, "whole row") {
				d.factor = "equal rows of " + in.Name
			}
			d.Cost = cost("O(d × m)", changed("changed rows from below"), matching(d.factor))
		}
	}
	d.ident = moved(below.ident, l.Keep)
	d.OneRow = d.OneRow && single
	if d.ident == nil || single {
		return
	}
	theirs := moved(in.Key, l.Cols)
	if len(in.Key) == 0 || theirs == nil {
		d.ident = nil
		return
	}
	d.ident = slices.Clone(d.ident)
	for _, c := range theirs {
		d.ident = append(d.ident, len(l.Keep)+c)
	}
}

// kin tells of a look-up of rows that another operator of the plan keeps.
func (x *describer) kin(n *Node, d *Description) {
	l, below := n.Lookup, d.Inputs[0]
	probe := below.keys(l.Keys)
	r := &Reads{How: "kept rows", Side: string(l.Side), State: l.State + 1, Columns: []string{}}
	d.Reads = r
	d.Columns = pickNames(below.Columns, l.Keep)
	d.ident = moved(below.ident, l.Keep)
	d.Cost = cost("O(d)", changed("changed rows from below"))
	kept, ok := x.kept[l.State]
	key, theirs := []string{}, numbered(len(n.Types)-len(l.Keep))
	var ident []int
	single := false
	if ok {
		k := x.describe(kept.node)
		key = k.keys(kept.keys)
		ident, theirs = k.ident, k.Columns
		single = k.OneRow || coveredBy(k.ident, keyColumns(kept.keys))
	}
	r.Key = key
	if l.Anti {
		d.Text = fmt.Sprintf("rows without a partner in state %d @%s: %s", l.State+1, l.Side, orAny(equal(probe, key)))
		return
	}
	r.Columns = theirs
	d.Text = fmt.Sprintf("look up state %d @%s: %s", l.State+1, l.Side, orAny(equal(key, probe)))
	switch {
	case single:
	case len(l.Keys) == 0:
		r.How = "every kept row"
		d.every(below, fmt.Sprintf("rows of state %d", l.State+1))
	default:
		d.factor = fmt.Sprintf("rows of state %d for one key", l.State+1)
		d.Cost = cost("O(d × m)", changed("changed rows from below"), matching(d.factor))
	}
	d.Columns = beside(d.Columns, theirs)
	d.OneRow = d.OneRow && single
	if d.ident == nil || single {
		return
	}
	if ident == nil {
		d.ident = nil
		return
	}
	d.ident = slices.Clone(d.ident)
	for _, c := range ident {
		d.ident = append(d.ident, len(l.Keep)+c)
	}
}

// every is the cost of reading all rows for each changed one; where below there
// is one row at most, of reading them once.
func (d *Description) every(below *Description, rows string) {
	if below.OneRow {
		d.whole = rows
		d.Cost = cost("O(n)", Term{"n", rows + ", if the one row below changes"})
		return
	}
	d.factor = rows
	d.Cost = cost("O(d × n)", changed("changed rows from below"), Term{"n", rows})
}

func orAny(s string) string {
	if s == "" {
		return "every row"
	}
	return s
}

func sayHashJoin(_ *describer, n *Node, d *Description) {
	h, l, r := n.HashJoin, d.Inputs[0], d.Inputs[1]
	probe, build := l.keys(h.Probe), r.keys(h.Build)
	rows := Term{"n", "rows of both inputs"}
	d.Columns, d.ident = pickNames(l.Columns, h.Left), moved(l.ident, h.Left)
	if h.Anti {
		d.Text, d.Cost = "rows of the first input without a partner in the second, by hash: "+orAny(equal(probe, build)), cost("O(n)", rows)
		return
	}
	d.Text, d.Cost = "hash join: "+equal(probe, build), cost("O(n + m)", rows, Term{"m", "pairs"})
	if len(probe) == 0 {
		d.Text, d.Cost = "cross product", cost("O(n × m)", Term{"n", "rows of the first input"}, Term{"m", "rows of the second"})
	}
	d.Columns = beside(d.Columns, pickNames(r.Columns, h.Right))
	single := r.OneRow || coveredBy(r.ident, keyColumns(h.Build))
	d.OneRow = l.OneRow && single
	if d.ident == nil || single {
		return
	}
	theirs := moved(r.ident, h.Right)
	if theirs == nil {
		d.ident = nil
		return
	}
	d.ident = slices.Clone(d.ident)
	for _, c := range theirs {
		d.ident = append(d.ident, len(h.Left)+c)
	}
}

func sayKeep(x *describer, n *Node, d *Description) {
	d.Text, d.Cost = "keep these rows for look-ups", cost("O(d)", changed("changed rows from below"))
	if x.plan.FromEmpty {
		d.Cost = cost("O(n)", Term{"n", "rows from below"})
	}
	for _, k := range n.Keep.By {
		by := d.keys(k.Keys)
		what := "the rows by " + strings.Join(by, ", ")
		switch {
		case len(by) == 0:
			what = "the rows"
		case by[0] == TheRow:
			what = "the rows, by the row as a whole"
		}
		if k.State >= 0 {
			d.Keeps = append(d.Keeps, Kept{k.State + 1, StatePrivate, what})
		}
	}
}

// keyColumns are the columns that a key pins.
func keyColumns(keys []*expr.Expr) (cols []int) {
	for _, k := range keys {
		switch {
		case k.Op == expr.OpCol:
			cols = append(cols, k.Col)
		case wholeText(k) != "":
			for _, a := range k.Args {
				if a.Op == expr.OpCol {
					cols = append(cols, a.Col)
				}
			}
		}
	}
	return cols
}
