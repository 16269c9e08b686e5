package storage

import (
	"testing"
	"unsafe"

	"github.com/ivmc/ivmc/zset"
)

// Arrays of a slab are aligned, zero, and no two share memory.
func TestSlabArrays(t *testing.T) {
	s := &slab{held: slabFrom}
	var all [][]uint64
	for i := range 3 * slabFrom / (8 * pageRows) {
		if i%7 == 0 {
			array[uint32](s, pageRows+1)
		}
		a := array[uint64](s, pageRows)
		if len(a) != 0 || cap(a) != pageRows {
			t.Fatalf("len %d, cap %d", len(a), cap(a))
		}
		a = a[:pageRows]
		if uintptr(unsafe.Pointer(&a[0]))%64 != 0 {
			t.Fatal("not at a line of memory")
		}
		for k := range a {
			if a[k] != 0 {
				t.Fatalf("array %d is not zero", i)
			}
			a[k] = uint64(i) + 1
		}
		all = append(all, a)
	}
	if a := array[byte](s, 3*slabMost); cap(a) != 3*slabMost {
		t.Fatalf("cap %d", cap(a))
	}
	for i, a := range all {
		for k := range a {
			if a[k] != uint64(i)+1 {
				t.Fatalf("array %d was written by another", i)
			}
		}
	}
}

// A view that was given up, and the one made in its place from the same base, do not write
// into each other's memory.
func TestSlabOfAViewGivenUp(t *testing.T) {
	types := []zset.Type{zset.TInt8, zset.TInt8}
	batch := func(from int64) *zset.Batch {
		b := zset.NewBatch(types, pageRows)
		for i := range int64(pageRows) {
			b.Cols[0].AppendI64(from + i)
			b.Cols[1].AppendI64(-from - i)
		}
		b.N = pageRows
		return b
	}
	v := &view{}
	for n := 0; v.slab.spare == nil; n += pageRows {
		v = v.grow(types, batch(int64(n)), 1)
	}
	given := v.grow(types, batch(1<<40), 2)
	next := v.clipped().grow(types, batch(1<<50), 2)
	for name, want := range map[*view]int64{given: 1 << 40, next: 1 << 50} {
		p := name.full[len(name.full)-1]
		for i := range int64(pageRows) {
			if p.cols[0].I64[i] != want+i || p.cols[1].I64[i] != -want-i {
				t.Fatalf("row %d is %d, %d and not of %d", i, p.cols[0].I64[i], p.cols[1].I64[i], want)
			}
		}
	}
}

// A small relation of long history has no slabs: a few live rows would hold all of one.
func TestNoSlabForRowsThatAreGone(t *testing.T) {
	types := []zset.Type{zset.TInt8}
	b := zset.NewBatch(types, pageRows)
	for i := range int64(pageRows) {
		b.Cols[0].AppendI64(i)
	}
	b.N = pageRows
	v := &view{}
	for range 4 * slabFrom / (24 * pageRows) {
		v = v.grow(types, b, 1)
		v.mem = 0 // as if its pages had been thinned
	}
	if v.slab.spare != nil {
		t.Fatal("has one")
	}
}
