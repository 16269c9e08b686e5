package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/ivmc/ivmc"
)

// viewNames in the order of the table; viewSQL is what they say. O has a section of
// its own.
var viewNames = []string{"F", "G1", "G2", "J", "M"}

var viewSQL = map[string]string{
	"F":  `SELECT id, date, delay, origin, destination FROM flights WHERE delay > 60`,
	"G1": `SELECT date_trunc('month', date) AS month, count(*) AS n, sum(delay) AS s, avg(delay) AS a FROM flights GROUP BY date_trunc('month', date)`,
	"G2": `SELECT origin, destination, count(*) AS n, sum(delay) AS s, avg(delay) AS a FROM flights GROUP BY origin, destination`,
	"J":  `SELECT a.state, count(*) AS n, avg(f.delay) AS a FROM flights f JOIN airports a ON f.origin = a.iata GROUP BY a.state`,
	"M":  `SELECT origin, min(delay) AS lo, max(delay) AS hi FROM flights GROUP BY origin`,
	"O":  `SELECT a.iata, count(f.id) AS n FROM airports a LEFT JOIN flights f ON f.origin = a.iata GROUP BY a.iata`,
}

// floor is the asked rate of a view in rows per second.
func floor(view string, durable bool) float64 {
	switch {
	case view == "M" && durable:
		return 0
	case view == "M", view == "O":
		return 0.3e6
	case durable:
		return 0.5e6
	}
	return 1e6
}

// bed is a database with the two tables, filled, and at most one view.
type bed struct {
	db *ivmc.DB
	p  *pool
}

// newBed loads live rows of f, holds back held more, and makes the view ("" for none).
func newBed(ctx context.Context, r run, f *flights, dir string, live, held int, view string) (*bed, error) {
	opts := &ivmc.Options{InMemory: dir == "", NoSync: dir == ""}
	db, err := ivmc.Open(dir, opts)
	if err != nil {
		return nil, err
	}
	for _, ddl := range []string{flightsDDL, airportsDDL} {
		if _, err := db.Exec(ctx, ddl); err != nil {
			return nil, err
		}
	}
	air, err := airportsRecord(r.data)
	if err != nil {
		return nil, err
	}
	defer air.Release()
	if _, err := db.Apply(ctx, "airports", air); err != nil {
		return nil, err
	}
	b := &bed{db: db, p: newPool(f, live, held)}
	for rows := range slices.Chunk(b.p.live, 100_000) {
		rec := f.record(opInsert, rows, f.same)
		_, err := db.Apply(ctx, "flights", rec)
		rec.Release()
		if err != nil {
			return nil, err
		}
	}
	if view != "" {
		if _, err := db.Exec(ctx, "CREATE MATERIALIZED VIEW v AS "+viewSQL[view]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// change hands rec over and brings the view up to date; it returns how long the
// whole took and how long the refresh alone.
func (b *bed) change(ctx context.Context, rec arrow.Record) (whole, step time.Duration, err error) {
	defer rec.Release()
	t0 := time.Now()
	if _, err := b.db.Apply(ctx, "flights", rec); err != nil {
		return 0, 0, err
	}
	t1 := time.Now()
	rep, err := b.db.Refresh(ctx, "v", ivmc.Incremental)
	t2 := time.Now()
	if err == nil && rep.Executed != ivmc.Incremental {
		err = fmt.Errorf("refresh ran as %v: %s", rep.Executed, rep.Reason)
	}
	return t2.Sub(t0), t2.Sub(t1), err
}

// verify fails if the view is not what its query says.
func (b *bed) verify(ctx context.Context) error {
	rep, err := b.db.Verify(ctx, "v")
	if err != nil {
		return err
	}
	if !rep.Equal {
		return fmt.Errorf("the view differs from its query: %+v", rep)
	}
	return nil
}

// median of ds; ds is sorted.
func median(ds []time.Duration) time.Duration {
	slices.Sort(ds)
	return ds[len(ds)/2]
}

func rate(rows int, d time.Duration) float64 { return float64(rows) / d.Seconds() }
