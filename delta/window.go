package delta

import (
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Window.
//
// Identity: a window is a sum over partitions, ω(R) = Σ ω(R of the partition), so
// Δω(R) = for every partition touched by ΔR: -ω(partition at lo), +ω(partition at hi).
// Class: R by the expressions that every call partitions by; F, a blocker, where
// there is none: then one row more moves the numbers of all behind it.
// State: the rows of the input with their counts, behind their partition's key.
// Cost: O(rows of the touched partitions × log) for each call. From empty
// O(n log n) of the rows. MIN, MAX and lists over a frame whose start moves:
// O(rows × frame).
// Careful: row_number, lag and frames of ROWS follow the row encoding of all
// columns among peers (I13), so no column may be left out, and copies of a row are
// numbered one by one. Calls that partition by more than the others are computed
// within the coarser partition.
// See: docs/citations.md, "order".

// Window adds the result of each call as a column.
type Window struct {
	Calls []WindowCall `json:"calls"`
	// Keys partition the rows for the step: all calls partition by these at least.
	Keys []*expr.Expr `json:"keys,omitempty"`
	// State is the position of the rows in Plan.States; -1: nothing is kept.
	State int `json:"state"`
}

// WindowCall is a function over the partitions by Partition, in the order By.
type WindowCall struct {
	Name      string        `json:"name"`
	Args      []*expr.Expr  `json:"args,omitempty"`
	Agg       *expr.AggCall `json:"agg,omitempty"` // nil: Name says what it is
	Partition []*expr.Expr  `json:"partition,omitempty"`
	By        []SortKey     `json:"by,omitempty"`
	Frame     expr.Frame    `json:"frame"`
	Typ       zset.Type     `json:"type"`
}

func deriveWindow(d *deriver, n *algebra.Window, need []bool, path string) stream {
	s := d.node(n.Input, nil, path+".0")
	w := &Window{State: -1}
	keys := n.Calls[0].Partition
	for _, c := range n.Calls {
		c.Map(func(e *expr.Expr) *expr.Expr { d.volatile(e); return e })
		keys = common(keys, c.Partition)
	}
	if len(keys) == 0 {
		d.block(Blocker{Code: CodeNotSupported, Object: n.Calls[0].Name + "() OVER", Pos: int(n.Pos), Permanent: true,
			Reason:  "a row that comes or goes changes the result of every row behind it",
			Rewrite: "give it a PARTITION BY, and the rows of a partition alone are computed anew; else let the view be COMPLETE"})
	} else {
		w.Keys = keys
		w.State = d.state(StateOrdered, path, "window", holding(n.Input, nil, "window "+keyText(keys)))
	}
	if raises(keys) {
		s = d.settled(s)
	}
	in := s.arrange(all(len(n.Input.Schema())))
	types := in.Types[:len(in.Types):len(in.Types)]
	for _, c := range n.Calls {
		call := WindowCall{Name: c.Name, Args: c.Args, Agg: c.Agg, Partition: c.Partition, Typ: c.Typ, Frame: c.Frame}
		for _, k := range c.By {
			call.By = append(call.By, SortKey{Expr: k.Expr, Desc: k.Desc, NullsFirst: k.NullsFirst})
		}
		w.Calls, types = append(w.Calls, call), append(types, c.Typ)
	}
	return stream{node: &Node{Op: OpWindow, Class: ClassKeys, Types: types, Ins: []*Node{in}, Window: w}}
}

// common is the expressions of both lists.
func common(a, b []*expr.Expr) []*expr.Expr {
	var out []*expr.Expr
	for _, x := range a {
		for _, y := range b {
			if x.Equal(y) {
				out = append(out, x)
				break
			}
		}
	}
	return out
}

func printWindow(c *canon, n *algebra.Window) {
	for _, w := range n.Calls {
		c.add("%s", w.Name)
		c.typ(w.Typ)
		c.exprs(w.Args)
		if w.Agg != nil {
			c.add("/%d{%s}", w.Agg.Version(), listText(*w.Agg))
		}
		c.exprs(w.Partition)
		for _, k := range w.By {
			c.expr(k.Expr)
			c.add("%v %v;", k.Desc, k.NullsFirst)
		}
		f := &w.Frame
		c.add("%d %d/%d %d/%d %d", f.Unit, f.Start.Kind, f.Start.N, f.End.Kind, f.End.N, f.Exclude)
		for _, e := range f.Exprs() {
			if e != nil {
				c.expr(e)
			}
		}
	}
}

// check reports whether the calls can be run.
func (w *Window) check() bool {
	for _, c := range w.Calls {
		if !c.Frame.Check() || c.Frame.Key != nil && len(c.By) != 1 {
			return false
		}
	}
	return len(w.Calls) > 0
}
