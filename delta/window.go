package delta

import (
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Window.
//
// Identity: none that is linear; one row more moves the numbers of all behind it.
// Class: F in a view: a blocker.
// State: none.
// Cost: from empty O(n log n) of the rows, for each call.
// Careful: row_number follows the row encoding among peers (I13), and copies of a
// row are numbered one by one.
// See: docs/citations.md, "order".

// Window adds the result of each call as a column.
type Window struct {
	Calls []WindowCall `json:"calls"`
}

// WindowCall is a function over the partitions by Partition, in the order By.
type WindowCall struct {
	Name      string       `json:"name"` // row_number, rank, dense_rank
	Partition []*expr.Expr `json:"partition,omitempty"`
	By        []SortKey    `json:"by,omitempty"`
}

func deriveWindow(d *deriver, n *algebra.Window, need []bool, path string) stream {
	in := d.node(n.Input, nil, path+".0").arrange(all(len(n.Input.Schema())))
	w := &Window{}
	types := in.Types[:len(in.Types):len(in.Types)]
	for _, c := range n.Calls {
		d.volatile(c.Partition...)
		call := WindowCall{Name: c.Name, Partition: c.Partition}
		for _, k := range c.By {
			d.volatile(k.Expr)
			call.By = append(call.By, SortKey{Expr: k.Expr, Desc: k.Desc, NullsFirst: k.NullsFirst})
		}
		w.Calls, types = append(w.Calls, call), append(types, zset.TInt8)
	}
	d.block(Blocker{Code: CodeNotSupported, Object: n.Calls[0].Name + "() OVER", Pos: int(n.Pos),
		Reason:  "a row that comes or goes moves the numbers of the rows behind it",
		Rewrite: "for the first or last row of a group use GROUP BY with min or max and join it; else let the view be COMPLETE"})
	return stream{node: &Node{Op: OpWindow, Types: types, Ins: []*Node{in}, Window: w}}
}

func printWindow(c *canon, n *algebra.Window) {
	for _, w := range n.Calls {
		c.add("%s", w.Name)
		c.exprs(w.Partition)
		for _, k := range w.By {
			c.expr(k.Expr)
			c.add("%v %v;", k.Desc, k.NullsFirst)
		}
	}
}
