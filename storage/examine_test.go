package storage

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// TestDamagedFiles damages the list of files and the log of a store that was
// closed: whatever byte it is, Open says so and changes nothing, or everything
// is there. It never opens an older store, or an empty one.
func TestDamagedFiles(t *testing.T) {
	whole := vfs.NewMem()
	s := mustOpen(t, whole, Options{MergeFan: -1})
	script(s, func(do func() error) bool { return do() == nil })
	want := dump(t, s)
	mustClose(t, s)
	names, err := whole.List("db")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	refused := 0
	for _, name := range names {
		if !strings.HasPrefix(name, "MANIFEST") && !strings.HasSuffix(name, ".log") {
			continue
		}
		content, err := readAll(whole, "db/"+name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			bad := append([]byte(nil), content...)
			switch at := rng.IntN(len(bad)); i % 3 {
			case 0:
				bad[at] ^= 1 << rng.IntN(8)
			case 1:
				bad = bad[:at]
			case 2:
				clear(bad[at:min(at+64, len(bad))])
			}
			fs := copyStore(t, whole, "db", name, bad)
			before := fingerprints(t, fs, "db")
			s, err := Open("db", &Options{FS: fs, Clock: newClock().Now})
			if err != nil {
				if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrFailed) {
					t.Fatalf("%s, damage %d: %v", name, i, err)
				}
				refused++
				if after := fingerprints(t, fs, "db"); after != before {
					t.Fatalf("%s, damage %d: a refused store was changed:\n%s\nwas\n%s", name, i, after, before)
				}
				continue
			}
			if got := dump(t, s); got != want {
				t.Fatalf("%s, damage %d: opened with other content", name, i)
			}
			mustClose(t, s)
		}
	}
	if refused < 10 {
		t.Fatalf("%d damages were noticed", refused)
	}
}

// copyStore copies dir and puts other content into one file.
func copyStore(t *testing.T, from vfs.FS, dir, name string, content []byte) *vfs.MemFS {
	t.Helper()
	to := vfs.NewMem()
	if err := to.MkdirAll(dir, os.ModePerm); err != nil {
		t.Fatal(err)
	}
	names, err := from.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		b, err := readAll(from, dir+"/"+n)
		if err != nil {
			t.Fatal(err)
		}
		if n == name {
			b = content
		}
		if err := writeFile(to, dir+"/"+n, string(b)); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// fingerprints is every file's name, length and checksum, but those of the lock.
func fingerprints(t *testing.T, fs vfs.FS, dir string) string {
	t.Helper()
	names, err := fs.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	var out strings.Builder
	for _, n := range names {
		if n == lockName || n == pidName {
			continue
		}
		b, err := readAll(fs, dir+"/"+n)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s: %d bytes, %08x\n", n, len(b), crc32.ChecksumIEEE(b))
	}
	return out.String()
}

// TestDamagedValues damages a file of values: whatever byte it is, the store is
// refused, or what reads it is told that it is damaged; other rows are never seen, and
// the store does not fail as one that cannot write.
func TestDamagedValues(t *testing.T) {
	whole := vfs.NewMem()
	s := mustOpen(t, whole, Options{MergeFan: -1})
	r := createTable(t, s, "t", []int{0})
	rows := make([]row, 300)
	for i := range rows {
		rows[i] = row{id: int64(i), s: strings.Repeat("value", 20)}
	}
	mustCommit(t, s, &Commit{Changes: []*Change{insert(r, rows...)}})
	mustClose(t, s)
	s = mustOpen(t, whole, Options{MergeFan: -1}) // writes the replayed log as tables
	mustClose(t, s)
	names, err := whole.List("db")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, name := range names {
		if !strings.HasSuffix(name, ".blob") {
			continue
		}
		files++
		content, err := readAll(whole, "db/"+name)
		if err != nil {
			t.Fatal(err)
		}
		for _, back := range []int{1, 5, 8, 9, 17, 25, 30, 38, 39, 60, len(content) / 2, len(content)} {
			bad := append([]byte(nil), content...)
			bad[len(bad)-back] ^= 0x10
			s, err := Open("db", &Options{FS: copyStore(t, whole, "db", name, bad), Clock: newClock().Now})
			if err == nil {
				_, err = s.Relation(r.ID())
				if f := s.Failed(); f != nil {
					t.Errorf("%d from the end: the store failed: %v", back, f)
				}
				mustClose(t, s)
			}
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("%d from the end: %v", back, err)
			}
		}
	}
	if files == 0 {
		t.Fatal("no file of values")
	}
}
