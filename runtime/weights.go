package runtime

import (
	"math/bits"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/zset"
)

// negateOp turns the sign of every weight.
type negateOp struct {
	in  *task
	out zset.Batch
}

func makeNegate(_ *compiler, _ *delta.Node, ins []*task) (operator, error) {
	return &negateOp{in: ins[0]}, nil
}

func (o *negateOp) open(*run) {}

func (o *negateOp) next(r *run) (*zset.Batch, error) {
	b, err := o.in.pull(r)
	if b == nil || err != nil {
		return nil, err
	}
	w := o.out.W[:0]
	for i := range b.N {
		w = append(w, -b.Weight(i))
	}
	o.out = zset.Batch{Cols: b.Cols, N: b.N, W: w, Consolidated: b.Consolidated}
	return &o.out, nil
}

// repeatOp multiplies weights by a number of the row; rows of none go.
type repeatOp struct {
	in   *task
	spec *delta.Repeat
	sel  []int32
	w    []int64
	out  zset.Batch

	b    *zset.Batch // from empty: rows on their way, every copy for itself
	row  int
	left int64
}

func makeRepeat(_ *compiler, n *delta.Node, ins []*task) (operator, error) {
	return &repeatOp{in: ins[0], spec: n.Repeat}, nil
}

func (o *repeatOp) open(*run) { o.b = nil }

// next multiplies the weights of a delta. Rows from empty all have weight 1,
// which hash joins rely on: there the row itself is repeated.
func (o *repeatOp) next(r *run) (*zset.Batch, error) {
	if r.sides == nil {
		return o.copies(r)
	}
	for {
		b, err := o.in.pull(r)
		if b == nil || err != nil {
			return nil, err
		}
		o.sel, o.w = o.sel[:0], o.w[:0]
		for i := range b.N {
			n := o.times(b, i)
			if n == 0 {
				continue
			}
			w := b.Weight(i)
			if hi, lo := bits.Mul64(uint64(n), uint64(max(w, -w))); hi != 0 || lo > 1<<62 {
				return nil, zset.Errorf(zset.CodeOutOfRange, -1, "row multiplicity out of range")
			}
			o.sel, o.w = append(o.sel, int32(i)), append(o.w, n*w)
		}
		if len(o.sel) == 0 {
			continue
		}
		take(&o.out, b, o.sel)
		o.out.W = append(o.out.W[:0], o.w...)
		return &o.out, nil
	}
}

func (o *repeatOp) copies(r *run) (*zset.Batch, error) {
	for {
		if o.b == nil {
			b, err := o.in.pull(r)
			if b == nil || err != nil {
				return nil, err
			}
			o.b, o.row, o.left = b, 0, o.times(b, 0)
		}
		o.sel = o.sel[:0]
		b := o.b
		for len(o.sel) < batchRows {
			if o.left > 0 {
				o.sel = append(o.sel, int32(o.row))
				o.left--
				continue
			}
			if o.row++; o.row == b.N {
				o.b = nil
				break
			}
			o.left = o.times(b, o.row)
		}
		if len(o.sel) > 0 {
			take(&o.out, b, o.sel)
			o.out.Consolidated = false
			return &o.out, nil
		}
	}
}

func (o *repeatOp) times(b *zset.Batch, i int) int64 {
	cell := func(c int) int64 {
		if b.Cols[c].IsNull(i) {
			return 0
		}
		return b.Cols[c].I64[i]
	}
	of, than := cell(o.spec.Of), cell(o.spec.Than)
	if o.spec.Less {
		return max(0, of-than)
	}
	return min(of, than)
}
