package storage

import (
	"sync/atomic"
	"unsafe"

	"github.com/ivmc/ivmc/zset"
)

// stamp says when a row version was born and when it died: it is visible at t if
// born <= t < died. born is written before the version is published; died is
// read and written by atomic operations.
type stamp struct{ born, died uint64 }

func (s *stamp) visible(at TSO) bool {
	return s.born <= uint64(at) && uint64(at) < atomic.LoadUint64(&s.died)
}

// page is the immutable header of the n rows of up to 4096 row versions. Rows are appended by
// making a new header over the same arrays (see paged). When the array of stamps
// moves, readers of the old header see no deaths any more; none of those can be
// at or before the TSO that they read at.
type page struct {
	n       int
	cols    []zset.Column
	st      []stamp
	holes   *holes        // nil: the row of a version is at its offset
	dead    *atomic.Int32 // deaths so far of the rows, on any header
	maxBorn TSO
}

// allVisible reports whether all rows are visible at `at`, without looking at
// the stamps; false means unknown.
func (p *page) allVisible(at TSO) bool { return p.maxBorn <= at && p.dead.Load() == 0 }

// visible appends to sel the rows in [i, j) that are visible at `at`.
func (p *page) visible(at TSO, i, j int, sel []int32) []int32 {
	for k := i; k < j; k++ {
		if p.st[k].visible(at) {
			sel = append(sel, int32(k))
		}
	}
	return sel
}

// extend is a new header with rows [i, j) of b, born at tso, behind those of p,
// which may be nil. j-i rows fit.
func (p *page) extend(s *slab, types []zset.Type, f fills, b *zset.Batch, i, j int, tso TSO) *page {
	m := j - i
	q := &page{cols: make([]zset.Column, len(types)), maxBorn: tso}
	if p == nil {
		q.dead = new(atomic.Int32)
	} else {
		q.n, q.st, q.dead = p.n, p.st, p.dead
		copy(q.cols, p.cols)
	}
	room := roomFor(q.n, m)
	for c := range q.cols {
		col := &q.cols[c]
		if p == nil || c >= len(p.cols) {
			*col = f.column(c, types[c], q.n)
		}
		part := b.Cols[c].Slice(i, j)
		growTo(s, col, &part, q.n, m, room)
		col.AppendColumn(&part)
	}
	if cap(q.st) < q.n+m {
		st := array[stamp](s, room)[:q.n]
		copy(st, q.st) // only the writer writes died, so a plain read is right
		q.st = st
	}
	for range m {
		q.st = append(q.st, stamp{uint64(tso), uint64(Never)})
	}
	q.n += m
	return q
}

// roomFor is the capacity of a page's arrays that hold n rows and get m more:
// whole pages at once for bulk, doubling for small tables.
func roomFor(n, m int) int {
	room := 16
	for room < n+m {
		room *= 2
	}
	return min(room, pageRows)
}

const textAhead = 1 << 20 // bytes

// growTo moves the arrays of c, which has n cells, to ones with room for `room`,
// if there is none for the m cells of part. Text is expected to stay as long as it
// is on average, but no more than as much again is taken ahead of it, or textAhead.
func growTo(s *slab, c, part *zset.Column, n, m, room int) {
	switch c.Type.Phys() {
	case zset.PhysI64:
		c.I64 = withRoom(s, c.I64, n+m, room)
	case zset.PhysF64:
		c.F64 = withRoom(s, c.F64, n+m, room)
	default:
		c.Off = withRoom(s, c.Off, n+m+1, room+1)
		texts := s
		if m < pageRows { // what is expected may be wrong, and a slab takes nothing back
			texts = new(slab)
		}
		bytes := len(c.Buf) + int(part.Off[m]-part.Off[0])
		c.Buf = withRoom(texts, c.Buf, bytes, bytes+min(bytes/(n+m)*(room-n-m), max(bytes, textAhead)))
	}
	if c.Null != nil {
		c.Null = withRoom(s, c.Null, n+m, room)
	}
}

// withRoom is a, moved to memory for room elements if it has none for n.
func withRoom[T any](s *slab, a []T, n, room int) []T {
	if cap(a) >= n {
		return a
	}
	return append(array[T](s, room), a...)
}

// column is column c of p, of type t, as a relation with fills f shows it.
func (p *page) column(c int, t zset.Type, f fills) zset.Column {
	if c < len(p.cols) {
		return p.cols[c]
	}
	return f.column(c, t, p.n)
}

func (p *page) memBytes() int64 {
	n := int64(16 * cap(p.st))
	for i := range p.cols {
		n += p.cols[i].MemBytes()
	}
	if p.holes != nil && p.n > 0 {
		n += int64(unsafe.Sizeof(*p.holes))
	}
	return n
}
