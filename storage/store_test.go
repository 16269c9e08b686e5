package storage

import (
	"errors"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/ivmc/ivmc/zset"
)

func TestReopen(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, fs, Options{})
	r := createTable(t, s, "t", []int{0})
	t1 := mustCommit(t, s, &Commit{Changes: []*Change{insert(r, row{id: 1, s: "a"}, row{id: 2, nNull: true, f: 1.5})}})
	a := findKey(r, t1, 1)
	t2 := mustCommit(t, s, &Commit{Changes: []*Change{{Rel: r.ID(), Ops: []Op{OpUpdate}, Rows: batchOf([]row{{id: 1, s: "b"}}), Dead: []Addr{a}}}})
	want1, want2, d := drain(t, r.Scan(t1, nil, false)), drain(t, r.Scan(t2, nil, false)), drain(t, r.Changes(t1, t2, nil))
	if len(want1) != 2 || len(want2) != 2 || len(d) != 2 {
		t.Fatal(len(want1), len(want2), len(d))
	}
	mustClose(t, s)
	if err := s.Close(); !errors.Is(err, ErrClosed) {
		t.Fatalf("second Close: %v", err)
	}

	s = mustOpen(t, fs, Options{MustExist: true})
	defer mustClose(t, s)
	o, ok := s.Catalog().ByName("t")
	if !ok || s.Applied() != t2 {
		t.Fatalf("catalog %v, applied %d, want %d", ok, s.Applied(), t2)
	}
	r, err := s.Relation(o.ID)
	if err != nil {
		t.Fatal(err)
	}
	equalBags(t, "first", drain(t, r.Scan(t1, nil, false)), want1)
	equalBags(t, "second", drain(t, r.Scan(t2, nil, false)), want2)
	equalBags(t, "changes", drain(t, r.Changes(t1, t2, nil)), d)
	if findKey(r, t1, 1) != a || findKey(r, t2, 1) != 2 || findKey(r, t2, 3) != NoAddr {
		t.Fatal("keys")
	}
	if tso := mustCommit(t, s, &Commit{Changes: []*Change{insert(r, row{id: 9})}}); tso <= t2 {
		t.Fatalf("TSO %d after %d", tso, t2)
	}
}

func TestUniqueAndConflict(t *testing.T) {
	s := mustOpen(t, vfs.NewMem(), Options{})
	defer mustClose(t, s)
	r := createTable(t, s, "t", []int{0})
	begin := mustCommit(t, s, &Commit{Changes: []*Change{insert(r, row{id: 1})}})
	code := func(c *Commit) string {
		t.Helper()
		_, err := s.Commit(ctx, c, CommitOptions{})
		var e *zset.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%v is no *zset.Error", err)
		}
		if e == nil {
			return ""
		}
		return e.Code
	}
	_, err := s.Commit(ctx, &Commit{Begin: begin, Changes: []*Change{insert(r, row{id: 5}, row{id: 1})}}, CommitOptions{})
	var e *zset.Error
	if !errors.As(err, &e) || e.Code != "23505" || e.Detail != "Key (id)=(1) already exists." ||
		e.Msg != `duplicate key value violates unique constraint "t_pkey"` || !errors.Is(err, ErrUnique) {
		t.Fatalf("%v %+v", err, e)
	}
	if findKey(r, Never-1, 5) != NoAddr {
		t.Fatal("a failed commit left a row")
	}
	if c := code(&Commit{Begin: begin, Changes: []*Change{insert(r, row{id: 5}, row{id: 5})}}); c != "23505" {
		t.Fatalf("twice in one change: %q", c)
	}
	if c := code(&Commit{Begin: begin - 1, Changes: []*Change{insert(r, row{id: 1})}}); c != "40001" {
		t.Fatalf("key born after Begin: %q", c)
	}
	if c := code(&Commit{Begin: begin, Changes: []*Change{{Rel: r.ID(), Ops: []Op{OpDelete}, Dead: []Addr{0}}}}); c != "" {
		t.Fatalf("delete: %q", c)
	}
	if c := code(&Commit{Begin: begin, Changes: []*Change{{Rel: r.ID(), Ops: []Op{OpDelete}, Dead: []Addr{0}}}}); c != "40001" {
		t.Fatalf("second delete: %q", c)
	}
	// Insert, update and delete of the same row in one change, and the key used again.
	c := &Change{Rel: r.ID(), Ops: []Op{OpInsert, OpUpdate, OpDelete, OpInsert},
		Rows: batchOf([]row{{id: 7, s: "a"}, {id: 7, s: "b"}, {id: 7, s: "c"}}), Dead: []Addr{Own(0), Own(1)}}
	if c := code(&Commit{Changes: []*Change{c}}); c != "" {
		t.Fatalf("own rows: %q", c)
	}
	b := drain(t, r.Scan(s.Applied(), []int{2}, false))
	want := zset.NewColumn(zset.TText, 1)
	want.AppendBytes([]byte("c"))
	if len(b) != 1 || b[string(zset.AppendRow(nil, &want, 0))] != 1 {
		t.Fatalf("%v", b)
	}
	if findKey(r, s.Applied(), 7) != 3 {
		t.Fatal("key of a row that was born last")
	}
}

// TestLongText: a long text does not take room for others as long.
func TestLongText(t *testing.T) {
	const long = 8 << 20
	s := mustOpen(t, vfs.NewMem(), Options{})
	defer mustClose(t, s)
	r := createTable(t, s, "t", nil)
	for i := range int64(3) {
		mustCommit(t, s, &Commit{Changes: []*Change{insert(r, row{id: i, s: strings.Repeat("x", long)})}})
		if held := r.MemBytes(); held > 2*(i+1)*long+2*textAhead {
			t.Errorf("%d texts of %d bytes take %d", i+1, long, held)
		}
	}
}
