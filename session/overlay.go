package session

import (
	"context"
	"errors"
	"io"

	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// overlay is the database as one statement sees it: the store at one TSO, minus
// the rows that the transaction removed, plus those that it wrote. It
// implements [runtime.Source]. What the transaction writes after the statement
// began is not seen.
type overlay struct {
	store *storage.Store
	cat   *storage.Catalog
	at    storage.TSO
	own   map[storage.ID]*ownRows // nil outside a transaction
}

// ownRows is a frozen picture of the writes of one table.
type ownRows struct {
	w    *writes
	rows zset.Batch // header copy: later appends do not show
	live []int32    // positions of the live rows
	gone addrSet
	at   []int32 // per key id the live row; built by the first look-up by key
}

func (w *writes) freeze() *ownRows {
	o := &ownRows{w: w, gone: w.gone.clone()}
	if w.rows.N > 0 {
		o.rows = *w.rows.Slice(0, w.rows.N)
	}
	for i, live := range w.live {
		if live {
			o.live = append(o.live, int32(i))
		}
	}
	return o
}

// Scan reads the rows of a relation; the addresses of own rows are storage.Own.
func (v *overlay) Scan(ctx context.Context, rel storage.ID, cols []int, addr bool) (runtime.Cursor, error) {
	r, err := v.relation(rel)
	if err != nil {
		return nil, err
	}
	if cols == nil {
		cols = []int{} // none, as for count(*); to the store nil is all
	}
	own := v.own[rel]
	if own == nil {
		return r.Scan(v.at, cols, addr), nil
	}
	return &overlayCursor{
		stored: r.Scan(v.at, cols, addr || own.gone.n > 0),
		own:    own, cols: cols, addr: addr,
	}, nil
}

// Read reads what is committed: the transaction's own writes have no TSO yet.
func (v *overlay) Read(_ context.Context, rel storage.ID, r runtime.Reading, cols []int) (runtime.Cursor, error) {
	stored, err := v.relation(rel)
	if err != nil {
		return nil, err
	}
	return runtime.Read(stored, r, cols), nil
}

type overlayCursor struct {
	stored *storage.Cursor // nil once drained
	own    *ownRows
	cols   []int
	addr   bool
	next   int // into own.live
	sel    []int32
}

const batchRows = 4096

func (c *overlayCursor) Next(ctx context.Context) (*zset.Batch, error) {
	for c.stored != nil {
		b, err := c.stored.Next(ctx)
		if errors.Is(err, io.EOF) {
			c.stored = nil
			break
		}
		if err != nil {
			return nil, err
		}
		if b = c.hide(b); b.N > 0 {
			return b, nil
		}
	}
	if c.next == len(c.own.live) {
		return nil, io.EOF
	}
	idx := c.own.live[c.next:min(c.next+batchRows, len(c.own.live))]
	c.next += len(idx)
	return ownBatch(&c.own.rows, idx, c.cols, c.addr), nil
}

// hide drops the rows that the transaction removed, and the address column
// where nobody asked for it.
func (c *overlayCursor) hide(b *zset.Batch) *zset.Batch {
	if c.own.gone.n == 0 {
		return b
	}
	addrs := b.Cols[len(b.Cols)-1].I64
	c.sel = c.sel[:0]
	for i, a := range addrs {
		if !c.own.gone.has(storage.Addr(a)) {
			c.sel = append(c.sel, int32(i))
		}
	}
	if !c.addr {
		b = &zset.Batch{Cols: b.Cols[:len(b.Cols)-1], W: b.W, N: b.N, Consolidated: b.Consolidated}
	}
	if len(c.sel) == b.N {
		return b
	}
	return b.Take(c.sel)
}

// ownBatch is the rows at idx of a write set, as a scan hands them out.
func ownBatch(rows *zset.Batch, idx []int32, cols []int, addr bool) *zset.Batch {
	out := &zset.Batch{N: len(idx), Cols: make([]zset.Column, 0, len(cols)+1)}
	for _, c := range cols {
		col := zset.NewColumn(rows.Cols[c].Type, len(idx))
		col.AppendTake(&rows.Cols[c], idx)
		out.Cols = append(out.Cols, col)
	}
	if addr {
		col := zset.NewColumn(zset.TInt8, len(idx))
		for _, i := range idx {
			col.AppendI64(int64(storage.Own(int(i))))
		}
		out.Cols = append(out.Cols, col)
	}
	return out
}

// FindKey reads the rows with the given primary keys.
func (v *overlay) FindKey(ctx context.Context, rel storage.ID, keys *zset.Keys, cols []int, addr bool) (*zset.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := v.relation(rel)
	if err != nil {
		return nil, err
	}
	if cols == nil {
		cols = []int{}
	}
	n := keys.Len()
	found := make([]storage.Addr, n)
	r.FindKey(keys, v.at, found)
	own := v.own[rel]
	stored, idx := found[:0], []int32(nil)
	for i, a := range found {
		if own != nil {
			if row := own.find(keys.Key(i)); row != noRow {
				idx = append(idx, row)
				continue
			}
			if own.gone.has(a) {
				continue
			}
		}
		if a != storage.NoAddr {
			stored = append(stored, a)
		}
	}
	out := &zset.Batch{N: len(stored), Cols: make([]zset.Column, len(cols), len(cols)+1)}
	obj := r.Schema()
	for i, c := range cols {
		out.Cols[i] = zset.NewColumn(obj[c].Type, len(stored))
	}
	r.Gather(stored, cols, out.Cols)
	if addr {
		col := zset.NewColumn(zset.TInt8, len(stored))
		for _, a := range stored {
			col.AppendI64(int64(a))
		}
		out.Cols = append(out.Cols, col)
	}
	if len(idx) > 0 {
		out.Append(ownBatch(&own.rows, idx, cols, addr))
	}
	return out, nil
}

// find is the own row that was live under key when o was frozen.
func (o *ownRows) find(key []byte) int32 {
	if o.w.keys == nil {
		return noRow
	}
	id := o.w.keys.FindKey(key)
	if id == zset.NoID {
		return noRow
	}
	if o.at == nil {
		o.at = make([]int32, o.w.keys.Cap())
		for i := range o.at {
			o.at[i] = noRow
		}
		for _, i := range o.live {
			o.at[o.w.idOf[i]] = i
		}
	}
	if int(id) < len(o.at) {
		return o.at[id]
	}
	return noRow
}
