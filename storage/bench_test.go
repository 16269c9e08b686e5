package storage

import (
	"errors"
	"io"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/ivmc/ivmc/zset"
)

// flightSchema is that of the project's benchmark data.
var flightSchema = zset.Schema{{Name: "id", Type: zset.TInt8}, {Name: "date", Type: zset.TTimestamp}, {Name: "delay", Type: zset.TInt8},
	{Name: "distance", Type: zset.TInt8}, {Name: "origin", Type: zset.TText}, {Name: "destination", Type: zset.TText}}

const commitRows = 100_000

// flights makes n rows from id on.
func flights(rng *rand.Rand, id, n int) *zset.Batch {
	b := zset.NewBatch(flightSchema.Types(), n)
	var code [3]byte
	for i := range n {
		b.Cols[0].AppendI64(int64(id + i))
		b.Cols[1].AppendI64(978_307_200_000_000 + 60_000_000*rng.Int64N(525_600))
		b.Cols[2].AppendI64(rng.Int64N(1500) - 60)
		b.Cols[3].AppendI64(rng.Int64N(4900))
		for _, c := range []int{4, 5} {
			k := rng.IntN(300)
			code[0], code[1], code[2] = byte('A'+k%7), byte('A'+k/7%7), byte('A'+k/49)
			b.Cols[c].AppendBytes(code[:])
		}
		b.N++
	}
	return b
}

func opsOf(op Op, n int) []Op {
	ops := make([]Op, n)
	for i := range ops {
		ops[i] = op
	}
	return ops
}

// benchStore is an empty table of flights; durable: on the disk, else volatile and
// in memory.
func benchStore(b *testing.B, durable bool) (*Store, ID, func() *Store) {
	b.Helper()
	opts, dir := Options{FS: vfs.NewMem(), Memory: true}, "db"
	if durable {
		opts, dir = Options{}, b.TempDir()+"/db"
	}
	open := func() *Store {
		s, err := Open(dir, &opts)
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	s := open()
	id := s.NewID()
	mustCommit(b, s, &Commit{Catalog: []CatalogChange{{Put: &Object{ID: id, Kind: Table, Name: "flights", Schema: flightSchema, Key: []int{0}}}}})
	return s, id, open
}

func load(b *testing.B, s *Store, id ID, rows int) *Relation {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	ops := opsOf(OpInsert, commitRows)
	for at := 0; at < rows; at += commitRows {
		mustCommit(b, s, &Commit{Changes: []*Change{{Rel: id, Ops: ops, Rows: flights(rng, at, commitRows)}}})
	}
	r, err := s.Relation(id)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// cpuTime is the processor time of the process so far: on a shared machine the
// clock on the wall tells little.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// timer adds up processor time between start and stop.
type timer struct{ sum, from time.Duration }

func (t *timer) start() { t.from = cpuTime() }
func (t *timer) stop()  { t.sum += cpuTime() - t.from }

func (t *timer) perRow(b *testing.B, rows int) {
	b.ReportMetric(float64(t.sum.Nanoseconds())/float64(rows), "cpu-ns/row")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkInsert(b *testing.B) {
	for _, mode := range []string{"volatile", "durable"} {
		b.Run(mode, func(b *testing.B) {
			s, id, _ := benchStore(b, mode == "durable")
			defer mustClose(b, s)
			rng := rand.New(rand.NewPCG(1, 1))
			ops, at, cpu := opsOf(OpInsert, commitRows), 0, timer{}
			b.ResetTimer()
			for range b.N {
				b.StopTimer()
				rows := flights(rng, at, commitRows)
				b.StartTimer()
				cpu.start()
				mustCommit(b, s, &Commit{Changes: []*Change{{Rel: id, Ops: ops, Rows: rows}}})
				cpu.stop()
				at += commitRows
			}
			cpu.perRow(b, at)
		})
	}
}

// BenchmarkUpdate finds 100 thousand random rows of 3 million by key and writes
// new versions of them.
func BenchmarkUpdate(b *testing.B) {
	for _, mode := range []string{"volatile", "durable"} {
		b.Run(mode, func(b *testing.B) {
			s, id, _ := benchStore(b, mode == "durable")
			defer mustClose(b, s)
			r := load(b, s, id, 3_000_000)
			rng := rand.New(rand.NewPCG(2, 1))
			ops, cpu := opsOf(OpUpdate, commitRows), timer{}
			b.ResetTimer()
			for range b.N {
				b.StopTimer()
				rows := flights(rng, 0, commitRows)
				for i, id := range rng.Perm(3_000_000)[:commitRows] {
					rows.Cols[0].I64[i] = int64(id)
				}
				b.StartTimer()
				cpu.start()
				var k zset.Keys
				addrs := make([]Addr, commitRows)
				k.EncodeKeys(rows.Cols[:1], commitRows)
				at := s.Applied()
				r.FindKey(&k, at, addrs)
				mustCommit(b, s, &Commit{Begin: at, Changes: []*Change{{Rel: id, Ops: ops, Rows: rows, Dead: addrs}}})
				cpu.stop()
			}
			cpu.perRow(b, b.N*commitRows)
		})
	}
}

func BenchmarkSmallCommit(b *testing.B) {
	for _, mode := range []string{"volatile", "durable"} {
		b.Run(mode, func(b *testing.B) {
			s, id, _ := benchStore(b, mode == "durable")
			defer mustClose(b, s)
			rng := rand.New(rand.NewPCG(2, 1))
			rows := flights(rng, 0, b.N)
			b.ResetTimer()
			for i := range b.N {
				mustCommit(b, s, &Commit{Changes: []*Change{{Rel: id, Ops: []Op{OpInsert}, Rows: rows.Slice(i, i+1)}}})
			}
		})
	}
}

func count6(b *testing.B, c *Cursor) (n int, sum int64) {
	for {
		batch, err := c.Next(ctx)
		if errors.Is(err, io.EOF) {
			return n, sum
		}
		if err != nil {
			b.Fatal(err)
		}
		n += batch.N
		for i := range batch.Cols {
			sum += int64(batch.Cols[i].Len())
		}
	}
}

func BenchmarkRead(b *testing.B) {
	s, id, open := benchStore(b, true)
	r := load(b, s, id, 3_000_000)
	t0 := s.Applied()
	rng := rand.New(rand.NewPCG(2, 1))
	b.Run("ScanClean", func(b *testing.B) {
		var cpu timer
		cpu.start()
		n := 0
		for range b.N {
			k, _ := count6(b, r.Scan(t0, nil, false))
			n += k
		}
		cpu.stop()
		cpu.perRow(b, n)
	})
	rows := flights(rng, 0, commitRows)
	for i, id := range rng.Perm(3_000_000)[:commitRows] {
		rows.Cols[0].I64[i] = int64(id)
	}
	var k zset.Keys
	addrs := make([]Addr, commitRows)
	k.EncodeKeys(rows.Cols[:1], commitRows)
	b.Run("FindKey", func(b *testing.B) {
		var cpu timer
		cpu.start()
		for range b.N {
			r.FindKey(&k, t0, addrs)
		}
		cpu.stop()
		cpu.perRow(b, b.N*commitRows)
	})
	b.Run("Gather", func(b *testing.B) {
		var cpu timer
		cpu.start()
		for range b.N {
			out := zset.NewBatch(flightSchema.Types(), commitRows)
			r.Gather(addrs, nil, out.Cols)
		}
		cpu.stop()
		cpu.perRow(b, b.N*commitRows)
	})
	b.Run("ArrangeBuild", func(b *testing.B) {
		var cpu timer
		cpu.start()
		for range b.N {
			a, err := r.Arrange(Spec{ID: "origin", Cols: []int{4}})
			if err != nil {
				b.Fatal(err)
			}
			if err := a.Advance(ctx, t0); err != nil {
				b.Fatal(err)
			}
			r.Drop("origin")
		}
		cpu.stop()
		cpu.perRow(b, b.N*3_000_000)
	})
	b.Run("Lookup", func(b *testing.B) {
		var cpu timer
		cpu.start()
		a, err := r.Arrange(Spec{ID: "id", Cols: []int{0}})
		if err != nil {
			b.Fatal(err)
		}
		if err := a.Advance(ctx, t0); err != nil {
			b.Fatal(err)
		}
		b.ResetTimer()
		n := 0
		cpu.start()
		for range b.N {
			var c LookupCursor
			for more := true; more; {
				var addrs []Addr
				_, addrs, more = a.Lookup(&k, t0, &c)
				n += len(addrs)
			}
		}
		cpu.stop()
		cpu.perRow(b, n)
		r.Drop("id")
	})
	t1 := mustCommit(b, s, &Commit{Begin: t0, Changes: []*Change{{Rel: id, Ops: opsOf(OpUpdate, commitRows), Rows: rows, Dead: addrs}}})
	b.Run("ScanUpdated", func(b *testing.B) {
		var cpu timer
		cpu.start()
		n := 0
		for range b.N {
			k, _ := count6(b, r.Scan(t1, nil, false))
			n += k
		}
		cpu.stop()
		cpu.perRow(b, n)
	})
	b.Run("Changes", func(b *testing.B) {
		var cpu timer
		cpu.start()
		n := 0
		for range b.N {
			k, _ := count6(b, r.Changes(t0, t1, nil))
			n += k
		}
		cpu.stop()
		cpu.perRow(b, n)
	})
	mustClose(b, s)
	b.Run("Reopen", func(b *testing.B) {
		var cpu timer
		cpu.start()
		for range b.N {
			s := open()
			r, err := s.Relation(id)
			if err != nil {
				b.Fatal(err)
			}
			if r.Rows(s.Applied()) != 3_000_000 {
				b.Fatal("rows are missing")
			}
			b.StopTimer()
			mustClose(b, s)
			b.StartTimer()
		}
		cpu.stop()
		cpu.perRow(b, b.N*3_100_000)
	})
}

func BenchmarkEncode(b *testing.B) {
	rows := flights(rand.New(rand.NewPCG(1, 1)), 0, blockRows)
	src := blockSource{rows: rows, to: rows.N, ops: opsOf(OpInsert, rows.N)}
	var buf []byte
	for range b.N {
		buf = appendBlock(buf[:0], &src)
	}
	b.ReportMetric(float64(len(buf))/float64(rows.N), "B/row")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows.N*6), "ns/cell")
}

func BenchmarkDecode(b *testing.B) {
	rows := flights(rand.New(rand.NewPCG(1, 1)), 0, blockRows)
	buf := appendBlock(nil, &blockSource{rows: rows, to: rows.N, ops: opsOf(OpInsert, rows.N)})
	seal(buf, 1, 0, 0)
	var p logPart
	for range b.N {
		h, body, _ := openBlock(buf)
		if fault := p.decode(&h, body, flightSchema.Types(), nil); fault != "" {
			b.Fatal(fault)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows.N*6), "ns/cell")
}
