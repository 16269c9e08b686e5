package storage

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of one on the machines that have them.
const hugePage = 2 << 20

// inHugePages asks the kernel to back a large table, not touched yet, with huge pages:
// a look-up at a random place of it is then no miss of the table of pages as well. It
// is a wish: without it everything is right, and slower.
func inHugePages[T any](s []T) []T {
	n := uintptr(len(s)) * unsafe.Sizeof(s[0])
	if n < 2*hugePage {
		return s
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(s)))
	skip := -from & (hugePage - 1)
	size := (n - skip) &^ (hugePage - 1)
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), n)
	_ = unix.Madvise(b[skip:skip+size], unix.MADV_HUGEPAGE)
	return s
}
