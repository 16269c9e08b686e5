package main

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/ivmc/ivmc"
)

// choiceRows is the size of the table of [choice]; the rates are of it.
const choiceRows = 300_000

// choice: three views of one definition over one table follow the same updates, one by
// INCREMENTAL, one by COMPLETE, one by AUTO, in turns. The ways that AUTO took are set against the better
// one, by the medians of the other two views, in processor time, which others on the machine do not lengthen.
func choice(r run) ([]figure, error) {
	ctx := context.Background()
	f, err := readFlights(r.data)
	if err != nil {
		return nil, err
	}
	b, err := newBed(ctx, r, f, "", choiceRows, 0, "")
	if err != nil {
		return nil, err
	}
	defer b.db.Close()
	modes := []ivmc.Mode{ivmc.Incremental, ivmc.Complete, ivmc.Auto}
	for _, m := range modes {
		if _, err := b.db.Exec(ctx, fmt.Sprintf("CREATE MATERIALIZED VIEW v%d REFRESH AUTO AS %s", m, viewSQL[r.view])); err != nil {
			return nil, err
		}
	}
	var figs []figure
	for _, rate := range []float64{0.0001, 0.001, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1} {
		took := map[ivmc.Mode][]time.Duration{}
		complete := 0
		const rounds = 5
		for i := range rounds + 1 {
			rec := b.p.update(int(rate * choiceRows))
			_, err := b.db.Apply(ctx, "flights", rec)
			rec.Release()
			if err != nil {
				return nil, err
			}
			for k := range modes {
				m := modes[(i+k)%len(modes)] // each has to go first as often
				before := processTime()
				rep, err := b.db.Refresh(ctx, fmt.Sprintf("v%d", m), m)
				spent := processTime() - before
				if err != nil {
					return nil, err
				}
				if i == 0 { // nobody has seen this rate yet: not counted, and it must not go far wrong either
					continue
				}
				took[m] = append(took[m], spent)
				if m == ivmc.Auto && rep.Executed == ivmc.Complete {
					complete++
				}
			}
		}
		inc, full := median(took[ivmc.Incremental]), median(took[ivmc.Complete])
		chosen := inc.Seconds()*float64(rounds-complete) + full.Seconds()*float64(complete)
		name := fmt.Sprintf("%s %g %% (INCREMENTAL %.2f ms, COMPLETE %.2f ms, AUTO took COMPLETE %d of %d times): what it took / the better",
			r.view, rate*100, inc.Seconds()*1e3, full.Seconds()*1e3, complete, rounds)
		figs = append(figs, atMost("choice", name, chosen/rounds/min(inc, full).Seconds(), "x", 1.3))
	}
	return figs, nil
}

// processTime is the processor time that this process has used.
func processTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
