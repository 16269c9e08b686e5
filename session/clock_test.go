package session

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ivmc/ivmc/internal/testkit/crashfs"
	"github.com/ivmc/ivmc/storage"
)

// TestClockJumps: whatever the clock does, also while nobody has the store open, a
// later commit has a larger TSO, and what is read by time and by TSO is right.
func TestClockJumps(t *testing.T) {
	const year = 366 * 24 * time.Hour
	at := clockAt("2026-01-01 00:00:00")
	fs := vfs.NewMem()
	open := func() *Engine {
		e, err := Open("db", Options{FS: fs, NoSync: true, Clock: func() time.Time { return at }})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := open()
	s := e.Session()
	do(t, s, "CREATE TABLE t(id INT PRIMARY KEY, at BIGINT);\nCREATE TABLE sink(id INT);\nCREATE STREAM s ON TABLE t")
	var made []storage.TSO // by id
	latest := e.store.Applied()
	for i, jump := range []time.Duration{0, time.Second, -year, 0, year, -time.Millisecond, 2 * year, -year, -3 * year, time.Hour, -time.Hour, 10 * year} {
		if i%3 == 2 { // the clock jumps while the store is closed
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			at = at.Add(jump)
			e = open()
			s = e.Session()
		} else {
			at = at.Add(jump)
		}
		is(t, "applied after a jump", e.store.Applied(), latest)
		for range 2 {
			tso := do(t, s, fmt.Sprintf("INSERT INTO t VALUES (%d, %d)", len(made), at.UnixMilli())).TSO
			if tso <= latest || tso < storage.TSOAt(at) {
				t.Fatalf("%v: TSO %d after %d", at, tso, latest)
			}
			is(t, "applied", e.store.Applied(), tso)
			made, latest = append(made, tso), tso
		}
		do(t, s, "INSERT INTO sink SELECT id FROM s")
		latest = e.store.Applied()
	}
	is(t, "consumed", rows(t, s, "SELECT count(*), count(DISTINCT id) FROM sink"), fmt.Sprintf("%d|%d", len(made), len(made)))
	// By TSO: the image of a commit has it and those before; windows partition.
	var seen []string
	for i, tso := range made {
		is(t, "image", rows(t, s, fmt.Sprintf("SELECT max(id), count(*) FROM t FOR VERSION AS OF %d", tso)), fmt.Sprintf("%d|%d", i, i+1))
		is(t, "just before", rows(t, s, fmt.Sprintf("SELECT count(*) FROM t FOR VERSION AS OF %d", tso-1)), fmt.Sprint(i))
		hi := storage.Never
		if i+1 < len(made) {
			hi = made[i+1]
		}
		seen = append(seen, rows(t, s, fmt.Sprintf("SELECT id FROM t@incr('startTSO' = '%d', 'endTSO' = '%d')", tso, uint64(min(hi, 1<<63-1)))))
	}
	is(t, "windows by TSO", strings.Join(seen, " "), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23")
	// By time, of the TSO: the seconds in which something was committed.
	var edges []string
	for _, tso := range made {
		edges = append(edges, tso.Time().UTC().Format("2006-01-02 15:04:05"))
	}
	edges = slices.Compact(append(edges, latest.Time().UTC().Add(time.Second).Format("2006-01-02 15:04:05")))
	count := 0
	for i := range len(edges) - 1 {
		from, to := edges[i], edges[i+1]
		n, err := strconv.Atoi(rows(t, s, fmt.Sprintf("SELECT count(*) FROM t@incr('startTimestamp' = '%s', 'endTimestamp' = '%s')", from, to)))
		if err != nil {
			t.Fatal(err)
		}
		count += n
		is(t, "as of "+to, rows(t, s, fmt.Sprintf("SELECT count(*) FROM t FOR TIME AS OF TIMESTAMP '%s' - INTERVAL '1' SECOND + INTERVAL '0.999' SECOND", to)), fmt.Sprint(count))
	}
	is(t, "windows by time", count, len(made))
	e.Close()
}

// TestWriters: a hundred sessions commit at once. TSOs are unique and in the order
// of commits, no read is handed a bound above what is applied, and what was
// acknowledged is there after a crash where the session is in sync; where it is not,
// a crash leaves a prefix.
func TestWriters(t *testing.T) {
	for _, sync := range []bool{true, false} {
		t.Run(fmt.Sprint("sync ", sync), func(t *testing.T) { writers(t, sync) })
	}
}

func writers(t *testing.T, synced bool) {
	const sessions, commits = 100, 3
	var mu sync.Mutex
	fs := crashfs.New(&mu)
	e, err := Open("db", Options{FS: fs})
	if err != nil {
		t.Fatal(err)
	}
	s := e.Session()
	do(t, s, "CREATE TABLE t(id INT PRIMARY KEY, before BIGINT)")
	acked := map[string]storage.TSO{} // TSO by id
	type image struct {
		fs    *vfs.MemFS
		acked []string
	}
	var images []image
	shoot := func() {
		mu.Lock()
		defer mu.Unlock()
		im := image{}
		for id := range acked {
			im.acked = append(im.acked, id)
		}
		im.fs = fs.CrashClone(vfs.CrashCloneCfg{})
		images = append(images, im)
	}
	var all, readers sync.WaitGroup
	for w := range sessions {
		all.Go(func() {
			s := e.Session()
			defer s.Close()
			if !synced {
				if _, err := s.Run(context.Background(), "SET sync = off"); err != nil {
					t.Error(err)
				}
			}
			for c := range commits {
				id := fmt.Sprint(w*commits + c)
				before := e.store.Applied()
				res, err := s.Run(context.Background(), fmt.Sprintf("INSERT INTO t VALUES (%s, %d)", id, before))
				if err != nil {
					t.Error(describeError(err))
					return
				}
				if res.TSO <= before || e.store.Applied() < res.TSO {
					t.Errorf("TSO %d, applied was %d and is %d", res.TSO, before, e.store.Applied())
				}
				mu.Lock()
				acked[id] = res.TSO
				mu.Unlock()
				if w%25 == 0 {
					shoot()
				}
			}
		})
	}
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			s := e.Session()
			defer s.Close()
			for {
				select {
				case <-stop:
					return
				default:
				}
				at := e.store.Applied() // what is handed out does not change any more
				query := fmt.Sprintf("SELECT count(*) FROM t FOR VERSION AS OF %d", at)
				first := rows(t, s, query)
				window := rows(t, s, fmt.Sprintf("SELECT count(*) FROM t@incr('endTSO' = '%d')", at+1))
				if again := rows(t, s, query); first != again || first != window {
					t.Errorf("as of %d: %s, %s in the window, then %s", at, first, window, again)
				}
			}
		})
	}
	all.Wait()
	close(stop)
	readers.Wait()
	shoot()
	unique := map[storage.TSO]bool{}
	for _, tso := range acked {
		unique[tso] = true
	}
	is(t, "TSOs", len(unique), sessions*commits)
	is(t, "a commit comes after what it saw", rows(t, s, "SELECT count(*) FROM t@incr() WHERE __DORIS_BINLOG_TSO__ <= before"), "0")
	for id, tso := range acked {
		if got := rows(t, s, "SELECT __DORIS_BINLOG_TSO__ FROM t@incr() WHERE id = "+id); got != fmt.Sprint(uint64(tso)) {
			t.Fatalf("id %s was acknowledged at %d, and is in the log at %s", id, tso, got)
		}
		if id[0] != '1' {
			break // some of them
		}
	}
	order := strings.Split(rows(t, s, "SELECT id FROM t@incr() ORDER BY __DORIS_BINLOG_TSO__"), "\n")
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, im := range images {
		e, err := Open("db", Options{FS: im.fs})
		if err != nil {
			t.Fatal(err)
		}
		s := e.Session()
		there := strings.Fields(rows(t, s, "SELECT id FROM t@incr() ORDER BY __DORIS_BINLOG_TSO__"))
		if !slices.Equal(there, order[:len(there)]) {
			t.Errorf("after a crash there is %v, which is no prefix of %v", there, order)
		}
		for _, id := range im.acked {
			if synced && !slices.Contains(there, id) {
				t.Errorf("%s was acknowledged, and is gone after a crash", id)
			}
		}
		e.Close()
	}
}
