package storage

import (
	"context"
	"fmt"
	"testing"
)

func notesOf(t *testing.T, s *Store, id ID, kind byte) (out string) {
	t.Helper()
	if err := s.Notes(id, kind, func(seq uint64, val []byte) error {
		out += fmt.Sprintf("%d=%s ", seq, val)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestNotes: notes come with a commit or by themselves, survive, are of one kind
// and object each, and go with the object.
func TestNotes(t *testing.T) {
	s := scripted(t)
	defer func() { mustClose(t, s) }()
	obj := s.Catalog().Objects()[0]
	before := s.Applied()
	if err := s.PutNotes([]Note{{obj.ID, 1, 2, []byte("b")}, {obj.ID, 1, 1, []byte("a")}, {obj.ID, 2, 1, []byte("other")}, {999, 1, 1, []byte("gone")}}); err != nil {
		t.Fatal(err)
	}
	if s.Applied() != before {
		t.Error("notes alone are no commit")
	}
	if got := notesOf(t, s, obj.ID, 1); got != "1=a 2=b " {
		t.Errorf("notes: %s", got)
	}
	if got := notesOf(t, s, 999, 1); got != "" {
		t.Errorf("notes of nothing: %s", got)
	}
	if _, err := s.Commit(context.Background(), &Commit{Notes: []Note{{obj.ID, 1, 1, nil}, {obj.ID, 1, 3, []byte{}}}}, CommitOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := notesOf(t, s, obj.ID, 1); got != "2=b 3= " {
		t.Errorf("after a commit: %s", got)
	}
	if rep := check(t, s); len(rep.Faults) > 0 {
		t.Errorf("%+v", rep.Faults)
	}
	key := noteKey(&Note{Object: obj.ID, Kind: 2, Seq: 1})
	put(t, s, key, []byte("others"))
	if rep := check(t, s); len(rep.Faults) != 1 {
		t.Errorf("a damaged note: %+v", rep.Faults)
	}
	if err := s.Notes(obj.ID, 2, func(uint64, []byte) error { return nil }); err == nil {
		t.Error("a damaged note was read")
	}
	if _, err := s.Commit(context.Background(), &Commit{Catalog: []CatalogChange{{Drop: obj.ID}}}, CommitOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := notesOf(t, s, obj.ID, 1) + notesOf(t, s, obj.ID, 2); got != "" {
		t.Errorf("of a dropped object: %s", got)
	}
	if _, err := s.Commit(context.Background(), &Commit{Notes: []Note{{obj.ID, 1, 9, []byte("x")}}}, CommitOptions{}); err == nil {
		t.Error("a note of a dropped object was taken")
	}
}
