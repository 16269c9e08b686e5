package runtime

import (
	"bytes"
	"slices"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// windowOp reads all rows, sorts them by partition and order for each call, and
// yields them with their numbers.
type windowOp struct {
	in    *task
	calls []*windowCall

	ran  bool
	rows *zset.Batch
	enc  []byte // row encodings, one after the other
	off  []int
	at   int
}

type windowCall struct {
	delta.WindowCall
	x    *exprs
	keys []byte // of a row: its partition's encoding, then that of its order
	off  []int
	cut  []int // where the order begins in it
	out  []int64
}

func makeWindow(c *compiler, n *delta.Node, ins []*task) (operator, error) {
	o := &windowOp{in: ins[0]}
	for _, w := range n.Window.Calls {
		es := append([]*expr.Expr(nil), w.Partition...)
		for _, k := range w.By {
			es = append(es, k.Expr)
		}
		x, err := c.exprs(es)
		if err != nil {
			return nil, err
		}
		o.calls = append(o.calls, &windowCall{WindowCall: w, x: x})
	}
	return o, nil
}

func (o *windowOp) open(*run) {
	o.ran, o.at, o.rows, o.enc, o.off = false, 0, nil, nil, nil
	for _, c := range o.calls {
		c.keys, c.off, c.cut, c.out = nil, nil, nil, nil
	}
}

func (o *windowOp) next(r *run) (*zset.Batch, error) {
	if !o.ran {
		if err := o.fill(r); err != nil {
			return nil, err
		}
		for _, c := range o.calls {
			if err := c.number(r, o); err != nil {
				return nil, err
			}
		}
		o.ran = true
	}
	n := min(batchRows, o.rows.N-o.at)
	if n == 0 {
		return nil, nil
	}
	out := o.rows.Slice(o.at, o.at+n)
	for _, c := range o.calls {
		out.Cols = append(out.Cols, zset.Column{Type: zset.TInt8, I64: c.out[o.at : o.at+n]})
	}
	o.at += n
	return out, nil
}

func (o *windowOp) fill(r *run) error {
	o.rows, o.off = zset.NewBatch(o.in.node.Types, 0), []int{0}
	for _, c := range o.calls {
		c.off = []int{0}
	}
	for {
		b, err := o.in.pull(r)
		if b == nil || err != nil {
			return err
		}
		b = copies(b)
		for i := range b.N {
			for c := range b.Cols {
				o.enc = zset.AppendRow(o.enc, &b.Cols[c], i)
			}
			o.off = append(o.off, len(o.enc))
		}
		for _, c := range o.calls {
			cols, err := c.x.eval(b)
			if err != nil {
				return r.leastError(err, c.x.es, b, o.in, func(one *zset.Batch) error {
					_, err := c.x.eval(one)
					return err
				})
			}
			for i := range b.N {
				for k := range cols {
					if k == len(c.Partition) {
						c.cut = append(c.cut, len(c.keys))
					}
					if k < len(c.Partition) {
						c.keys = zset.AppendKey(c.keys, &cols[k], i)
					} else {
						c.keys = appendSortKey(c.keys, &cols[k], i, c.By[k-len(c.Partition)])
					}
				}
				if len(c.By) == 0 {
					c.cut = append(c.cut, len(c.keys))
				}
				c.off = append(c.off, len(c.keys))
			}
		}
		o.rows.Append(b)
		if err := r.hold("window", o); err != nil {
			return err
		}
	}
}

// copies is b with every row as often as it is there.
func copies(b *zset.Batch) *zset.Batch {
	if b.W == nil {
		return b
	}
	var idx []int32
	for i, w := range b.W[:b.N] {
		for range w {
			idx = append(idx, int32(i))
		}
	}
	out := b.Take(idx)
	out.W, out.Consolidated = nil, false
	return out
}

// number works out a call for all rows.
func (c *windowCall) number(r *run, o *windowOp) error {
	n := o.rows.N
	idx := make([]int32, n)
	for i := range idx {
		idx[i] = int32(i)
	}
	key := func(i int32) []byte { return c.keys[c.off[i]:c.off[i+1]] }
	slices.SortFunc(idx, func(a, b int32) int {
		if d := bytes.Compare(key(a), key(b)); d != 0 {
			return d
		}
		return bytes.Compare(o.enc[o.off[a]:o.off[a+1]], o.enc[o.off[b]:o.off[b+1]])
	})
	c.out = make([]int64, n)
	var row, rank, dense int64
	for p, i := range idx {
		before := int32(-1)
		if p > 0 {
			before = idx[p-1]
		}
		switch {
		case before < 0 || !bytes.Equal(c.keys[c.off[before]:c.cut[before]], c.keys[c.off[i]:c.cut[i]]):
			row, rank, dense = 1, 1, 1
		default:
			row++
			if !bytes.Equal(key(before), key(i)) {
				rank, dense = row, dense+1
			}
		}
		switch c.Name {
		case "rank":
			c.out[i] = rank
		case "dense_rank":
			c.out[i] = dense
		default:
			c.out[i] = row
		}
	}
	return r.ctx.Err()
}
