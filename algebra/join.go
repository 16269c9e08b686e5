package algebra

import (
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
	Ins []Node `json:"-"`
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
