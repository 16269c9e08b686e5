package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Filter is the rows of Input for which Pred is TRUE; a row for which it is
// FALSE or NULL is dropped. Weights stay.
type Filter struct {
	Input Node `json:"-"`
	Pred  *expr.Expr
}

// Schema is that of the input.
func (f *Filter) Schema() zset.Schema { return f.Input.Schema() }

// Inputs is the input.
func (f *Filter) Inputs() []Node { return []Node{f.Input} }

func (f *Filter) with(ins []Node) Node { return &Filter{Input: ins[0], Pred: f.Pred} }
