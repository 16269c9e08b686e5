package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ivmc/ivmc"
)

const (
	logBatch  = 100_000         // rows of a batch
	logRounds = 15              // pairs of batches at least
	logTime   = 4 * time.Second // of batches at least: short ones are repeated until then
	logLive   = 300_000         // rows of a table that is updated
	logValues = 1000            // rows of a VALUES
)

// logBed is a durable database, and the rows to write as a table, a file and a text.
type logBed struct {
	ctx    context.Context
	db     *ivmc.DB
	f      *flights
	file   string
	values []string // lists of VALUES
}

// ingest writes one batch to a table.
type ingest struct {
	name  string
	write func(b *logBed, table string, round int) error
}

func (b *logBed) exec(format string, args ...any) error {
	_, err := b.db.Exec(b.ctx, fmt.Sprintf(format, args...))
	return err
}

func (b *logBed) apply(table string, op int8, first int, delay func(int32) int64) error {
	rows := make([]int32, logBatch)
	for i := range rows {
		rows[i] = int32(first + i)
	}
	rec := b.f.record(op, rows, delay)
	defer rec.Release()
	_, err := b.db.Apply(b.ctx, table, rec)
	return err
}

// inserts are the ways in. A bag keeps its rows and its log as one, so it has next
// to nothing to lose; a table with a key neither, as long as nothing dies.
var inserts = []ingest{
	{"VALUES of 1000", func(b *logBed, table string, _ int) error {
		for _, v := range b.values {
			if err := b.exec("INSERT INTO %s VALUES %s", table, v); err != nil {
				return err
			}
		}
		return nil
	}},
	{"INSERT .. SELECT", func(b *logBed, table string, _ int) error {
		return b.exec("INSERT INTO %s SELECT * FROM stage", table)
	}},
	{"COPY", func(b *logBed, table string, _ int) error {
		return b.exec("COPY %s FROM '%s'", table, b.file)
	}},
	{"Apply", func(b *logBed, table string, _ int) error {
		return b.apply(table, opInsert, 0, b.f.same)
	}},
}

// updates change a third of the rows of a table with a key.
var updates = []ingest{
	{"UPDATE", func(b *logBed, table string, round int) error {
		return b.exec("UPDATE %s SET delay = delay + 1 WHERE id %% 3 = %d", table, round%3)
	}},
	{"INSERT over a UNIQUE KEY", func(b *logBed, table string, round int) error {
		return b.exec("INSERT INTO %s SELECT id, date, delay + %d, distance, origin, destination FROM stage", table, round)
	}},
	{"Apply", func(b *logBed, table string, round int) error {
		return b.apply(table, opUpsert, round%3*logBatch, func(r int32) int64 { return b.f.delay[r] + int64(round) })
	}},
}

const logColumns = "(id BIGINT, date TIMESTAMP, delay BIGINT, distance BIGINT, origin TEXT, destination TEXT)"

// tables makes the pair, one with its log and one without.
func (b *logBed) tables(key string) error {
	if err := b.exec("CREATE TABLE logged%s %s", logColumns, key); err != nil {
		return err
	}
	return b.exec(`CREATE TABLE bare%s %s PROPERTIES ("binlog.enable"="false")`, logColumns, key)
}

func (b *logBed) drop() error { return b.exec("DROP TABLE logged; DROP TABLE bare") }

// pair writes one batch to each of the two, in turns first, and says how long it took.
func (b *logBed) pair(in ingest, round int) (times [2]time.Duration, err error) {
	order := []int{0, 1}
	if round%2 == 1 {
		slices.Reverse(order)
	}
	for _, i := range order {
		runtime.GC()
		start := time.Now()
		if err := in.write(b, [2]string{"logged", "bare"}[i], round); err != nil {
			return times, err
		}
		times[i] = time.Since(start)
	}
	return times, nil
}

// pairs writes batches until they say enough, with before and after around each pair. The
// first pair warms up.
func (b *logBed) pairs(in ingest, before, after func() error) (pairs [][2]time.Duration, err error) {
	var total time.Duration
	for round := 0; len(pairs) < logRounds || total < logTime; round++ {
		if err := before(); err != nil {
			return nil, err
		}
		p, err := b.pair(in, round)
		if err != nil {
			return nil, err
		}
		if err := after(); err != nil {
			return nil, err
		}
		if round > 0 {
			pairs, total = append(pairs, p), total+p[0]+p[1]
		}
	}
	return pairs, nil
}

// compare is the figures of pairs: rows per second with the log, and the median of
// what a pair says of the log's price.
func compare(name string, floor float64, pairs [][2]time.Duration) []figure {
	var with []time.Duration
	var ratios []float64
	for _, p := range pairs {
		with, ratios = append(with, p[0]), append(ratios, p[1].Seconds()/p[0].Seconds())
	}
	slices.Sort(ratios)
	return []figure{
		plain("log", name+": with log", rate(logBatch, median(with)), "rows/s"),
		atLeast("log", name+": with log / without", ratios[len(ratios)/2], "x", floor),
	}
}

// logPrice: ingest with the change log on against off, same rows and layout, in
// pairs, each acknowledged after the sync.
func logPrice(r run) ([]figure, error) {
	b := &logBed{ctx: context.Background()}
	var err error
	if b.f, err = readFlights(r.data); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ivmc-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if b.db, err = ivmc.Open(filepath.Join(dir, "db"), nil); err != nil {
		return nil, err
	}
	defer b.db.Close()
	b.file = filepath.Join(dir, "stage.csv")
	if err := b.stage(); err != nil {
		return nil, err
	}
	var figs []figure
	for _, t := range []struct {
		name, key string
		floor     float64
	}{{"bag", "", 0.95}, {"keyed", "UNIQUE KEY(id)", 0.75}} {
		for _, in := range inserts {
			pairs, err := b.pairs(in, func() error { return b.tables(t.key) }, b.drop)
			if err != nil {
				return nil, err
			}
			figs = append(figs, compare(t.name+" insert, "+in.name, t.floor, pairs)...)
		}
	}
	if err := b.tables("UNIQUE KEY(id)"); err != nil {
		return nil, err
	}
	for _, table := range []string{"logged", "bare"} {
		for first := 0; first < logLive; first += logBatch {
			if err := b.apply(table, opInsert, first, b.f.same); err != nil {
				return nil, err
			}
		}
	}
	nothing := func() error { return nil }
	for _, in := range updates {
		pairs, err := b.pairs(in, nothing, nothing)
		if err != nil {
			return nil, err
		}
		figs = append(figs, compare("keyed update, "+in.name, 0.75, pairs)...)
	}
	return figs, nil
}

// stage makes the rows of a batch as a table, a file and texts.
func (b *logBed) stage() error {
	if err := b.exec("CREATE TABLE stage%s", logColumns); err != nil {
		return err
	}
	if err := b.apply("stage", opInsert, 0, b.f.same); err != nil {
		return err
	}
	if err := b.exec("COPY stage TO '%s'", b.file); err != nil {
		return err
	}
	var list strings.Builder
	for i := range logBatch {
		if i%logValues > 0 {
			list.WriteByte(',')
		}
		fmt.Fprintf(&list, "(%d,'%s',%d,%d,'%s','%s')", i+1, time.UnixMicro(b.f.date[i]).UTC().Format("2006-01-02 15:04:05"),
			b.f.delay[i], b.f.distance[i], b.f.origin(i), b.f.dest(i))
		if i%logValues == logValues-1 {
			b.values = append(b.values, list.String())
			list.Reset()
		}
	}
	return nil
}
