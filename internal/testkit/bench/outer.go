package main

import (
	"context"
	"fmt"
	"time"

	"github.com/ivmc/ivmc"
)

// outer: airports LEFT JOIN flights, counted by airport, under the conditions of
// [volatile]; and one flight more, by turns from the busiest airport and from the
// smallest one, for what a row costs must not follow the rows of its key.
func outer(r run) ([]figure, error) {
	ctx := context.Background()
	f, err := readFlights(r.data)
	if err != nil {
		return nil, err
	}
	b, err := newBed(ctx, r, f, "", all-held, held, "O")
	if err != nil {
		return nil, err
	}
	defer b.db.Close()
	stop, err := r.profiled()
	if err != nil {
		return nil, err
	}
	defer stop()
	const n = 100_000
	byKind := map[string][]time.Duration{}
	for i := range 7 {
		for _, k := range changeKinds {
			w, _, err := b.change(ctx, b.p.next(k, n))
			if err != nil {
				return nil, err
			}
			if i > 0 { // the first round warms up
				byKind[k] = append(byKind[k], w)
			}
		}
	}
	var figs []figure
	for _, k := range changeKinds {
		figs = append(figs, atLeast("outer", fmt.Sprintf("%d rows: %s", n, k), rate(n, median(byKind[k])), "rows/s", floor("O", false)))
	}
	count := make([]int, len(f.airports))
	for _, row := range b.p.live {
		count[f.from[row]]++
	}
	most, least := -1, -1
	for i, c := range count {
		if most < 0 || c > count[most] {
			most = i
		}
		if c > 0 && (least < 0 || c < count[least]) {
			least = i
		}
	}
	var steps [2][]time.Duration
	for i := range 400 {
		for at, airport := range []int{most, least} {
			q := fmt.Sprintf("INSERT INTO flights VALUES (%d, TIMESTAMP '2001-01-01', 1, 1, '%s', 'ORD')", all+1+2*i+at, f.airports[airport])
			if _, err := b.db.Exec(ctx, q); err != nil {
				return nil, err
			}
			t := time.Now()
			if _, err := b.db.Refresh(ctx, "v", ivmc.Incremental); err != nil {
				return nil, err
			}
			if i >= 20 {
				steps[at] = append(steps[at], time.Since(t))
			}
		}
	}
	busy, quiet := median(steps[0]).Seconds(), median(steps[1]).Seconds()
	figs = append(figs,
		plain("outer", fmt.Sprintf("1 flight from %s, %d flights: step, median", f.airports[most], count[most]), busy*1e3, "ms"),
		plain("outer", fmt.Sprintf("1 flight from %s, %d flights: step, median", f.airports[least], count[least]), quiet*1e3, "ms"),
		atMost("outer", "1 flight: the busiest airport / the smallest", busy/quiet, "x", 1.1))
	return figs, b.verify(ctx)
}
