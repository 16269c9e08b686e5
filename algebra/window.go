package algebra

import (
	"bytes"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Window adds to each row, as a last column per call, its place among the rows of
// its partition. Copies of a row are rows of their own.
//
// Rows that By does not tell apart are peers: rank and dense_rank give them one
// number. row_number follows the row encoding of all columns among peers (I13), so
// no rule may drop columns below.
type Window struct {
	Input Node
	Calls []WindowCall
	Pos   ast.Pos
}

// WindowCall is one function OVER (PARTITION BY .. ORDER BY ..).
type WindowCall struct {
	Name      string // of WindowFunctions
	Partition []*expr.Expr
	By        []SortKey
}

// WindowFunctions is the table of functions that need OVER. place is the result for
// a row, from the number of rows before it, of rows whose keys are less, and of
// different keys that are less.
var WindowFunctions = map[string]func(before, less, distinct int64) int64{
	"row_number": func(before, _, _ int64) int64 { return before + 1 },
	"rank":       func(_, less, _ int64) int64 { return less + 1 },
	"dense_rank": func(_, _, distinct int64) int64 { return distinct + 1 },
}

// winBase is the column that stands for the first window call of a block while its
// expressions are bound, as aggBase is for aggregates.
const winBase = 1 << 40

// Schema is that of the input, and a number for each call.
func (w *Window) Schema() zset.Schema {
	s := w.Input.Schema()
	s = s[:len(s):len(s)]
	for _, c := range w.Calls {
		s = append(s, zset.Field{Name: c.Name, Type: zset.TInt8, NotNull: true})
	}
	return s
}

// Inputs is the input.
func (w *Window) Inputs() []Node { return []Node{w.Input} }

func (w *Window) with(ins []Node) Node { return &Window{Input: ins[0], Calls: w.Calls, Pos: w.Pos} }

// eval counts, for every row, the rows of its partition that come before it.
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
	for _, c := range w.Calls {
		col, err := c.numbers(b)
		if err != nil {
			return nil, err
		}
		out.Cols = append(out.Cols, col)
	}
	return out, nil
}

func (c *WindowCall) numbers(b *zset.Batch) (zset.Column, error) {
	out := zset.NewColumn(zset.TInt8, b.N)
	es := append([]*expr.Expr(nil), c.Partition...)
	for _, k := range c.By {
		es = append(es, k.Expr)
	}
	r, err := newRowwise(es)
	if err != nil {
		return out, err
	}
	part, keys, all := make([]string, b.N), make([][]cell, b.N), make([][]byte, b.N)
	for i := range b.N {
		cols, err := r.at(b, i)
		if err != nil {
			return out, err
		}
		for k := range cols {
			enc := zset.AppendKey(nil, &cols[k], 0)
			if k < len(c.Partition) {
				part[i] += string(enc)
			} else {
				keys[i] = append(keys[i], cell{cols[k].IsNull(0), enc})
			}
		}
		all[i] = rowKey(b, i)
	}
	for i := range b.N {
		var before, less int64
		distinct := map[string]bool{}
		for j := range b.N {
			if part[i] != part[j] {
				continue
			}
			d := compareCells(c.By, keys[j], keys[i])
			if d < 0 {
				less++
				name := ""
				for _, k := range keys[j] {
					name += string(k.key)
				}
				distinct[name] = true
			}
			if d == 0 {
				d = bytes.Compare(all[j], all[i])
			}
			if d < 0 || d == 0 && j < i {
				before++
			}
		}
		out.AppendI64(WindowFunctions[c.Name](before, less, int64(len(distinct))))
	}
	return out, nil
}

func (w *Window) line() string {
	col := columns(w.Input)
	return "window " + list(len(w.Calls), ", ", func(i int) string {
		c := w.Calls[i]
		s := c.Name + "() over ("
		if len(c.Partition) > 0 {
			s += "partition by " + list(len(c.Partition), ", ", func(k int) string { return c.Partition[k].Format(col) })
		}
		if len(c.By) > 0 {
			if len(c.Partition) > 0 {
				s += " "
			}
			s += "order by " + sortText(c.By, col)
		}
		return s + ")"
	})
}

// window binds a call with OVER; what it stands for is a column of the block's Window.
func (b *binder) window(x *ast.Window, c *exprCtx) *expr.Expr {
	name := x.Call.Name.Text
	switch {
	case c.group == nil || c.clause != "SELECT" && c.clause != "ORDER BY":
		b.errorf("42P20", x.Pos(), "window functions are not allowed in %s", c.clause)
		return nil
	case c.inAgg || c.inWindow:
		b.errorf("42P20", x.Pos(), "aggregate and window function calls cannot contain window function calls")
		return nil
	case WindowFunctions[name] == nil:
		b.unsupported(x.Pos(), name+"(..) OVER", "The functions with OVER are row_number, rank and dense_rank; join the query with an aggregate of it.")
		return nil
	case x.Name.Text != "" || x.Base.Text != "" || x.Frame != nil:
		b.unsupported(x.Pos(), "a named window or a frame", "")
		return nil
	case len(x.Call.Args) > 0 || x.Call.Star || x.Call.Distinct || x.Call.Filter != nil || len(x.Call.OrderBy) > 0:
		b.errorf("42883", x.Pos(), "function %s takes no arguments", name)
		return nil
	}
	inner := *c
	inner.inWindow = true
	call := WindowCall{Name: name}
	ok := true
	bind := func(e ast.Expr) *expr.Expr {
		k := b.expr(e, &inner)
		if k != nil && k.Typ.Kind == zset.Unknown {
			k = b.cast(k, zset.TText, expr.Implicit, e.Pos())
		}
		ok = ok && k != nil
		return k
	}
	for _, p := range x.PartitionBy {
		call.Partition = append(call.Partition, bind(p))
	}
	for _, it := range x.OrderBy {
		call.By = append(call.By, SortKey{Expr: bind(it.Expr), Desc: it.Desc, NullsFirst: it.NullsFirst})
	}
	if !ok {
		return nil
	}
	if len(c.group.windows) == 0 {
		c.group.windowPos = x.Pos()
	}
	c.group.windows = append(c.group.windows, call)
	return expr.Col(winBase+len(c.group.windows)-1, zset.TInt8).At(int(x.Pos()))
}

// eachWindow replaces every expression of the calls of a block.
func (g *grouping) eachWindow(f func(*expr.Expr) *expr.Expr) {
	for i := range g.windows {
		c := &g.windows[i]
		for k := range c.Partition {
			c.Partition[k] = f(c.Partition[k])
		}
		for k := range c.By {
			c.By[k].Expr = f(c.By[k].Expr)
		}
	}
}

// overWindow puts the Window of a block over n.
func (g *grouping) overWindow(n Node, targets []target, order []orderKey) Node {
	width := len(n.Schema())
	place := func(e *expr.Expr) *expr.Expr {
		return e.MapCols(func(c int) int {
			if c >= winBase {
				return width + c - winBase
			}
			return c
		})
	}
	for i := range targets {
		targets[i].e = place(targets[i].e)
	}
	for i := range order {
		order[i].e = place(order[i].e)
	}
	return &Window{Input: n, Calls: g.windows, Pos: g.windowPos}
}
