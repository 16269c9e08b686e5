package proptest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ivmc/ivmc"
)

// TestReadersNeverWait: while one goroutine changes a table and refreshes its
// views for a second and a half, by steps and by COMPLETE, a reader loops. No
// read takes as long as a refresh, and all of them see a whole state: the
// rows of the view always add up. (The bound is wide, for busy machines; the
// figure is in docs/benchmarks.md.)
func TestReadersNeverWait(t *testing.T) {
	ctx := context.Background()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(sql string) {
		if _, err := db.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec("CREATE TABLE t(id BIGINT PRIMARY KEY, g BIGINT, v BIGINT)")
	const n = 40_000
	var rows []string
	for i := range n {
		rows = append(rows, fmt.Sprintf("(%d,%d,%d)", i, i%1000, i))
	}
	exec("INSERT INTO t VALUES " + strings.Join(rows, ","))
	exec("CREATE MATERIALIZED VIEW big AS SELECT id, g, v FROM t WHERE v >= 0")
	exec("CREATE MATERIALIZED VIEW byg AS SELECT g, count(*) AS n, sum(v) AS s FROM t GROUP BY g")

	var stop atomic.Bool
	var took []time.Duration
	failed := make(chan error, 1)
	go func() {
		defer close(failed)
		for !stop.Load() {
			start := time.Now()
			got, err := bag(db, "SELECT count(*), sum(n) FROM byg")
			took = append(took, time.Since(start))
			if want := []string{fmt.Sprintf("1000|%d", n)}; err != nil || !slices.Equal(got, want) {
				failed <- fmt.Errorf("read %v, %v; want %v", got, err, want)
				return
			}
		}
	}()
	var slowest time.Duration
	for i, start := 0, time.Now(); time.Since(start) < 1500*time.Millisecond; i++ {
		exec(fmt.Sprintf("UPDATE t SET g = (g + %d) %% 1000, v = v + 1", i%7))
		for _, v := range []string{"byg INCREMENTAL", "big INCREMENTAL", "byg COMPLETE"} {
			s := time.Now()
			exec("REFRESH MATERIALIZED VIEW " + v)
			slowest = max(slowest, time.Since(s))
		}
	}
	stop.Store(true)
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	slices.Sort(took)
	p99 := took[len(took)*99/100]
	t.Logf("%d reads, p99 %v, slowest refresh %v", len(took), p99, slowest)
	if len(took) < 50 || p99 > 250*time.Millisecond {
		t.Fatalf("%d reads, p99 %v", len(took), p99)
	}
}
