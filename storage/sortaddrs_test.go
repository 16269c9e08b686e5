package storage

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSortAddrs: a sorted copy, for short lists and long ones, of small numbers and large.
func TestSortAddrs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 255, 256, 5000}).Draw(rt, "n")
		limit := rapid.SampledFrom([]uint64{1, 2047, 2048, 1 << 22, 1<<63 - 1}).Draw(rt, "limit")
		seed := rapid.Uint64().Draw(rt, "seed")
		a := make([]Addr, n)
		for i := range a {
			seed = seed*6364136223846793005 + 1442695040888963407
			a[i] = Addr(seed >> 1 % (limit + 1))
		}
		want := slices.Clone(a)
		slices.Sort(want)
		if got, _ := sortAddrs(a, nil); !slices.Equal(got, want) {
			rt.Fatalf("%d addresses up to %d are out of order", n, limit)
		}
	})
}
