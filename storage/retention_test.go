package storage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// updating is a store with a table of 1 000 rows, whose clock a test moves.
func updating(t *testing.T, keep Retention) (*Store, *clock, *history, *Options) {
	t.Helper()
	clk := newClock()
	opts := &Options{FS: vfs.NewMem(), Clock: clk.Now, NoSync: true}
	s, err := Open("db", opts)
	if err != nil {
		t.Fatal(err)
	}
	o := historyObject(s, "t", keep)
	mustCommit(t, s, &Commit{Catalog: []CatalogChange{{Put: o}}})
	r, err := s.Relation(o.ID)
	if err != nil {
		t.Fatal(err)
	}
	return s, clk, &history{r: r, vers: make([]uint32, 1000)}, opts
}

func (m *history) update(t *testing.T, s *Store) TSO {
	t.Helper()
	all := make([]int, len(m.vers))
	for i := range all {
		all[i] = i
	}
	tso := mustCommit(t, s, &Commit{Changes: []*Change{m.change(s.Applied(), all, func(int) bool { return false })}})
	m.note(tso)
	return tso
}

// TestRetention: what each property gives up, when ten commits of a thousand
// records are ten seconds apart.
func TestRetention(t *testing.T) {
	for _, c := range []struct {
		name string
		keep Retention
		gone int // of the ten commits
		idle time.Duration
	}{
		{"nothing", Retention{}, 0, 0},
		{"off", Retention{Off: true}, 10, 0},
		{"age", Retention{TTL: 35 * time.Second}, 6, 0},
		{"age, nobody commits", Retention{TTL: 35 * time.Second}, 9, 30 * time.Second},
		{"age, all", Retention{TTL: 35 * time.Second}, 10, time.Hour},
		{"records", Retention{Records: 3000}, 7, 0},
		{"records, whole commits", Retention{Records: 2999}, 8, 0},
		{"fewer records than the last commit", Retention{Records: 1}, 10, 0},
		{"the stricter one", Retention{Records: 3000, TTL: 15 * time.Second}, 8, 0},
		{"any size", Retention{Bytes: 1 << 40}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, clk, m, _ := updating(t, c.keep)
			defer mustClose(t, s)
			for i := range 10 {
				if i > 0 {
					clk.pass(10 * time.Second)
				}
				m.update(t, s)
			}
			clk.pass(c.idle)
			want := TSO(0)
			if c.gone > 0 {
				want = m.at[c.gone-1]
			}
			at := m.r.Expired()
			if at < want || c.gone < 10 && at >= m.at[c.gone] {
				t.Fatalf("expired up to %d, want from %d on", at, want)
			}
			clk.pass(-24 * time.Hour) // the past comes back to nobody
			if c.idle == 0 && m.r.Expired() != at {
				t.Fatal("the clock moves expiry back")
			}
			h, err := s.Reclaim(ctx, m.r.ID(), at)
			if err != nil || h != want {
				t.Fatalf("horizon %d, want %d: %v", h, want, err)
			}
		})
	}
}

// TestRetentionBytes: about half of the log stays of twice as many bytes.
func TestRetentionBytes(t *testing.T) {
	s, _, m, opts := updating(t, Retention{})
	for range 40 {
		m.update(t, s)
	}
	half := m.r.logBytes.Load() / 2
	o := *m.r.Object()
	o.Retention.Bytes = half
	mustCommit(t, s, &Commit{Catalog: []CatalogChange{{Put: &o}}})
	for i := range 2 {
		if at := m.r.Expired(); at < m.at[18] || at > m.at[20] {
			t.Fatalf("expired up to %d, opened %d times again; want about %d", at, i, m.at[19])
		}
		mustClose(t, s)
		var err error
		if s, err = Open("db", opts); err != nil {
			t.Fatal(err)
		}
		if m.r, err = s.Relation(o.ID); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Reclaim(ctx, o.ID, m.r.Expired()); err != nil {
		t.Fatal(err)
	}
	if n := m.r.logBytes.Load(); n < half*9/10 || n > half*11/10 {
		t.Fatalf("%d bytes of log left, want about %d", n, half)
	}
	mustClose(t, s)
}

// TestDue: in the background what is dead goes when it is worth it, as far as
// readers and views allow; without a retention, never.
func TestDue(t *testing.T) {
	for _, c := range []struct {
		name string
		keep Retention
		pin  func(s *Store, m *history, at TSO) // may hold `at`
		goes bool
	}{
		{"kept", Retention{}, nil, false},
		{"off", Retention{Off: true}, nil, true},
		{"a reader", Retention{Off: true}, func(s *Store, _ *history, at TSO) { s.Pin(at) }, false},
		{"a reader of another relation", Retention{Off: true}, func(s *Store, m *history, at TSO) { s.PinLog(m.r.ID()+1, at) }, true},
		{"a reader of the log", Retention{Off: true}, func(s *Store, m *history, at TSO) { s.PinLog(m.r.ID(), at) }, false},
		{"a view", Retention{Off: true}, aView, false},
		{"a view that is not waited for", Retention{Off: true, Unpinned: true}, aView, true},
		{"a reader who is", Retention{Off: true, Unpinned: true}, func(s *Store, _ *history, at TSO) { s.Pin(at) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _, m, _ := updating(t, c.keep)
			defer mustClose(t, s)
			first := m.update(t, s)
			if c.pin != nil {
				c.pin(s, m, first)
			}
			for range 30 {
				m.update(t, s)
			}
			if err := s.ReclaimDue(ctx); err != nil {
				t.Fatal(err)
			}
			if m.r.Horizon() > first != c.goes {
				t.Fatalf("horizon %d, first commit %d", m.r.Horizon(), first)
			}
			if !c.goes && m.r.Readable(first) != nil {
				t.Fatal("not readable")
			}
			m.check(t, m.firstReadable(), len(m.at)-1)
		})
	}
}

// TestIdleStore: where nobody commits, time alone hides the history at once, and
// the background gives it up when it looks.
func TestIdleStore(t *testing.T) {
	s, clk, m, _ := updating(t, Retention{TTL: time.Minute})
	defer mustClose(t, s)
	first := m.update(t, s)
	for range 30 {
		m.update(t, s)
	}
	before := m.r.Horizon()
	size, err := s.Size(m.r.ID())
	if err != nil {
		t.Fatal(err)
	}
	clk.pass(time.Hour)
	if m.r.Expired() < s.Applied() || before >= first {
		t.Fatalf("expired to %d, applied %d, horizon %d", m.r.Expired(), s.Applied(), before)
	}
	s.merger.pass()
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		after, err := s.Size(m.r.ID())
		if err != nil {
			t.Fatal(err)
		}
		if m.r.Horizon() > first && after.LogBytes*2 < size.LogBytes {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("horizon %d; the log had %d bytes and has %d", m.r.Horizon(), size.LogBytes, after.LogBytes)
		}
	}
	m.check(t, m.firstReadable(), len(m.at)-1)
}

func aView(s *Store, m *history, at TSO) {
	id := s.NewID()
	_, err := s.Commit(ctx, &Commit{
		Catalog: []CatalogChange{{Put: &Object{ID: id, Kind: View, Name: "v", Schema: testSchema}}},
		Offsets: []OffsetChange{{View: id, Set: Offsets{Inputs: map[ID]TSO{m.r.ID(): at}, Frontier: at}}}}, CommitOptions{})
	if err != nil {
		panic(err)
	}
}

// TestPlateau: memory and log of a table without history follow the rows that live,
// and so does what a reopen reads.
func TestPlateau(t *testing.T) {
	s, _, m, opts := updating(t, Retention{Off: true})
	m.update(t, s)
	rng := rand.New(rand.NewPCG(1, 1))
	var mem, log []int64
	for range 6 {
		for range 60 {
			mustCommit(t, s, &Commit{Changes: []*Change{m.change(s.Applied(), rng.Perm(len(m.vers))[:300], func(int) bool { return false })}})
		}
		if err := s.ReclaimDue(ctx); err != nil {
			t.Fatal(err)
		}
		z, err := s.Size(m.r.ID())
		if err != nil || z.Rows != 1000 {
			t.Fatal(z, err)
		}
		mem, log = append(mem, m.r.MemBytes()), append(log, z.LogBytes)
	}
	t.Log("memory", mem, "log", log)
	for i := range mem { // kept, the history of the last round is 12 MiB and a log of 2
		if mem[i] > 4<<20 || log[i] > 1<<20 {
			t.Fatalf("memory %v, log %v", mem, log)
		}
	}
	m.at, m.snaps = nil, nil
	m.note(s.Applied())
	id := m.r.ID()
	mustClose(t, s)
	s, err := Open("db", opts)
	if err != nil {
		t.Fatal(err)
	}
	defer mustClose(t, s)
	if m.r, err = s.Relation(id); err != nil {
		t.Fatal(err)
	}
	m.check(t, 0, 0)
	if held := m.r.view.Load().deaths.held(); held > 3*minDead {
		t.Fatalf("a reopen read %d deaths", held)
	}
}

// TestHorizonIsTold: of a relation that is not loaded too, and what is pending there
// is not forgotten.
func TestHorizonIsTold(t *testing.T) {
	s, _, m, opts := updating(t, Retention{})
	lo := m.update(t, s)
	hi := m.update(t, s)
	id := m.r.ID()
	if h, err := s.Reclaim(ctx, id, Never); err != nil || h != hi {
		t.Fatal(h, err)
	}
	for range 2 {
		n, _, err := s.Pending(id, lo, hi)
		since, err2 := s.Since(id, lo)
		if n == 0 || since == 0 || err != nil || err2 != nil {
			t.Fatal(n, since, err, err2)
		}
		if n, _, err := s.Pending(id, hi, s.Applied()); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		mustClose(t, s)
		if s, err = Open("db", opts); err != nil {
			t.Fatal(err)
		}
		r, err := s.relation(id)
		if err != nil || r.loaded.Load() || r.Horizon() != hi || r.Readable(hi) != nil {
			t.Fatal(r.Horizon(), hi, err)
		}
		if err := r.Readable(lo); !errors.Is(err, ErrBelowHorizon) || err.Error() != fmt.Sprintf("history of table %q before TSO %d is gone", "t", hi) {
			t.Fatal(err)
		}
	}
	mustClose(t, s)
}
