package runtime

import (
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// lookupOp joins each row of its input with the rows of one side of a stored
// relation that have its key. Matches stream in bounded batches, so that a hot
// key needs no more memory than a cold one.
type lookupOp struct {
	in   *task
	spec *delta.Lookup
	rel  storage.ID
	arr  *arranged // nil: by primary key
	x    *exprs

	keys  zset.Keys
	b     *zset.Batch // rows being looked up; nil: none
	side  *side       // opened with the first row
	cur   storage.LookupCursor
	addrs []storage.Addr
	sel   []int32
	out   zset.Batch
}

// arranged is an arrangement as a plan requires it.
type arranged struct {
	spec storage.Spec
}

func makeLookup(c *compiler, n *delta.Node, ins []*task) (operator, error) {
	x, err := c.exprs(n.Lookup.Keys)
	if err != nil {
		return nil, err
	}
	if n.Lookup.State >= 0 {
		return makePrivate(c, n, ins, x)
	}
	if n.Lookup.Cols == nil {
		return nil, zset.Errorf(zset.CodeCorrupt, -1, "plan has a look-up without columns")
	}
	o := &lookupOp{in: ins[0], spec: n.Lookup, x: x, rel: storage.ID(c.plan.Inputs[n.Lookup.Input].Rel)}
	if a := n.Lookup.Arranged; a >= 0 {
		o.arr, err = c.arranged(&c.plan.Arranged[a])
		if err != nil {
			return nil, err
		}
	}
	o.out.Cols = make([]zset.Column, len(n.Types))
	for i, t := range n.Types {
		o.out.Cols[i].Type = t
	}
	return o, nil
}

// arranged prepares the key function of an arrangement.
func (c *compiler) arranged(a *delta.Arranged) (*arranged, error) {
	spec := storage.Spec{ID: a.ID, Cols: a.Cols}
	if at, ok := columns(a.Keys); ok {
		spec.Cols = make([]int, len(at))
		for i, p := range at {
			spec.Cols[i] = a.Cols[p]
		}
		return &arranged{spec}, nil
	}
	p, err := c.program(a.Keys)
	if err != nil {
		return nil, err
	}
	ev := p.New() // of the store, which calls it when it likes: no statement ends it
	spec.Key = func(b *zset.Batch, k *zset.Keys) error {
		cols, err := ev.Eval(b)
		if err != nil {
			return err
		}
		k.EncodeKeys(cols, b.N)
		return nil
	}
	return &arranged{spec}, nil
}

func (o *lookupOp) open(*run) {
	o.b, o.side = nil, nil
	o.cur.Reset()
}

func (o *lookupOp) next(r *run) (*zset.Batch, error) {
	for {
		if o.b == nil {
			b, err := o.in.pull(r)
			if b == nil || err != nil {
				return nil, err
			}
			if err := o.probe(r, b); err != nil {
				return nil, err
			}
		}
		probe, addrs, more := o.match()
		b := o.b
		if !more {
			o.b = nil
		}
		if len(probe) == 0 {
			continue
		}
		o.fill(b, probe, addrs)
		return &o.out, nil
	}
}

// probe makes b the rows being looked up.
func (o *lookupOp) probe(r *run, b *zset.Batch) error {
	if o.side == nil {
		s, err := r.sides.side(r.ctx, o.rel, o.arr, o.spec.Side)
		if err != nil {
			return err
		}
		o.side = s
	}
	cols, err := o.x.eval(b)
	if err != nil {
		return err
	}
	o.keys.EncodeKeys(cols, b.N)
	o.cur.Reset()
	o.b = b
	return nil
}

// match is the next matches: rows of b and addresses, and whether there may be more.
func (o *lookupOp) match() ([]int32, []storage.Addr, bool) {
	if o.arr != nil {
		return o.side.arr.Lookup(&o.keys, o.side.at, &o.cur)
	}
	n := o.keys.Len()
	o.addrs = sized(o.addrs, n)
	o.side.rel.FindKey(&o.keys, o.side.at, o.addrs)
	o.sel = o.sel[:0]
	found := o.addrs[:0]
	for i, a := range o.addrs[:n] {
		if a != storage.NoAddr && (o.keys.Null == nil || !o.keys.Null[i]) {
			o.sel = append(o.sel, int32(i))
			found = append(found, a)
		}
	}
	return o.sel, found, false
}

// fill builds the output of a run of matches.
func (o *lookupOp) fill(b *zset.Batch, probe []int32, addrs []storage.Addr) {
	out := &o.out
	k := len(o.spec.Keep)
	for i := range out.Cols {
		out.Cols[i].Reset()
	}
	for i, c := range o.spec.Keep {
		out.Cols[i].AppendTake(&b.Cols[c], probe)
	}
	o.side.rel.Gather(addrs, o.spec.Cols, out.Cols[k:])
	out.N = len(probe)
	out.W = takeWeights(out.W, b.W, probe)
}

// privateOp is lookupOp over a private relation: its state, and at @hi what this
// run adds to it.
type privateOp struct {
	in    *task
	spec  *delta.Lookup
	x     *exprs
	keep  *keepBy
	types []zset.Type

	keys zset.Keys
	b    *zset.Batch
	row  int // of b
	// within the matches of row
	cur      zset.OrderedCursor
	from, to int
	on       bool

	sel []int32
	out zset.Batch
}

func makePrivate(c *compiler, n *delta.Node, ins []*task, x *exprs) (operator, error) {
	o := &privateOp{in: ins[0], spec: n.Lookup, x: x, types: n.Types}
	o.out.Cols = make([]zset.Column, len(n.Types))
	for i, t := range n.Types {
		o.out.Cols[i].Type = t
	}
	c.private = append(c.private, o)
	return o, nil
}

func (o *privateOp) open(*run) { o.b = nil }

func (o *privateOp) next(r *run) (*zset.Batch, error) {
	if o.keep == nil {
		return nil, zset.Errorf(zset.CodeCorrupt, -1, "plan looks up a private relation that nothing keeps")
	}
	for {
		if o.b == nil {
			b, err := o.in.pull(r)
			if b == nil || err != nil {
				return nil, err
			}
			if o.spec.Side == delta.Hi {
				if err := o.keep.settle(r); err != nil {
					return nil, err
				}
			}
			cols, err := o.x.eval(b)
			if err != nil {
				return nil, err
			}
			o.keys.EncodeKeys(cols, b.N)
			o.b, o.row, o.on = b, 0, false
		}
		b := o.b
		if err := o.match(); err != nil {
			return nil, err
		}
		if o.out.N > 0 {
			k := len(o.spec.Keep)
			for i, c := range o.spec.Keep {
				o.out.Cols[i].AppendTake(&b.Cols[c], o.sel)
			}
			_ = k
			return &o.out, nil
		}
	}
}

// match fills the side's columns and the weights of out with up to a batch of
// matches; b is nil when its last row is through.
func (o *privateOp) match() error {
	out := &o.out
	for i := range out.Cols {
		out.Cols[i].Reset()
	}
	out.N, out.W, o.sel = 0, out.W[:0], o.sel[:0]
	if o.spec.Anti {
		return o.unmatched()
	}
	for ; o.row < o.b.N; o.row++ {
		if o.keys.Null != nil && o.keys.Null[o.row] {
			continue
		}
		prefix := o.keys.Key(o.row)
		if !o.on {
			o.on, o.from, o.to = true, 0, 0
			o.cur = o.keep.main.FirstWith(prefix)
			if o.spec.Side == delta.Hi {
				o.from, o.to = o.keep.tally.prefixed(prefix)
			}
		}
		w := o.b.Weight(o.row)
		for ; o.cur.Valid() && hasPrefix(o.cur.Key(), prefix); o.cur.Next() {
			if out.N == batchRows {
				return nil
			}
			if err := o.emit(o.cur.Key()[len(prefix):], w*o.cur.Count()); err != nil {
				return err
			}
		}
		for ; o.from < o.to; o.from++ {
			if out.N == batchRows {
				return nil
			}
			i := o.keep.tally.order[o.from]
			if err := o.emit(o.keep.tally.keys.Key(int(i))[len(prefix):], w*o.keep.tally.sum[i]); err != nil {
				return err
			}
		}
		o.on = false
	}
	o.b = nil
	return nil
}

// unmatched hands on the rows of b that find nothing. A key is there if the sum
// of its counts is positive: of a key, a set holds one row.
func (o *privateOp) unmatched() error {
	for i := range o.b.N {
		if o.keys.Null == nil || !o.keys.Null[i] {
			prefix := o.keys.Key(i)
			sum := int64(0)
			for cur := o.keep.main.FirstWith(prefix); cur.Valid() && hasPrefix(cur.Key(), prefix); cur.Next() {
				sum += cur.Count()
			}
			if o.spec.Side == delta.Hi {
				for at, to := o.keep.tally.prefixed(prefix); at < to; at++ {
					sum += o.keep.tally.sum[o.keep.tally.order[at]]
				}
			}
			if sum > 0 {
				continue
			}
		}
		o.sel = append(o.sel, int32(i))
		o.out.W = append(o.out.W, o.b.Weight(i))
		o.out.N++
	}
	o.b = nil
	return nil
}

func (o *privateOp) emit(row []byte, w int64) (err error) {
	for c := len(o.spec.Keep); c < len(o.out.Cols); c++ {
		if row, err = zset.DecodeRow(row, &o.out.Cols[c]); err != nil {
			return err
		}
	}
	o.out.W = append(o.out.W, w)
	o.out.N++
	o.sel = append(o.sel, int32(o.row))
	return nil
}

func hasPrefix(b, p []byte) bool { return len(b) >= len(p) && string(b[:len(p)]) == string(p) }
