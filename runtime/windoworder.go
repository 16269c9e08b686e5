package runtime

import (
	"bytes"
	"slices"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// windowCalls is the calls of a window. Those of one PARTITION BY and ORDER BY
// share the order of the rows.
type windowCalls struct {
	orders []*windowOrder
	calls  []*windowCall
}

// windowOrder is rows by partition, then by sort key, then by encoding.
type windowOrder struct {
	parts int // the first so many of x
	by    []delta.SortKey
	x     *exprs

	keys []byte // of a row: its partition's encoding, then that of its order
	off  []int
	cut  []int   // where the order begins in it
	idx  []int32 // rows in order
}

func (c *compiler) windowCalls(specs []delta.WindowCall) (windowCalls, error) {
	var w windowCalls
	for _, spec := range specs {
		o, err := w.order(c, spec)
		if err != nil {
			return w, err
		}
		call, err := newWindowCall(c, spec, o)
		if err != nil {
			return w, err
		}
		w.calls = append(w.calls, call)
	}
	return w, nil
}

// order finds or makes the order of a call.
func (w *windowCalls) order(c *compiler, spec delta.WindowCall) (*windowOrder, error) {
	es := append([]*expr.Expr(nil), spec.Partition...)
	for _, k := range spec.By {
		es = append(es, k.Expr)
	}
	for _, o := range w.orders {
		if o.parts == len(spec.Partition) && slices.EqualFunc(es, o.x.es, (*expr.Expr).Equal) &&
			slices.EqualFunc(o.by, spec.By, func(a, b delta.SortKey) bool { return a.Desc == b.Desc && a.NullsFirst == b.NullsFirst }) {
			return o, nil
		}
	}
	x, err := c.exprs(es)
	if err != nil {
		return nil, err
	}
	o := &windowOrder{parts: len(spec.Partition), by: spec.By, x: x}
	w.orders = append(w.orders, o)
	return o, nil
}

// read evaluates everything over a batch once, for the error that it may raise:
// that of the least row of all (I13). A batch that raises none costs nothing here
// where nothing can raise.
func (w *windowCalls) read(r *run, b *zset.Batch, in *task) error {
	for _, x := range w.raising() {
		if _, err := x.eval(b); err != nil {
			return r.leastError(err, x.es, b, in, func(one *zset.Batch) error {
				_, err := x.eval(one)
				return err
			})
		}
	}
	return nil
}

func (w *windowCalls) raising() (out []*exprs) {
	add := func(x *exprs) {
		if slices.ContainsFunc(x.es, (*expr.Expr).Raises) {
			out = append(out, x)
		}
	}
	for _, o := range w.orders {
		add(o.x)
	}
	for _, c := range w.calls {
		add(c.x)
	}
	return out
}

// compute is the columns of the calls over rows that are whole partitions.
func (w *windowCalls) compute(r *run, rows *windowRows) ([]zset.Column, error) {
	for _, o := range w.orders {
		if err := o.sort(r, rows); err != nil {
			return nil, err
		}
	}
	out := make([]zset.Column, len(w.calls))
	for i, c := range w.calls {
		col, err := c.compute(r, rows)
		if err != nil {
			return nil, err
		}
		out[i] = col
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// evalRows calls f with the columns of x over the rows, a batch at a time.
func evalRows(r *run, x *exprs, rows *windowRows, f func(cols []zset.Column, n int)) error {
	for at := 0; at < rows.b.N; at += batchRows {
		b := rows.b.Slice(at, min(at+batchRows, rows.b.N))
		cols, err := x.eval(b)
		if err != nil {
			return r.dataError(err, x.es, nil, nil, 0)
		}
		f(cols, b.N)
	}
	return nil
}

func (o *windowOrder) sort(r *run, rows *windowRows) error {
	o.keys, o.cut, o.off = o.keys[:0], o.cut[:0], append(o.off[:0], 0)
	err := evalRows(r, o.x, rows, func(cols []zset.Column, n int) {
		for i := range n {
			for k := range o.parts {
				o.keys = zset.AppendKey(o.keys, &cols[k], i)
			}
			o.cut = append(o.cut, len(o.keys))
			for k := o.parts; k < len(cols); k++ {
				o.keys = appendSortKey(o.keys, &cols[k], i, o.by[k-o.parts])
			}
			o.off = append(o.off, len(o.keys))
		}
	})
	if err != nil {
		return err
	}
	o.idx = sized(o.idx, rows.b.N)
	for i := range o.idx {
		o.idx[i] = int32(i)
	}
	slices.SortFunc(o.idx, func(a, b int32) int {
		if d := bytes.Compare(o.key(a), o.key(b)); d != 0 {
			return d
		}
		if d := rows.compare(a, b); d != 0 {
			return d
		}
		return int(a - b) // copies have one order, whatever the call
	})
	return nil
}

func (o *windowOrder) key(i int32) []byte { return o.keys[o.off[i]:o.off[i+1]] }

func (o *windowOrder) part(i int32) []byte { return o.keys[o.off[i]:o.cut[i]] }

// partition is the places [from, to) of one partition, and where its groups of
// peers begin; the last entry of groups is to.
func (o *windowOrder) partition(from int, groups []int) (to int, _ []int) {
	groups = append(groups[:0], from)
	for to = from + 1; to < len(o.idx); to++ {
		a, b := o.idx[to-1], o.idx[to]
		if !bytes.Equal(o.part(a), o.part(b)) {
			break
		}
		if !bytes.Equal(o.key(a), o.key(b)) {
			groups = append(groups, to)
		}
	}
	return to, append(groups, to)
}
