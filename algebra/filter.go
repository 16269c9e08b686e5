package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Filter is the rows of Input for which Pred is TRUE; a row for which it is
// FALSE or NULL is dropped. Weights stay.
type Filter struct {
	Input Node
	Pred  *expr.Expr
}

// Schema is that of the input.
func (f *Filter) Schema() zset.Schema { return f.Input.Schema() }

// Inputs is the input.
func (f *Filter) Inputs() []Node { return []Node{f.Input} }

func (f *Filter) with(ins []Node) Node { return &Filter{Input: ins[0], Pred: f.Pred} }

func (f *Filter) eval(o *oracle) (*zset.Batch, error) {
	b, err := o.rows(f.Input)
	if err != nil {
		return nil, err
	}
	pred, err := newRowwise([]*expr.Expr{f.Pred})
	if err != nil {
		return nil, err
	}
	var keep []int32
	for i := range b.N {
		p, err := pred.at(b, i)
		if err != nil {
			return nil, err
		}
		if isTrue(&p[0]) {
			keep = append(keep, int32(i))
		}
	}
	return b.Take(keep), nil
}

func (f *Filter) line() string { return "filter " + f.Pred.Format(columns(f.Input)) }
