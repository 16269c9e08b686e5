package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Window adds to each row, as a last column per call, the value of a function over
// the rows of its partition. Copies of a row are rows of their own.
//
// Rows that By does not tell apart are peers. Where the order among peers matters
// (row_number, lag, frames of ROWS) it is that of the row encoding of all columns
// (I13), so no rule may drop columns below.
type Window struct {
	Input Node
	Calls []WindowCall
	Pos   ast.Pos

	memo schemaMemo
}

// WindowCall is one function OVER (PARTITION BY .. ORDER BY .. frame).
type WindowCall struct {
	Name      string
	Args      []*expr.Expr  // of a function of WindowFunctions
	Agg       *expr.AggCall // an aggregate over the frame; nil: one of WindowFunctions
	Partition []*expr.Expr
	By        []SortKey
	Frame     expr.Frame // what aggregates, first_value, last_value and nth_value see
	Typ       zset.Type
}

// winBase is the column that stands for the first window call of a block while its
// expressions are bound, as aggBase is for aggregates.
const winBase = 1 << 40

// Map is c with f of each of its expressions.
func (c WindowCall) Map(f func(*expr.Expr) *expr.Expr) WindowCall {
	each := func(es []*expr.Expr) []*expr.Expr {
		out := make([]*expr.Expr, len(es))
		for i, e := range es {
			out[i] = f(e)
		}
		return out
	}
	c.Args, c.Partition = each(c.Args), each(c.Partition)
	c.By = append([]SortKey(nil), c.By...)
	for k := range c.By {
		c.By[k].Expr = f(c.By[k].Expr)
	}
	if c.Agg != nil {
		a := c.Agg.Map(f)
		c.Agg = &a
	}
	c.Frame = c.Frame.Map(f)
	return c
}

// Schema is that of the input, and a column for each call.
func (w *Window) Schema() zset.Schema {
	in := w.Input.Schema()
	if s := w.memo.of(in, nil, nil, nil); s != nil && slices.EqualFunc(s[len(in):], w.Calls, func(f zset.Field, c WindowCall) bool { return f == c.field() }) {
		return s
	}
	s := in[:len(in):len(in)]
	for _, c := range w.Calls {
		s = append(s, c.field())
	}
	return w.memo.keep(in, nil, nil, nil, s)
}

// field is the column of the call.
func (c *WindowCall) field() zset.Field {
	return zset.Field{Name: c.Name, Type: c.Typ, NotNull: c.neverNull()}
}

func (c *WindowCall) neverNull() bool {
	switch c.Name {
	case "row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "count", "count_if":
		return true
	}
	return false
}

// Inputs is the input.
func (w *Window) Inputs() []Node { return []Node{w.Input} }

func (w *Window) with(ins []Node) Node { return &Window{Input: ins[0], Calls: w.Calls, Pos: w.Pos} }

// eval asks of every pair of rows whether one is in the frame of the other.
func (w *Window) eval(o *oracle) (*zset.Batch, error) {
	b, err := o.set(w.Input)
	if err != nil {
		return nil, err
	}
	idx := []int32{}
	for i := range b.N {
		for range b.Weight(i) {
			idx = append(idx, int32(i))
		}
	}
	b = b.Take(idx)
	b.W, b.Consolidated = nil, false
	out := &zset.Batch{Cols: b.Cols[:len(b.Cols):len(b.Cols)], N: b.N}
	for i := range w.Calls {
		col, err := w.Calls[i].values(b)
		if err != nil {
			return nil, err
		}
		out.Cols = append(out.Cols, col)
	}
	return out, nil
}

func (w *Window) line() string {
	col := columns(w.Input)
	return "window " + list(len(w.Calls), ", ", func(i int) string { return w.Calls[i].Format(col) })
}

// Format prints c as SQL; col names the columns.
func (c *WindowCall) Format(col func(int) string) string {
	s := c.Name + "(" + list(len(c.Args), ", ", func(i int) string { return c.Args[i].Format(col) }) + ")"
	if c.Agg != nil {
		s = c.Agg.Format(col)
	}
	sep := ""
	s += " over ("
	if len(c.Partition) > 0 {
		s, sep = s+"partition by "+list(len(c.Partition), ", ", func(k int) string { return c.Partition[k].Format(col) }), " "
	}
	if len(c.By) > 0 {
		s, sep = s+sep+"order by "+sortText(c.By, col), " "
	}
	if f := c.Frame.Format(col); f != "" {
		s += sep + f
	}
	return s + ")"
}

// eachWindow replaces every expression of the calls and of the lists of a block.
func (g *grouping) eachWindow(f func(*expr.Expr) *expr.Expr) {
	for i := range g.lists {
		g.lists[i] = f(g.lists[i])
	}
	for i := range g.windows {
		g.windows[i] = g.windows[i].Map(f)
	}
}

// overWindow puts the Windows of a block over n: one for the calls that have a part
// of their PARTITION BY in common, so that each can follow by its own partitions.
func (g *grouping) overWindow(n Node, targets []target, order []orderKey) Node {
	at := make([]int, len(g.windows)) // the column of each call
	for left := len(g.windows); left > 0; {
		w := &Window{Input: n, Pos: g.windowPos}
		width := len(n.Schema())
		var keys []*expr.Expr
		for i, c := range g.windows {
			shared := inBoth(keys, c.Partition)
			switch {
			case at[i] > 0:
				continue
			case len(w.Calls) == 0:
				keys = c.Partition
			case len(keys) != 0 && len(shared) > 0:
				keys = shared
			case len(keys) > 0 || len(c.Partition) > 0:
				continue
			}
			at[i] = width + len(w.Calls)
			w.Calls = append(w.Calls, c)
			left--
		}
		n = w
	}
	place := func(e *expr.Expr) *expr.Expr {
		return e.MapCols(func(c int) int {
			if c >= winBase && c < listBase {
				return at[c-winBase]
			}
			return c
		})
	}
	for i := range g.lists {
		g.lists[i] = place(g.lists[i])
	}
	for i := range targets {
		targets[i].e = place(targets[i].e)
	}
	for i := range order {
		order[i].e = place(order[i].e)
	}
	return n
}

// inBoth is the expressions of a that are in b too.
func inBoth(a, b []*expr.Expr) []*expr.Expr {
	var out []*expr.Expr
	for _, x := range a {
		if slices.ContainsFunc(b, x.Equal) {
			out = append(out, x)
		}
	}
	return out
}
