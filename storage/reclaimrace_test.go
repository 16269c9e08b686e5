package storage

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/ivmc/ivmc/zset"
)

// TestReclaimWhileReading reads at pinned TSOs, in all ways and over and over, while
// rows are written and history is given up as fast as it comes.
func TestReclaimWhileReading(t *testing.T) {
	s := mustOpen(t, vfs.NewMem(), Options{NoSync: true, MergeFan: 3})
	defer mustClose(t, s)
	o := historyObject(s, "t", Retention{Off: true})
	mustCommit(t, s, &Commit{Catalog: []CatalogChange{{Put: o}}})
	r, err := s.Relation(o.ID)
	if err != nil {
		t.Fatal(err)
	}
	m := &history{r: r, vers: make([]uint32, 2500)}
	var mu sync.Mutex // of m
	commit := func(pick []int) {
		mu.Lock()
		defer mu.Unlock()
		m.note(mustCommit(t, s, &Commit{Changes: []*Change{m.change(s.Applied(), pick, func(i int) bool { return i%7 == 0 })}}))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	commit(rng.Perm(len(m.vers)))
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { // gives up
		for {
			select {
			case <-done:
				return
			default:
				if _, err := s.Reclaim(ctx, o.ID, Never); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	for range 2 {
		wg.Go(func() {
			for round := 0; ; round++ {
				select {
				case <-done:
					return
				default:
				}
				lo, unpin := s.PinApplied()
				first := drainVersions(t, r.Scan(lo, nil, round%2 == 0), round%2 == 0, r)
				hi, unpin2 := s.PinApplied()
				sameAt(t, m, &mu, lo, first)
				lookups(t, m, &mu, lo, hi)
				d := drainVersions(t, r.Changes(lo, hi, nil), false, r)
				for k, w := range d {
					if first[k] += w; first[k] == 0 {
						delete(first, k)
					}
				}
				sameAt(t, m, &mu, hi, first)
				unpin()
				unpin2()
			}
		})
	}
	rounds := 400
	if testing.Short() {
		rounds = 60
	}
	for range rounds {
		commit(rng.Perm(len(m.vers))[:1+rng.IntN(1200)])
	}
	close(done)
	wg.Wait()
	if _, err := s.Reclaim(ctx, o.ID, Never); err != nil { // readers may have stood in the way of every one before
		t.Fatal(err)
	}
	if v := r.view.Load(); v.holed == 0 {
		t.Fatal("nothing was reclaimed")
	}
}

// sameAt compares rows with what they were at a TSO.
func sameAt(t *testing.T, m *history, mu *sync.Mutex, at TSO, got map[[2]uint32]int64) {
	t.Helper()
	sameSums(t, "concurrent read", got, expect(nil, snapAt(m, mu, at)))
}

func snapAt(m *history, mu *sync.Mutex, at TSO) []uint32 {
	mu.Lock()
	defer mu.Unlock()
	var snap []uint32
	for i := range m.at {
		if m.at[i] <= at {
			snap = m.snaps[i]
		}
	}
	return snap
}

// lookups asks both keys and an arrangement.
func lookups(t *testing.T, m *history, mu *sync.Mutex, lo, hi TSO) {
	t.Helper()
	for _, at := range []TSO{lo, hi} {
		snap := snapAt(m, mu, at)
		m.checkKeys(t, at, snap)
		a, err := m.r.Arrange(Spec{ID: "n", Cols: []int{1}})
		if err != nil {
			t.Error(err)
			return
		}
		if err := a.Advance(ctx, hi); err != nil {
			t.Error(err)
			return
		}
		n := zset.NewColumn(zset.TInt8, 1)
		n.AppendI64(5)
		var k zset.Keys
		k.EncodeKeys([]zset.Column{n}, 1)
		var cur LookupCursor
		found, want := 0, 0
		for more := true; more; {
			var addrs []Addr
			_, addrs, more = a.Lookup(&k, at, &cur)
			f := []zset.Column{zset.NewColumn(zset.TFloat8, len(addrs))}
			m.r.Gather(addrs, []int{3}, f)
			for _, ver := range f[0].F64 {
				if uint32(ver)%13 != 5 || uint32(ver)%17 == 0 {
					t.Errorf("version %v has not the key", ver)
				}
			}
			found += len(addrs)
		}
		for _, ver := range snap {
			if ver != 0 && ver%13 == 5 && ver%17 != 0 {
				want++
			}
		}
		if found != want {
			t.Errorf("%d rows found, want %d", found, want)
		}
	}
}
