package runtime_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

var benchRows = flag.Int("rows", 300_000, "rows of the flights table of the benchmarks")

var flights = zset.Schema{
	{Name: "id", Type: zset.TInt8, NotNull: true}, {Name: "date", Type: zset.TTimestamp}, {Name: "delay", Type: zset.TInt8},
	{Name: "distance", Type: zset.TInt8}, {Name: "origin", Type: zset.TText}, {Name: "destination", Type: zset.TText},
}

var airports = zset.Schema{{Name: "iata", Type: zset.TText, NotNull: true}, {Name: "state", Type: zset.TText}}

var benchViews = []struct{ name, query string }{
	{"filter", "SELECT id, date, delay, distance, origin, destination FROM flights WHERE delay > 60"},
	{"group12", "SELECT extract(month FROM date) AS m, count(*) AS n, sum(delay) AS s, avg(delay) AS a FROM flights GROUP BY extract(month FROM date)"},
	{"group3400", "SELECT origin, destination, count(*) AS n, sum(delay) AS s, avg(delay) AS a FROM flights GROUP BY origin, destination"},
	{"join", "SELECT a.state, count(*) AS n, avg(f.delay) AS a FROM flights AS f JOIN airports AS a ON f.origin = a.iata GROUP BY a.state"},
	{"leftjoin", "SELECT a.iata, count(f.id) AS n FROM airports AS a LEFT JOIN flights AS f ON f.origin = a.iata GROUP BY a.iata"},
	{"minmax", "SELECT origin, min(delay) AS lo, max(delay) AS hi FROM flights GROUP BY origin"},
}

const benchAirports = 300

func airport(i int) []byte { return fmt.Appendf(nil, "A%02d", i) }

// flightRows are n made-up flights with ids from first.
func flightRows(r *rand.Rand, first, n int) *zset.Batch {
	b := zset.NewBatch(flights.Types(), n)
	for i := range n {
		b.Cols[0].AppendI64(int64(first + i))
		b.Cols[1].AppendI64(978307200_000000 + r.Int64N(365*86400)*1e6)
		b.Cols[2].AppendI64(int64(r.ExpFloat64()*40) - 20)
		b.Cols[3].AppendI64(100 + r.Int64N(2500))
		o := r.IntN(benchAirports)
		b.Cols[4].AppendBytes(airport(o))
		b.Cols[5].AppendBytes(airport((o + 1 + r.IntN(11)) % benchAirports))
	}
	b.N = n
	return b
}

func same(op storage.Op, n int) []storage.Op {
	ops := make([]storage.Op, n)
	for i := range ops {
		ops[i] = op
	}
	return ops
}

type bench struct {
	*db
	r    *rand.Rand
	rel  *storage.Relation
	next int
	live []storage.Addr // of rows
}

func newBench(b testing.TB, rows int) *bench {
	w := &bench{db: newDB(b), r: rand.New(rand.NewPCG(1, 2)), next: rows}
	w.table("flights", flights, []int{0})
	w.table("airports", airports, []int{0})
	a := zset.NewBatch(airports.Types(), benchAirports)
	for i := range benchAirports {
		a.Cols[0].AppendBytes(airport(i))
		a.Cols[1].AppendBytes(fmt.Appendf(nil, "S%d", i%50))
	}
	a.N = benchAirports
	w.commit(&storage.Change{Rel: w.id("airports"), Ops: same(storage.OpInsert, a.N), Rows: a})
	for at := 0; at < rows; at += 100_000 {
		n := min(100_000, rows-at)
		w.commit(&storage.Change{Rel: w.id("flights"), Ops: same(storage.OpInsert, n), Rows: flightRows(w.r, at, n)})
	}
	w.rel, _ = w.store.Relation(w.id("flights"))
	for i := range rows {
		w.live = append(w.live, storage.Addr(i))
	}
	return w
}

func (w *bench) commit(c *storage.Change) {
	if _, err := w.store.Commit(ctx, &storage.Commit{Changes: []*storage.Change{c}}, storage.CommitOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// pickLive takes n random live rows out.
func (w *bench) pickLive(n int) []storage.Addr {
	out := make([]storage.Addr, n)
	for i := range out {
		j := w.r.IntN(len(w.live))
		out[i] = w.live[j]
		w.live[j] = w.live[len(w.live)-1]
		w.live = w.live[:len(w.live)-1]
	}
	return out
}

func (w *bench) born(n int) {
	v := w.rel.Versions()
	for i := range n {
		w.live = append(w.live, storage.Addr(int(v)+i))
	}
}

// change makes a change of n rows: inserts, updates of delay, or deletes.
func (w *bench) change(kind string, n int) *storage.Change {
	c := &storage.Change{Rel: w.id("flights")}
	switch kind {
	case "insert":
		c.Ops, c.Rows = same(storage.OpInsert, n), flightRows(w.r, w.next, n)
		w.next += n
		w.born(n)
	case "delete":
		c.Ops, c.Dead = same(storage.OpDelete, n), w.pickLive(n)
	case "update":
		c.Ops, c.Dead = same(storage.OpUpdate, n), w.pickLive(n)
		c.Rows = zset.NewBatch(flights.Types(), n)
		w.rel.Gather(c.Dead, nil, c.Rows.Cols)
		c.Rows.N = n
		for i := range n {
			c.Rows.Cols[2].I64[i] = int64(w.r.ExpFloat64()*40) - 20
		}
		w.born(n)
	}
	return c
}

// cpu is the time that this process has spent on its processors: where others
// use the machine too, the only one worth comparing.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkStep times the step alone (step-ns/row) and commit and step together
// (ns/row), per changed row, for changes of several sizes.
func BenchmarkStep(b *testing.B) {
	w := newBench(b, *benchRows)
	for _, v := range benchViews {
		start := cpu()
		if _, err := w.view(v.name, v.query); err != nil {
			b.Fatal(err)
		}
		built := cpu() - start
		id := w.id(v.name)
		b.Run(v.name+"/build", func(b *testing.B) {
			b.ReportMetric(float64(built.Milliseconds()), "ms")
			b.ReportMetric(0, "ns/op")
		})
		for _, n := range []int{1, 1000, 100_000} {
			for _, kind := range []string{"insert", "update", "delete"} {
				b.Run(fmt.Sprintf("%s/%s/%d", v.name, kind, n), func(b *testing.B) {
					var ingest, step time.Duration
					for range b.N {
						c := w.change(kind, n)
						t0 := cpu()
						w.commit(c)
						t1 := cpu()
						if _, err := w.engine.Refresh(ctx, id, refresh.Incremental); err != nil {
							b.Fatal(err)
						}
						ingest += t1 - t0
						step += cpu() - t1
					}
					per := float64(b.N * n)
					b.ReportMetric(float64(step.Nanoseconds())/per, "step-ns/row")
					b.ReportMetric(float64((ingest+step).Nanoseconds())/per, "ns/row")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}
