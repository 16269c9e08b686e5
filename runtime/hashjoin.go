package runtime

import (
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/zset"
)

// hashJoinOp puts its second input in a table by key, then streams the first
// past it. It runs from empty alone, where a row that is there n times comes n times:
// the weights of its inputs are 1, and so are those of its matches.
type hashJoinOp struct {
	ins   []*task
	spec  *delta.HashJoin
	probe *exprs
	build *exprs

	ran   bool
	rows  zset.Batch // of the table: the columns Right
	table *zset.KeyTable
	head  []int32 // by key id: its last row, -1: none
	chain []int32 // by row: the row before it with the same key, -1: none
	keys  zset.Keys
	ids   []uint32

	b   *zset.Batch
	row int
	at  int32 // row of the table that is next for row; only if on
	on  bool
	sel []int32 // of b
	hit []int32 // of rows
	out zset.Batch
}

func makeHashJoin(c *compiler, n *delta.Node, ins []*task) (operator, error) {
	o := &hashJoinOp{ins: ins, spec: n.HashJoin}
	var err error
	if o.probe, err = c.exprs(n.HashJoin.Probe); err != nil {
		return nil, err
	}
	if o.build, err = c.exprs(n.HashJoin.Build); err != nil {
		return nil, err
	}
	o.out.Cols = make([]zset.Column, len(n.Types))
	for i, t := range n.Types {
		o.out.Cols[i].Type = t
	}
	return o, nil
}

func (o *hashJoinOp) open(*run) {
	o.ran, o.b, o.on = false, nil, false
	o.rows, o.table, o.head, o.chain = zset.Batch{}, nil, nil, nil
}

func (o *hashJoinOp) next(r *run) (*zset.Batch, error) {
	if !o.ran {
		if err := o.fill(r); err != nil {
			return nil, err
		}
		o.ran = true
	}
	for {
		if o.b == nil {
			b, err := o.ins[0].pull(r)
			if b == nil || err != nil {
				return nil, err
			}
			zset.Invariant(b.W == nil, "weights in a join from empty")
			cols, err := o.probe.eval(b)
			if err != nil {
				return nil, err
			}
			o.keys.EncodeKeys(cols, b.N)
			o.ids = sized(o.ids, b.N)
			o.table.Find(&o.keys, o.ids)
			o.b, o.row, o.on = b, 0, false
		}
		b := o.b
		o.match()
		if len(o.sel) == 0 {
			continue
		}
		k := len(o.spec.Left)
		for i := range o.out.Cols {
			o.out.Cols[i].Reset()
			if i < k {
				o.out.Cols[i].AppendTake(&b.Cols[o.spec.Left[i]], o.sel)
			} else {
				o.out.Cols[i].AppendTake(&o.rows.Cols[i-k], o.hit)
			}
		}
		o.out.N = len(o.sel)
		return &o.out, nil
	}
}

// fill builds the table. Rows with a NULL in the key match nothing.
func (o *hashJoinOp) fill(r *run) error {
	o.table = zset.NewKeyTable(0)
	in := o.ins[1]
	o.rows.Cols = make([]zset.Column, len(o.spec.Right))
	for i, c := range o.spec.Right {
		o.rows.Cols[i] = zset.NewColumn(in.node.Types[c], 0)
	}
	for {
		b, err := in.pull(r)
		if err != nil {
			return err
		}
		if b == nil {
			return nil
		}
		zset.Invariant(b.W == nil, "weights in a join from empty")
		cols, err := o.build.eval(b)
		if err != nil {
			return err
		}
		o.keys.EncodeKeys(cols, b.N)
		o.ids = sized(o.ids, b.N)
		o.table.FindOrAdd(&o.keys, o.ids)
		for len(o.head) < o.table.Cap() {
			o.head = append(o.head, -1)
		}
		for i, id := range o.ids {
			row := int32(o.rows.N + i)
			if o.keys.Null != nil && o.keys.Null[i] {
				o.chain = append(o.chain, -1)
				continue
			}
			o.chain = append(o.chain, o.head[id])
			o.head[id] = row
		}
		for i, c := range o.spec.Right {
			o.rows.Cols[i].AppendColumn(&b.Cols[c])
		}
		o.rows.N += b.N
		if err := r.hold("table of a hash join", o); err != nil {
			return err
		}
	}
}

// match collects up to a batch of matches; b is nil when its last row is through.
func (o *hashJoinOp) match() {
	o.sel, o.hit = o.sel[:0], o.hit[:0]
	if o.spec.Anti {
		for i := range o.b.N {
			id := o.ids[i]
			if id == zset.NoID || o.keys.Null != nil && o.keys.Null[i] || o.head[id] < 0 {
				o.sel = append(o.sel, int32(i))
			}
		}
		o.b = nil
		return
	}
	for ; o.row < o.b.N; o.row++ {
		if !o.on {
			id := o.ids[o.row]
			if id == zset.NoID || o.keys.Null != nil && o.keys.Null[o.row] {
				continue
			}
			o.on, o.at = true, o.head[id]
		}
		for ; o.at >= 0; o.at = o.chain[o.at] {
			if len(o.sel) == batchRows {
				return
			}
			o.sel = append(o.sel, int32(o.row))
			o.hit = append(o.hit, o.at)
		}
		o.on = false
	}
	o.b = nil
}
