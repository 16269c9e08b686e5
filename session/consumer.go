package session

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"time"

	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Consumer hands the changes of a stream to a program, window by window. It holds
// nothing: its place is the offset of the stream. Safe for concurrent use.
type Consumer struct {
	e    *Engine
	id   storage.ID
	name string
}

// Delivery is the changes of a stream in (From, To], not yet acknowledged.
type Delivery struct {
	From, To storage.TSO
	Schema   zset.Schema
	Initial  bool // the rows at To, of a stream that shows its initial rows
	Base     string

	c    *Consumer
	base storage.ID
	cur  interface {
		Next(context.Context) (*zset.Batch, error)
	}
	hide []int // columns that rows which went do not have
}

// Lag is how far a stream is behind.
type Lag struct {
	From, Latest storage.TSO // up to where it was read, and the last commit that changed its base
	Now          storage.TSO // when this was so
	Changes      int64       // rows that came and that went since; of initial rows, these
	Age          time.Duration
}

// Consumer opens a stream for reading from outside.
func (e *Engine) Consumer(name string) (*Consumer, error) {
	if err := e.life.enter(); err != nil {
		return nil, err
	}
	defer e.life.calls.Done()
	obj, ok := e.store.Catalog().ByName(name)
	if !ok || obj.Kind == storage.Private {
		return nil, worded(noSuch("stream", e.store.Catalog(), name, -1, storage.Stream))
	}
	if obj.Kind != storage.Stream {
		err := zset.Errorf("42809", -1, "%q is not a stream", name)
		err.Hint = "Make one with CREATE STREAM .. ON TABLE " + name + "."
		return nil, worded(err)
	}
	return &Consumer{e, obj.ID, name}, nil
}

// place is where the stream stands at a moment.
type place struct {
	readings
	s    stream
	rel  *storage.Relation
	from storage.TSO
}

func (c *Consumer) place() (p place, unpin func(), err error) {
	at, cat, offsets, unpin := c.e.moment()
	p.readings = readings{store: c.e.store, cat: cat, at: at, zone: time.UTC, offsets: offsets}
	obj, ok := cat.ByID(c.id)
	if !ok {
		unpin()
		return p, nil, zset.Errorf("42P01", -1, "stream %q does not exist", c.name)
	}
	if p.s, err = streamOf(cat, obj); err == nil && p.s.base != nil {
		p.rel, err = p.store.Relation(p.s.Base)
		p.from = offsets[c.id].Inputs[p.s.Base]
	} else if err == nil {
		_, errs := p.stream(c.id, nil) // says why
		err = Errors(errs)
	}
	if err != nil {
		unpin()
		return p, nil, err
	}
	return p, unpin, nil
}

// Poll gives the next changes: of whole commits, about limit rows at most. Nil if
// there are none. The same ones are given again until they are acknowledged, and are on
// the disk before: a crash does not take what was handed out.
func (c *Consumer) Poll(ctx context.Context, limit int64) (d *Delivery, err error) {
	err = c.e.work(ctx, func(context.Context) error { d, err = c.poll(limit); return err })
	return d, err
}

func (c *Consumer) poll(limit int64) (*Delivery, error) {
	p, unpin, err := c.place()
	if err != nil {
		return nil, err
	}
	defer unpin()
	res, errs := p.stream(c.id, nil)
	if len(errs) > 0 {
		return nil, Errors(errs)
	}
	if p.s.base.Kind == storage.View {
		if _, ok := c.e.views.Frontier(p.s.Base); !ok {
			return nil, zset.Errorf("55000", -1, "materialized view %q has not been populated", p.s.base.Name)
		}
	}
	d := &Delivery{From: p.from, Schema: p.s.base.Schema, Base: p.s.base.Name, c: c, base: p.s.Base, Initial: p.from == 0}
	cols := sequenceOf(len(d.Schema))
	if d.Initial {
		d.To, err = c.handed(p, func(at storage.TSO) storage.TSO { return cmp.Or(p.rel.LastChange(at), at) })
		if err != nil {
			return nil, err
		}
		d.cur = &arrivals{cur: p.rel.Scan(d.To, cols, false), at: d.To}
		return d, nil
	}
	d.To, err = c.handed(p, func(at storage.TSO) storage.TSO { return p.rel.Cut(p.from, at, limit) })
	if err != nil || d.To == p.from {
		return nil, err
	}
	if res.KeysOnly {
		d.hide = notIn(p.s.base.Key, cols)
	}
	mode := map[algebra.ReadingKind]storage.WindowMode{algebra.NetReading: storage.MinDelta, algebra.InsertsReading: storage.AppendOnly, algebra.RecordsReading: storage.Detail}[res.Reading.Kind]
	cols = append(cols, storage.ColumnOp, storage.ColumnTSO, storage.ColumnLSN)
	d.cur = p.rel.Window(storage.Window{Lo: d.From, Hi: d.To, Mode: mode}, cols)
	return d, nil
}

// noteDelivery is the note of a stream that says up to where changes were handed out
// that may not be acknowledged yet.
const noteDelivery = 1

// handed is up to where the delivery goes that begins at p: cut of now; or, where some
// of it was handed out before, cut of that, also when more was committed since. So a
// target that keeps To and has taken a delivery whose acknowledgement was lost meets
// the same one again, or parts of it, none of which goes on beyond. When it returns,
// the bound and the changes are on the disk. p.from: there is nothing.
func (c *Consumer) handed(p place, cut func(storage.TSO) storage.TSO) (storage.TSO, error) {
	c.e.handing.Lock()
	defer c.e.handing.Unlock()
	before := storage.TSO(0)
	err := p.store.Notes(c.id, noteDelivery, func(_ uint64, val []byte) error {
		if len(val) == 8 {
			before = storage.TSO(binary.BigEndian.Uint64(val))
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if before > p.from {
		return cut(before), nil
	}
	to := cut(p.at)
	if to == p.from {
		return to, nil
	}
	if err := p.store.PutNotes([]storage.Note{{Object: c.id, Kind: noteDelivery, Value: binary.BigEndian.AppendUint64(nil, uint64(to))}}); err != nil {
		return 0, err
	}
	return to, p.store.Sync()
}

func notIn(key, cols []int) (out []int) {
	for _, c := range cols {
		in := false
		for _, k := range key {
			in = in || k == c
		}
		if !in {
			out = append(out, c)
		}
	}
	return out
}

// arrivals are the rows of an image as inserts.
type arrivals struct {
	cur *storage.Cursor
	at  storage.TSO
}

func (a *arrivals) Next(ctx context.Context) (*zset.Batch, error) {
	b, err := a.cur.Next(ctx)
	if err != nil {
		return nil, err
	}
	out := expand(b)
	op, tso, lsn := zset.NewColumn(zset.TInt2, out.N), zset.NewColumn(zset.TInt8, out.N), zset.NewColumn(zset.TInt8, out.N)
	for range out.N {
		op.AppendI64(storage.ChangeInsert)
		tso.AppendI64(int64(a.at))
		lsn.AppendI64(0)
	}
	return &zset.Batch{N: out.N, Cols: append(append([]zset.Column{}, out.Cols...), op, tso, lsn)}, nil
}

// Next gives the next rows: the columns of the schema, then op (see
// storage.ChangeInsert and its like), TSO and LSN. io.EOF after the last. The
// batch stays valid.
func (d *Delivery) Next(ctx context.Context) (b *zset.Batch, err error) {
	err = d.c.e.work(ctx, func(ctx context.Context) error { b, err = d.cur.Next(ctx); return err })
	if err != nil || len(d.hide) == 0 {
		return b, err
	}
	ops := b.Cols[len(d.Schema)].I64
	for _, c := range d.hide {
		col := zset.NewColumn(b.Cols[c].Type, b.N)
		for i := range b.N {
			if ops[i] == storage.ChangeDelete || ops[i] == storage.ChangeBefore {
				col.AppendNull()
			} else {
				col.AppendTake(&b.Cols[c], []int32{int32(i)})
			}
		}
		b.Cols[c] = col
	}
	return b, nil
}

// Acknowledge moves the stream over d. The error is storage.ErrConsumed (40001)
// where another one did first.
func (c *Consumer) Acknowledge(ctx context.Context, d *Delivery) error {
	return c.move(ctx, d.base, d.From, d.To)
}

// Reset moves the stream to now: what is pending is given up.
func (c *Consumer) Reset(ctx context.Context) (to storage.TSO, err error) {
	err = c.e.work(ctx, func(ctx context.Context) error {
		p, unpin, err := c.place()
		if err != nil {
			return err
		}
		defer unpin()
		to = p.at
		return c.moved(ctx, p.s.Base, p.from, p.at)
	})
	return to, err
}

func (c *Consumer) move(ctx context.Context, base storage.ID, from, to storage.TSO) error {
	return c.e.work(ctx, func(ctx context.Context) error { return c.moved(ctx, base, from, to) })
}

func (c *Consumer) moved(ctx context.Context, base storage.ID, from, to storage.TSO) error {
	_, err := c.e.commit(ctx, &storage.Commit{Offsets: []storage.OffsetChange{{View: c.id, Move: &storage.Move{Input: base, From: from},
		Set: storage.Offsets{Inputs: map[storage.ID]storage.TSO{base: to}, Gen: 1}}}})
	return err
}

// Wait waits until something was committed behind a TSO.
func (c *Consumer) Wait(ctx context.Context, after storage.TSO) error {
	wait, cancel := c.e.life.bind(ctx)
	defer cancel()
	return worded(ctxErr(wait, c.e.store.Wait(wait, after)))
}

// Lag is how far the stream is behind now.
func (c *Consumer) Lag(ctx context.Context) (lag Lag, err error) {
	err = c.e.work(ctx, func(context.Context) error {
		p, unpin, err := c.place()
		if err != nil {
			return err
		}
		defer unpin()
		lag = Lag{From: p.from, Latest: p.rel.LastChange(p.at), Now: p.at}
		switch {
		case p.from == 0:
			lag.Changes = p.rel.Rows(p.at)
		case lag.Latest > p.from:
			lag.Changes = int64(p.rel.ChangeCount(p.from, p.at))
			lag.Age = c.e.sinceCommit(p.rel.Cut(p.from, p.at, 0))
		}
		return nil
	})
	return lag, err
}

// work is a call of the engine. The error is worded, but for io.EOF.
func (e *Engine) work(ctx context.Context, do func(ctx context.Context) error) (err error) {
	defer e.guard(&err)
	if err := e.life.enter(); err != nil {
		return err
	}
	defer e.life.calls.Done()
	ctx, cancel := e.life.bind(ctx)
	defer cancel()
	if err = ctx.Err(); err == nil {
		err = do(ctx)
	}
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return worded(ctxErr(ctx, err))
}
