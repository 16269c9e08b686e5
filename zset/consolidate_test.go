package zset

import (
	"testing"

	"pgregory.net/rapid"
)

// naive is the definition of consolidation, by row encoding and Go map.
func naive(bs ...*Batch) (order []string, w map[string]int64) {
	w = map[string]int64{}
	for _, b := range bs {
		for i := range b.N {
			var row []byte
			for c := range b.Cols {
				row = AppendRow(row, &b.Cols[c], i)
			}
			if _, seen := w[string(row)]; !seen {
				order = append(order, string(row))
			}
			w[string(row)] += b.Weight(i)
		}
	}
	return order, w
}

func checkConsolidated(t *rapid.T, got *Batch, bs ...*Batch) {
	order, w := naive(bs...)
	if !got.Consolidated || got.W != nil && len(got.W) != got.N {
		t.Fatalf("consolidated %t, %d weights of %d rows", got.Consolidated, len(got.W), got.N)
	}
	i := 0
	for _, want := range order {
		if w[want] == 0 {
			continue
		}
		if i >= got.N {
			t.Fatalf("only %d rows", got.N)
		}
		var row []byte
		for c := range got.Cols {
			if got.Cols[c].Len() != got.N {
				t.Fatalf("column %d has %d cells of %d", c, got.Cols[c].Len(), got.N)
			}
			row = AppendRow(row, &got.Cols[c], i)
		}
		if string(row) != want || got.Weight(i) != w[want] {
			t.Fatalf("row %d: % x weight %d, want % x weight %d", i, row, got.Weight(i), want, w[want])
		}
		i++
	}
	if i != got.N {
		t.Fatalf("%d rows, want %d", got.N, i)
	}
}

func TestConsolidate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := genBatch(genTypes().Draw(t, "types"), 30).Draw(t, "b")
		if b.N > 1 && rapid.Bool().Draw(t, "sliced") {
			b = b.Slice(1, b.N)
		}
		got := Consolidate(b)
		checkConsolidated(t, got, b)
		if Consolidate(got) != got {
			t.Fatal("a consolidated batch is consolidated anew")
		}
	})
}

func TestConsolidator(t *testing.T) {
	var c Consolidator // used again after Result
	rapid.Check(t, func(t *rapid.T) {
		ts := genTypes().Draw(t, "types")
		for range 2 {
			var bs []*Batch
			for range rapid.IntRange(1, 5).Draw(t, "batches") {
				b := genBatch(ts, 30).Draw(t, "b")
				if rapid.Bool().Draw(t, "consolidated") {
					b = Consolidate(b)
				}
				bs = append(bs, b)
				c.Add(b)
			}
			checkConsolidated(t, c.Result(), bs...)
			if c.Result() != nil || c.Len() != 0 {
				t.Fatal("not empty after Result")
			}
		}
	})
}

// Where hashes collide, cells decide.
func TestSameRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(allTypes).Draw(t, "type")
		a, b := genValue(typ).Draw(t, "a"), genValue(typ).Draw(t, "b")
		if rapid.Bool().Draw(t, "empty") {
			a, b = NullOf(typ), Value{Type: typ} // the content of both is the same
		}
		if got := sameRow([]Column{*one(a)}, 0, []Column{*one(b)}, 0); got != identical(a, b) {
			t.Fatalf("%s %q, %q: %t", typ, a.Text(), b.Text(), got)
		}
	})
}

// No columns: all rows are the empty row.
func TestConsolidateNoColumns(t *testing.T) {
	got := Consolidate(&Batch{N: 5})
	if got.N != 1 || got.Weight(0) != 5 {
		t.Errorf("%d rows, weight %d", got.N, got.Weight(0))
	}
	if got := Consolidate(&Batch{N: 2, W: []int64{1, -1}}); got.N != 0 {
		t.Errorf("%d rows", got.N)
	}
}

func BenchmarkConsolidate(b *testing.B) {
	const n = 100_000
	ts := []Type{TInt8, TTimestamp, TInt8, TFloat8, TText, TText}
	distinct := &Batch{Cols: benchColumns(n, ts...), N: n}
	halves := NewBatch(ts, n)
	halves.Append(distinct.Slice(0, n/2))
	halves.Append(distinct.Slice(0, n/2))
	halves.W = make([]int64, n)
	for i := range halves.W {
		halves.W[i] = 1 - 2*int64(i%2) // odd rows twice -1, even rows twice 1
	}
	cancel := *halves
	cancel.W = make([]int64, n)
	for i := range cancel.W {
		cancel.W[i] = 1
		if i >= n/2 {
			cancel.W[i] = -1
		}
	}
	for name, in := range map[string]*Batch{"distinct": distinct, "pairs": halves, "cancel": &cancel} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			measure(b, n, func() { Consolidate(in) })
		})
	}
	b.Run("many", func(b *testing.B) {
		var c Consolidator
		measure(b, n, func() {
			for lo := 0; lo < n; lo += 4096 {
				c.Add(halves.Slice(lo, min(lo+4096, n)))
			}
			c.Result()
		})
	})
}
