package storage

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestDamagedLogOfACrash damages the log of a store that was not closed, anywhere
// before its last commit: Open says so and changes nothing. What is torn off behind a
// synced commit, as a crash does it, is no damage.
func TestDamagedLogOfACrash(t *testing.T) {
	for _, what := range []string{"first log of a store", "log of a store opened again"} {
		t.Run(what, func(t *testing.T) {
			fs := vfs.NewMem()
			s := mustOpen(t, fs, Options{MergeFan: -1})
			r := createTable(t, s, "t", []int{0})
			if what != "first log of a store" {
				mustClose(t, s)
				s = mustOpen(t, fs, Options{MergeFan: -1})
				r, _ = s.Relation(r.id)
			}
			long := strings.Repeat("0123456789", 3_000)
			for i := range 12 {
				rows := []row{{id: int64(i), s: "short"}}
				if i == 4 { // over some blocks of the log
					for k := range 4 {
						rows = append(rows, row{id: int64(100 + k), s: long[k:]})
					}
				}
				mustCommit(t, s, &Commit{Changes: []*Change{insert(r, rows...)}})
			}
			name, number, err := newestLog(fs, "db")
			if err != nil || name == "" {
				t.Fatal(name, err)
			}
			before, _ := readAll(fs, "db/"+name)
			prior, want := s.Applied(), dump(t, s)
			mustCommit(t, s, &Commit{Changes: []*Change{insert(r, row{id: 99, s: "last"})}})
			content, _ := readAll(fs, "db/"+name)
			if got, err := readPromise(fs, "db/"+name, number); err != nil || got != prior {
				t.Fatalf("%d promised, want %d: %v", got, prior, err)
			}
			crashed := copyStore(t, fs, "db", "", nil)
			mustClose(t, s)

			rng := rand.New(rand.NewPCG(7, 8))
			for i := range 60 {
				bad := append([]byte(nil), content...)
				at := len(before) - 1 - rng.IntN(900) // short commits, and their heads
				if i%20 == 0 {                        // Pebble looks for the bit of a large chunk, which takes long
					at = rng.IntN(len(before))
				}
				if bad[at] ^= 1 << rng.IntN(8); i%5 == 0 {
					clear(bad[at:min(at+40, len(before))])
				}
				if string(bad) == string(content) {
					continue
				}
				to := copyStore(t, crashed, "db", name, bad)
				was := fingerprints(t, to, "db")
				_, err := Open("db", &Options{FS: to, Clock: newClock().Now})
				if err == nil {
					t.Fatalf("byte %d of %d: opened", at, len(content))
				}
				if !errors.Is(err, ErrCorrupt) {
					t.Fatalf("byte %d of %d: %v", at, len(content), err)
				}
				if now := fingerprints(t, to, "db"); now != was {
					t.Fatalf("byte %d: a refused store was changed:\n%s\nwas\n%s", at, now, was)
				}
			}
			for _, end := range []int{len(before), len(before) + 5, len(before) + 60} {
				torn := append(append([]byte(nil), content[:end]...), make([]byte, 100)...)
				s := mustOpen(t, copyStore(t, crashed, "db", name, torn), Options{MergeFan: -1})
				if got := dump(t, s); got != want {
					t.Fatalf("torn at %d of %d: other content", end, len(content))
				}
				mustClose(t, s)
			}
		})
	}
}
