package runtime

import (
	"errors"
	"io"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// pullCursor is the next batch of c that has rows, nil at the end.
func pullCursor(r *run, c Cursor) (*zset.Batch, error) {
	for {
		b, err := c.Next(r.ctx)
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if b != nil && b.N > 0 {
			r.rowsIn += int64(b.N)
			return b, nil
		}
	}
}

// changesOp is ΔR over (lo, hi].
type changesOp struct {
	in   *delta.Input
	cur  Cursor
	late *filterOp // the filter over it, which it does itself; nil: none
}

// lateCursor is a cursor that can choose rows by some columns before it reads
// the others.
type lateCursor interface {
	Late(at []int, keep func(b *zset.Batch, sel []int32) ([]int32, error))
}

func makeChanges(c *compiler, n *delta.Node, _ []*task) (operator, error) {
	return &changesOp{in: &c.plan.Inputs[n.Input]}, nil
}

func (o *changesOp) open(*run) { o.cur = nil }

func (o *changesOp) next(r *run) (*zset.Batch, error) {
	if o.cur == nil {
		c, err := r.sides.changes(storage.ID(o.in.Rel), o.in.Cols)
		if c == nil || err != nil {
			return nil, err
		}
		o.cur = c
		if o.late != nil {
			o.late.done = false
			if l, ok := c.(lateCursor); ok {
				o.late.done = true
				l.Late(o.late.reads, func(b *zset.Batch, sel []int32) ([]int32, error) {
					r.rowsIn += int64(b.N)
					return o.late.ev.Filter(b, sel)
				})
			}
		}
	}
	b, err := pullCursor(r, o.cur)
	if o.late != nil && o.late.done && b != nil {
		r.rowsIn -= int64(b.N) // counted before the choice
	}
	return b, err
}

// scanOp is a relation as the source shows it.
type scanOp struct {
	in  *delta.Input
	cur Cursor
}

func makeScan(c *compiler, n *delta.Node, _ []*task) (operator, error) {
	return &scanOp{in: &c.plan.Inputs[n.Input]}, nil
}

func (o *scanOp) open(*run) { o.cur = nil }

func (o *scanOp) next(r *run) (*zset.Batch, error) {
	if o.cur == nil {
		c, err := o.start(r)
		if err != nil {
			return nil, err
		}
		o.cur = c
	}
	return pullCursor(r, o.cur)
}

var windowModes = map[delta.ReadKind]storage.WindowMode{delta.ReadNet: storage.MinDelta, delta.ReadInserts: storage.AppendOnly, delta.ReadRecords: storage.Detail}

func (o *scanOp) start(r *run) (Cursor, error) {
	read := o.in.Read
	if read == nil {
		return r.source.Scan(r.ctx, storage.ID(o.in.Rel), o.in.Cols, o.in.Addr)
	}
	w := storage.Window{Lo: storage.TSO(read.Lo), Hi: storage.TSO(read.Hi), Mode: windowModes[read.Kind]}
	return r.source.Read(r.ctx, storage.ID(o.in.Rel), Reading{Image: read.Kind == delta.ReadImage, Window: w}, o.in.Cols)
}

// findOp is the rows of a relation with given primary keys.
type findOp struct {
	in    *delta.Input
	rows  []*exprs
	one   zset.Batch // one row without columns: what the keys are evaluated over
	keys  zset.Keys
	found *zset.Batch
	at    int
}

func makeFind(c *compiler, n *delta.Node, _ []*task) (operator, error) {
	o := &findOp{in: &c.plan.Inputs[n.Input], one: zset.Batch{N: 1}}
	for _, k := range n.Find.Keys {
		x, err := c.exprs(k)
		if err != nil {
			return nil, err
		}
		o.rows = append(o.rows, x)
	}
	return o, nil
}

func (o *findOp) open(*run) { o.found, o.at = nil, 0 }

func (o *findOp) next(r *run) (*zset.Batch, error) {
	if o.found == nil {
		if err := o.find(r); err != nil {
			return nil, err
		}
	}
	if o.at >= o.found.N {
		return nil, nil
	}
	to := min(o.at+batchRows, o.found.N)
	b := o.found.Slice(o.at, to)
	o.at = to
	return b, nil
}

// find looks every key up once; a key with a NULL in it equals nothing.
func (o *findOp) find(r *run) error {
	o.keys.Reset()
	seen := zset.NewKeyTable(len(o.rows))
	var key []byte
	for _, x := range o.rows {
		cols, err := x.eval(&o.one)
		if err != nil {
			return err
		}
		null := false
		key = key[:0]
		for i := range cols {
			null = null || cols[i].IsNull(0)
			key = zset.AppendKey(key, &cols[i], 0)
		}
		if null {
			continue
		}
		if _, added := seen.AddKey(key); added {
			o.keys.Append(key)
		}
	}
	b, err := r.source.FindKey(r.ctx, storage.ID(o.in.Rel), &o.keys, o.in.Cols, o.in.Addr)
	if err != nil {
		return err
	}
	o.found = b
	r.rowsIn += int64(b.N)
	return nil
}

// nothingOp has no rows.
type nothingOp struct{}

func makeNothing(*compiler, *delta.Node, []*task) (operator, error) { return nothingOp{}, nil }

func (nothingOp) open(*run)                      {}
func (nothingOp) next(*run) (*zset.Batch, error) { return nil, nil }

// valuesOp is constant rows.
type valuesOp struct {
	types []zset.Type
	rows  []*exprs
	at    int
	one   zset.Batch
}

func makeValues(c *compiler, n *delta.Node, _ []*task) (operator, error) {
	o := &valuesOp{types: n.Types, one: zset.Batch{N: 1}}
	for _, row := range n.Values.Rows {
		x, err := c.exprs(row)
		if err != nil {
			return nil, err
		}
		o.rows = append(o.rows, x)
	}
	return o, nil
}

func (o *valuesOp) open(*run) { o.at = 0 }

func (o *valuesOp) next(r *run) (*zset.Batch, error) {
	if o.at == len(o.rows) {
		return nil, nil
	}
	n := min(batchRows, len(o.rows)-o.at)
	out := zset.NewBatch(o.types, n)
	for _, x := range o.rows[o.at : o.at+n] {
		cols, err := x.eval(&o.one)
		if err != nil {
			return nil, r.dataError(err, x.es, nil, nil, 0)
		}
		for i := range cols {
			out.Cols[i].AppendCell(&cols[i], 0)
		}
		out.N++
	}
	o.at += n
	return out, nil
}
