// Package storage is what survives: rows, the log of their changes, operator
// state, offsets and the catalog, over one Pebble store. It knows no expressions.
//
// A relation is an append-only sequence of row versions. Version a (an [Addr]) is
// visible at TSO t if it was born at or before t and died after t, so the sides
// of a delta, snapshots and old states are one and the same read. The log of
// changes is these versions: nothing is written twice.
//
// History is kept until [Store.Reclaim], or the [Retention] of an object, gives it
// up: what died at or before the horizon of a relation goes, and reads below it are
// [ErrBelowHorizon].
//
// A commit promises in Pebble's log what was on the disk before it, so that damage is
// told from a torn end (promise.go); a large relation lies in huge pages (slab.go).
//
// Main types: [Store] (open, commit, catalog, pins), [Relation] (Scan, Changes,
// Records, Gather, FindKey, Resolve), [Arrangement] (an index by any key, brought
// forward when needed), [Commit] (rows, state, offsets and catalog: all or
// nothing, at one TSO).
//
// Invariants kept here: I3 (one step, one commit), I5 (no negative counts: see
// Resolve), I9 (objects are ids), I10 (clock and file system come in through
// [Options]), I11 (records carry the TSO of their own commit), I12 (what readers
// see is never updated in place; readers wait for nobody).
//
// The key space is drawn in keys.go, the block of the log in block.go.
//
//	s, err := storage.Open(dir, nil)
//	id := s.NewID()
//	_, err = s.Commit(ctx, &storage.Commit{Catalog: []storage.CatalogChange{{Put: &storage.Object{
//		ID: id, Kind: storage.Table, Name: "t", Schema: schema, Key: []int{0}}}}}, storage.CommitOptions{Sync: true})
//	tso, err := s.Commit(ctx, &storage.Commit{Changes: []*storage.Change{{Rel: id, Ops: ops, Rows: rows}}}, storage.CommitOptions{Sync: true})
//	rel, err := s.Relation(id)
//	for cur := rel.Scan(tso, nil, false); ; {
//		batch, err := cur.Next(ctx) // io.EOF at the end
//	}
package storage
