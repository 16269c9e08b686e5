package storage

import (
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// gate stands between Pebble and the file system.
//
// Pebble takes the process down when a write of its own log or manifest fails
// (it panics with its mutex released, which Go does not let anybody recover). So
// from the first failed write on, the gate freezes the disk: it notes the error,
// and every later change of a file does nothing and says that all is well. What
// stands on the disk is then what a crash at that moment leaves, which recovery
// handles; the store refuses every commit, for it looks at the gate before it
// acknowledges one. New tables are the exception, since Pebble reads them back:
// making one waits until the store is closed, and fails then.
//
// After close nothing reaches the disk any more, whatever still runs.
type gate struct {
	vfs.FS
	armed   atomic.Bool   // Open is done: failures freeze instead of being returned
	frozen  atomic.Bool   // no change reaches the disk
	closing chan struct{} // closed by close

	mu    sync.Mutex
	cause error // of the freeze
	locks []*gateLock
}

func newGate(fs vfs.FS) *gate { return &gate{FS: fs, closing: make(chan struct{})} }

// Unwrap is for vfs.Root.
func (g *gate) Unwrap() vfs.FS { return g.FS }

// failure is the error that froze the gate, or nil.
func (g *gate) failure() error {
	if !g.frozen.Load() {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cause
}

// freeze stops all changes because of err; the first one counts.
func (g *gate) freeze(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cause == nil {
		g.cause = err
	}
	g.frozen.Store(true)
}

// release lets those go who wait in the frozen gate; then, by close, the locks.
func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.closing:
	default:
		close(g.closing)
	}
}

// close freezes the gate for good and gives up the locks.
func (g *gate) close() {
	g.freeze(ErrClosed)
	g.release()
	g.mu.Lock()
	locks := g.locks
	g.locks = nil
	g.mu.Unlock()
	for _, l := range locks {
		_ = l.Close() // the lock goes with the process at the latest
	}
}

// change runs f, which changes a file, unless the gate is frozen.
func (g *gate) change(f func() error) error {
	if g.frozen.Load() {
		return nil
	}
	err := f()
	if err == nil || !g.armed.Load() || oserror.IsNotExist(err) {
		return err
	}
	g.freeze(err)
	return nil
}

// isTable reports whether name is a file that Pebble reads back after writing it.
func isTable(name string) bool {
	return strings.HasSuffix(name, ".sst") || strings.HasSuffix(name, ".blob")
}

// table waits in a frozen gate until it is closed.
func (g *gate) table() error {
	<-g.closing
	if err := g.failure(); err != nil {
		return err
	}
	return ErrFailed
}

// create runs f, which makes or reuses a file.
func (g *gate) create(name string, f func() (vfs.File, error)) (vfs.File, error) {
	table := isTable(name)
	if g.frozen.Load() {
		if table {
			return nil, g.table()
		}
		return &gateFile{g: g, name: name}, nil
	}
	file, err := f()
	switch {
	case err == nil:
		return &gateFile{File: file, g: g, name: name, table: table}, nil
	case !g.armed.Load() || oserror.IsNotExist(err):
		return nil, err
	}
	g.freeze(err)
	if table {
		return nil, err
	}
	return &gateFile{g: g, name: name}, nil
}

func (g *gate) Create(name string, cat vfs.DiskWriteCategory) (vfs.File, error) {
	return g.create(name, func() (vfs.File, error) { return g.FS.Create(name, cat) })
}

func (g *gate) ReuseForWrite(old, name string, cat vfs.DiskWriteCategory) (vfs.File, error) {
	return g.create(name, func() (vfs.File, error) { return g.FS.ReuseForWrite(old, name, cat) })
}

func (g *gate) OpenReadWrite(name string, cat vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return g.create(name, func() (vfs.File, error) { return g.FS.OpenReadWrite(name, cat, opts...) })
}

func (g *gate) OpenDir(name string) (vfs.File, error) {
	return g.create(name, func() (vfs.File, error) { return g.FS.OpenDir(name) })
}

func (g *gate) Link(old, name string) error {
	return g.change(func() error { return g.FS.Link(old, name) })
}

func (g *gate) Remove(name string) error {
	return g.change(func() error { return g.FS.Remove(name) })
}

func (g *gate) RemoveAll(name string) error {
	return g.change(func() error { return g.FS.RemoveAll(name) })
}

func (g *gate) Rename(old, name string) error {
	return g.change(func() error { return g.FS.Rename(old, name) })
}

func (g *gate) MkdirAll(dir string, perm os.FileMode) error {
	return g.change(func() error { return g.FS.MkdirAll(dir, perm) })
}

// Lock keeps the lock, so that it can be given up even if Pebble does not.
func (g *gate) Lock(name string) (io.Closer, error) {
	c, err := g.FS.Lock(name)
	if err != nil {
		return nil, err
	}
	l := &gateLock{c: c}
	g.mu.Lock()
	g.locks = append(g.locks, l)
	g.mu.Unlock()
	return l, nil
}

type gateLock struct {
	once sync.Once
	c    io.Closer
	err  error
}

func (l *gateLock) Close() error {
	l.once.Do(func() { l.err = l.c.Close() })
	return l.err
}

// gateFile is a file that is written. Without a File it is one that was made
// after the freeze: nothing is in it.
type gateFile struct {
	vfs.File
	g     *gate
	name  string
	table bool
}

// write runs f, which changes the file.
func (f *gateFile) write(do func() error) error {
	if f.g.frozen.Load() || f.File == nil {
		if f.table {
			return f.g.table()
		}
		return nil
	}
	err := do()
	if err == nil || !f.g.armed.Load() {
		return err
	}
	f.g.freeze(err)
	if f.table {
		return err
	}
	return nil
}

func (f *gateFile) Write(p []byte) (int, error) {
	n := len(p)
	return n, f.write(func() (err error) { _, err = f.File.Write(p); return err })
}

func (f *gateFile) WriteAt(p []byte, off int64) (int, error) {
	n := len(p)
	return n, f.write(func() (err error) { _, err = f.File.WriteAt(p, off); return err })
}

func (f *gateFile) Sync() error     { return f.write(func() error { return f.File.Sync() }) }
func (f *gateFile) SyncData() error { return f.write(func() error { return f.File.SyncData() }) }

func (f *gateFile) SyncTo(n int64) (full bool, err error) {
	err = f.write(func() (err error) { full, err = f.File.SyncTo(n); return err })
	return full, err
}

func (f *gateFile) Preallocate(off, n int64) error {
	return f.write(func() error { return f.File.Preallocate(off, n) })
}

func (f *gateFile) Close() error {
	if f.File == nil {
		return nil
	}
	err := f.File.Close()
	if err != nil && f.g.armed.Load() && !f.table {
		f.g.freeze(err)
		return nil
	}
	return err
}

func (f *gateFile) Read(p []byte) (int, error) {
	if f.File == nil {
		return 0, io.EOF
	}
	return f.File.Read(p)
}

func (f *gateFile) ReadAt(p []byte, off int64) (int, error) {
	if f.File == nil {
		return 0, io.EOF
	}
	return f.File.ReadAt(p, off)
}

func (f *gateFile) Stat() (vfs.FileInfo, error) {
	if f.File == nil {
		return nil, ErrFailed
	}
	return f.File.Stat()
}

func (f *gateFile) Prefetch(off, n int64) error {
	if f.File == nil {
		return nil
	}
	return f.File.Prefetch(off, n)
}

func (f *gateFile) Fd() uintptr {
	if f.File == nil {
		return vfs.InvalidFd
	}
	return f.File.Fd()
}
