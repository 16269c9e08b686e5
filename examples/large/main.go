// Command large is the demo at its full size: it loads three million flights into a
// database in a temporary directory, builds views of them, changes the flights,
// brings the views forward, verifies them, and prints what each step took.
//
//	go run ./examples/large -data DIR
//
// DIR holds flights-3m.parquet and airports.csv of vega-datasets 3.2.1.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ivmc/ivmc"
)

// views are those that the demo builds, in order.
func views() [][2]string {
	return [][2]string{
		{"late", "SELECT date, origin, destination, delay FROM flights WHERE delay > 120"},
		{"by_month", "SELECT date_trunc('month', date) AS month, count(*) AS flights, avg(delay) AS mean, sum(distance) AS distance FROM flights GROUP BY date_trunc('month', date)"},
		{"by_state", "SELECT a.state, count(*) AS flights, avg(f.delay) AS mean FROM flights f JOIN airports a ON f.origin = a.iata GROUP BY a.state"},
		{"worst", "SELECT origin, min(delay) AS best, max(delay) AS worst FROM flights GROUP BY origin"},
	}
}

// changes are what happens to the flights.
func changes() []string {
	return []string{
		"UPDATE flights SET delay = delay + 15 WHERE origin = 'SEA'",
		"DELETE FROM flights WHERE origin = 'LAS' AND delay < 0",
		"INSERT INTO flights SELECT * FROM flights WHERE origin = 'ANC'",
		"UPDATE airports SET state = 'XX' WHERE iata = 'GEG'",
	}
}

func main() {
	data := flag.String("data", "../shared/data", "the directory of the files")
	flag.Parse()
	if err := run(context.Background(), *data); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, data string) (err error) {
	files := map[string]string{"flights": "flights-3m.parquet", "airports": "airports.csv"}
	for table, file := range files {
		files[table] = filepath.Join(data, file)
		if _, err := os.Stat(files[table]); err != nil {
			return fmt.Errorf("the demo needs %s of vega-datasets 3.2.1 (npm package vega-datasets, folder data): %w\n"+
				"Name its directory: make demo-large DATA=DIR", file, err)
		}
	}
	dir, err := os.MkdirTemp("", "ivmc-large-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	db, err := ivmc.Open(filepath.Join(dir, "db"), nil)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := db.Close(); err == nil {
			err = cerr
		}
	}()

	fmt.Printf("%-34s %12s %10s %14s\n", "step", "rows", "seconds", "rows/s")
	line := func(step string, rows int64, took time.Duration) {
		fmt.Printf("%-34s %12d %10.2f %14.0f\n", step, rows, took.Seconds(), float64(rows)/took.Seconds())
	}
	for _, table := range []string{"flights", "airports"} {
		start := time.Now()
		n, err := db.Load(ctx, table, ivmc.LoadOptions{}, files[table])
		if err != nil {
			return err
		}
		line("load "+table, n, time.Since(start))
	}
	all, err := count(ctx, db, "flights")
	if err != nil {
		return err
	}
	for _, v := range views() {
		start := time.Now()
		if _, err := db.Exec(ctx, "CREATE MATERIALIZED VIEW "+v[0]+" AS "+v[1]); err != nil {
			return err
		}
		line("build "+v[0], all, time.Since(start))
	}
	for _, sql := range changes() {
		start := time.Now()
		res, err := db.Exec(ctx, sql)
		if err != nil {
			return err
		}
		line(sql[:min(len(sql), 34)], res.RowsAffected, time.Since(start))
	}
	for _, v := range views() {
		start := time.Now()
		rep, err := db.Refresh(ctx, v[0], ivmc.Incremental)
		if err != nil {
			return err
		}
		line("refresh "+v[0], rep.RowsIn, time.Since(start))
	}
	for _, v := range views() {
		start := time.Now()
		rep, err := db.Verify(ctx, v[0])
		if err != nil {
			return err
		}
		if !rep.Equal {
			return fmt.Errorf("view %s differs in %d rows: %v", v[0], rep.Differing, rep.Diff)
		}
		line("verify "+v[0]+": equal", rep.Rows, time.Since(start))
	}
	fmt.Println("rows of a build are those of flights, of a refresh the changed ones, of a verify those of the view")
	return nil
}

// count is the number of rows of a table.
func count(ctx context.Context, db *ivmc.DB, table string) (n int64, err error) {
	rows, err := db.Text(ctx, "SELECT count(*) FROM "+table)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		n, _ = rows.Value(0).(int64)
	}
	return n, rows.Err()
}
