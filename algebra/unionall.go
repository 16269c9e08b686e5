package algebra

import "github.com/ivmc/ivmc/zset"

// UnionAll is the sum of its inputs: weights of equal rows add up. The inputs
// have the same column types; names are those of the first.
type UnionAll struct {
	Ins []Node
}

// Schema is that of the first input; a column is NOT NULL if it is in all.
func (u *UnionAll) Schema() zset.Schema {
	s := append(zset.Schema(nil), u.Ins[0].Schema()...)
	for _, in := range u.Ins[1:] {
		for i, f := range in.Schema() {
			s[i].NotNull = s[i].NotNull && f.NotNull
		}
	}
	return s
}

// Inputs is the summands.
func (u *UnionAll) Inputs() []Node { return u.Ins }

func (u *UnionAll) with(ins []Node) Node { return &UnionAll{Ins: ins} }

func (u *UnionAll) eval(o *oracle) (*zset.Batch, error) {
	out := zset.NewBatch(u.Schema().Types(), 0)
	for _, in := range u.Ins {
		b, err := o.list(in)
		if err != nil {
			return nil, err
		}
		out.Append(b)
	}
	return out, nil
}

func (u *UnionAll) line() string { return "union all" }
