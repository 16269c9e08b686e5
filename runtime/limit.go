package runtime

import (
	"bytes"
	"encoding/binary"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// inOrder is rows in the order of a sort, as the entries of an ordered multiset: the
// keys of the sort so encoded that bytes order them, the row encoding, and the length
// of the keys in four bytes. The last is no part of the order, for what stands before
// it is prefix-free.
type inOrder struct {
	x     *exprs
	by    []delta.SortKey
	state int
	*tally
}

// keyLength is the bytes behind an entry.
const keyLength = 4

func newInOrder(c *compiler, by []delta.SortKey, kept int) (*inOrder, error) {
	es := make([]*expr.Expr, len(by))
	for i, k := range by {
		es[i] = k.Expr
	}
	x, err := c.exprs(es)
	return &inOrder{x: x, by: by, state: kept - 1, tally: newTally(false)}, err
}

// add counts the rows of b.
func (o *inOrder) add(b *zset.Batch, keys []zset.Column) {
	e := &o.batch
	e.Buf, e.Off, e.Hash, o.tally.kept = e.Buf[:0], append(e.Off[:0], 0), e.Hash[:0], o.tally.kept[:0]
	for i := range b.N {
		at := len(e.Buf)
		for k := range keys {
			e.Buf = appendSortKey(e.Buf, &keys[k], i, o.by[k])
		}
		n := len(e.Buf) - at
		for c := range b.Cols {
			e.Buf = zset.AppendRow(e.Buf, &b.Cols[c], i)
		}
		e.Buf = binary.BigEndian.AppendUint32(e.Buf, uint32(n))
		e.Off = append(e.Off, uint32(len(e.Buf)))
		e.Hash = append(e.Hash, zset.Hash(e.Buf[at:]))
		o.tally.kept = append(o.tally.kept, weight(b.W, i))
	}
	o.count()
}

// appendEntry appends the row of an entry to b.
func appendEntry(b *zset.Batch, entry []byte, w int64) error {
	end := len(entry) - keyLength
	if end < 0 || uint32(end) < binary.BigEndian.Uint32(entry[end:]) {
		return errState("order")
	}
	row, err := entry[binary.BigEndian.Uint32(entry[end:]):end], error(nil)
	for c := range b.Cols {
		if row, err = zset.DecodeRow(row, &b.Cols[c]); err != nil {
			return err
		}
	}
	b.W = append(b.W, w)
	b.N++
	return nil
}

func (o *inOrder) stateChanges(w *writeSet) { w.tally(o.state, o.tally) }

func (o *inOrder) install(s *states) {
	o.tally.install(s.ordered[o.state])
	if s.fresh {
		o.tally = newTally(false)
	}
}

// limitOp skips rows and stops.
type limitOp struct {
	in   *task
	spec *delta.Limit
	skip int64
	left int64 // -1: no end
}

func makeLimit(c *compiler, n *delta.Node, ins []*task) (operator, error) {
	if n.Limit.Kept > 0 {
		return makeFirst(c, n, ins)
	}
	return &limitOp{in: ins[0], spec: n.Limit}, nil
}

func (o *limitOp) open(*run) { o.skip, o.left = o.spec.Offset, o.spec.Count }

func (o *limitOp) next(r *run) (*zset.Batch, error) {
	if o.spec.Count == 0 && r.states != nil { // the sort below is to leave its rows all the same
		_, err := o.in.pull(r)
		return nil, err
	}
	for o.left != 0 {
		b, err := o.in.pull(r)
		if b == nil || err != nil {
			return nil, err
		}
		from := min(o.skip, int64(b.N))
		o.skip -= from
		to := int64(b.N)
		if o.left >= 0 {
			to = min(to, from+o.left)
			o.left -= to - from
		}
		if from < to {
			return b.Slice(int(from), int(to)), nil
		}
	}
	return nil, nil
}

// firstOp is a limit over changes: what is among the first rows now and was not, and
// the other way round. The rows as they were are the state, those as they are have the
// changes merged into them; both are walked side by side up to the end of the limit.
type firstOp struct {
	in   *task
	spec *delta.Limit
	*inOrder
	main *zset.Ordered
	all  *zset.Batch
	at   int
	ran  bool
}

func makeFirst(c *compiler, n *delta.Node, ins []*task) (operator, error) {
	rows, err := newInOrder(c, n.Limit.By, n.Limit.Kept)
	return &firstOp{in: ins[0], spec: n.Limit, inOrder: rows}, err
}

func (o *firstOp) open(r *run) {
	o.tally.reset()
	o.main, o.all, o.at, o.ran = r.states.ordered[o.state], nil, 0, false
}

func (o *firstOp) next(r *run) (*zset.Batch, error) {
	if !o.ran {
		if err := o.fill(r); err != nil {
			return nil, err
		}
		if err := o.compare(); err != nil {
			return nil, err
		}
		o.ran = true
	}
	n := min(batchRows, o.all.N-o.at)
	if n == 0 {
		return nil, nil
	}
	o.at += n
	return o.all.Slice(o.at-n, o.at), nil
}

func (o *firstOp) fill(r *run) error {
	for {
		b, err := o.in.pull(r)
		if err != nil {
			return err
		}
		if b == nil {
			return o.settle(r, nil, o.main)
		}
		keys, err := o.x.eval(b)
		if err != nil {
			return r.leastError(err, o.x.es, b, o.in, func(one *zset.Batch) error {
				_, err := o.x.eval(one)
				return err
			})
		}
		o.add(b, keys)
		if err := r.hold("order of a limit", o); err != nil {
			return err
		}
	}
}

// stretch is a part of a list.
type stretch struct{ from, to int64 }

// within is how many of the n rows behind the first at are in s.
func (s stretch) within(at, n int64) int64 { return max(min(at+n, s.to)-max(at, s.from), 0) }

// compare works out the change.
func (o *firstOp) compare() error {
	o.all = zset.NewBatch(o.in.node.Types, 0)
	limit := stretch{o.spec.Offset, o.spec.Offset + o.spec.Count}
	was, is := int64(0), int64(0) // rows before the entry at hand
	cur := o.main.First()
	for next := 0; next < len(o.order) && min(was, is) < limit.to; {
		i := o.order[next]
		entry, old, now := o.tally.keys.Key(int(i)), int64(0), o.after[i]
		cmp := 1
		if cur.Valid() {
			cmp = bytes.Compare(cur.Key(), entry)
		}
		if cmp <= 0 {
			old = cur.Count()
		}
		if cmp < 0 {
			entry, now = cur.Key(), old
		} else {
			next++
		}
		if w := limit.within(is, now) - limit.within(was, old); w != 0 {
			if err := appendEntry(o.all, entry, w); err != nil {
				return err
			}
		}
		was, is = was+old, is+now
		if cmp <= 0 {
			cur.Next()
		}
	}
	// Behind the last change the rows are the same, in places that have moved.
	for ; was != is && cur.Valid() && min(was, is) < limit.to; cur.Next() {
		n := cur.Count()
		if w := limit.within(is, n) - limit.within(was, n); w != 0 {
			if err := appendEntry(o.all, cur.Key(), w); err != nil {
				return err
			}
		}
		was, is = was+n, is+n
	}
	o.all.Consolidated = true
	return nil
}
