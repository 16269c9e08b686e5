package storage

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestMove: an offset is moved by the one that knows where it is.
func TestMove(t *testing.T) {
	s := mustOpen(t, vfs.NewMem(), Options{})
	defer mustClose(t, s)
	tab := createTable(t, s, "t", nil).id
	stream := s.NewID()
	move := func(from, to TSO) *Commit {
		return &Commit{Offsets: []OffsetChange{{View: stream, Move: &Move{Input: tab, From: from}, Set: Offsets{Inputs: map[ID]TSO{tab: to}}}}}
	}
	c := move(0, 5)
	c.Catalog = []CatalogChange{{Put: &Object{ID: stream, Kind: Stream, Name: "stream"}}}
	at, err := s.Commit(ctx, c, CommitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if o, _ := s.Offsets(stream); o.Frontier != at || o.Inputs[tab] != 5 {
		t.Errorf("offsets %v, moved at %d", o, at)
	}
	for _, from := range []TSO{0, 4, 6} {
		if _, err := s.Commit(ctx, move(from, 9), CommitOptions{}); !errors.Is(err, ErrConsumed) {
			t.Errorf("from %d: %v", from, err)
		}
	}
	if o, _ := s.Offsets(stream); o.Inputs[tab] != 5 {
		t.Errorf("a move that lost left %v", o)
	}
	if _, err := s.Commit(ctx, move(5, 9), CommitOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(ctx, &Commit{Catalog: []CatalogChange{{Drop: tab}}}, CommitOptions{}); err != nil {
		t.Fatal(err)
	}
	if rep, err := s.Check(ctx); err != nil || len(rep.Faults) > 0 {
		t.Error(rep, err)
	}
}
