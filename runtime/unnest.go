package runtime

import (
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/zset"
)

// unnestOp hands each row on once for each place of its lists. The rows of a batch
// go out in pieces: one may have a list longer than any batch.
type unnestOp struct {
	in     *task
	spec   *delta.Unnest
	x      *exprs
	from   *zset.Batch   // the rows that are being handed on; nil: the next are due
	lists  []zset.Column // of those rows
	row    int           // of from
	cells  []zset.Column // elements of the lists of the row
	most   int           // places of the row; -1: not read
	place  int           // the next of the row
	sel    []int32       // rows of from, one for each row that goes out
	weight []int64
	out    zset.Batch
}

func makeUnnest(c *compiler, n *delta.Node, ins []*task) (operator, error) {
	o := &unnestOp{in: ins[0], spec: n.Unnest}
	var err error
	if o.x, err = c.exprs(n.Unnest.Lists); err != nil {
		return nil, err
	}
	o.out.Cols = make([]zset.Column, len(n.Types))
	for i, t := range n.Types {
		o.out.Cols[i] = zset.NewColumn(t, 0)
	}
	o.cells = make([]zset.Column, len(n.Unnest.Lists))
	for k, l := range n.Unnest.Lists {
		o.cells[k] = zset.NewColumn(l.Typ.Element(), 0)
	}
	return o, nil
}

func (o *unnestOp) open(*run) { o.from = nil }

func (o *unnestOp) next(r *run) (*zset.Batch, error) {
	for {
		if o.from == nil {
			b, err := o.in.pull(r)
			if b == nil || err != nil {
				return nil, err
			}
			if o.lists, err = o.x.eval(b); err != nil {
				return nil, r.leastError(err, o.x.es, b, o.in, func(one *zset.Batch) error {
					_, err := o.x.eval(one)
					return err
				})
			}
			o.from, o.row, o.most = b, 0, -1
		}
		width := len(o.from.Cols)
		for i := range o.out.Cols {
			reuse(&o.out.Cols[i], o.out.Cols[i].Type)
		}
		o.sel = o.sel[:0]
		for o.row < o.from.N && len(o.sel) < batchRows {
			if err := o.fill(width); err != nil {
				return nil, err
			}
		}
		b := o.from
		if o.row == b.N {
			o.from = nil
		}
		if len(o.sel) == 0 {
			continue
		}
		for i := range width {
			o.out.Cols[i].AppendTake(&b.Cols[i], o.sel)
		}
		o.out.N, o.out.Consolidated = len(o.sel), b.Consolidated && o.spec.Placed
		if o.out.W = nil; b.W != nil {
			o.weight = takeWeights(o.weight, b.W, o.sel)
			o.out.W = o.weight
		}
		return &o.out, nil
	}
}

// fill adds places of the row, behind the width columns of its input, until the
// batch is full or the row is done.
func (o *unnestOp) fill(width int) error {
	if o.most < 0 {
		o.most, o.place = 0, 0
		for k := range o.cells {
			reuse(&o.cells[k], o.cells[k].Type)
			if l := &o.lists[k]; !l.IsNull(o.row) {
				if err := zset.Elements(l.Bytes(o.row), &o.cells[k]); err != nil {
					return err
				}
			}
			o.most = max(o.most, o.cells[k].Len())
		}
		if o.most == 0 && o.spec.OrNulls {
			o.append(width, 0, true)
		}
	}
	for ; o.place < o.most && len(o.sel) < batchRows; o.place++ {
		o.append(width, o.place, false)
	}
	if o.place >= o.most {
		o.row++
		o.most = -1
	}
	return nil
}

func (o *unnestOp) append(width, place int, nulls bool) {
	o.sel = append(o.sel, int32(o.row))
	for k := range o.cells {
		if c := &o.out.Cols[width+k]; place < o.cells[k].Len() {
			c.AppendCell(&o.cells[k], place)
		} else {
			c.AppendNull()
		}
	}
	if !o.spec.Placed {
		return
	}
	if c := &o.out.Cols[width+len(o.cells)]; nulls {
		c.AppendNull()
	} else {
		c.AppendI64(int64(place + 1))
	}
}
