package storage

import "golang.org/x/sys/unix"

// adviseHuge asks the kernel to back zeros with huge pages. The heap may have touched
// them in small pages before, which would stay: they are given back, and are zeros again
// when they are touched. It is a wish: without it everything is right, and slower.
func adviseHuge(zeros []byte) {
	if unix.Madvise(zeros, unix.MADV_HUGEPAGE) == nil {
		_ = unix.Madvise(zeros, unix.MADV_DONTNEED)
	}
}
