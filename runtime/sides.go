package runtime

import (
	"context"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// sides is what a step reads: each relation at lo, where the view stands, and at
// where the step reads it, fixed once for all (I2). Both are the same read of row versions,
// by visibility at another TSO.
type sides struct {
	store *storage.Store
	lo    map[storage.ID]storage.TSO
	reads
}

// changes is ΔR over (lo, hi]; nil if nothing changed.
func (s *sides) changes(id storage.ID, cols []int) (Cursor, error) {
	rel, err := s.store.Relation(id)
	if err != nil {
		return nil, err
	}
	if rel.ChangeCount(s.lo[id], s.at(id)) == 0 {
		return nil, nil
	}
	return rel.Changes(s.lo[id], s.at(id), cols), nil
}

// pending is the number of changes over (lo, hi] of all relations.
func (s *sides) pending(ids []storage.ID) (n int, err error) {
	for _, id := range ids {
		rel, err := s.store.Relation(id)
		if err != nil {
			return 0, err
		}
		if err := rel.Readable(s.lo[id]); err != nil {
			return 0, err
		}
		n += rel.ChangeCount(s.lo[id], s.at(id))
	}
	return n, nil
}

// side is one relation at one TSO, to be looked up.
type side struct {
	rel *storage.Relation
	arr *storage.Arrangement // nil: by primary key
	at  storage.TSO
}

// side opens a side, and brings its arrangement forward.
func (s *sides) side(ctx context.Context, id storage.ID, a *arranged, which delta.Side) (*side, error) {
	rel, err := s.store.Relation(id)
	if err != nil {
		return nil, err
	}
	out := &side{rel: rel, at: s.at(id)}
	if which == delta.Lo {
		out.at = s.lo[id]
	}
	if a == nil {
		return out, nil
	}
	if out.arr, err = rel.Arrange(a.spec); err != nil {
		return nil, err
	}
	return out, out.arr.Advance(ctx, s.at(id))
}

// snapshot is the relations of a store, each at a TSO: a [Source].
type snapshot struct {
	store *storage.Store
	at    func(storage.ID) storage.TSO
}

// At is the relations of a store as they stood at one TSO, which the caller pins.
func At(store *storage.Store, at storage.TSO) Source {
	return &snapshot{store, func(storage.ID) storage.TSO { return at }}
}

func (s *snapshot) Scan(_ context.Context, id storage.ID, cols []int, addr bool) (Cursor, error) {
	rel, err := s.store.Relation(id)
	if err != nil {
		return nil, err
	}
	return rel.Scan(s.at(id), cols, addr), nil
}

func (s *snapshot) Read(_ context.Context, id storage.ID, r Reading, cols []int) (Cursor, error) {
	rel, err := s.store.Relation(id)
	if err != nil {
		return nil, err
	}
	return Read(rel, r, cols), nil
}

// Read is the rows of another TSO, or records of the log, of rel.
func Read(rel *storage.Relation, r Reading, cols []int) Cursor {
	if r.Image {
		return rel.Scan(r.Hi, cols, false)
	}
	return rel.Window(r.Window, cols)
}

func (s *snapshot) FindKey(_ context.Context, id storage.ID, keys *zset.Keys, cols []int, addr bool) (*zset.Batch, error) {
	rel, err := s.store.Relation(id)
	if err != nil {
		return nil, err
	}
	found := make([]storage.Addr, keys.Len())
	rel.FindKey(keys, s.at(id), found)
	return Fetch(rel, found, cols, addr), nil
}

// Fetch reads row versions by address; NoAddr is left out. With addr a last
// BIGINT column holds the addresses.
func Fetch(rel *storage.Relation, found []storage.Addr, cols []int, addr bool) *zset.Batch {
	schema := rel.Schema()
	types := make([]zset.Type, len(cols), len(cols)+1)
	for i, c := range cols {
		types[i] = schema[c].Type
	}
	if addr {
		types = append(types, zset.TInt8)
	}
	live := make([]storage.Addr, 0, len(found))
	for _, a := range found {
		if a != storage.NoAddr {
			live = append(live, a)
		}
	}
	out := zset.NewBatch(types, len(live))
	rel.Gather(live, cols, out.Cols[:len(cols)])
	if addr {
		for _, a := range live {
			out.Cols[len(cols)].AppendI64(int64(a))
		}
	}
	out.N = len(live)
	return out
}
