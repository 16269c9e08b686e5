package proptest

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ivmc/ivmc"
)

// TestCrashOfRefresh is case 084: the machine stops at each file operation of a
// refresh. A view shows what it had or what it is to have, and the next refresh makes
// it whole; one more changes nothing.
func TestCrashOfRefresh(t *testing.T) {
	ctx := context.Background()
	c := newCrasher(rand.New(rand.NewPCG(8, 4)))
	var images []*vfs.MemFS
	refreshing := false
	c.check = func(_ string, _ int, fs *vfs.MemFS) {
		if refreshing {
			images = append(images, fs)
		}
	}
	db, err := openOn(errorfs.Wrap(c.mem, c))
	if err != nil {
		t.Fatal(err)
	}
	exec := func(db *ivmc.DB, sql string) {
		t.Helper()
		if _, err := db.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	views := map[string][2]string{ // as it was, as it is to be
		"a": {"1|30|2 2|30|1", "1|15|2 2|31|1 3|7|1"},
		"p": {"1|10 1|20 2|30", "1|10 1|5 2|31 3|7"},
	}
	exec(db, `CREATE TABLE t(id BIGINT PRIMARY KEY, g INT, v INT);
INSERT INTO t VALUES (1,1,10),(2,1,20),(3,2,30);
CREATE MATERIALIZED VIEW a AS SELECT g, SUM(v) AS s, COUNT(*) AS n FROM t GROUP BY g;
CREATE MATERIALIZED VIEW p AS SELECT g, v FROM t;
INSERT INTO t VALUES (4,1,5),(5,3,7);
UPDATE t SET v=31 WHERE id=3;
DELETE FROM t WHERE id=2`)
	const refresh = "REFRESH MATERIALIZED VIEW a INCREMENTAL; REFRESH MATERIALIZED VIEW p INCREMENTAL"
	c.mu.Lock()
	refreshing = true
	c.mu.Unlock()
	exec(db, refresh)
	exec(db, "CREATE TABLE later(i INT)") // waits for the disk, which a refresh does not
	c.mu.Lock()
	refreshing = false
	images = append(images, c.mem.CrashClone(vfs.CrashCloneCfg{})) // right after the commit
	c.mu.Unlock()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var old, done int
	for i, im := range images {
		db, err := openOn(im)
		if err != nil {
			t.Fatal(i, err)
		}
		shown := func(v string) string {
			rows, err := bag(db, "SELECT * FROM "+v)
			if err != nil {
				t.Fatal(i, err)
			}
			return strings.Join(rows, " ")
		}
		for v, want := range views {
			switch shown(v) {
			case want[0]:
				old++
			case want[1]:
				done++
			default:
				t.Fatalf("image %d of %d: %s is %s", i, len(images), v, shown(v))
			}
		}
		for range 2 {
			exec(db, refresh)
			for v, want := range views {
				if got := shown(v); got != want[1] {
					t.Fatalf("image %d of %d: after a refresh %s is %s", i, len(images), v, got)
				}
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if old == 0 || done == 0 {
		t.Errorf("%d images have what was before, %d what came: wanted both", old, done)
	}
}
