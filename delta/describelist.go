package delta

import (
	"fmt"
	"strings"
)

func saySort(x *describer, n *Node, d *Description) {
	rows := Term{"n", "rows from below"}
	d.Text, d.Cost = "sort by "+orderText(d.sorted(n.Sort.By)), cost("O(n × log n)", rows)
	if n.Sort.First > 0 {
		d.Text += fmt.Sprintf(", the first %d", n.Sort.First)
		d.Cost = cost("O(n × log k)", rows, Term{"k", "rows that are asked for"})
	}
	if n.Sort.Kept > 0 {
		d.Keeps = x.ordered(n.Sort.Kept, d.sorted(n.Sort.By))
	}
}

// ordered is the state of a limit.
func (x *describer) ordered(kept int, by []string) []Kept {
	return []Kept{{kept, x.plan.States[kept-1].Kind, "all rows from below with their counts, by " + orderText(by)}}
}

func sayWindow(x *describer, n *Node, d *Description) {
	w, below := n.Window, d.Inputs[0]
	rows := Term{"n", "rows from below"}
	d.Text, d.Cost = "window", cost("O(n × log n)", rows)
	names := d.Columns[:len(d.Columns):len(d.Columns)]
	for i, c := range w.Calls {
		call := c.Name + "(" + strings.Join(d.exprs(c.Args), ", ") + ")"
		if c.Agg != nil {
			call = c.Agg.Map(readable).Format(below.name)
		}
		names = append(names, call)
		var over []string
		if len(c.Partition) > 0 {
			over = append(over, "PARTITION BY "+list(d.exprs(c.Partition)))
		}
		if len(c.By) > 0 {
			over = append(over, "ORDER BY "+strings.Join(d.sorted(c.By), ", "))
		}
		if f := c.Frame.Format(below.name); f != "" {
			over = append(over, f)
		}
		d.Text += []string{" ", ", "}[min(i, 1)] + call + " OVER (" + strings.Join(over, " ") + ")"
	}
	d.Columns = names
	if w.State < 0 {
		return
	}
	d.Keeps = []Kept{{w.State + 1, x.plan.States[w.State].Kind, "the rows of each partition by " + list(below.exprs(w.Keys)) + ", with their counts"}}
	if !x.plan.FromEmpty {
		d.Cost = cost("O(p × log p)", Term{"p", "rows of the partitions with a change, which are computed anew"})
	}
}

func sayLimit(x *describer, n *Node, d *Description) {
	l := n.Limit
	rows := Term{"k", "rows up to the end of the limit"}
	d.Text, d.Cost = "limit", cost("O(k)", rows)
	if l.Count >= 0 {
		d.Text += fmt.Sprintf(" %d", l.Count)
	}
	if l.Offset > 0 {
		d.Text += fmt.Sprintf(" offset %d", l.Offset)
	}
	if l.Kept > 0 {
		by := d.Inputs[0].sorted(l.By)
		d.Text += " by " + orderText(by)
		d.Cost = cost("O(d × log n + k)", changed("changed rows from below"), Term{"n", "rows kept"}, rows)
		d.Keeps = x.ordered(l.Kept, by)
		d.whole = rows.Counts
	}
	d.OneRow = d.OneRow || l.Count == 0 || l.Count == 1
}

func orderText(by []string) string {
	if len(by) == 0 {
		return "all columns"
	}
	return strings.Join(by, ", ") + ", then all columns"
}

func sayUnnest(x *describer, n *Node, d *Description) {
	u, below := n.Unnest, d.Inputs[0]
	elements := Term{"e", "elements of the lists of a row"}
	if d.Cost = cost("O(d × e)", changed("changed rows, as they come from below"), elements); x.plan.FromEmpty {
		d.Cost = cost("O(n × e)", Term{"n", "rows from below"}, elements)
	}
	texts := below.exprs(u.Lists)
	d.Text = "each row beside the elements of " + list(texts)
	if u.Placed {
		d.Text += ", numbered"
	}
	if u.OrNulls {
		d.Text += ", or beside NULL"
	}
	d.Columns = append(d.Columns[:len(d.Columns):len(d.Columns)], u.Names...)
	if d.ident = nil; u.Placed && below.ident != nil { // a row is told from its like by its place
		d.ident = append(below.ident[:len(below.ident):len(below.ident)], len(d.Columns)-1)
	}
	d.factor, d.OneRow = "elements of the lists of a row", false
}
