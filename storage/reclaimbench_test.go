package storage

import (
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ivmc/ivmc/zset"
)

// BenchmarkHistory updates one row of a thousand 200 thousand times, with history
// kept and off, and tells what is left in memory and on the disk, and how long an
// open takes.
func BenchmarkHistory(b *testing.B) {
	for _, c := range []struct {
		name string
		keep Retention
	}{{"kept", Retention{}}, {"off", Retention{Off: true}}} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				history200k(b, c.keep)
			}
		})
	}
}

func history200k(b *testing.B, keep Retention) {
	dir := b.TempDir() + "/db"
	open := func() *Store {
		s, err := Open(dir, &Options{NoSync: true})
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	s := open()
	id := s.NewID()
	mustCommit(b, s, &Commit{Catalog: []CatalogChange{{Put: &Object{ID: id, Kind: Table, Name: "flights", Schema: flightSchema, Key: []int{0}, Retention: keep}}}})
	rng := rand.New(rand.NewPCG(1, 1))
	mustCommit(b, s, &Commit{Changes: []*Change{{Rel: id, Ops: opsOf(OpInsert, 1000), Rows: flights(rng, 0, 1000)}}})
	r, err := s.Relation(id)
	if err != nil {
		b.Fatal(err)
	}
	addr := make([]Addr, 1000)
	for i := range addr {
		addr[i] = Addr(i)
	}
	rows := flights(rng, 0, 1000)
	var cpu timer
	cpu.start()
	for i := range 200_000 {
		k := rng.IntN(1000)
		mustCommit(b, s, &Commit{Changes: []*Change{{Rel: id, Ops: []Op{OpUpdate}, Rows: rows.Slice(k, k+1), Dead: []Addr{addr[k]}, SameKey: true}}})
		addr[k] = Addr(1000 + i)
	}
	cpu.stop()
	mem := r.MemBytes()
	z, err := s.Size(id)
	if err != nil {
		b.Fatal(err)
	}
	mustClose(b, s)
	size := int64(0)
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			size += info.Size()
		}
		return err
	})
	r = nil
	runtime.GC()
	began, before := time.Now(), cpuTime()
	s = open()
	if r, err = s.Relation(id); err != nil || r.Rows(s.Applied()) != 1000 {
		b.Fatal(r, err)
	}
	b.ReportMetric(float64(time.Since(began).Microseconds())/1000, "open-ms")
	b.ReportMetric(float64((cpuTime()-before).Microseconds())/1000, "open-cpu-ms")
	mustClose(b, s)
	b.ReportMetric(float64(mem)/(1<<20), "MiB-memory")
	b.ReportMetric(float64(size)/(1<<20), "MiB-disk")
	b.ReportMetric(float64(z.LogBytes)/(1<<20), "MiB-log")
	b.ReportMetric(float64(cpu.sum.Nanoseconds())/200_000, "cpu-ns/update")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkHoles measures what the question for holes costs a look-up of pages that
// have none: both forms take turns on the same keys of one table.
func BenchmarkHoles(b *testing.B) {
	s, id, _ := benchStore(b, false)
	defer mustClose(b, s)
	r := load(b, s, id, 3_000_000)
	v := r.view.Load()
	rng := rand.New(rand.NewPCG(2, 1))
	addrs := make([]Addr, commitRows)
	for i := range addrs {
		addrs[i] = Addr(rng.IntN(3_000_000))
	}
	ids := zset.NewColumn(zset.TInt8, commitRows)
	for _, a := range addrs {
		ids.AppendI64(int64(a))
	}
	var k zset.Keys
	k.EncodeKeys([]zset.Column{ids}, commitRows)
	out := make([]Addr, commitRows)
	var ask, plain, find timer
	sum := uint64(0)
	b.ResetTimer()
	for i := range b.N {
		for side := range 2 { // who comes second finds the caches warm
			if (i+side)%2 == 0 {
				ask.start()
				for _, a := range addrs {
					sum += atomic.LoadUint64(&v.stamp(a).died)
				}
				ask.stop()
				continue
			}
			plain.start()
			for _, a := range addrs {
				sum += atomic.LoadUint64(&v.flat(a).died)
			}
			plain.stop()
		}
		find.start()
		r.FindKey(&k, s.Applied(), out)
		find.stop()
	}
	n := float64(b.N * commitRows)
	b.ReportMetric(float64(ask.sum.Nanoseconds())/n, "cpu-ns/stamp")
	b.ReportMetric(float64(plain.sum.Nanoseconds())/n, "cpu-ns/stamp-plain")
	b.ReportMetric(float64(find.sum.Nanoseconds())/n, "cpu-ns/FindKey")
	b.ReportMetric(0, "ns/op")
	if sum == 1 {
		b.Fatal()
	}
}
