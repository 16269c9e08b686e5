package storage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/ivmc/ivmc/zset"
)

func sqlState(err error) string {
	var e *zset.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return fmt.Sprint(err)
}

func TestCatalog(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, fs, Options{})
	r := createTable(t, s, "t", []int{0})
	v := s.Catalog().Version()
	put := func(name string, version uint64) error {
		_, err := s.Commit(ctx, &Commit{CatalogVersion: version, Catalog: []CatalogChange{{Put: &Object{
			ID: s.NewID(), Kind: View, Name: name, Schema: testSchema, Payload: []byte(`{"sql":"select"}`)}}}}, CommitOptions{})
		return err
	}
	err := put("t", 0)
	var e *zset.Error
	if !errors.As(err, &e) || e.Code != "42P07" || e.Detail != "It is a table." || !errors.Is(err, ErrExists) {
		t.Fatalf("%v %+v", err, e)
	}
	if err := put("v", v); err != nil {
		t.Fatal(err)
	}
	if err := put("w", v); sqlState(err) != "40001" {
		t.Fatalf("catalog of yesterday: %v", err)
	}
	before := mustCommit(t, s, &Commit{Changes: []*Change{insert(r, row{id: 1}, row{id: 2})}})
	// Made, filled and given offsets in one commit, while another object goes.
	id := s.NewID()
	old, _ := s.Catalog().ByName("v")
	mustCommit(t, s, &Commit{
		Catalog: []CatalogChange{{Drop: old.ID}, {Put: &Object{ID: id, Kind: View, Name: "v", Schema: testSchema}}},
		Changes: []*Change{{Rel: id, Ops: []Op{OpInsert}, Rows: batchOf([]row{{id: 3}})}},
		Offsets: []OffsetChange{{View: id, Set: Offsets{Inputs: map[ID]TSO{r.ID(): before}, Frontier: before, Gen: 2}}},
	})
	if _, err := s.Relation(old.ID); !errors.Is(err, ErrNoObject) {
		t.Fatalf("dropped: %v", err)
	}
	if _, err := s.Commit(ctx, &Commit{Changes: []*Change{{Rel: old.ID, Ops: []Op{OpInsert}, Rows: batchOf([]row{{}})}}}, CommitOptions{}); err == nil {
		t.Fatal("a row for a dropped relation")
	}
	mustClose(t, s)
	s = mustOpen(t, fs, Options{})
	defer mustClose(t, s)
	o, ok := s.Catalog().ByName("v")
	if !ok || o.ID != id || o.Kind != View || o.Created == 0 || len(o.Schema) != 4 {
		t.Fatalf("%+v", o)
	}
	if off, ok := s.Offsets(id); !ok || off.Gen != 2 || off.Inputs[r.ID()] != before {
		t.Fatalf("%+v", off)
	}
	if n := s.NewID(); n <= id {
		t.Fatalf("id %d again", n)
	}
	rv, err := s.Relation(id)
	if err != nil || rv.Rows(s.Applied()) != 1 {
		t.Fatal(err)
	}
	mustCommit(t, s, &Commit{Catalog: []CatalogChange{{Drop: r.ID()}, {Drop: id}}})
	if _, ok := s.Offsets(id); ok || len(s.Catalog().Objects()) != 0 {
		t.Fatal("offsets of a dropped view")
	}
	if err := s.each(secLog, func(k, _ []byte) error {
		if ID(keyU64(k, 1)) == r.ID() {
			t.Fatalf("log block %x of a dropped table", k)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestAddColumn reads old blocks and pages under a schema with one column more.
func TestAddColumn(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, fs, Options{})
	r := createTable(t, s, "t", []int{0})
	mustCommit(t, s, &Commit{Changes: []*Change{insert(r, row{id: 1, s: "a"})}})
	o := *r.Object()
	o.Schema = append(append(zset.Schema{}, o.Schema...), zset.Field{Name: "x", Type: zset.TText})
	o.SchemaVersion++
	mustCommit(t, s, &Commit{Catalog: []CatalogChange{{Put: &o}}})
	wide := batchOf([]row{{id: 2, s: "b"}})
	wide.Cols = append(wide.Cols, zset.NewColumn(zset.TText, 1))
	wide.Cols[4].AppendBytes([]byte("new"))
	tso := mustCommit(t, s, &Commit{Changes: []*Change{{Rel: r.ID(), Ops: []Op{OpInsert}, Rows: wide, SchemaVersion: 1}}})
	check := func() {
		t.Helper()
		r, err := s.Relation(o.ID)
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.Scan(tso, []int{0, 4}, false).Next(ctx)
		if err != nil || b.N != 2 || !b.Cols[1].IsNull(0) || string(b.Cols[1].Bytes(1)) != "new" {
			t.Fatalf("%+v %v", b, err)
		}
		out := zset.NewBatch([]zset.Type{zset.TText}, 2)
		r.Gather([]Addr{1, 0}, []int{4}, out.Cols)
		if !out.Cols[0].IsNull(1) || string(out.Cols[0].Bytes(0)) != "new" {
			t.Fatalf("%+v", out)
		}
	}
	check()
	mustClose(t, s)
	s = mustOpen(t, fs, Options{})
	defer mustClose(t, s)
	check()
}

func TestState(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, fs, Options{})
	r := createTable(t, s, "v", nil)
	id := StateID{View: r.ID(), N: 3, Gen: 1}
	write := func(replace bool, kv ...string) {
		st := StateChange{ID: id, Replace: replace}
		for i := 0; i < len(kv); i += 2 {
			st.Keys.Append([]byte(kv[i]))
			st.Vals.Append([]byte(kv[i+1]))
		}
		mustCommit(t, s, &Commit{States: []StateChange{st}, Offsets: []OffsetChange{{View: r.ID(), Set: Offsets{Gen: 1}}}})
	}
	check := func(want string) {
		t.Helper()
		m := map[string]string{}
		if err := s.LoadState(id, func(k, v []byte) error { m[string(k)] = string(v); return nil }); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(m); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
	big := string(make([]byte, 3*stateBlockBytes))
	write(true, "a", "1", "b", "2", "big", big, "c", "3")
	base, log := s.StateBytes(id)
	write(false, "a", "", "b", "9", "big", "", "", "empty key")
	if b, l := s.StateBytes(id); b != base || base < int64(len(big)) || log != 0 || l == 0 {
		t.Fatal(base, log, b, l)
	}
	check("map[:empty key a: b:9 big: c:3]")
	mustClose(t, s)
	s = mustOpen(t, fs, Options{})
	check("map[:empty key a: b:9 big: c:3]")
	if b, l := s.StateBytes(id); b != base || l == 0 {
		t.Fatal(b, l)
	}
	write(true, "z", "1")
	check("map[z:1]")
	write(true)
	check("map[]")
	// A generation that was never published goes at open.
	id.Gen = 2
	write(false, "lost", "1")
	mustClose(t, s)
	s = mustOpen(t, fs, Options{})
	defer mustClose(t, s)
	check("map[]")
}

func TestBadChanges(t *testing.T) {
	s := mustOpen(t, vfs.NewMem(), Options{})
	defer mustClose(t, s)
	r := createTable(t, s, "t", []int{0})
	mustCommit(t, s, &Commit{Changes: []*Change{insert(r, row{id: 1})}})
	null := batchOf([]row{{id: 1}})
	null.Cols[0] = zset.NewColumn(zset.TInt8, 1)
	null.Cols[0].AppendNull()
	narrow := batchOf([]row{{id: 8}})
	narrow.Cols = narrow.Cols[:3]
	other := batchOf([]row{{id: 8}})
	other.Cols[0], other.Cols[2] = other.Cols[2], other.Cols[0]
	for what, c := range map[string]struct {
		ch   Change
		code string
	}{
		"no row":         {Change{Ops: []Op{OpInsert}}, "XX000"},
		"no dead":        {Change{Ops: []Op{OpDelete}}, "XX000"},
		"no operation":   {Change{Ops: []Op{7}}, "XX000"},
		"unknown row":    {Change{Ops: []Op{OpDelete}, Dead: []Addr{99}}, "XX000"},
		"dead twice":     {Change{Ops: []Op{OpDelete, OpDelete}, Dead: []Addr{0, 0}}, "XX000"},
		"own beyond":     {Change{Ops: []Op{OpDelete}, Dead: []Addr{Own(0)}}, "XX000"},
		"NoAddr":         {Change{Ops: []Op{OpDelete}, Dead: []Addr{NoAddr}}, "XX000"},
		"NULL key":       {Change{Ops: []Op{OpInsert}, Rows: null}, "23502"},
		"narrow":         {Change{Ops: []Op{OpInsert}, Rows: narrow}, "XX000"},
		"other types":    {Change{Ops: []Op{OpInsert}, Rows: other}, "XX000"},
		"no such object": {Change{Rel: 77, Ops: []Op{OpDelete}, Dead: []Addr{0}}, "42P01"},
	} {
		if c.ch.Rel == 0 {
			c.ch.Rel = r.ID()
		}
		if _, err := s.Commit(ctx, &Commit{Changes: []*Change{&c.ch}}, CommitOptions{}); sqlState(err) != c.code {
			t.Errorf("%s: %v, want %s", what, err, c.code)
		}
	}
	if n := r.Rows(s.Applied()); n != 1 || r.Versions() != 1 {
		t.Fatal(n, r.Versions())
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Commit(cancelled, &Commit{Changes: []*Change{insert(r, row{id: 5})}}, CommitOptions{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := r.Scan(s.Applied(), nil, false).Next(cancelled); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestResolveAbsent(t *testing.T) {
	s := mustOpen(t, vfs.NewMem(), Options{})
	defer mustClose(t, s)
	bagRel, keyed := createTable(t, s, "b", nil), createTable(t, s, "k", []int{0})
	id := s.NewID()
	mustCommit(t, s, &Commit{Catalog: []CatalogChange{{Put: &Object{ID: id, Kind: View, Name: "v", Schema: testSchema}}}})
	view, err := s.Relation(id)
	if err != nil {
		t.Fatal(err)
	}
	at := mustCommit(t, s, &Commit{Changes: []*Change{insert(bagRel, row{id: 1}, row{id: 1}, row{id: 2}), insert(keyed, row{id: 1, s: "x"}), insert(view, row{id: 1})}})
	minus := func(w int64, r row) *zset.Batch {
		b := batchOf([]row{r})
		b.W = []int64{-w}
		return b
	}
	ch, err := bagRel.Resolve(minus(1, row{id: 1}), at)
	if err != nil || len(ch.Dead) != 1 || ch.Dead[0] != 0 {
		t.Fatalf("the oldest of equal rows dies first: %v %v", ch, err)
	}
	if _, err := bagRel.Resolve(minus(3, row{id: 1}), at); !errors.Is(err, ErrAbsent) {
		t.Fatal(err)
	}
	if _, err := keyed.Resolve(minus(1, row{id: 1, s: "y"}), at); !errors.Is(err, ErrAbsent) {
		t.Fatalf("same key, other row: %v", err)
	}
	if _, err := view.Resolve(minus(2, row{id: 1}), at); !errors.Is(err, ErrCorrupt) || sqlState(err) != "XX001" {
		t.Fatal(err)
	}
	big := minus(1, row{id: 1})
	big.W[0] = 1 << 40
	if _, err := bagRel.Resolve(big, at); sqlState(err) != "54000" {
		t.Fatal(err)
	}
}

// TestRebuild kills most rows and sees that an arrangement forgets them, but not
// while somebody may look.
func TestRebuild(t *testing.T) {
	s := mustOpen(t, vfs.NewMem(), Options{})
	defer mustClose(t, s)
	r := createTable(t, s, "t", nil)
	const n = 3 * minRebuild
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{id: int64(i), n: int64(i)}
	}
	t1 := mustCommit(t, s, &Commit{Changes: []*Change{insert(r, rows...)}})
	a, err := r.Arrange(Spec{ID: "n", Cols: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.Arrange(Spec{ID: "f", Cols: []int{1}, Key: func(b *zset.Batch, k *zset.Keys) error { k.EncodeKeys(b.Cols, b.N); return nil }})
	if err != nil {
		t.Fatal(err)
	}
	at, release := s.PinApplied()
	if at != t1 {
		t.Fatal(at)
	}
	advance := func(to TSO) {
		t.Helper()
		if err := errors.Join(a.Advance(ctx, to), f.Advance(ctx, to)); err != nil {
			t.Fatal(err)
		}
	}
	advance(t1)
	ch := &Change{Rel: r.ID(), Ops: opsOf(OpDelete, n-10)}
	for i := range n - 10 {
		ch.Dead = append(ch.Dead, Addr(i))
	}
	t2 := mustCommit(t, s, &Commit{Changes: []*Change{ch}})
	advance(t2)
	if a.Keys() != n || f.Keys() != n {
		t.Fatalf("%d and %d keys, want %d: t1 is pinned", a.Keys(), f.Keys(), n)
	}
	find := func(a *Arrangement, at TSO, v int64) int {
		c := zset.NewColumn(zset.TInt8, 1)
		c.AppendI64(v)
		var k zset.Keys
		k.EncodeKeys([]zset.Column{c}, 1)
		var cur LookupCursor
		_, addrs, _ := a.Lookup(&k, at, &cur)
		return len(addrs)
	}
	if find(a, t1, 5) != 1 || find(a, t2, 5) != 0 || find(f, t1, 5) != 1 || find(f, t2, n-1) != 1 {
		t.Fatal("before the rebuild")
	}
	release()
	release()
	t3 := mustCommit(t, s, &Commit{Changes: []*Change{insert(r, row{id: n, n: n})}})
	advance(t3)
	if a.Keys() != 11 || f.Keys() != 11 {
		t.Fatalf("%d and %d keys, want 11", a.Keys(), f.Keys())
	}
	for _, v := range []int64{n - 10, n - 1, n} {
		if find(a, t3, v) != 1 || find(f, t3, v) != 1 {
			t.Fatal("after the rebuild", v)
		}
	}
}

// TestHotKey streams a key with more matches than one call gives.
func TestHotKey(t *testing.T) {
	s := mustOpen(t, vfs.NewMem(), Options{})
	defer mustClose(t, s)
	r := createTable(t, s, "t", nil)
	rows := make([]row, 3*lookupMax+5)
	for i := range rows {
		rows[i] = row{id: int64(i), n: 1, nNull: i%3 == 0}
	}
	tso := mustCommit(t, s, &Commit{Changes: []*Change{insert(r, rows...)}})
	a, err := r.Arrange(Spec{ID: "n", Cols: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Advance(ctx, tso); err != nil {
		t.Fatal(err)
	}
	c := zset.NewColumn(zset.TInt8, 3)
	c.AppendI64(1)
	c.AppendNull()
	c.AppendI64(2)
	var k zset.Keys
	k.EncodeKeys([]zset.Column{c}, 3)
	for _, nulls := range []bool{false, true} {
		cur, got, calls := LookupCursor{Nulls: nulls}, [3]int{}, 0
		for more := true; more; calls++ {
			var probe []int32
			var addrs []Addr
			probe, addrs, more = a.Lookup(&k, tso, &cur)
			if len(addrs) > lookupMax {
				t.Fatal(len(addrs))
			}
			for _, p := range probe {
				got[p]++
			}
		}
		want := [3]int{2*lookupMax + 3, 0, 0}
		if nulls {
			want[1] = lookupMax + 2
		}
		if got != want || calls < 3 {
			t.Fatalf("%v in %d calls, want %v", got, calls, want)
		}
	}
}

// TestConcurrent runs writers that race for rows against readers of every kind.
// The sum over all rows is kept by every commit, so a torn read shows.
func TestConcurrent(t *testing.T) {
	s := mustOpen(t, vfs.NewMem(), Options{MergeFan: 3})
	r := createTable(t, s, "t", []int{0})
	const rows = 50
	init := make([]row, rows)
	for i := range init {
		init[i] = row{id: int64(i), n: 100}
	}
	first := mustCommit(t, s, &Commit{Changes: []*Change{insert(r, init...)}})
	arr, err := r.Arrange(Spec{ID: "n", Cols: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(500 * time.Millisecond)
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	conflicts, commits := make([]int, 3), make([]int, 3)
	for w := range 3 {
		writers.Go(func() {
			for i := 0; time.Now().Before(deadline); i++ {
				at, release := s.PinApplied()
				from, to := int64((i*7+w)%rows), int64((i*11+w+1)%rows)
				if from == to {
					release()
					continue
				}
				dead := []Addr{findKey(r, at, from), findKey(r, at, to)}
				old := zset.NewBatch(testSchema.Types(), 2)
				r.Gather(dead, nil, old.Cols)
				next := batchOf([]row{{id: from, n: old.Cols[1].I64[0] - 1}, {id: to, n: old.Cols[1].I64[1] + 1}})
				_, err := s.Commit(ctx, &Commit{Begin: at, Changes: []*Change{{Rel: r.ID(), Ops: []Op{OpUpdate, OpUpdate}, Rows: next, Dead: dead}}}, CommitOptions{Sync: i%2 == 0})
				release()
				switch {
				case errors.Is(err, ErrConflict):
					conflicts[w]++
				case err != nil:
					t.Error(err)
					return
				default:
					commits[w]++
				}
			}
		})
	}
	sum := func(c *Cursor) (n int, sum int64) {
		for {
			b, err := c.Next(ctx)
			if err != nil {
				return n, sum
			}
			for i := range b.N {
				sum += b.Weight(i) * b.Cols[1].I64[i]
				n += int(b.Weight(i))
			}
		}
	}
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				at, release := s.PinApplied()
				if n, total := sum(r.Scan(at, nil, false)); n != rows || total != 100*rows {
					t.Errorf("scan at %d: %d rows, sum %d", at, n, total)
				}
				if n, total := sum(r.Changes(first, at, nil)); n != 0 || total != 0 {
					t.Errorf("changes to %d: %d rows, sum %d", at, n, total)
				}
				if err := arr.Advance(ctx, at); err != nil {
					t.Error(err)
				}
				c := zset.NewColumn(zset.TInt8, 400)
				for v := range int64(400) {
					c.AppendI64(v - 100)
				}
				var k zset.Keys
				k.EncodeKeys([]zset.Column{c}, 400)
				var cur LookupCursor
				if _, addrs, _ := arr.Lookup(&k, at, &cur); len(addrs) != rows {
					t.Errorf("look-up at %d: %d rows", at, len(addrs))
				}
				for id := range int64(rows) {
					if findKey(r, at, id) == NoAddr {
						t.Errorf("key %d at %d is not there", id, at)
					}
				}
				release()
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
	t.Log(commits, "commits,", conflicts, "conflicts")
	want := drain(t, r.Scan(s.Applied(), nil, false))
	id := r.ID()
	mem := s.opts.FS
	mustClose(t, s)
	s = mustOpen(t, mem, Options{})
	defer mustClose(t, s)
	r, err = s.Relation(id)
	if err != nil {
		t.Fatal(err)
	}
	equalBags(t, "after reopening", drain(t, r.Scan(s.Applied(), nil, false)), want)
}

// TestClose closes under running commits: each is done or refused.
func TestClose(t *testing.T) {
	fs := vfs.NewMem()
	s := mustOpen(t, fs, Options{})
	r := createTable(t, s, "t", nil)
	var wg sync.WaitGroup
	done := make([]int, 4)
	started := make(chan struct{}, 4)
	for w := range done {
		wg.Go(func() {
			for {
				if _, err := s.Commit(ctx, &Commit{Changes: []*Change{insert(r, row{id: 1})}}, CommitOptions{Sync: true}); err != nil {
					if !errors.Is(err, ErrClosed) {
						t.Error(err)
					}
					return
				}
				if done[w]++; done[w] == 3 {
					started <- struct{}{}
				}
			}
		})
	}
	<-started
	mustClose(t, s)
	wg.Wait()
	if _, err := s.Relation(99); err == nil {
		t.Fatal("a relation of a closed store")
	}
	s = mustOpen(t, fs, Options{})
	defer mustClose(t, s)
	r2, err := s.Relation(r.ID())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r2.Rows(s.Applied()), int64(done[0]+done[1]+done[2]+done[3]); got != want {
		t.Fatalf("%d rows, %d acknowledged", got, want)
	}
}
