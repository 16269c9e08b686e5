package proptest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ivmc/ivmc"
)

// torturedRefresh names, to a copy of this test, the database that it refreshes in.
const torturedRefresh = "IVMC_TORTURED_REFRESH"

// tortureViews are of every kind: those that nobody but the scheduler refreshes, those
// that statements refresh, chains of them, one that is computed anew.
const tortureViews = `CREATE TABLE t(id BIGINT PRIMARY KEY, g BIGINT, v BIGINT);
CREATE TABLE acks(i BIGINT PRIMARY KEY);
CREATE TABLE names(g BIGINT PRIMARY KEY, name TEXT);
INSERT INTO names VALUES (0, 'zero'), (1, 'one'), (2, NULL), (4, 'four');
CREATE MATERIALIZED VIEW sums REFRESH ON COMMIT ASYNC AS SELECT g, count(*) AS n, sum(v) AS s, min(v) AS low, max(v) AS high FROM t GROUP BY g;
CREATE MATERIALIZED VIEW named REFRESH ON COMMIT ASYNC AS SELECT t.id, n.name, t.v FROM t LEFT JOIN names n ON t.g = n.g;
CREATE MATERIALIZED VIEW ranked REFRESH ON SCHEDULE EVERY 1 SECOND AS SELECT id, v, row_number() OVER (PARTITION BY g ORDER BY v, id) AS r FROM t;
CREATE MATERIALIZED VIEW top REFRESH INCREMENTAL AS SELECT n, count(*) AS groups, sum(s) AS s FROM sums GROUP BY n;
CREATE MATERIALIZED VIEW anew REFRESH COMPLETE AS SELECT count(*) AS n, sum(v) AS s FROM t;
CREATE MATERIALIZED VIEW newest REFRESH WITH LAG '1 second' AS SELECT max(i) AS i, count(*) AS n FROM acks`

// tortureQueries are the definitions, for the question whether a view that was
// refreshed is its query.
var tortureQueries = []struct{ view, query string }{
	{"sums", "SELECT g, count(*), sum(v), min(v), max(v) FROM t GROUP BY g"},
	{"named", "SELECT t.id, n.name, t.v FROM t LEFT JOIN names n ON t.g = n.g"},
	{"ranked", "SELECT id, v, row_number() OVER (PARTITION BY g ORDER BY v, id) FROM t"},
	{"top", "SELECT n, count(*), sum(s) FROM (SELECT g, count(*) AS n, sum(v) AS s FROM t GROUP BY g) AS x GROUP BY n"},
	{"anew", "SELECT count(*), sum(v) FROM t"},
	{"newest", "SELECT max(i), count(*) FROM acks"},
}

// tortureRow is a row of t behind its id.
type tortureRow struct{ g, v int64 }

// transaction is the i-th: its statements, and what they make of the rows.
func transaction(i int64, rows map[int64]tortureRow) (sql string) {
	rng := rand.New(rand.NewPCG(uint64(i), 11))
	parts := []string{"BEGIN", fmt.Sprintf("INSERT INTO acks VALUES (%d)", i)}
	for range 1 + rng.IntN(4) {
		switch id := rng.Int64N(200); rng.IntN(5) {
		case 0:
			parts = append(parts, fmt.Sprintf("DELETE FROM t WHERE id = %d", id))
			delete(rows, id)
		case 1:
			parts = append(parts, fmt.Sprintf("UPDATE t SET v = v + 1 WHERE id %% 7 = %d", id%7))
			for k, r := range rows {
				if k%7 == id%7 {
					rows[k] = tortureRow{r.g, r.v + 1}
				}
			}
		default:
			r := tortureRow{rng.Int64N(6), rng.Int64N(1000)}
			parts = append(parts, fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d) ON CONFLICT (id) DO UPDATE SET g = excluded.g, v = excluded.v", id, r.g, r.v))
			rows[id] = r
		}
	}
	return strings.Join(append(parts, "COMMIT"), "; ")
}

// TestTorture: a process that writes, refreshes, and has views refreshed by the
// scheduler, is killed again and again. What it acknowledged is there, once; every
// view is what its query was at its frontier; and once refreshed, it has nothing to
// do.
func TestTorture(t *testing.T) {
	if dir := os.Getenv(torturedRefresh); dir != "" {
		t.Fatal(refreshForEver(dir))
	}
	n := *kills
	if testing.Short() {
		n = min(n, 3)
	}
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	var dir string
	var x *victim
	var transactions int64
	var inRefresh int
	for k := range n {
		if k%lifetime == 0 {
			if x != nil {
				transactions += x.done
				os.RemoveAll(dir)
			}
			dir = filepath.Join(t.TempDir(), fmt.Sprint("db", k))
			var err error
			if x, err = newVictim(dir); err != nil {
				t.Fatal(err)
			}
		}
		acked, within, err := x.killed(rng)
		if err != nil {
			t.Fatalf("kill %d: %v", k+1, err)
		}
		if within {
			inRefresh++
		}
		if err := x.examine(acked); err != nil {
			t.Fatalf("after kill %d, database %s, acknowledged %d: %v", k+1, dir, acked, err)
		}
		if k%100 == 99 {
			t.Logf("%d kills", k+1)
		}
	}
	t.Logf("%d kills, %d of them within a REFRESH, %d transactions; the last refreshes of the last database by what caused them: %v",
		n, inRefresh, transactions+x.done, x.causes)
}

// victim is a database that is tortured, and what must be in it.
type victim struct {
	dir  string
	rows map[int64]tortureRow
	done int64 // transactions that are in rows

	causes []string // of the refreshes that are remembered
}

func newVictim(dir string) (*victim, error) {
	db, err := ivmc.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(context.Background(), tortureViews); err != nil {
		return nil, err
	}
	return &victim{dir: dir, rows: map[int64]tortureRow{}}, db.Close()
}

// killed lets a process work, from its first acknowledgement on, and kills it: at any
// time, or soon after a REFRESH began, as often. It gives the last transaction that was acknowledged, and whether a REFRESH was under way.
func (x *victim) killed(rng *rand.Rand) (acked int64, within bool, err error) {
	cmd := exec.Command(os.Args[0], "-test.run=TestTorture$")
	cmd.Env = append(os.Environ(), torturedRefresh+"="+x.dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, false, err
	}
	if err := cmd.Start(); err != nil {
		return 0, false, err
	}
	acked = x.done
	begun := time.Now()
	after, aimed := time.Duration(rng.IntN(200))*time.Millisecond, rng.IntN(2) == 0
	in := func(d time.Duration) *time.Timer { return time.AfterFunc(d, func() { _ = cmd.Process.Kill() }) }
	r := bufio.NewReader(out)
	var kill *time.Timer
	defer func() {
		if kill != nil {
			kill.Stop()
		}
	}()
	for {
		line, rerr := r.ReadString('\n')
		if rerr != nil { // a line that is cut off says nothing
			if kill == nil {
				err = fmt.Errorf("the process ended by itself: %q %w", line, rerr)
			}
			break
		}
		switch line = strings.TrimSpace(line); line {
		case "refresh":
			within = true
			if aimed && kill == nil && acked > x.done && time.Since(begun) > after {
				kill = in(time.Duration(rng.IntN(3000)) * time.Microsecond)
			}
		case "refreshed":
			within = false
		default:
			i, perr := strconv.ParseInt(line, 10, 64)
			if perr != nil {
				rest, _ := io.ReadAll(r)
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				return 0, false, fmt.Errorf("the process says %s\n%s", line, rest)
			}
			if acked == x.done {
				begun = time.Now()
			}
			if acked = i; kill == nil && !aimed {
				kill = in(after)
			}
		}
	}
	_ = cmd.Wait() // killed, as wanted
	return acked, within, err
}

// examine holds the database against what was acknowledged.
func (x *victim) examine(acked int64) error {
	ctx := context.Background()
	db, err := ivmc.Open(x.dir, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, v := range db.Views() { // before anything is refreshed
		if rep, err := db.Verify(ctx, v); err != nil || !rep.Equal {
			return fmt.Errorf("view %s off its frontier: %+v %w", v, rep, err)
		}
	}
	ids, err := bag(db, "SELECT i FROM acks")
	if err != nil {
		return err
	}
	if n := int64(len(ids)); n < acked || n > acked+1 {
		return fmt.Errorf("%d transactions are there", n)
	}
	for x.done < int64(len(ids)) {
		x.done++
		transaction(x.done, x.rows)
	}
	if top, err := bag(db, "SELECT coalesce(max(i), 0) FROM acks"); err != nil || top[0] != fmt.Sprint(x.done) {
		return fmt.Errorf("the last of %d transactions is %v %w", x.done, top, err)
	}
	var want []string
	for id, r := range x.rows {
		want = append(want, fmt.Sprintf("%d|%d|%d", id, r.g, r.v))
	}
	got, err := bag(db, "SELECT id, g, v FROM t")
	if err != nil {
		return err
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("rows %v, wanted %v", got, want)
	}
	twice, err := bag(db, "SELECT view_id, task_id FROM information_schema.refresh_history GROUP BY view_id, task_id HAVING count(*) > 1")
	if err != nil || len(twice) > 0 {
		return fmt.Errorf("tasks that stand twice: %v %w", twice, err)
	}
	if x.causes, err = bag(db, "SELECT trigger, count(*) FROM information_schema.refresh_history GROUP BY trigger"); err != nil {
		return err
	}
	for _, v := range db.Views() {
		if _, err := db.Refresh(ctx, v, ivmc.Default); err != nil {
			return fmt.Errorf("refresh of %s: %w", v, err)
		}
	}
	at := db.Applied()
	for _, q := range tortureQueries {
		got, err := bag(db, "SELECT * FROM "+q.view)
		if err != nil {
			return err
		}
		want, err := bag(db, q.query)
		if err != nil {
			return err
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("view %s has %v, its query %v", q.view, got, want)
		}
		rep, err := db.Refresh(ctx, q.view, ivmc.Auto)
		if err != nil || !rep.NoOp {
			return fmt.Errorf("a refresh of %s that has nothing to do: %+v %w", q.view, rep, err)
		}
	}
	if db.Applied() != at {
		return fmt.Errorf("refreshes that had nothing to do committed something")
	}
	return nil
}

// refreshForEver is the process that is killed. It says when a transaction was
// acknowledged, and when a REFRESH began and ended.
func refreshForEver(dir string) error {
	ctx := context.Background()
	db, err := ivmc.Open(dir, nil)
	if err != nil {
		return err
	}
	scheduled := make(chan error, 1)
	go func() { scheduled <- db.Schedule(ctx, nil) }()
	said := func(s string) { os.Stdout.WriteString(s + "\n") }
	done, err := bag(db, "SELECT coalesce(max(i), 0) FROM acks")
	if err != nil {
		return err
	}
	i, err := strconv.ParseInt(done[0], 10, 64)
	if err != nil {
		return err
	}
	for {
		i++
		if _, err := db.Exec(ctx, transaction(i, map[int64]tortureRow{})); err != nil {
			return err
		}
		said(fmt.Sprint(i))
		sql := ""
		switch i % 5 {
		case 0:
			sql = "REFRESH MATERIALIZED VIEW top CASCADE"
		case 1:
			sql = "REFRESH MATERIALIZED VIEW newest"
		case 2:
			sql = "REFRESH MATERIALIZED VIEW anew"
		case 3:
			sql = "REFRESH MATERIALIZED VIEW named COMPLETE"
		}
		if sql != "" {
			said("refresh")
			if _, err := db.Exec(ctx, sql); err != nil {
				return err
			}
			said("refreshed")
		}
		select {
		case err := <-scheduled:
			return fmt.Errorf("the scheduler ended: %w", err)
		default:
		}
	}
}
