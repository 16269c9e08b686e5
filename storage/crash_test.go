package storage

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ivmc/ivmc/internal/testkit/crashfs"
	"github.com/ivmc/ivmc/zset"
)

// dump is all that a store holds, as text.
func dump(t testing.TB, s *Store) string {
	t.Helper()
	var out strings.Builder
	at := s.Applied()
	for _, o := range s.Catalog().Objects() {
		r, err := s.Relation(o.ID)
		if err != nil {
			t.Fatal(err)
		}
		b := drain(t, r.Scan(at, nil, false))
		fmt.Fprintf(&out, "%d %s %s:", o.ID, o.Kind, o.Name)
		for _, k := range b.keys() {
			fmt.Fprintf(&out, " %x*%d", k, b[k])
		}
		offs, ok := s.Offsets(o.ID)
		fmt.Fprintf(&out, "\n  offsets %v %v, horizon %d\n", ok, offs, r.Horizon())
		state := map[string]string{}
		if err := s.LoadState(StateID{View: o.ID, N: 1, Gen: offs.Gen}, func(k, v []byte) error {
			if state[string(k)] = string(v); len(v) == 0 {
				delete(state, string(k))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		keys := make([]string, 0, len(state))
		for k := range state {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			fmt.Fprintf(&out, "  state %x=%x\n", k, state[k])
		}
	}
	return out.String()
}

// script is what the crash tests do to a store. step is told before and after
// each commit; it may be one that fails.
func script(s *Store, step func(do func() error) bool) {
	commit := func(c *Commit) bool {
		return step(func() error { _, err := s.Commit(ctx, c, CommitOptions{Sync: true}); return err })
	}
	ids := []ID{s.NewID(), s.NewID(), s.NewID(), s.NewID()}
	obj := func(i int, kind ObjectKind, key []int) CatalogChange {
		return CatalogChange{Put: &Object{ID: ids[i], Kind: kind, Name: fmt.Sprint("r", i), Schema: testSchema, Key: key}}
	}
	if !commit(&Commit{Catalog: []CatalogChange{obj(0, Table, []int{0}), obj(1, Table, nil)}}) {
		return
	}
	rows := func(rel, from, n int, text string) *Change {
		ch := &Change{Rel: ids[rel]}
		var rs []row
		for i := range n {
			rs = append(rs, row{id: int64(from + i), n: int64(i % 3), s: text, nNull: i%5 == 0})
			ch.Ops = append(ch.Ops, OpInsert)
		}
		ch.Rows = batchOf(rs)
		return ch
	}
	for i := range 9 { // small blocks, merged in the background
		ch := rows(0, 10*i, 3, "small")
		if i > 0 {
			ch.Ops = append(ch.Ops, OpDelete)
			ch.Dead = append(ch.Dead, Addr(3*i-1))
		}
		if !commit(&Commit{Changes: []*Change{ch, rows(1, 7, 2, "same")}}) {
			return
		}
	}
	state := func(replace bool, key, val string) StateChange {
		st := StateChange{ID: StateID{View: ids[2], N: 1, Gen: 1}, Replace: replace}
		st.Keys.Append([]byte(key))
		st.Vals.Append([]byte(val))
		st.Keys.Append([]byte("x"))
		st.Vals.Append(nil)
		return st
	}
	offs := func(t TSO) []OffsetChange {
		return []OffsetChange{{View: ids[2], Set: Offsets{Inputs: map[ID]TSO{ids[0]: t}, Frontier: t, Gen: 1}}}
	}
	if !commit(&Commit{Catalog: []CatalogChange{obj(2, View, nil)}, Changes: []*Change{rows(2, 0, 300, strings.Repeat("large", 100))},
		States: []StateChange{state(true, "a", "1")}, Offsets: offs(5)}) {
		return
	}
	reclaim := func(rel int, to TSO) bool {
		return step(func() error { _, err := s.Reclaim(ctx, ids[rel], to); return err })
	}
	early := s.Applied() - 4 // within a merged block
	if !reclaim(0, early) || !reclaim(2, s.Applied()) {
		return
	}
	_ = s.db.Flush() // in the way of the commits, whatever comes of it
	if !commit(&Commit{Changes: []*Change{rows(2, 900, 2, "step")}, States: []StateChange{state(false, "b", "2")}, Offsets: offs(6)}) {
		return
	}
	if !commit(&Commit{Changes: []*Change{rows(2, 950, 400, strings.Repeat("large", 100))}, States: []StateChange{state(true, "c", "3")}, Offsets: offs(7)}) {
		return
	}
	kill := &Change{Rel: ids[2]}
	for a := range Addr(280) {
		kill.Ops, kill.Dead = append(kill.Ops, OpDelete), append(kill.Dead, a+5)
	}
	if !commit(&Commit{Changes: []*Change{kill}}) || !reclaim(2, s.Applied()) || !reclaim(1, s.Applied()-1) {
		return
	}
	_ = s.db.Compact(ctx, []byte{0}, []byte{0xff}, false)
	if !commit(&Commit{Catalog: []CatalogChange{{Drop: ids[1]}}}) {
		return
	}
	move := func(from, to TSO) []OffsetChange {
		return []OffsetChange{{View: ids[3], Move: &Move{Input: ids[0], From: from}, Set: Offsets{Inputs: map[ID]TSO{ids[0]: to}, Gen: 1}}}
	}
	if !commit(&Commit{Catalog: []CatalogChange{{Put: &Object{ID: ids[3], Kind: Stream, Name: "stream"}}}, Offsets: move(0, 3)}) {
		return
	}
	if !commit(&Commit{Changes: []*Change{rows(0, 500, 1, "last")}, Offsets: move(3, 8)}) {
		return
	}
	cell := zset.NewColumn(zset.TText, 1)
	cell.AppendBytes([]byte("fill"))
	wide := obj(0, Table, []int{0})
	wide.Put.Schema = append(append(zset.Schema{}, testSchema...), zset.Field{Name: "x", Type: zset.TText})
	wide.Put.SchemaVersion, wide.Put.Fills = 1, []Fill{FillOf(4, &cell)}
	if !commit(&Commit{Catalog: []CatalogChange{wide}}) {
		return
	}
	ch := rows(0, 600, 2, "wide")
	x := zset.NewColumn(zset.TText, 2)
	x.AppendBytes([]byte("own"))
	x.AppendNull()
	ch.Rows.Cols, ch.SchemaVersion = append(ch.Rows.Cols, x), 1
	if commit(&Commit{Changes: []*Change{ch}}) {
		reclaim(0, s.Applied())
	}
}

// scriptOptions make runs and merges happen in the small.
func scriptOptions(fs vfs.FS) *Options {
	return &Options{FS: fs, Clock: newClock().Now, MergeFan: 3, RunBytes: 20_000, PID: 1}
}

// crashImage is the disk at some operation, and which commits may be on it.
type crashImage struct {
	op           int
	what         string
	fs           vfs.FS
	acked, begun int
}

// TestCrash takes the script's disk at every write operation, three times with
// another part of what was not synced, and opens it: it holds the commits
// acknowledged by then and perhaps the running one, whole.
func TestCrash(t *testing.T) {
	var mu sync.Mutex
	mem := crashfs.New(&mu)
	var images []crashImage
	var dumps []string
	acked, begun, ops := 0, 0, 0
	rng := rand.New(rand.NewPCG(1, 2))
	fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		ops++
		for range 3 {
			cfg := vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng}
			images = append(images, crashImage{ops, fmt.Sprint(op.Kind, " ", op.Path), mem.CrashClone(cfg), acked, begun})
		}
		return nil
	}))
	s, err := Open("db", scriptOptions(fs))
	if err != nil {
		t.Fatal(err)
	}
	dumps = append(dumps, dump(t, s))
	script(s, func(do func() error) bool {
		mu.Lock()
		begun++
		mu.Unlock()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		d := dump(t, s)
		mu.Lock()
		defer mu.Unlock()
		acked++
		dumps = append(dumps, d)
		return true
	})
	mustClose(t, s)
	t.Logf("%d write operations, %d images, %d commits", ops, len(images), acked)
	if testing.Short() {
		rng.Shuffle(len(images), func(i, j int) { images[i], images[j] = images[j], images[i] })
		images = images[:100]
	}
	for _, im := range images {
		s, err := Open("db", scriptOptions(im.fs))
		if err != nil {
			t.Fatalf("operation %d (%s): %v", im.op, im.what, err)
		}
		got, ok := dump(t, s), false
		for k := im.acked; k <= im.begun; k++ {
			ok = ok || dumps[k] == got
		}
		if !ok {
			t.Fatalf("operation %d (%s): not the state after %d to %d commits:\n%s\nwant\n%s", im.op, im.what, im.acked, im.begun, got, dumps[im.acked])
		}
		if n := unreferredRuns(t, s); n != 0 {
			t.Fatalf("operation %d: %d runs that nothing refers to", im.op, n)
		}
		mustCommit(t, s, &Commit{})
		mustClose(t, s)
	}
}

func unreferredRuns(t testing.TB, s *Store) int {
	t.Helper()
	referred, lost := map[uint64]bool{}, map[uint64]bool{}
	err := s.each(secRunRef, func(k, _ []byte) error { referred[keyU64(k, 1)] = true; return nil })
	err = errors.Join(err, s.each(secRun, func(k, _ []byte) error {
		if run := keyU64(k, 1); !referred[run] {
			lost[run] = true
		}
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	return len(lost)
}

// TestIOError fails every write operation of the script in turn, once or from
// then on. Nothing panics, what was acknowledged is there when the disk is well
// again, and a store that failed says so.
func TestIOError(t *testing.T) {
	var dumps []string
	s, err := Open("db", scriptOptions(vfs.NewMem()))
	if err != nil {
		t.Fatal(err)
	}
	dumps = append(dumps, dump(t, s))
	script(s, func(do func() error) bool {
		if err := do(); err != nil {
			t.Fatal(err)
		}
		dumps = append(dumps, dump(t, s))
		return true
	})
	mustClose(t, s)

	for _, sticky := range []bool{false, true} {
		step, failed := 1, 0
		if testing.Short() {
			step = 7
		}
		for n, over := 1, false; !over; n += step {
			over = true
			mem := vfs.NewCrashableMem()
			var mu sync.Mutex
			count, on, what := 0, true, ""
			fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
				mu.Lock()
				defer mu.Unlock()
				if !on || op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
					return nil
				}
				if count++; count == n || (sticky && count > n) {
					over = false
					what += fmt.Sprint(" ", op.Kind, " ", op.Path)
					return errorfs.ErrInjected
				}
				return nil
			}))
			acked, begun := 0, 0
			s, err := Open("db", scriptOptions(fs))
			if err == nil {
				script(s, func(do func() error) bool {
					begun++
					if err := do(); err != nil {
						if !errors.Is(err, ErrFailed) || !errors.Is(err, errorfs.ErrInjected) {
							t.Fatalf("operation %d (%s): commit: %v", n, what, err)
						}
						if _, err := s.Commit(ctx, &Commit{}, CommitOptions{}); !errors.Is(err, ErrFailed) {
							t.Fatalf("operation %d (%s): a failed store commits: %v", n, what, err)
						}
						dumpRows(t, s)
						failed++
						return false
					}
					acked++
					return true
				})
				if err := s.Close(); err != nil {
					t.Logf("operation %d (%s): Close: %v", n, what, err)
				}
			} else if !errors.Is(err, ErrFailed) {
				t.Fatalf("operation %d (%s): Open: %v", n, what, err)
			}
			mu.Lock()
			on = false
			mu.Unlock()
			// What was acknowledged must be there even if the machine goes down now.
			s, err = Open("db", scriptOptions(mem.CrashClone(vfs.CrashCloneCfg{})))
			if err != nil {
				t.Fatalf("operation %d (%s): Open afterwards: %v", n, what, err)
			}
			got, ok := dump(t, s), false
			for k := acked; k <= begun; k++ {
				ok = ok || dumps[k] == got
			}
			if !ok {
				t.Fatalf("operation %d (%s): not the state after %d to %d commits:\n%s\nwant\n%s", n, what, acked, begun, got, dumps[acked])
			}
			mustClose(t, s)
		}
		if failed == 0 {
			t.Fatal("no commit failed")
		}
	}
}

// dumpRows reads all rows of a failed store.
func dumpRows(t testing.TB, s *Store) {
	t.Helper()
	for _, o := range s.Catalog().Objects() {
		r, err := s.Relation(o.ID)
		if err != nil {
			t.Fatal(err)
		}
		drain(t, r.Scan(s.Applied(), nil, false))
	}
}

// TestFlippedBits damages every byte of every log and state block in turn.
func TestFlippedBits(t *testing.T) {
	fs := vfs.NewMem()
	s, err := Open("db", scriptOptions(fs))
	if err != nil {
		t.Fatal(err)
	}
	script(s, func(do func() error) bool { return do() == nil })
	mustClose(t, s)
	s = mustOpen(t, fs, Options{MergeFan: -1})
	type kv struct{ k, v []byte }
	var all []kv
	for _, sec := range []byte{secLog, secImage, secRun, secState} {
		if err := s.each(sec, func(k, v []byte) error {
			all = append(all, kv{append([]byte(nil), k...), append([]byte(nil), v...)})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, e := range all {
		for i := 0; i < len(e.v); i += 1 + len(e.v)/40 {
			bad := append([]byte(nil), e.v...)
			bad[i] ^= 1 << rng.IntN(8)
			if err := s.db.Set(e.k, bad, pebble.NoSync); err != nil {
				t.Fatal(err)
			}
			if err := reload(s); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), fmt.Sprintf("%x", e.k)) {
				t.Fatalf("key %x, byte %d: %v", e.k, i, err)
			}
		}
		for _, short := range [][]byte{e.v[:len(e.v)/2], {}} {
			if err := s.db.Set(e.k, short, pebble.NoSync); err != nil {
				t.Fatal(err)
			}
			if err := reload(s); !errors.Is(err, ErrCorrupt) {
				t.Fatalf("key %x, %d bytes: %v", e.k, len(short), err)
			}
		}
		if err := s.db.Set(e.k, e.v, pebble.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	// A block that is not there shows, but for the last one of a relation.
	for i, e := range all {
		if e.k[0] == secState || (e.k[0] == secLog && (i+1 == len(all) || !bytes.Equal(all[i+1].k[:9], e.k[:9]))) {
			continue
		}
		if err := s.db.Delete(e.k, pebble.NoSync); err != nil {
			t.Fatal(err)
		}
		if err := reload(s); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "missing") {
			t.Fatalf("missing block %x: %v", e.k, err)
		}
		if err := s.db.Set(e.k, e.v, pebble.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	if err := reload(s); err != nil {
		t.Fatal(err)
	}
	mustClose(t, s)
}

// reload reads everything from the disk again.
func reload(s *Store) error {
	s.relMu.Lock()
	clear(s.rels)
	s.relMu.Unlock()
	for _, o := range s.Catalog().Objects() {
		if _, err := s.Relation(o.ID); err != nil {
			return err
		}
		err := s.LoadState(StateID{View: o.ID, N: 1, Gen: 1}, func(_, _ []byte) error { return nil })
		if err != nil {
			return err
		}
	}
	return nil
}

// TestDamagedTable flips bytes of Pebble's own files: an error, no panic. Blobs
// are left to the longer run, for Pebble searches them for the flipped bit.
func TestDamagedTable(t *testing.T) {
	for seed := range uint64(40) {
		fs := vfs.NewMem()
		s, err := Open("db", scriptOptions(fs))
		if err != nil {
			t.Fatal(err)
		}
		script(s, func(do func() error) bool { return do() == nil })
		_ = s.db.Flush()
		want := dump(t, s)
		mustClose(t, s)
		rng := rand.New(rand.NewPCG(seed, 1))
		names, err := fs.List("db")
		if err != nil {
			t.Fatal(err)
		}
		sort.Strings(names)
		name := "db/" + names[rng.IntN(len(names))]
		if strings.HasSuffix(name, ".blob") && seed%16 != 0 {
			continue
		}
		b, err := readAll(fs, name)
		if err != nil || len(b) == 0 {
			continue
		}
		at := rng.IntN(len(b))
		b[at] ^= 1 << rng.IntN(8)
		if err := writeFile(fs, name, string(b)); err != nil {
			t.Fatal(err)
		}
		s, err = Open("db", scriptOptions(fs))
		if err != nil {
			t.Logf("%s byte %d: Open: %v", name, at, err)
			continue
		}
		if err := reload(s); err == nil {
			if got := dump(t, s); got != want && !strings.HasSuffix(name, ".log") {
				t.Errorf("%s byte %d: other rows without an error", name, at)
			}
		} else {
			t.Logf("%s byte %d: %v", name, at, err)
		}
		_ = s.Close()
	}
}

func readAll(fs vfs.FS, name string) ([]byte, error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, info.Size())
	if len(b) > 0 {
		_, err = f.ReadAt(b, 0)
	}
	return b, errors.Join(err, f.Close())
}
