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

func sayWindow(_ *describer, n *Node, d *Description) {
	d.Text, d.Cost = "window", cost("O(n × log n)", Term{"n", "rows from below"})
	names := d.Columns[:len(d.Columns):len(d.Columns)]
	for i, c := range n.Window.Calls {
		call := c.Name + "() OVER ("
		if len(c.Partition) > 0 {
			call += "PARTITION BY " + list(d.exprs(c.Partition))
		}
		if len(c.By) > 0 {
			call += []string{"", " "}[min(len(c.Partition), 1)] + "ORDER BY " + strings.Join(d.sorted(c.By), ", ")
		}
		call += ")"
		d.Text += []string{" ", ", "}[min(i, 1)] + call
		names = append(names, c.Name+"()")
	}
	d.Columns = names
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
