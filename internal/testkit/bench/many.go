package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/ivmc/ivmc"
)

// The size of [many].
const (
	manyTables = 10
	manyViews  = 1000
)

// manyShapes are the definitions of the views, by turns; %[1]d is a table, %[2]d a number.
var manyShapes = []string{
	"SELECT g, count(*) AS n, sum(v) AS s FROM t%[1]d GROUP BY g",
	"SELECT id, v FROM t%[1]d WHERE v > %[2]d",
	"SELECT a.id, b.v FROM t%[1]d a JOIN t0 b ON a.g = b.id",
	"SELECT g, max(v) AS m FROM t%[1]d WHERE id <> %[2]d GROUP BY g",
}

// many: a thousand views on ten tables. A refresh of all where nothing is pending, one
// where one table changed, and the next opening.
func many(r run) ([]figure, error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "ivmc-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	db, err := ivmc.Open(dir, &ivmc.Options{NoSync: true})
	if err != nil {
		return nil, err
	}
	exec := func(format string, args ...any) error {
		_, err := db.Exec(ctx, fmt.Sprintf(format, args...))
		return err
	}
	for t := range manyTables {
		if err := exec("CREATE TABLE t%d(id BIGINT PRIMARY KEY, g BIGINT, v BIGINT)", t); err != nil {
			return nil, err
		}
		for i := range 100 {
			if err := exec("INSERT INTO t%d VALUES (%d, %d, %d)", t, i, i%10, i); err != nil {
				return nil, err
			}
		}
	}
	start := time.Now()
	var views []string
	for i := range manyViews {
		views = append(views, fmt.Sprintf("v%d", i))
		if err := exec("CREATE MATERIALIZED VIEW v%[2]d AS "+manyShapes[i/manyTables%len(manyShapes)], i%manyTables, i); err != nil {
			return nil, err
		}
	}
	figs := []figure{plain("many", "CREATE of a view", time.Since(start).Seconds()*1e3/manyViews, "ms")}
	refresh := func() (time.Duration, error) {
		before := processTime()
		for _, v := range views {
			if _, err := db.Refresh(ctx, v, ivmc.Default); err != nil {
				return 0, err
			}
		}
		return processTime() - before, nil
	}
	var idle []time.Duration
	for range 11 {
		d, err := refresh()
		if err != nil {
			return nil, err
		}
		idle = append(idle, d)
	}
	figs = append(figs, atMost("many", "refresh with nothing pending, a view", median(idle).Seconds()*1e6/manyViews, "µs", 10))
	if err := exec("INSERT INTO t1 VALUES (1000, 1, 1)"); err != nil {
		return nil, err
	}
	one, err := refresh()
	if err != nil {
		return nil, err
	}
	figs = append(figs, plain("many", "refresh of all, a hundred of them with one row pending", one.Seconds()*1e3, "ms"),
		plain("many", "resident memory", settled()/1024, "MiB"))
	if err := db.Close(); err != nil {
		return nil, err
	}
	var opens []time.Duration
	for range 3 {
		before := processTime()
		if db, err = ivmc.Open(dir, nil); err != nil {
			return nil, err
		}
		opens = append(opens, processTime()-before)
		if len(opens) < 3 {
			if err := db.Close(); err != nil {
				return nil, err
			}
		}
	}
	defer db.Close()
	figs = append(figs, atMost("many", "opening", median(opens).Seconds()*1e3, "ms", 1000), plain("many", "resident memory after it", settled()/1024, "MiB"))
	first, err := refresh()
	if err != nil {
		return nil, err
	}
	figs = append(figs, plain("many", "first refresh with nothing pending after it, a view", first.Seconds()*1e6/manyViews, "µs"))
	st := time.Now()
	if _, err := db.Exec(ctx, "SELECT * FROM information_schema.materialized_views"); err != nil {
		return nil, err
	}
	return append(figs, plain("many", "information_schema.materialized_views", time.Since(st).Seconds()*1e3, "ms")), nil
}
