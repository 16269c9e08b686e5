package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
)

const (
	all  = 3_000_000
	held = 200_000 // rows of the 3 million that are held back at first
)

// kinds of change; each takes n rows from the pool.
var changeKinds = []string{"insert", "update", "delete"}

// volatile: change log on, no sync, one processor: from hand-over to readable view.
func volatile(r run) ([]figure, error) {
	ctx := context.Background()
	f, err := readFlights(r.data)
	if err != nil {
		return nil, err
	}
	b, err := newBed(ctx, r, f, "", all-held, held, r.view)
	if err != nil {
		return nil, err
	}
	defer b.db.Close()
	stop, err := r.profiled()
	if err != nil {
		return nil, err
	}
	defer stop()
	var figs []figure
	for _, size := range []struct{ n, rounds int }{{1, 300}, {1000, 60}, {100_000, 7}} {
		var wholes, steps []time.Duration
		byKind := map[string][]time.Duration{}
		for i := range size.rounds {
			for _, k := range changeKinds {
				rec := b.p.next(k, size.n)
				w, s, err := b.change(ctx, rec)
				if err != nil {
					return nil, err
				}
				if i == 0 { // the first round warms up
					continue
				}
				wholes, steps = append(wholes, w), append(steps, s)
				byKind[k] = append(byKind[k], w)
			}
		}
		name := fmt.Sprintf("%s %d rows", r.view, size.n)
		if size.n == 1 {
			figs = append(figs,
				atMost("volatile", name+": step, median", median(steps).Seconds()*1e3, "ms", 0.3),
				plain("volatile", name+": commit and step, median", median(wholes).Seconds()*1e3, "ms"))
			continue
		}
		for _, k := range changeKinds {
			v := rate(size.n, median(byKind[k]))
			if size.n == 100_000 {
				figs = append(figs, atLeast("volatile", name+": "+k, v, "rows/s", floor(r.view, false)))
			} else {
				figs = append(figs, plain("volatile", name+": "+k, v, "rows/s"))
			}
		}
	}
	return figs, b.verify(ctx)
}

// next takes a change of n rows of the kind.
func (p *pool) next(kind string, n int) arrow.Record {
	switch kind {
	case "insert":
		return p.insert(n)
	case "update":
		return p.update(n)
	}
	return p.delete(n)
}

// durable: each change acknowledged after the sync, both processors, 60 batches in a row.
func durable(r run) ([]figure, error) {
	ctx := context.Background()
	f, err := readFlights(r.data)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ivmc-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b, err := newBed(ctx, r, f, dir, all-held, held, r.view)
	if err != nil {
		return nil, err
	}
	defer b.db.Close()
	const n = 100_000
	var total time.Duration
	for i := range 60 {
		rec := b.p.next(changeKinds[i%3], n) // making the record is not counted
		w, _, err := b.change(ctx, rec)
		if err != nil {
			return nil, err
		}
		total += w
	}
	v := rate(60*n, total)
	fig := plain("durable", r.view+" 60 batches of 100000", v, "rows/s")
	if min := floor(r.view, true); min > 0 {
		fig = atLeast("durable", r.view+" 60 batches of 100000", v, "rows/s", min)
	}
	var steps []time.Duration
	for range 200 {
		_, s, err := b.change(ctx, b.p.next("update", 1))
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	one := atMost("durable", r.view+" 1 row: step, median", median(steps).Seconds()*1e3, "ms", 0.3)
	return []figure{fig, one}, b.verify(ctx)
}

// medians is the time of one change of each kind. A median over the kinds together
// would set an insert here against an update there.
func medians(byKind map[string][]time.Duration) (sum time.Duration) {
	for _, d := range byKind {
		sum += median(d)
	}
	return sum
}

// sizeIndependence: the same change on 300 thousand and on 3 million rows, interleaved.
func sizeIndependence(r run) ([]figure, error) {
	ctx := context.Background()
	f, err := readFlights(r.data)
	if err != nil {
		return nil, err
	}
	small, err := newBed(ctx, r, f, "", 300_000, held, r.view)
	if err != nil {
		return nil, err
	}
	defer small.db.Close()
	large, err := newBed(ctx, r, f, "", all-held, held, r.view)
	if err != nil {
		return nil, err
	}
	defer large.db.Close()
	var figs []figure
	for _, size := range []struct{ n, rounds int }{{1, 200}, {1000, 60}, {100_000, 9}} {
		s, l := map[string][]time.Duration{}, map[string][]time.Duration{}
		for i := range size.rounds {
			for _, k := range changeKinds {
				ws, _, err := small.change(ctx, small.p.next(k, size.n))
				if err != nil {
					return nil, err
				}
				wl, _, err := large.change(ctx, large.p.next(k, size.n))
				if err != nil {
					return nil, err
				}
				if i > 0 {
					s[k], l[k] = append(s[k], ws), append(l[k], wl)
				}
			}
		}
		figs = append(figs, atMost("size", fmt.Sprintf("%s %d rows: time on 3 M / on 300 k", r.view, size.n),
			medians(l).Seconds()/medians(s).Seconds(), "x", 1.3))
	}
	return figs, nil
}
