package storage

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/ivmc/ivmc/zset"
	"pgregory.net/rapid"
)

// uniqueKey is the further key of the tests: (n, s), and a NULL frees a row of it.
func uniqueKey(r row) string {
	if r.nNull || r.sNull {
		return ""
	}
	return fmt.Sprintf("%d %q", r.n, r.s)
}

// TestUnique commits random changes to tables with further keys and compares
// what is accepted, what is found by key, and what was undone, with a naive model.
func TestUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fs := vfs.NewMem()
		s, err := Open("db", &Options{FS: fs, MergeFan: 2})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		o := &Object{ID: s.NewID(), Kind: Table, Name: "t", Schema: testSchema, Unique: []Unique{{Name: "t_n_s_key", Cols: []int{1, 2}}}}
		if rapid.Bool().Draw(t, "keyed") {
			o.Key = []int{0}
		}
		if _, err := s.Commit(ctx, &Commit{Catalog: []CatalogChange{{Put: o}}}, CommitOptions{}); err != nil {
			t.Fatal(err)
		}
		live := map[Addr]row{}
		n := Addr(0)
		for range rapid.IntRange(1, 12).Draw(t, "commits") {
			ch := &Change{Rel: o.ID}
			next := map[Addr]row{}
			var rows []row
			for a, r := range live {
				next[a] = r
			}
			for a := range n {
				if _, ok := live[a]; ok && rapid.IntRange(0, 2).Draw(t, "kill") == 0 {
					ch.Ops, ch.Dead = append(ch.Ops, OpDelete), append(ch.Dead, a)
					delete(next, a)
				}
			}
			for range rapid.IntRange(0, 3).Draw(t, "rows") {
				r := drawRow(t, int64(rapid.IntRange(0, 9).Draw(t, "id")))
				next[n+Addr(len(rows))] = r
				rows, ch.Ops = append(rows, r), append(ch.Ops, OpInsert)
				if rapid.IntRange(0, 5).Draw(t, "own") == 0 { // comes and goes within the change
					ch.Ops, ch.Dead = append(ch.Ops, OpDelete), append(ch.Dead, Own(len(rows)-1))
					delete(next, n+Addr(len(rows)-1))
				}
			}
			if len(rows) > 0 {
				ch.Rows = batchOf(rows)
			}
			fits := true
			ids, keys := map[int64]bool{}, map[string]bool{}
			for _, r := range next {
				key := uniqueKey(r)
				if o.Key != nil && ids[r.id] || key != "" && keys[key] {
					fits = false
				}
				ids[r.id], keys[key] = true, true
			}
			_, err := s.Commit(ctx, &Commit{Changes: []*Change{ch}}, CommitOptions{})
			if fits != (err == nil) || err != nil && !errors.Is(err, ErrUnique) {
				t.Fatalf("fits %v, error %v", fits, err)
			}
			if err == nil {
				live, n = next, n+Addr(len(rows))
			}
			if rapid.IntRange(0, 4).Draw(t, "reopen") == 0 {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if s, err = Open("db", &Options{FS: fs}); err != nil {
					t.Fatal(err)
				}
			}
			checkUnique(t, s, o.ID, live)
		}
	})
}

func checkUnique(t *rapid.T, s *Store, id ID, live map[Addr]row) {
	r, err := s.Relation(id)
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for n := int64(-2); n <= 2; n++ {
		for _, text := range []string{"", "a", "b\x00", "long text of a row"} {
			rows = append(rows, row{n: n, s: text})
		}
	}
	b := batchOf(append(rows, row{nNull: true, s: "a"}))
	var k zset.Keys
	k.EncodeKeys(b.Cols[1:3], b.N)
	out := make([]Addr, b.N)
	r.FindUnique(0, &k, s.Applied(), out)
	if out[len(rows)] != NoAddr {
		t.Fatal("a NULL was found")
	}
	for i, p := range rows {
		want := NoAddr
		for a, r := range live {
			if uniqueKey(r) == uniqueKey(p) {
				want = a
			}
		}
		if out[i] != want {
			t.Fatalf("key %s is at %d, want %d", uniqueKey(p), out[i], want)
		}
	}
}

// TestUniqueRace: the second of two commits that saw the same snapshot loses.
func TestUniqueRace(t *testing.T) {
	s := mustOpen(t, vfs.NewMem(), Options{})
	defer mustClose(t, s)
	o := &Object{ID: s.NewID(), Kind: Table, Name: "t", Schema: testSchema, Unique: []Unique{{Name: "t_n_key", Cols: []int{1}}}}
	begin := mustCommit(t, s, &Commit{Catalog: []CatalogChange{{Put: o}}})
	r, err := s.Relation(o.ID)
	if err != nil {
		t.Fatal(err)
	}
	mustCommit(t, s, &Commit{Begin: begin, Changes: []*Change{insert(r, row{id: 1, n: 7})}})
	_, err = s.Commit(ctx, &Commit{Begin: begin, Changes: []*Change{insert(r, row{id: 2, n: 7})}}, CommitOptions{})
	if !errors.Is(err, ErrConflict) {
		t.Fatal(err)
	}
	_, err = s.Commit(ctx, &Commit{Begin: s.Applied(), Changes: []*Change{insert(r, row{id: 2, n: 7})}}, CommitOptions{})
	var e *zset.Error
	if !errors.As(err, &e) || e.Code != "23505" || e.Detail != "Key (n)=(7) already exists." ||
		e.Msg != `duplicate key value violates unique constraint "t_n_key"` {
		t.Fatalf("%v %+v", err, e)
	}
}

// TestFill: rows older than a column show its fill wherever they are read, after
// a merge of blocks and after reopening; a change made for the old columns loses.
func TestFill(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, fs, Options{MergeFan: 2})
	r := createTable(t, s, "t", nil)
	mustCommit(t, s, &Commit{Changes: []*Change{insert(r, row{id: 1, s: "a"}, row{id: 2, s: "b"})}})
	o := *r.Object()
	o.Schema = append(append(zset.Schema{}, o.Schema...), zset.Field{Name: "x", Type: zset.TText}, zset.Field{Name: "y", Type: zset.TInt8})
	o.SchemaVersion++
	cell := zset.NewColumn(zset.TText, 1)
	cell.AppendBytes([]byte("old"))
	o.Fills = []Fill{FillOf(4, &cell)}
	mustCommit(t, s, &Commit{Catalog: []CatalogChange{{Put: &o}}})
	if _, err := s.Commit(ctx, &Commit{Changes: []*Change{insert(r, row{id: 9})}}, CommitOptions{}); !errors.Is(err, ErrConflict) {
		t.Fatal(err)
	}
	wide := func(id int64, x string) *Change {
		b := batchOf([]row{{id: id, s: "c"}})
		b.Cols = append(b.Cols, zset.NewColumn(zset.TText, 1), zset.NewColumn(zset.TInt8, 1))
		b.Cols[4].AppendBytes([]byte(x))
		b.Cols[5].AppendI64(7)
		return &Change{Rel: o.ID, Ops: []Op{OpInsert}, Rows: b, SchemaVersion: 1}
	}
	mustCommit(t, s, &Commit{Changes: []*Change{wide(3, "new")}})
	check := func(want string) {
		t.Helper()
		r, err := s.Relation(o.ID)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		b, err := r.Scan(s.Applied(), []int{0, 4, 5}, false).Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			got += fmt.Sprint(b.Cols[0].I64[i], string(b.Cols[1].Bytes(i)), b.Cols[2].IsNull(i), " ")
		}
		if got != want {
			t.Fatalf("scan: %s, want %s", got, want)
		}
		out := zset.NewBatch([]zset.Type{zset.TText}, 2)
		r.Gather([]Addr{1, 0}, []int{4}, out.Cols)
		if string(out.Cols[0].Bytes(0)) != "old" || string(out.Cols[0].Bytes(1)) != "old" {
			t.Fatalf("gather: %+v", out)
		}
		a, err := r.Arrange(Spec{ID: "x", Cols: []int{4}})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Advance(ctx, s.Applied()); err != nil {
			t.Fatal(err)
		}
		var k zset.Keys
		k.EncodeKeys([]zset.Column{cell}, 1)
		_, addrs, _ := a.Lookup(&k, s.Applied(), &LookupCursor{})
		if len(addrs) != 2 {
			t.Fatalf("look-up: %v", addrs)
		}
	}
	check("1oldtrue 2oldtrue 3newfalse ")
	mustClose(t, s)
	s = mustOpen(t, fs, Options{MergeFan: 2})
	check("1oldtrue 2oldtrue 3newfalse ")
	for i := range int64(4) {
		mustCommit(t, s, &Commit{Changes: []*Change{wide(4+i, "more")}})
	}
	mustClose(t, s) // waits for the merger
	s = mustOpen(t, fs, Options{})
	defer mustClose(t, s)
	check("1oldtrue 2oldtrue 3newfalse 4morefalse 5morefalse 6morefalse 7morefalse ")
	rel, err := s.Relation(o.ID)
	if err != nil {
		t.Fatal(err)
	}
	old := wide(1, "old").Rows // by whole row, the fill included
	old.Cols[2], old.Cols[5] = zset.NewColumn(zset.TText, 1), zset.NewColumn(zset.TInt8, 1)
	old.Cols[2].AppendBytes([]byte("a"))
	old.Cols[5].AppendNull()
	old.W = []int64{-1}
	ch, err := rel.Resolve(old, s.Applied())
	if err != nil || len(ch.Dead) != 1 || ch.Dead[0] != 0 {
		t.Fatalf("%+v %v", ch, err)
	}
	narrow := o
	narrow.Schema, narrow.Fills = narrow.Schema[:3], nil
	if _, err := s.Commit(ctx, &Commit{Catalog: []CatalogChange{{Put: &narrow}}}, CommitOptions{}); !errors.Is(err, ErrChange) {
		t.Fatal(err)
	}
}
