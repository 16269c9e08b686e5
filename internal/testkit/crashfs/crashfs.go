// Package crashfs is a file system in memory of which crash images can be taken
// while it is written.
//
// Main types: [FS].
package crashfs

import (
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// FS is a crashable MemFS whose files are not reused while an image is taken: its
// own ReuseForWrite takes one lock twice for reading, and an image that asks for it
// in between makes both wait for ever.
type FS struct {
	*vfs.MemFS
	images *sync.Mutex
}

// New returns an empty one. Who takes an image holds the lock.
func New(images *sync.Mutex) FS { return FS{vfs.NewCrashableMem(), images} }

// ReuseForWrite implements vfs.FS.
func (f FS) ReuseForWrite(old, name string, cat vfs.DiskWriteCategory) (vfs.File, error) {
	f.images.Lock()
	defer f.images.Unlock()
	return f.MemFS.ReuseForWrite(old, name, cat)
}
