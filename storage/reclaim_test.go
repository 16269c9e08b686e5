package storage

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/ivmc/ivmc/zset"
)

// history is a keyed table with many pages and what its rows were at every TSO: by
// key a version, 0 where there is no row. Versions tell all cells of a row.
type history struct {
	r     *Relation
	vers  []uint32
	next  uint32
	at    []TSO
	snaps [][]uint32
}

func versionRow(id int, ver uint32) row {
	return row{id: int64(id), n: int64(ver % 13), nNull: ver%17 == 0, s: fmt.Sprint("u", id), sNull: ver%19 == 0, f: float64(ver)}
}

func historyObject(s *Store, name string, keep Retention) *Object {
	return &Object{ID: s.NewID(), Kind: Table, Name: name, Schema: testSchema, Key: []int{0},
		Unique: []Unique{{Name: "u", Cols: []int{2}}}, Retention: keep}
}

func (m *history) note(tso TSO) {
	m.at, m.snaps = append(m.at, tso), append(m.snaps, append([]uint32(nil), m.vers...))
}

// change gives the keys in pick new versions, or removes those with gone.
func (m *history) change(at TSO, pick []int, gone func(i int) bool) *Change {
	ch := &Change{Rel: m.r.ID()}
	ids := zset.NewColumn(zset.TInt8, len(pick))
	for _, id := range pick {
		ids.AppendI64(int64(id))
	}
	var k zset.Keys
	k.EncodeKeys([]zset.Column{ids}, len(pick))
	found := make([]Addr, len(pick))
	m.r.FindKey(&k, at, found)
	var rows []row
	for i, id := range pick {
		switch {
		case found[i] != NoAddr && gone(i):
			ch.Ops, ch.Dead = append(ch.Ops, OpDelete), append(ch.Dead, found[i])
			m.vers[id] = 0
			continue
		case found[i] != NoAddr:
			ch.Ops, ch.Dead = append(ch.Ops, OpUpdate), append(ch.Dead, found[i])
		default:
			ch.Ops = append(ch.Ops, OpInsert)
		}
		m.next++
		m.vers[id] = m.next
		rows = append(rows, versionRow(id, m.next))
	}
	if len(rows) > 0 {
		ch.Rows = batchOf(rows)
	}
	return ch
}

// readVersions adds the rows of b to sum: by (key, version) a weight.
func readVersions(t testing.TB, b *zset.Batch, sum map[[2]uint32]int64) {
	t.Helper()
	for i := range b.N {
		id, ver := int(b.Cols[0].I64[i]), uint32(b.Cols[3].F64[i])
		one := zset.NewBatch(testSchema.Types(), 1)
		for c := range one.Cols {
			one.Cols[c].AppendCell(&b.Cols[c], i)
		}
		if !zset.SameRow(one.Cols, 0, batchOf([]row{versionRow(id, ver)}).Cols, 0) {
			t.Fatalf("row %d of version %d has other cells", id, ver)
		}
		k := [2]uint32{uint32(id), ver}
		if sum[k] += b.Weight(i); sum[k] == 0 {
			delete(sum, k)
		}
	}
}

// expect is the difference from lo to hi, or hi itself if lo is nil.
func expect(lo, hi []uint32) map[[2]uint32]int64 {
	sum := map[[2]uint32]int64{}
	for id, v := range hi {
		old := uint32(0)
		if lo != nil {
			old = lo[id]
		}
		if v == old {
			continue
		}
		if v != 0 {
			sum[[2]uint32{uint32(id), v}] = 1
		}
		if old != 0 {
			sum[[2]uint32{uint32(id), old}] = -1
		}
	}
	return sum
}

func sameSums(t testing.TB, what string, got, want map[[2]uint32]int64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for k, w := range want {
		if got[k] != w {
			t.Fatalf("%s: row %d of version %d has weight %d, want %d", what, k[0], k[1], got[k], w)
		}
	}
}

func drainVersions(t testing.TB, c *Cursor, withAddr bool, r *Relation) map[[2]uint32]int64 {
	t.Helper()
	sum := map[[2]uint32]int64{}
	for {
		b, err := c.Next(ctx)
		if errors.Is(err, io.EOF) {
			return sum
		}
		if err != nil {
			t.Fatal(err)
		}
		readVersions(t, b, sum)
		if withAddr { // the addresses are those of the rows
			addrs := make([]Addr, b.N)
			for i, a := range b.Cols[4].I64 {
				addrs[i] = Addr(a)
			}
			again := zset.NewBatch(testSchema.Types(), b.N)
			r.Gather(addrs, nil, again.Cols)
			for i := range b.N {
				if !zset.SameRow(b.Cols[:4], i, again.Cols, i) {
					t.Fatalf("address %d has another row", addrs[i])
				}
			}
		}
	}
}

// check compares every kind of read over (at[lo], at[hi]].
func (m *history) check(t testing.TB, lo, hi int) {
	t.Helper()
	r, all := m.r, make([]int, len(m.vers))
	for i := range all {
		all[i] = i
	}
	for _, i := range []int{lo, hi} {
		at, snap := m.at[i], m.snaps[i]
		want := expect(nil, snap)
		sameSums(t, "scan", drainVersions(t, r.Scan(at, nil, true), true, r), want)
		if r.Rows(at) != int64(len(want)) {
			t.Fatalf("%d rows, want %d", r.Rows(at), len(want))
		}
		m.checkKeys(t, at, snap)
		m.checkLookup(t, at, want)
	}
	sameSums(t, "changes", drainVersions(t, r.Changes(m.at[lo], m.at[hi], nil), false, r), expect(m.snaps[lo], m.snaps[hi]))
	sum := expect(nil, m.snaps[lo])
	for c := r.Records(m.at[lo], m.at[hi]); ; {
		recs, err := c.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var addrs []Addr
		b := zset.NewBatch(testSchema.Types(), 0)
		for _, rec := range recs {
			if rec.Before != NoAddr {
				addrs, b.W = append(addrs, rec.Before), append(b.W, -1)
			}
			if rec.After != NoAddr {
				addrs, b.W = append(addrs, rec.After), append(b.W, 1)
			}
		}
		r.Gather(addrs, nil, b.Cols)
		b.N = len(addrs)
		readVersions(t, b, sum)
	}
	sameSums(t, "records", sum, expect(nil, m.snaps[hi]))
}

func (m *history) checkKeys(t testing.TB, at TSO, snap []uint32) {
	t.Helper()
	ids, names := zset.NewColumn(zset.TInt8, 0), zset.NewColumn(zset.TText, 0)
	for id := range snap {
		ids.AppendI64(int64(id))
		names.AppendBytes([]byte(fmt.Sprint("u", id)))
	}
	var k zset.Keys
	found := make([]Addr, len(snap))
	k.EncodeKeys([]zset.Column{ids}, len(snap))
	m.r.FindKey(&k, at, found)
	m.checkFound(t, "key", found, snap, func(ver uint32) bool { return ver != 0 })
	k.EncodeKeys([]zset.Column{names}, len(snap))
	m.r.FindUnique(0, &k, at, found)
	m.checkFound(t, "unique key", found, snap, func(ver uint32) bool { return ver != 0 && ver%19 != 0 })
}

func (m *history) checkFound(t testing.TB, what string, found []Addr, snap []uint32, is func(uint32) bool) {
	t.Helper()
	for id, a := range found {
		if is(snap[id]) != (a != NoAddr) {
			t.Fatalf("%s %d: address %d, version %d", what, id, int64(a), snap[id])
		}
		if a == NoAddr {
			continue
		}
		f := []zset.Column{zset.NewColumn(zset.TFloat8, 1)}
		m.r.Gather([]Addr{a}, []int{3}, f)
		if uint32(f[0].F64[0]) != snap[id] {
			t.Fatalf("%s %d: version %v, want %d", what, id, f[0].F64[0], snap[id])
		}
	}
}

// checkLookup asks an arrangement whose keys have long chains.
func (m *history) checkLookup(t testing.TB, at TSO, want map[[2]uint32]int64) {
	t.Helper()
	a, err := m.r.Arrange(Spec{ID: "n", Cols: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Advance(ctx, m.at[len(m.at)-1]); err != nil {
		t.Fatal(err)
	}
	if at < a.now.Load().low {
		return // nobody pins it
	}
	n := zset.NewColumn(zset.TInt8, 14)
	for i := range int64(13) {
		n.AppendI64(i)
	}
	n.AppendNull()
	var k zset.Keys
	k.EncodeKeys([]zset.Column{n}, 14)
	sum := map[[2]uint32]int64{}
	cur := LookupCursor{Nulls: true}
	for more := true; more; {
		var addrs []Addr
		_, addrs, more = a.Lookup(&k, at, &cur)
		b := zset.NewBatch(testSchema.Types(), len(addrs))
		m.r.Gather(addrs, nil, b.Cols)
		b.N = len(addrs)
		readVersions(t, b, sum)
	}
	sameSums(t, "lookup", sum, want)
}

// firstReadable is the first snapshot that is not below the horizon.
func (m *history) firstReadable() int {
	for i, at := range m.at {
		if at >= m.r.Horizon() {
			return i
		}
	}
	return len(m.at)
}

// TestReclaimPages changes a table of many pages at random, gives up its history up
// to random TSOs, and opens it again: what is readable is what it was.
func TestReclaimPages(t *testing.T) {
	seeds := 60
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { reclaimPages(t, rand.New(rand.NewPCG(uint64(seed), 1))) })
	}
}

func reclaimPages(t *testing.T, rng *rand.Rand) {
	fs := vfs.NewMem()
	opts := Options{FS: fs, Clock: newClock().Now, MergeFan: 3, NoSync: true, RunBytes: 1 << 18}
	s := mustOpen(t, fs, opts)
	o := historyObject(s, "t", Retention{})
	mustCommit(t, s, &Commit{Catalog: []CatalogChange{{Put: o}}})
	m := &history{vers: make([]uint32, []int{300, 3000, 9000}[rng.IntN(3)])}
	open := func() {
		r, err := s.Relation(o.ID)
		if err != nil {
			t.Fatal(err)
		}
		m.r = r
	}
	open()
	m.note(s.Applied())
	for range 3 + rng.IntN(25) {
		switch k := rng.IntN(8); {
		case k < 5:
			pick := rng.Perm(len(m.vers))[:1+rng.IntN(len(m.vers))]
			if rng.IntN(2) == 0 { // neighbours: whole pages die
				from := rng.IntN(len(m.vers))
				pick = pick[:0]
				for id := from; id < min(len(m.vers), from+4000); id++ {
					pick = append(pick, id)
				}
			}
			some := rng.IntN(4)
			m.note(mustCommit(t, s, &Commit{Changes: []*Change{m.change(s.Applied(), pick, func(int) bool { return rng.IntN(4) < some-1 })}}))
		case k < 7:
			if _, err := s.Reclaim(ctx, o.ID, m.at[rng.IntN(len(m.at))]); err != nil {
				t.Fatal(err)
			}
		default:
			mustClose(t, s)
			s = mustOpen(t, fs, opts)
			open()
		}
		first := m.firstReadable()
		if first > 0 && !errors.Is(m.r.Readable(m.at[first-1]), ErrBelowHorizon) {
			t.Fatal("readable below the horizon")
		}
		lo := first + rng.IntN(len(m.at)-first)
		m.check(t, lo, lo+rng.IntN(len(m.at)-lo))
	}
	mustClose(t, s)
}
