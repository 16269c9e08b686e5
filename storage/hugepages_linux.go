package storage

import "golang.org/x/sys/unix"

// adviseHuge asks the kernel to back memory that was not touched yet with huge pages. It
// is a wish: without it everything is right, and slower.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
