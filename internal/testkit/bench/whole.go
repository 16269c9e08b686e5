package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the peer for a full recomputation

	"github.com/ivmc/ivmc"
)

// complete: a full refresh of each view against a step of 100 thousand changes,
// and against SQLite for the same query, interleaved.
func complete(r run) ([]figure, error) {
	ctx := context.Background()
	f, err := readFlights(r.data)
	if err != nil {
		return nil, err
	}
	lite, err := sqliteFlights(f, all-held)
	if err != nil {
		return nil, err
	}
	defer lite.Close()
	var figs []figure
	for _, view := range viewNames {
		b, err := newBed(ctx, r, f, "", all-held, held, view)
		if err != nil {
			return nil, err
		}
		var full, step, peer []time.Duration
		for i := range 5 {
			t0 := time.Now()
			if _, err := b.db.Refresh(ctx, "v", ivmc.Complete); err != nil {
				return nil, err
			}
			full = append(full, time.Since(t0))
			for _, k := range changeKinds {
				_, s, err := b.change(ctx, b.p.next(k, 100_000))
				if err != nil {
					return nil, err
				}
				if i > 0 {
					step = append(step, s)
				}
			}
			if view == "G2" {
				t0 := time.Now()
				if err := drain(lite, `SELECT origin, destination, count(*), sum(delay), avg(delay) FROM flights GROUP BY origin, destination`); err != nil {
					return nil, err
				}
				peer = append(peer, time.Since(t0))
			}
		}
		b.db.Close()
		m := median(full)
		figs = append(figs,
			plain("complete", view+": COMPLETE", m.Seconds()*1e3, "ms"),
			atMost("complete", view+": step of 100000 / COMPLETE", median(step).Seconds()/m.Seconds(), "x", 1))
		if peer != nil {
			figs = append(figs, atMost("complete", "G2: COMPLETE / SQLite", m.Seconds()/median(peer).Seconds(), "x", 3))
		}
	}
	return figs, nil
}

func sqliteFlights(f *flights, n int) (*sql.DB, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE flights(id INTEGER PRIMARY KEY, date INTEGER, delay INTEGER, distance INTEGER, origin TEXT, destination TEXT)`); err != nil {
		return nil, err
	}
	tx, err := db.Begin()
	if err != nil {
		return nil, err
	}
	st, err := tx.Prepare(`INSERT INTO flights VALUES (?,?,?,?,?,?)`)
	if err != nil {
		return nil, err
	}
	for i := range n {
		if _, err := st.Exec(i+1, f.date[i], f.delay[i], f.distance[i], f.origin(i), f.dest(i)); err != nil {
			return nil, err
		}
	}
	return db, tx.Commit()
}

func drain(db *sql.DB, q string) error {
	rows, err := db.Query(q)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// memoryUse: peak of a first build, and growth over ten thousand one-row refreshes.
func memoryUse(r run) ([]figure, error) {
	ctx := context.Background()
	f, err := readFlights(r.data)
	if err != nil {
		return nil, err
	}
	b, err := newBed(ctx, r, f, "", all-held, held, "")
	if err != nil {
		return nil, err
	}
	defer b.db.Close()
	var figs []figure
	for _, view := range viewNames {
		debug.FreeOSMemory()
		resetPeak()
		if _, err := b.db.Exec(ctx, "CREATE MATERIALIZED VIEW v AS "+viewSQL[view]); err != nil {
			return nil, err
		}
		figs = append(figs, atMost("memory", view+": peak resident in first build, table and source data included", status("VmHWM")/1024, "MiB", 2048))
		if _, err := b.db.Exec(ctx, "DROP MATERIALIZED VIEW v"); err != nil {
			return nil, err
		}
	}
	if _, err := b.db.Exec(ctx, "CREATE MATERIALIZED VIEW v AS "+viewSQL["G2"]); err != nil {
		return nil, err
	}
	var after1k float64
	for i := range 10_000 {
		if _, _, err := b.change(ctx, b.p.next("update", 1)); err != nil {
			return nil, err
		}
		if i == 999 {
			after1k = settled()
		}
	}
	figs = append(figs, atMost("memory", "G2: resident after 10000 one-row refreshes / after 1000", settled()/after1k, "x", 1.1))
	return figs, nil
}

func settled() float64 {
	runtime.GC()
	debug.FreeOSMemory()
	return status("VmRSS")
}

func resetPeak() { _ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// status reads a figure of /proc/self/status, in KiB.
func status(key string) float64 {
	b, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			v, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return v
		}
	}
	return 0
}

// readers: latency of a reader that loops over a small view while refreshes of a
// large view run for at least three seconds.
func readers(r run) ([]figure, error) {
	ctx := context.Background()
	f, err := readFlights(r.data)
	if err != nil {
		return nil, err
	}
	b, err := newBed(ctx, r, f, "", all-held, held, "F")
	if err != nil {
		return nil, err
	}
	defer b.db.Close()
	if _, err := b.db.Exec(ctx, "CREATE MATERIALIZED VIEW small AS "+viewSQL["G1"]); err != nil {
		return nil, err
	}
	var stop atomic.Bool
	done := make(chan error, 1)
	var lat []time.Duration
	go func() {
		for !stop.Load() {
			t0 := time.Now()
			rr, err := b.db.Query(ctx, "SELECT * FROM small")
			if err != nil {
				done <- err
				return
			}
			for rr.Next() {
			}
			rr.Release()
			lat = append(lat, time.Since(t0))
		}
		done <- nil
	}()
	start := time.Now()
	n := 0
	for time.Since(start) < 3*time.Second {
		if _, _, err := b.change(ctx, b.p.next(changeKinds[n%3], 100_000)); err != nil {
			return nil, err
		}
		if _, err := b.db.Refresh(ctx, "v", ivmc.Complete); err != nil {
			return nil, err
		}
		n++
	}
	stop.Store(true)
	if err := <-done; err != nil {
		return nil, err
	}
	if len(lat) == 0 {
		return nil, fmt.Errorf("no read finished")
	}
	slices.Sort(lat)
	return []figure{
		plain("readers", "reads during 3 s of refreshes", float64(len(lat)), "reads"),
		atMost("readers", "read latency p99", lat[len(lat)*99/100].Seconds()*1e3, "ms", 10),
	}, nil
}
