package ivmc_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ivmc/ivmc"
)

// fold applies a batch to rows, which go by their text.
func fold(t testing.TB, rows map[string]int, batch ivmc.ChangeBatch) {
	add := func(r ivmc.Row, n int) {
		if !r.Exists() {
			return
		}
		var cells []string
		for c := range r.Len() {
			cell := r.Text(c)
			if r.IsNull(c) {
				cell = "NULL"
			}
			cells = append(cells, cell)
		}
		k := strings.Join(cells, "|")
		if rows[k] += n; rows[k] == 0 {
			delete(rows, k)
		}
		if rows[k] < 0 {
			t.Errorf("%s goes and never came", k)
		}
	}
	for _, ch := range batch.Changes {
		add(ch.Before, -1)
		add(ch.After, 1)
	}
}

func listed(rows map[string]int) string {
	var out []string
	for k, n := range rows {
		for range n {
			out = append(out, k)
		}
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

// TestSubscribe: what subscribers are given adds up to the relation, whenever
// they begin, however slow they are, with writers and refreshes going on.
func TestSubscribe(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE t(id BIGINT PRIMARY KEY, n BIGINT); CREATE TABLE bag(s TEXT)")
	exec(t, db, "INSERT INTO t SELECT 1, 1; INSERT INTO bag VALUES ('x'), ('x')")
	exec(t, db, "CREATE MATERIALIZED VIEW v AS SELECT n, count(*) AS c FROM t GROUP BY n")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	const end = 999_999
	var writers, readers sync.WaitGroup
	written := make(chan struct{})
	read := func(rel string, o ivmc.SubscribeOptions, slow bool) {
		seq := db.Subscribe(ctx, rel, o)
		readers.Go(func() {
			rows := map[string]int{}
			var last ivmc.TSO
			open := false
			for batch, err := range seq {
				if err != nil {
					t.Errorf("%s: %v", rel, err)
					return
				}
				if batch.TSO < last || batch.TSO == last && !open {
					t.Errorf("%s: %d after %d", rel, batch.TSO, last)
				}
				last, open = batch.TSO, !batch.Last
				fold(t, rows, batch)
				if slow { // it lags behind all that is written
					<-written
				}
				if _, ok := rows[fmt.Sprintf("%d|1", end)]; ok && batch.Last {
					break
				}
				if rows["end"] > 0 {
					break
				}
			}
			want := map[string]string{"t": "SELECT id, n FROM t", "v": "SELECT n, c FROM v", "bag": "SELECT s FROM bag"}[rel]
			got := strings.Fields(text(t, db, want))
			sort.Strings(got)
			if listed(rows) != strings.Join(got, " ") {
				t.Errorf("%s: subscriber has\n%.300s\nthe relation\n%.300s", rel, listed(rows), strings.Join(got, " "))
			}
		})
	}
	read("t", ivmc.SubscribeOptions{Rows: true}, true)
	read("t", ivmc.SubscribeOptions{After: 1}, false)
	read("v", ivmc.SubscribeOptions{Rows: true}, false)
	read("bag", ivmc.SubscribeOptions{Rows: true}, true)
	for w := range 2 {
		writers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 1))
			for i := range 60 {
				id, n := rng.IntN(40), rng.IntN(5)
				_, err := db.Exec(ctx, "INSERT INTO t VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET n = $2", id, n)
				if i%7 == 0 && err == nil {
					_, err = db.Exec(ctx, "DELETE FROM t WHERE n = $1", n)
				}
				if err == nil {
					_, err = db.Exec(ctx, "INSERT INTO bag VALUES ($1), ($1), (NULL)", fmt.Sprint(n))
				}
				if err == nil && i%3 == 0 {
					_, err = db.Refresh(ctx, "v", ivmc.Incremental)
				}
				if err != nil && !errors.Is(err, ivmc.ErrConflict) {
					t.Error(err)
				}
			}
		})
		if w == 0 { // in the middle
			read("t", ivmc.SubscribeOptions{Rows: true}, false)
			read("v", ivmc.SubscribeOptions{Rows: true}, true)
		}
	}
	writers.Wait()
	close(written)
	exec(t, db, "DELETE FROM t WHERE id < 5")
	exec(t, db, fmt.Sprintf("INSERT INTO t VALUES (%d, 2)", end)) // the last change alone makes it 1, which ends the readers
	exec(t, db, fmt.Sprintf("UPDATE t SET n = %d WHERE id = %d", end, end))
	db.Refresh(ctx, "v", ivmc.Incremental)
	exec(t, db, fmt.Sprintf("UPDATE t SET n = 1 WHERE id = %d", end))
	exec(t, db, "INSERT INTO bag VALUES ('end')")
	readers.Wait()
}

// TestSubscribeLarge: a large commit comes in parts, of which the last says so.
func TestSubscribeLarge(t *testing.T) {
	db := open(t)
	ctx := context.Background()
	exec(t, db, "CREATE TABLE t(id BIGINT PRIMARY KEY); INSERT INTO t VALUES (1)")
	for range 13 {
		exec(t, db, "INSERT INTO t SELECT id + (SELECT max(id) FROM t) FROM t")
	}
	sub := db.Subscribe(ctx, "t", ivmc.SubscribeOptions{Rows: true})
	exec(t, db, "DELETE FROM t WHERE id > 10")
	exec(t, db, "DELETE FROM t")
	var parts []string
	for batch, err := range sub {
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, fmt.Sprint(len(batch.Changes), batch.Rows, batch.Last))
		if len(batch.Changes) == 10 {
			break
		}
	}
	if got := strings.Join(parts, ", "); got != "4096 true false, 4096 true true, 4096 false false, 4086 false true, 10 false true" {
		t.Error(got)
	}
}

// TestSubscribeEnd: what ends a subscription, with its error.
func TestSubscribeEnd(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE t(a INT); CREATE TABLE u(a INT); CREATE VIEW p AS SELECT a FROM t")
	bg := context.Background()
	first := func(seq func(func(ivmc.ChangeBatch, error) bool)) (err error) {
		for _, e := range seq {
			err = e
			break
		}
		return err
	}
	if err := first(db.Subscribe(bg, "nope", ivmc.SubscribeOptions{})); !errors.Is(err, ivmc.ErrNotFound) {
		t.Error(err)
	}
	wantError(t, first(db.Subscribe(bg, "p", ivmc.SubscribeOptions{})), "42809")
	ctx, cancel := context.WithCancel(bg)
	waiting := func(rel string, stop func()) error {
		seq, done := db.Subscribe(ctx, rel, ivmc.SubscribeOptions{}), make(chan error)
		go func() { done <- first(seq) }()
		time.Sleep(5 * time.Millisecond)
		stop()
		return <-done
	}
	if err := waiting("u", func() { exec(t, db, "DROP TABLE u; CREATE TABLE u(a INT)") }); !errors.Is(err, ivmc.ErrNotFound) {
		t.Error(err)
	}
	wantError(t, waiting("t", cancel), "57014")
	wantError(t, first(db.Subscribe(ctx, "t", ivmc.SubscribeOptions{Rows: true})), "57014")
	ctx = bg
	if err := waiting("t", func() { db.Close() }); !errors.Is(err, ivmc.ErrClosed) {
		t.Error(err)
	}
	if err := first(db.Subscribe(bg, "t", ivmc.SubscribeOptions{})); !errors.Is(err, ivmc.ErrClosed) {
		t.Error(err)
	}
}
