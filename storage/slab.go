package storage

import "unsafe"

// hugePage is the size of one on the machines that have them.
const hugePage = 2 << 20

// hugeMemory is n bytes, rounded up to whole huge pages, of zeros: a look at a random
// place of a large table is then one miss of memory, and not some more for the tables
// that translate its address, of this machine and of one that it may be a guest of.
func hugeMemory(n int) []byte {
	n = (n + hugePage - 1) &^ (hugePage - 1)
	b := make([]byte, n+hugePage)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (hugePage - 1))
	b = b[skip : skip+n : skip+n]
	adviseHuge(b)
	return b
}

// slab is where the arrays of a large relation's pages are taken from, many from one
// piece of memory, which lives as long as any of them. A copy of the struct shares
// that memory, so one writer at a time takes from the newest copy only (see paged).
type slab struct {
	spare []byte
	held  int64 // bytes of the relation's full pages: one that dies as fast as it is born gets none
}

const (
	slabFrom = 4 << 20  // bytes of full pages from which a relation has slabs
	slabMost = 64 << 20 // of one
)

// array is an empty slice with room for n values of T, which has no pointers: of s if it
// is one of a full page, and the relation is large. One of very long texts lies alone.
func array[T any](s *slab, n int) []T {
	var t T
	size := int(unsafe.Sizeof(t)) * n
	if n < pageRows || s.held < slabFrom || size > hugePage {
		return make([]T, 0, n)
	}
	size = (size + 63) &^ 63
	if len(s.spare) < size {
		s.spare = hugeMemory(int(min(max(s.held/4, slabFrom), slabMost)))
	}
	b := s.spare[:size:size]
	s.spare = s.spare[size:]
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)[:0]
}

// settle moves the arrays of a full page, which nobody else has yet, to s.
func (p *page) settle(s *slab) {
	for i := range p.cols {
		c := &p.cols[i]
		c.I64, c.F64, c.Off, c.Buf, c.Null = settled(s, c.I64), settled(s, c.F64), settled(s, c.Off), settled(s, c.Buf), settled(s, c.Null)
	}
	p.st = settled(s, p.st)
}

func settled[T any](s *slab, a []T) []T {
	if len(a) < pageRows {
		return a
	}
	return append(array[T](s, len(a)), a...)
}
