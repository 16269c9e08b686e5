package session

import (
	"context"
	"errors"
	"io"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Follower reads the log of a table or view, commit by commit, and waits for
// more. It holds nothing but its place: what it has not read stays in the log, from
// the first read to Close also where no history is kept. One goroutine.
type Follower struct {
	e    *Engine
	id   storage.ID
	name string
	pos  storage.TSO         // read up to here
	end  storage.TSO         // where cur ends
	cur  *storage.PairCursor // nil: nothing is at hand
	held *Changes

	unpin func() // of pos; nil before the first read
}

// Close gives up what the follower has not read.
func (f *Follower) Close() { f.pin(nil) }

// pin puts unpin in place of the pin of before.
func (f *Follower) pin(unpin func()) {
	if f.unpin != nil {
		f.unpin()
	}
	f.unpin = unpin
}

// Follow follows a relation from what is committed after a TSO on; 0: after now.
func (e *Engine) Follow(relation string, after storage.TSO) (*Follower, error) {
	if err := e.life.enter(); err != nil {
		return nil, err
	}
	defer e.life.calls.Done()
	at, cat, unpin := e.snapshot()
	defer unpin()
	obj, ok := cat.ByName(relation)
	if !ok || obj.Kind == storage.Private {
		return nil, worded(noSuch("relation", cat, relation, -1, storage.Table, storage.View))
	}
	if obj.Kind == storage.Stream {
		err := zset.Errorf("42809", -1, "%q is a stream and has a place of its own", relation)
		err.Hint = "Read it as a consumer, or follow the relation that it is on."
		return nil, worded(err)
	}
	if obj.Kind == storage.Query {
		err := zset.Errorf("42809", -1, "view %q is not stored and has no changes", relation)
		err.Hint = "Follow the relations that it reads, or a materialized view."
		return nil, worded(err)
	}
	if after == 0 || after > at {
		after = at
	}
	return &Follower{e: e, id: obj.ID, name: relation, pos: after}, nil
}

// relation is what is followed, with the types of its columns now.
func (f *Follower) relation() (*storage.Relation, []zset.Type, error) {
	obj, ok := f.e.store.Catalog().ByID(f.id)
	if !ok {
		return nil, nil, noSuch("relation", f.e.store.Catalog(), f.name, -1)
	}
	rel, err := f.e.store.Relation(f.id)
	return rel, obj.Schema.Types(), err
}

// At is the TSO up to which everything was read.
func (f *Follower) At() storage.TSO { return f.pos }

// Rows gives the rows that stand at the follower's place, in batches that may
// have weights and stay valid.
func (f *Follower) Rows(ctx context.Context, each func(*zset.Batch) bool) error {
	f.pin(f.e.store.PinLog(f.id, f.pos))
	var cur *storage.Cursor
	for {
		var b *zset.Batch
		err := f.e.work(ctx, func(ctx context.Context) error {
			if cur == nil {
				rel, _, err := f.relation()
				if err != nil {
					return err
				}
				if err := f.e.store.Durable(f.pos); err != nil {
					return err
				}
				cur = rel.Scan(f.pos, nil, false)
			}
			var err error
			b, err = cur.Next(ctx)
			return err
		})
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case b.N > 0 && !each(b):
			return nil
		}
	}
}

// Next gives the next records, up to some thousand of one commit, and whether
// they are the last of it. It waits for them, and for the disk to have them.
func (f *Follower) Next(ctx context.Context) (c *Changes, last bool, err error) {
	for {
		var got *Changes
		err := f.e.work(ctx, func(ctx context.Context) error {
			got, err = f.read(ctx)
			return err
		})
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, false, err
		}
		if held := f.held; held != nil {
			f.held = got
			return held, got == nil || got.Records[0].TSO != held.Records[0].TSO, nil
		}
		if f.held = got; got != nil {
			continue
		}
		wait, cancel := f.e.life.bind(ctx)
		err = f.e.store.Wait(wait, f.pos)
		err = ctxErr(wait, err)
		cancel()
		if err != nil {
			return nil, false, worded(err)
		}
	}
}

// read is the records that are at hand next; io.EOF if there are none now.
func (f *Follower) read(ctx context.Context) (*Changes, error) {
	rel, types, err := f.relation()
	if err != nil {
		return nil, err
	}
	if f.cur == nil {
		f.pin(f.e.store.PinLog(f.id, f.pos))
		if f.end = f.e.store.Applied(); f.end <= f.pos {
			return nil, io.EOF
		}
		if rel.LastChange(f.end) > f.pos {
			if err := f.e.store.Durable(rel.LastChange(f.end)); err != nil {
				return nil, err
			}
		}
		f.cur = rel.Pairs(f.pos, f.end)
	}
	recs, err := f.cur.Next(ctx)
	if errors.Is(err, io.EOF) {
		f.cur, f.pos = nil, f.end
	}
	if err != nil {
		return nil, err
	}
	c := imagesOf(f.cur.RecordCursor, types, recs)
	c.Records = append([]storage.Record(nil), recs...) // they are held beyond the next ones
	return c, nil
}
