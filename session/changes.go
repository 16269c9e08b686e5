package session

import (
	"context"
	"errors"
	"io"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Changes is up to some thousand records of one commit, with their images.
type Changes struct {
	Records []storage.Record
	// Before and After hold the images in the order of the records that have
	// one: updates and deletes have a before image, inserts and updates an after image.
	Before, After *zset.Batch
}

// Changes reads the log of a table or view over (from, to] in the order of
// (TSO, LSN). A record's images are valid until f returns; f's false ends it, and a panic of f passes through.
func (e *Engine) Changes(ctx context.Context, relation string, from, to storage.TSO, f func(*Changes) bool) error {
	if err := e.life.enter(); err != nil {
		return err
	}
	inside := true
	defer func() {
		if inside {
			e.life.calls.Done()
		}
	}()
	ctx, cancel := e.life.bind(ctx)
	defer cancel()
	at, cat, unpin := e.snapshot()
	defer unpin()
	obj, ok := cat.ByName(relation)
	if !ok || obj.Kind == storage.Private {
		return worded(noSuch("relation", cat, relation, -1, storage.Table, storage.View))
	}
	if obj.Kind == storage.Stream {
		err := zset.Errorf("42809", -1, "%q is a stream and has no log of its own", relation)
		err.Hint = "Read it as a consumer, or the changes of the relation that it is on."
		return worded(err)
	}
	rel, err := e.store.Relation(obj.ID)
	if err != nil {
		return worded(err)
	}
	if to = min(to, at); rel.LastChange(to) > from {
		if err := e.store.Durable(rel.LastChange(to)); err != nil {
			return worded(err)
		}
	}
	cur := rel.Pairs(from, to)
	types := obj.Schema.Types()
	for {
		recs, err := cur.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return worded(ctxErr(ctx, err))
		}
		c := imagesOf(cur.RecordCursor, types, recs)
		inside = false // f may close the engine
		e.life.calls.Done()
		if !f(c) {
			return nil
		}
		if err := e.life.enter(); err != nil {
			return err
		}
		inside = true
	}
}

// imagesOf is recs with their images.
func imagesOf(cur *storage.RecordCursor, types []zset.Type, recs []storage.Record) *Changes {
	var before, after []storage.Addr
	for _, r := range recs {
		if r.Before != storage.NoAddr {
			before = append(before, r.Before)
		}
		if r.After != storage.NoAddr {
			after = append(after, r.After)
		}
	}
	return &Changes{Records: recs, Before: images(cur, types, before), After: images(cur, types, after)}
}

func images(cur *storage.RecordCursor, types []zset.Type, addrs []storage.Addr) *zset.Batch {
	b := zset.NewBatch(types, len(addrs))
	b.N = len(addrs)
	cur.Gather(addrs, sequenceOf(len(types)), b.Cols) // the columns of the reader's catalog
	return b
}

func sequenceOf(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
