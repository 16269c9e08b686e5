package proptest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ivmc/ivmc"
	"github.com/ivmc/ivmc/internal/testkit/crashfs"
)

// script is what runs while the machine crashes: keyed and bag tables, a join
// with a group, MIN and MAX, a view over a view, a drop, a COMPLETE.
var script = []string{
	"CREATE TABLE f(id BIGINT PRIMARY KEY, k TEXT, v BIGINT, x DOUBLE PRECISION)",
	"CREATE TABLE d(k TEXT, s TEXT)",
	"INSERT INTO f VALUES (1,'a',10,0.5),(2,'b',20,1e16),(3,'a',NULL,-1e16),(4,NULL,40,0.25)",
	"INSERT INTO d VALUES ('a','x'),('b','y'),('b','y'),('c',NULL)",
	"CREATE TABLE sink(op TEXT, id BIGINT, v BIGINT)",
	"CREATE STREAM s ON TABLE f PROPERTIES('type' = 'detail', 'show_initial_rows' = 'true')",
	consuming,
	"CREATE MATERIALIZED VIEW j AS SELECT d.s, count(*) AS n, sum(f.v) AS t, avg(f.x) AS m FROM f JOIN d ON f.k = d.k GROUP BY d.s",
	"CREATE MATERIALIZED VIEW m AS SELECT k, min(v) AS lo, max(v) AS hi FROM f GROUP BY k",
	"CREATE MATERIALIZED VIEW p AS SELECT id, v FROM f WHERE v > 15",
	"CREATE MATERIALIZED VIEW o AS SELECT count(*) AS n, sum(hi) AS h FROM m",
	"UPDATE f SET v = v + 5, k = 'c' WHERE id = 2",
	"REFRESH MATERIALIZED VIEW j",
	"REFRESH MATERIALIZED VIEW m",
	"DELETE FROM d WHERE k = 'b'",
	"INSERT INTO f VALUES (5,'b',50,NULL),(6,'c',60,3)",
	"REFRESH MATERIALIZED VIEW p",
	consuming,
	"REFRESH MATERIALIZED VIEW o",
	"REFRESH MATERIALIZED VIEW j",
	"CREATE TABLE gone(a INT)",
	"INSERT INTO gone VALUES (1),(2)",
	"DELETE FROM f WHERE id IN (1, 3)",
	"DROP TABLE gone",
	"REFRESH MATERIALIZED VIEW m COMPLETE",
	"REFRESH MATERIALIZED VIEW o",
	"INSERT INTO d VALUES ('c','z'),('a','x')",
	"UPDATE f SET v = -v",
	consuming,
	"REFRESH MATERIALIZED VIEW j",
	"DROP MATERIALIZED VIEW p",
	"DELETE FROM f",
	"REFRESH MATERIALIZED VIEW m",
}

// consuming hands the changes of f over: sink and s are of one commit.
const consuming = "INSERT INTO sink SELECT __DORIS_STREAM_CHANGE_TYPE_COL__, id, v FROM s"

// relations whose content is watched.
var watched = []string{"f", "d", "gone", "sink", "s", "j", "m", "p", "o"}

// openOn opens the database on fs with a clock that stands still.
func openOn(fs vfs.FS) (*ivmc.DB, error) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	return ivmc.Open("db", &ivmc.Options{FS: fs, Clock: func() time.Time { return start }})
}

// content of every relation; a missing one is "absent".
func content(db *ivmc.DB) (map[string]string, error) {
	out := map[string]string{}
	for _, rel := range watched {
		rows, err := bag(db, "SELECT * FROM "+rel)
		if e, ok := err.(*ivmc.Error); ok && e.Code == "42P01" {
			out[rel] = "absent"
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", rel, err)
		}
		out[rel] = strings.Join(rows, "\n")
	}
	return out, nil
}

// states runs the script undisturbed: states[i] is the content after i statements.
func states(t *testing.T) []map[string]string {
	t.Helper()
	db, err := openOn(vfs.NewMem())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var out []map[string]string
	for i := 0; ; i++ {
		c, err := content(db)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
		if i == len(script) {
			return out
		}
		if _, err := db.Exec(context.Background(), script[i]); err != nil {
			t.Fatalf("%s: %v", script[i], err)
		}
	}
}

// crasher takes crash images of a file system before each of its write operations.
type crasher struct {
	mu    sync.Mutex
	mem   crashfs.FS
	acked int // statements that returned
	check func(op string, acked int, image *vfs.MemFS)
	rng   *rand.Rand
	ops   int
}

func newCrasher(rng *rand.Rand) *crasher {
	c := &crasher{rng: rng}
	c.mem = crashfs.New(&c.mu)
	return c
}

func (c *crasher) String() string { return "crasher" }

// MaybeError is called before each operation and never fails one.
func (c *crasher) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() == errorfs.OpIsRead {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ops++
	for range 3 {
		cfg := vfs.CrashCloneCfg{UnsyncedDataPercent: c.rng.IntN(101), RNG: c.rng}
		c.check(fmt.Sprintf("operation %d (%d on %s)", c.ops, op.Kind, op.Path), c.acked, c.mem.CrashClone(cfg))
	}
	return nil
}

// TestCrash: at each file operation of the script the machine stops, with three
// random remainders of what was not synced. Reopened, each table is as after
// all acknowledged statements, or after the one under way as well; each view is
// one of the states it went through, and the next refresh makes it its query.
func TestCrash(t *testing.T) {
	want := states(t)
	type image struct {
		op    string
		acked int
		fs    *vfs.MemFS
	}
	var images []image
	c := newCrasher(rand.New(rand.NewPCG(1, 2)))
	c.check = func(op string, acked int, fs *vfs.MemFS) { images = append(images, image{op, acked, fs}) }
	db, err := openOn(errorfs.Wrap(c.mem, c))
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range script {
		if _, err := db.Exec(context.Background(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		c.mu.Lock()
		c.acked++
		c.mu.Unlock()
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		images = slices.DeleteFunc(images, func(i image) bool { return i.acked%4 != 0 })
	}
	for _, im := range images {
		if err := recovered(im.fs, im.acked, want); err != nil {
			t.Fatalf("crash before %s, %d statements acknowledged: %v", im.op, im.acked, err)
		}
	}
	t.Logf("%d file operations, %d crash images", c.ops, len(images))
}

// recovered opens a crash image and holds it against the states of the script.
func recovered(fs vfs.FS, acked int, want []map[string]string) error {
	db, err := openOn(fs)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer db.Close()
	got, err := content(db)
	if err != nil {
		return err
	}
	next := min(acked+1, len(want)-1)
	for _, rel := range []string{"f", "d", "gone"} {
		if got[rel] != want[acked][rel] && got[rel] != want[next][rel] {
			return fmt.Errorf("table %s:\n%s\nafter what was acknowledged:\n%s", rel, got[rel], want[acked][rel])
		}
	}
	handed := func(c map[string]string) string { return c["sink"] + "\nand to come\n" + c["s"] }
	if h := handed(got); h != handed(want[acked]) && h != handed(want[next]) {
		return fmt.Errorf("consumed:\n%s\nafter what was acknowledged:\n%s", h, handed(want[acked]))
	}
	for _, v := range []string{"j", "m", "p", "o"} {
		if !slices.ContainsFunc(want[:next+1], func(c map[string]string) bool { return c[v] == got[v] }) {
			return fmt.Errorf("view %s was never so:\n%s", v, got[v])
		}
	}
	return settle(db, got)
}

// settle refreshes all views that exist and verifies them.
func settle(db *ivmc.DB, got map[string]string) error {
	ctx := context.Background()
	for _, v := range []string{"j", "m", "p", "o"} {
		if got[v] == "absent" {
			continue
		}
		if rep, err := db.Verify(ctx, v); err != nil || !rep.Equal {
			return fmt.Errorf("verify %s before the refresh: %v %v", v, rep, err)
		}
		if _, err := db.Refresh(ctx, v, ivmc.Incremental); err != nil {
			return fmt.Errorf("refresh %s: %w", v, err)
		}
		if rep, err := db.Verify(ctx, v); err != nil || !rep.Equal {
			return fmt.Errorf("verify %s after the refresh: %v %v", v, rep, err)
		}
	}
	return nil
}

// failer fails the n-th write operation, and all after it while broken.
type failer struct {
	mu    sync.Mutex
	at, n int
}

func (f *failer) String() string { return "failer" }

func (f *failer) MaybeError(op errorfs.Op) error {
	if op.Kind.ReadOrWrite() == errorfs.OpIsRead {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	if f.n == f.at {
		return errorfs.ErrInjected
	}
	return nil
}

// TestIOError: each file operation of the script fails once. No panic, an error
// that says so, and reopened on a sound disk nothing acknowledged is missing.
func TestIOError(t *testing.T) {
	want := states(t)
	step := 1
	if testing.Short() {
		step = 17
	}
	seen := 0
	for at := 1; ; at += step {
		mem := vfs.NewMem()
		f := &failer{at: at}
		acked := ioErrorRun(t, errorfs.Wrap(mem, f))
		if f.n < at {
			break
		}
		seen++
		if err := recovered(mem, acked, want); err != nil {
			t.Fatalf("operation %d failed, %d statements acknowledged: %v", at, acked, err)
		}
	}
	t.Logf("%d failing operations", seen)
}

// ioErrorRun runs the script until a statement fails and says how many did not.
func ioErrorRun(t *testing.T, fs vfs.FS) (acked int) {
	db, err := openOn(fs)
	if err != nil {
		return 0
	}
	defer db.Close()
	for _, sql := range script {
		if _, err := db.Exec(context.Background(), sql); err != nil {
			break
		}
		acked++
	}
	return acked
}
