package runtime

import (
	"bytes"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/zset"
)

// windowOp adds the result of each call to the rows.
//
// A run that keeps nothing reads all rows first. One that keeps the rows counts
// what comes by partition, then takes the touched partitions one after the other:
// the rows as they were go, and come as they are.
type windowOp struct {
	in    *task
	spec  *delta.Window
	calls windowCalls

	ran  bool
	rows *windowRows // of a run that keeps nothing
	cols []zset.Column
	at   int

	x      *exprs // partition keys
	keys   zset.Keys
	ids    []uint32
	groups *zset.KeyTable
	*tally
	main *zset.Ordered
	part uint32    // the partition to be emitted next
	kept *keptRows // of a build: has what the input would give
	out  zset.Batch
}

func makeWindow(c *compiler, n *delta.Node, ins []*task) (operator, error) {
	o := &windowOp{in: ins[0], spec: n.Window, tally: newTally(true), groups: zset.NewKeyTable(0)}
	var err error
	if o.x, err = c.exprs(n.Window.Keys); err != nil {
		return nil, err
	}
	o.calls, err = c.windowCalls(n.Window.Calls)
	return o, err
}

func (o *windowOp) open(r *run) {
	o.ran, o.at, o.rows, o.cols, o.main, o.part = false, 0, nil, nil, nil, 0
	o.tally.reset()
	o.groups.Reset()
	if o.keeps(r) && !r.states.fresh {
		o.main = r.states.ordered[o.spec.State]
	}
}

// keeps reports whether the run keeps the rows.
func (o *windowOp) keeps(r *run) bool { return r.states != nil && o.spec.State >= 0 }

func (o *windowOp) next(r *run) (*zset.Batch, error) {
	if o.kept != nil {
		return o.nextKept(r)
	}
	if o.keeps(r) {
		return o.nextTouched(r)
	}
	if !o.ran {
		o.rows = newWindowRows(o.in.node.Types)
		for {
			b, err := o.in.pull(r)
			if err != nil {
				return nil, err
			}
			if b == nil {
				break
			}
			if err := o.calls.read(r, b, o.in); err != nil {
				return nil, err
			}
			o.rows.add(copies(b))
			if err := r.hold("window", o); err != nil {
				return nil, err
			}
		}
		var err error
		if o.cols, err = o.calls.compute(r, o.rows); err == nil {
			err = r.hold("window", o)
		}
		if err != nil {
			return nil, err
		}
		o.ran = true
	}
	n := min(batchRows, o.rows.b.N-o.at)
	if n == 0 {
		return nil, nil
	}
	out := o.rows.b.Slice(o.at, o.at+n)
	for _, c := range o.cols {
		out.Cols = append(out.Cols, c.Slice(o.at, o.at+n))
	}
	o.at += n
	return out, nil
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

// nextTouched emits touched partitions, some thousand rows at a time.
func (o *windowOp) nextTouched(r *run) (*zset.Batch, error) {
	if !o.ran {
		if err := o.count(r); err != nil {
			return nil, err
		}
		o.ran = true
	}
	for int(o.part) < o.groups.Cap() {
		old, now := newWindowRows(o.in.node.Types), newWindowRows(o.in.node.Types)
		for int(o.part) < o.groups.Cap() && old.b.N+now.b.N < batchRows {
			from, to := o.group(o.part)
			prefix := o.groups.Key(o.part)
			o.part++
			if from == to { // what came has gone
				continue
			}
			if err := o.each(o.main, prefix, 0, 0, old.addEncoded); err != nil {
				return nil, err
			}
			if err := o.each(o.main, prefix, from, to, now.addEncoded); err != nil {
				return nil, err
			}
		}
		if old.b.N+now.b.N == 0 {
			continue
		}
		gone, err := o.calls.compute(r, old)
		if err != nil {
			return nil, err
		}
		come, err := o.calls.compute(r, now)
		if err != nil {
			return nil, err
		}
		o.emit(old, gone, now, come)
		return &o.out, r.ctx.Err()
	}
	return nil, nil
}

// count counts the whole input by partition.
func (o *windowOp) count(r *run) error {
	for {
		b, err := o.in.pull(r)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		cols, err := o.x.eval(b)
		if err != nil {
			return r.leastError(err, o.x.es, b, o.in, func(one *zset.Batch) error {
				_, err := o.x.eval(one)
				return err
			})
		}
		o.keys.EncodeKeys(cols, b.N)
		o.ids = sized(o.ids, b.N)
		o.groups.FindOrAdd(&o.keys, o.ids)
		o.addGrouped(o.ids, b.Cols, b.N, b.W, false)
		if err := r.hold("window", o); err != nil {
			return err
		}
	}
	return o.settle(r, o.groups, o.main)
}

// emit makes the output of rows that go and rows that come.
func (o *windowOp) emit(old *windowRows, gone []zset.Column, now *windowRows, come []zset.Column) {
	o.out = zset.Batch{N: old.b.N + now.b.N}
	for c := range old.b.Cols {
		col := old.b.Cols[c]
		col.AppendColumn(&now.b.Cols[c])
		o.out.Cols = append(o.out.Cols, col)
	}
	for c := range gone {
		gone[c].AppendColumn(&come[c])
		o.out.Cols = append(o.out.Cols, gone[c])
	}
	if old.b.N == 0 {
		return
	}
	o.out.W = make([]int64, o.out.N)
	for i := range o.out.W {
		o.out.W[i] = 1
		if i < old.b.N {
			o.out.W[i] = -1
		}
	}
}

func (o *windowOp) stateChanges(w *writeSet) {
	if o.spec.State >= 0 && o.kept == nil {
		w.tally(o.spec.State, o.tally)
	}
}

func (o *windowOp) install(s *states) {
	if o.spec.State < 0 {
		return
	}
	if o.kept != nil {
		s.ordered[o.spec.State] = o.kept.main
		return
	}
	o.tally.install(s.ordered[o.spec.State])
	if s.fresh {
		o.tally = newTally(true)
	}
}

// windowRows is rows with their encodings, each copy for itself.
type windowRows struct {
	b   *zset.Batch
	enc []byte // one after the other
	off []int
}

func newWindowRows(types []zset.Type) *windowRows {
	return &windowRows{b: zset.NewBatch(types, 0), off: []int{0}}
}

func (w *windowRows) row(i int32) []byte { return w.enc[w.off[i]:w.off[i+1]] }

// add appends the rows of a batch without weights.
func (w *windowRows) add(b *zset.Batch) {
	for i := range b.N {
		for c := range b.Cols {
			w.enc = zset.AppendRow(w.enc, &b.Cols[c], i)
		}
		w.off = append(w.off, len(w.enc))
	}
	w.b.Append(b)
}

// addEncoded appends n copies of a row.
func (w *windowRows) addEncoded(enc []byte, n int64) error {
	for range n {
		rest := enc
		for c := range w.b.Cols {
			var err error
			if rest, err = zset.DecodeRow(rest, &w.b.Cols[c]); err != nil {
				return err
			}
		}
		w.b.N++
		w.enc = append(w.enc, enc...)
		w.off = append(w.off, len(w.enc))
	}
	return nil
}

// compare orders rows by their encoding.
func (w *windowRows) compare(i, j int32) int { return bytes.Compare(w.row(i), w.row(j)) }
