package runtime

import (
	"bytes"
	"context"
	"slices"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Difference is a view compared with its definition.
type Difference struct {
	Rows     int64       // of the view
	Expected int64       // of the recomputation
	Delta    *zset.Batch // recomputed less stored, consolidated; nil: equal
}

// Sample is a part of the rows of a view, by their hashes; nil: all of them.
type Sample struct{ Part, Of uint64 }

// of is the rows of b in the part.
func (s *Sample) of(b *zset.Batch, keys *zset.Keys) *zset.Batch {
	if s == nil {
		return b
	}
	keys.HashRows(b.Cols, b.N)
	var idx []int32
	for i, h := range keys.Hash[:b.N] {
		if h>>1%s.Of == s.Part {
			idx = append(idx, int32(i))
		}
	}
	return b.Take(idx)
}

// Verify recomputes the view from its inputs as they stood at its own offsets
// and subtracts its rows. It changes nothing.
func (v *View) Verify(ctx context.Context, part *Sample) (d Difference, err error) {
	defer guard(&err)
	rel, err := v.store.Relation(v.obj.ID)
	if err != nil {
		return d, err
	}
	at, unpin := v.store.PinApplied()
	defer unpin()
	for id, tso := range v.offsets.Inputs {
		defer v.store.PinLog(id, tso)()
		in, err := v.store.Relation(id)
		if err == nil {
			err = in.Readable(tso)
		}
		if err != nil {
			return d, err
		}
	}
	hi := v.offsets.Frontier
	for _, tso := range v.offsets.Inputs { // all the hi of the last step; the frontier may be that of a source
		hi = max(hi, tso)
	}
	root, err := compile(v.full, v.now(hi))
	if err != nil {
		return d, err
	}
	src := &snapshot{v.store, func(id storage.ID) storage.TSO { return v.offsets.Inputs[id] }}
	r := &run{ctx: ctx, source: src, object: v.obj.Name, mem: newMemory(v.budget)}
	defer r.mem.release()
	var sum zset.Consolidator
	var keys zset.Keys
	root.open(r)
	for {
		b, err := root.pull(r)
		if err != nil {
			return d, err
		}
		if b == nil {
			break
		}
		for i := range b.N {
			d.Expected += b.Weight(i)
		}
		sum.Add(part.of(b, &keys))
		if err := r.hold("comparison", &sum); err != nil {
			return d, err
		}
	}
	return d, v.minus(r, &sum, rel, at, part, &d)
}

// minus completes a difference: sum less the rows of the view.
func (v *View) minus(r *run, sum *zset.Consolidator, rel *storage.Relation, at storage.TSO, part *Sample, d *Difference) error {
	d.Rows = rel.Rows(at)
	if err := subtract(r, sum, rel, at, part); err != nil {
		return err
	}
	if out := sum.Result(); out != nil && out.N > 0 {
		d.Delta = out
	}
	return nil
}

// Compare subtracts the rows of the view from those that it should have at its
// own offsets.
func (v *View) Compare(ctx context.Context, want *zset.Batch) (d Difference, err error) {
	defer guard(&err)
	rel, err := v.store.Relation(v.obj.ID)
	if err != nil {
		return d, err
	}
	at, unpin := v.store.PinApplied()
	defer unpin()
	r := &run{ctx: ctx, object: v.obj.Name, mem: newMemory(v.budget)}
	defer r.mem.release()
	var sum zset.Consolidator
	for i := range want.N {
		d.Expected += want.Weight(i)
	}
	sum.Add(want)
	return d, v.minus(r, &sum, rel, at, nil, &d)
}

// Least is the n rows of b that come first by row encoding, with their weights.
func Least(b *zset.Batch, n int) *zset.Batch {
	var k zset.Keys
	k.EncodeRows(b.Cols, b.N)
	idx := make([]int32, b.N)
	for i := range idx {
		idx[i] = int32(i)
	}
	slices.SortFunc(idx, func(x, y int32) int { return bytes.Compare(k.Key(int(x)), k.Key(int(y))) })
	return b.Take(idx[:min(n, len(idx))])
}
