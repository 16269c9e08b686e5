package runtime

import (
	"bytes"
	"slices"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// sortOp reads all rows and yields them in order: by the keys, then by row
// encoding. With a limit it holds no more than twice so many rows.
type sortOp struct {
	in   *task
	spec *delta.Sort
	x    *exprs
	same bool          // all rows are one: the first that come are the first
	kept *inOrder      // leaves the rows in a state; nil: none
	heir *zset.Ordered // of a build: has what the input would give

	ran  bool
	rows *zset.Batch
	buf  []byte // order-preserving encodings of the rows, one after the other
	off  []int
	idx  []int32
	at   int
	out  zset.Batch
}

func makeSort(c *compiler, n *delta.Node, ins []*task) (operator, error) {
	es := make([]*expr.Expr, len(n.Sort.By))
	for i, k := range n.Sort.By {
		es[i] = k.Expr
	}
	x, err := c.exprs(es)
	if err != nil {
		return nil, err
	}
	o := &sortOp{in: ins[0], spec: n.Sort, x: x, same: constants(n.Ins[0])}
	if n.Sort.Kept > 0 {
		o.kept, err = newInOrder(c, n.Sort.By, n.Sort.Kept)
	}
	return o, err
}

// constants reports whether n gives the same row again and again: SELECT 1 FROM ..
func constants(n *delta.Node) bool {
	if n.Op != delta.OpProject {
		return false
	}
	for _, e := range n.Project.Exprs {
		if !e.IsConst() {
			return false
		}
	}
	return true
}

func (o *sortOp) open(*run) {
	if o.kept != nil {
		o.kept.reset()
	}
	o.ran, o.at, o.rows = false, 0, nil
	o.buf, o.off, o.idx = nil, nil, nil
}

func (o *sortOp) next(r *run) (*zset.Batch, error) {
	if !o.ran {
		if err := o.fill(r); err != nil {
			return nil, err
		}
		o.ran = true
	}
	n := min(batchRows, len(o.idx)-o.at)
	if n == 0 {
		return nil, nil
	}
	take(&o.out, o.rows, o.idx[o.at:o.at+n])
	o.at += n
	return &o.out, nil
}

func (o *sortOp) fill(r *run) error {
	if o.heir != nil {
		return o.inherited()
	}
	keep := o.kept != nil && r.states != nil
	o.rows = zset.NewBatch(o.in.node.Types, 0)
	o.off = append(o.off, 0)
	bound := int64(0)
	if o.spec.First > 0 {
		bound = 2*o.spec.First + 2*batchRows
	}
	for {
		b, err := o.in.pull(r)
		if err != nil {
			return err
		}
		if b == nil {
			o.order()
			if keep {
				return o.kept.settle(r, nil, nil)
			}
			return nil
		}
		keys, err := o.x.eval(b)
		if err != nil {
			return r.leastError(err, o.x.es, b, o.in, func(one *zset.Batch) error {
				_, err := o.x.eval(one)
				return err
			})
		}
		for i := range b.N {
			for k := range keys {
				o.buf = appendSortKey(o.buf, &keys[k], i, o.spec.By[k])
			}
			for c := range b.Cols {
				o.buf = zset.AppendRow(o.buf, &b.Cols[c], i)
			}
			o.off = append(o.off, len(o.buf))
		}
		o.rows.Append(b)
		if keep {
			o.kept.add(b, keys)
		} else if o.same && bound > 0 && b.W == nil && int64(o.rows.N) >= o.spec.First {
			o.order()
			return nil
		}
		if bound > 0 && int64(o.rows.N) > bound {
			o.order()
			o.shrink()
		}
		if err := r.hold("sort", o); err != nil {
			return err
		}
	}
}

// appendSortKey appends a cell so that bytes.Compare is the wanted order. No
// encoding is a prefix of another, so their complements order the other way round.
func appendSortKey(dst []byte, c *zset.Column, i int, by delta.SortKey) []byte {
	switch {
	case !c.IsNull(i):
		dst = append(dst, 1)
	case by.NullsFirst:
		return append(dst, 0)
	default:
		return append(dst, 2)
	}
	at := len(dst)
	dst = zset.AppendKey(dst, c, i)
	if by.Desc {
		for p := at; p < len(dst); p++ {
			dst[p] = ^dst[p]
		}
	}
	return dst
}

func (o *sortOp) key(i int32) []byte { return o.buf[o.off[i]:o.off[i+1]] }

func (o *sortOp) order() {
	o.idx = sized(o.idx, o.rows.N)
	for i := range o.idx {
		o.idx[i] = int32(i)
	}
	slices.SortFunc(o.idx, func(a, b int32) int { return bytes.Compare(o.key(a), o.key(b)) })
	if f := o.spec.First; f > 0 && int64(len(o.idx)) > f {
		o.idx = o.idx[:f]
	}
}

// shrink keeps the rows of idx alone.
func (o *sortOp) shrink() {
	var buf []byte
	off := []int{0}
	for _, i := range o.idx {
		buf = append(buf, o.key(i)...)
		off = append(off, len(buf))
	}
	o.rows, o.buf, o.off = o.rows.Take(o.idx), buf, off
}

func (o *sortOp) inherit(s *states) { o.heir = s.ordered[o.kept.state] }

// inherited takes the first rows off the state.
func (o *sortOp) inherited() error {
	o.rows = zset.NewBatch(o.in.node.Types, 0)
	for c := o.heir.First(); c.Valid() && int64(o.rows.N) < o.spec.First; c.Next() {
		for range min(c.Count(), o.spec.First-int64(o.rows.N)) {
			if err := appendEntry(o.rows, c.Key(), 1); err != nil {
				return err
			}
		}
	}
	o.rows.W = nil
	for i := range o.rows.N {
		o.idx = append(o.idx, int32(i))
	}
	return nil
}

func (o *sortOp) stateChanges(w *writeSet) {
	if o.kept != nil && o.heir == nil {
		o.kept.stateChanges(w)
	}
}

func (o *sortOp) install(s *states) {
	switch {
	case o.heir != nil:
		s.ordered[o.kept.state] = o.heir
	case o.kept != nil:
		o.kept.install(s)
	}
}
