package session

import (
	"bytes"
	"context"
	"io"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// collected is all rows of the source of a DML statement.
type collected struct {
	rows  *zset.Batch    // the columns before the address
	addrs []storage.Addr // nil for an INSERT
	more  *zset.Batch    // the columns behind it, for RETURNING
}

// take is the rows at idx, those of the table being rows.
func (c *collected) take(rows *zset.Batch, idx []int32) *collected {
	out := &collected{rows: rows}
	if c.more != nil {
		out.more = c.more.Take(idx)
	}
	return out
}

// collect runs the source to its end before anything is written: a statement
// does not see its own rows.
func (st *statement) collect(ctx context.Context, t *txn, mod *algebra.Modify) (*collected, error) {
	rows, err := run(ctx, t, mod.Source)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	types := mod.Source.Schema().Types()
	width := mod.Addr
	if mod.Op == algebra.OpInsert {
		width = len(mod.Rel.Schema)
	}
	behind := width
	if mod.Op != algebra.OpInsert {
		behind++
	}
	out := &collected{rows: zset.NewBatch(types[:width], 0), more: zset.NewBatch(types[behind:], 0)}
	var held int64
	defer func() { st.s.engine.budget.Release(held) }()
	for {
		b, err := rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		b = expand(b)
		if mod.Op != algebra.OpInsert {
			for _, a := range b.Cols[width].I64 {
				out.addrs = append(out.addrs, storage.Addr(a))
			}
		}
		out.rows.Append(&zset.Batch{Cols: b.Cols[:width], N: b.N})
		out.more.Append(&zset.Batch{Cols: b.Cols[behind:], N: b.N})
		if n := batchBytes(out.rows) + batchBytes(out.more) + int64(8*cap(out.addrs)); n > held {
			if err := st.s.engine.reserve("rows that the statement changes", n-held, n); err != nil {
				return nil, err
			}
			held = n
		}
	}
	if mod.Many {
		out.once()
	}
	return out, nil
}

// once leaves every address once: of several rows for it the least by their
// encoding, whatever order they came in (I13).
func (c *collected) once() {
	at := make(map[storage.Addr]int32, len(c.addrs))
	var keep []int32
	for i, a := range c.addrs {
		k, ok := at[a]
		switch {
		case !ok:
			at[a] = int32(len(keep))
			keep = append(keep, int32(i))
		case c.less(i, int(keep[k])):
			keep[k] = int32(i)
		}
	}
	if len(keep) == len(c.addrs) {
		return
	}
	addrs := make([]storage.Addr, len(keep))
	for k, i := range keep {
		addrs[k] = c.addrs[i]
	}
	c.rows, c.more, c.addrs = c.rows.Take(keep), c.more.Take(keep), addrs
}

func (c *collected) less(i, j int) bool {
	d := 0
	for _, b := range []*zset.Batch{c.rows, c.more} {
		for k := range b.Cols {
			if d == 0 {
				d = bytes.Compare(zset.AppendRow(nil, &b.Cols[k], i), zset.AppendRow(nil, &b.Cols[k], j))
			}
		}
	}
	return d < 0
}

// returning is the result of RETURNING for rows that are written.
func (st *statement) returning(mod *algebra.Modify, c *collected) error {
	n := c.rows.N
	in := &zset.Batch{Cols: c.rows.Cols, N: n}
	if mod.Op != algebra.OpInsert {
		n = len(c.addrs)
		addr := zset.NewColumn(zset.TInt8, n)
		for _, a := range c.addrs {
			addr.AppendI64(int64(a))
		}
		in = &zset.Batch{Cols: append(in.Cols[:len(in.Cols):len(in.Cols)], addr), N: n}
	}
	if c.more != nil {
		in.Cols = append(in.Cols[:len(in.Cols):len(in.Cols)], c.more.Cols...)
	}
	prog, err := expr.Compile(mod.Returning)
	if err != nil {
		return err
	}
	out := zset.NewBatch(mod.Fields.Types(), n)
	if n > 0 {
		cols, err := prog.New().Eval(in)
		if err != nil {
			return rowError(err)
		}
		out.Append(&zset.Batch{Cols: cols, N: n})
	}
	zone, err := zset.SessionZone(st.s.settings.TimeZone.String())
	if err != nil {
		return err
	}
	size := batchBytes(out)
	if err := st.s.engine.reserve("rows that RETURNING gives", size, size); err != nil {
		return err
	}
	budget := st.s.engine.budget
	held := true
	st.res.Rows = &Rows{
		Schema: mod.Fields, Zone: zone,
		next: func(context.Context) (*zset.Batch, error) {
			if out == nil {
				return nil, io.EOF
			}
			b := out
			out = nil
			return b, nil
		},
		close: func() {
			if held {
				held = false
				budget.Release(size)
			}
		},
	}
	return nil
}
