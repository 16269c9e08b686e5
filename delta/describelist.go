package delta

import (
	"fmt"
	"strings"
)

func saySort(_ *describer, n *Node, d *Description) {
	by := d.sorted(n.Sort.By)
	rows := Term{"n", "rows from below"}
	d.Text, d.Cost = "sort by all columns", cost("O(n × log n)", rows)
	if len(by) > 0 {
		d.Text = "sort by " + strings.Join(by, ", ") + ", then all columns"
	}
	if n.Sort.First > 0 {
		d.Text += fmt.Sprintf(", the first %d", n.Sort.First)
		d.Cost = cost("O(n × log k)", rows, Term{"k", "rows kept"})
	}
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

func sayLimit(_ *describer, n *Node, d *Description) {
	d.Text, d.Cost = "limit", cost("O(k)", Term{"k", "rows of the limit"})
	if n.Limit.Count >= 0 {
		d.Text += fmt.Sprintf(" %d", n.Limit.Count)
	}
	if n.Limit.Offset > 0 {
		d.Text += fmt.Sprintf(" offset %d", n.Limit.Offset)
	}
	d.OneRow = d.OneRow || n.Limit.Count == 0 || n.Limit.Count == 1
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
