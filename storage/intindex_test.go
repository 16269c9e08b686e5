package storage

import (
	"math/rand/v2"
	"testing"

	"github.com/ivmc/ivmc/zset"
)

func intKeys(n int, key func(i int) int64) *zset.Keys {
	c := zset.NewColumn(zset.Type{Kind: zset.Int8}, n)
	for i := range n {
		c.AppendI64(key(i))
	}
	var k zset.Keys
	k.EncodeKeys([]zset.Column{c}, n)
	return &k
}

// BenchmarkIntIndex: 100 thousand random keys of 2.9 million are looked up, and get a
// version more.
func BenchmarkIntIndex(b *testing.B) {
	const rows, n = 2_900_000, 100_000
	x := newIntIndex()
	for lo := 0; lo < rows; lo += n {
		x.reserve(n)
		x.add(intKeys(n, func(i int) int64 { return int64(lo + i) }), &adding{addr: func(i int) Addr { return Addr(lo + i) }})
	}
	random := make([]*zset.Keys, 8)
	for i := range random {
		random[i] = intKeys(n, func(int) int64 { return rand.Int64N(rows) })
	}
	b.Run("find", func(b *testing.B) {
		v, out := &view{n: 1 << 31}, make([]uint32, n)
		for i := range b.N {
			x.find(random[i%8], v, out)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/key")
	})
	b.Run("add", func(b *testing.B) {
		for i := range b.N {
			at := rows + i%100*n // the same addresses again and again: memory stays as it is
			x.add(random[i%8], &adding{addr: func(i int) Addr { return Addr(at + i) }})
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/key")
	})
}
