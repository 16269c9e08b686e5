package algebra

import (
	"math"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Join is the inner join of n inputs: every combination of one row from each
// for which every conjunct of On is TRUE. A combination's weight is the product
// of the weights. One node for n inputs, because its delta rule is one rule.
//
// The columns are those of the inputs one after the other; On speaks of them
// by position there.
type Join struct {
	Ins []Node
	On  []*expr.Expr
}

// Schema is the columns of the inputs one after the other.
func (j *Join) Schema() zset.Schema {
	var s zset.Schema
	for _, in := range j.Ins {
		s = append(s, in.Schema()...)
	}
	return s
}

// Inputs is the joined inputs.
func (j *Join) Inputs() []Node { return j.Ins }

func (j *Join) with(ins []Node) Node { return &Join{Ins: ins, On: j.On} }

// Offsets is, for each input, the position of its first column in the join's
// columns, and last the number of all columns.
func (j *Join) Offsets() []int {
	off := make([]int, 1, len(j.Ins)+1)
	for i, in := range j.Ins {
		off = append(off, off[i]+len(in.Schema()))
	}
	return off
}

// eval tries every combination, conjuncts that can raise last: they see only
// what the others let through.
func (j *Join) eval(o *oracle) (*zset.Batch, error) {
	run := &nested{off: j.Offsets(), level: make([][]rowwise, len(j.Ins))}
	for _, in := range j.Ins {
		b, err := o.set(in)
		if err != nil {
			return nil, err
		}
		run.ins, run.rows = append(run.ins, b), append(run.rows, rowsOf(b))
	}
	for _, raising := range []bool{false, true} {
		for _, c := range j.On {
			if c.Raises() != raising {
				continue
			}
			r, err := newRowwise([]*expr.Expr{c})
			if err != nil {
				return nil, err
			}
			at := len(j.Ins) - 1
			if !raising {
				at = run.lastInput(c)
			}
			run.level[at] = append(run.level[at], r)
		}
	}
	run.out = zset.NewBatch(j.Schema().Types(), 0)
	run.row = make([]zset.Column, len(j.Schema()))
	if err := run.loop(0, 1); err != nil {
		return nil, err
	}
	return run.out, nil
}

// nested is a nested loop over the inputs from left to right. level[k] holds
// the conjuncts to be tried when input k has been added.
type nested struct {
	ins   []*zset.Batch
	rows  [][][]zset.Column // of each input
	off   []int
	level [][]rowwise
	row   []zset.Column // the combination at hand
	out   *zset.Batch
}

// lastInput is the last input that c reads; 0 if it reads none.
func (n *nested) lastInput(c *expr.Expr) int {
	last := 0
	for _, col := range c.Cols() {
		for last+1 < len(n.ins) && col >= n.off[last+1] {
			last++
		}
	}
	return last
}

// loop extends the combination of rows of the first k inputs, of weight w, by every
// row of the next.
func (n *nested) loop(k int, w int64) error {
	if k == len(n.ins) {
		appendRow(n.out, n.row, w)
		return nil
	}
	for i, row := range n.rows[k] {
		copy(n.row[n.off[k]:], row)
		ok, err := n.holds(k, n.off[k]+len(row))
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		weight, err := product(w, n.ins[k].Weight(i))
		if err != nil {
			return err
		}
		if err := n.loop(k+1, weight); err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether the conjuncts of level k are TRUE for a combination.
// Columns of later inputs are not there yet, and not read.
func (n *nested) holds(k, width int) (bool, error) {
	b := &zset.Batch{Cols: n.row[:width], N: 1}
	for _, c := range n.level[k] {
		p, err := c.v.Eval(b)
		if err != nil {
			return false, err
		}
		if !isTrue(&p[0]) {
			return false, nil
		}
	}
	return true, nil
}

func product(a, b int64) (int64, error) {
	p := a * b
	if a != 0 && (p/a != b || a == -1 && b == math.MinInt64) {
		return 0, zset.Errorf(zset.CodeOutOfRange, -1, "row multiplicity out of range")
	}
	return p, nil
}

func (j *Join) line() string {
	if len(j.On) == 0 {
		return "join"
	}
	col := columns(j)
	return "join on " + list(len(j.On), " and ", func(i int) string { return j.On[i].Format(col) })
}
