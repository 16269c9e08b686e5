package storage

import (
	"errors"
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
// from the first failed write on, the gate freezes the disk: it notes the error;
// every later change of a file there does nothing and says that all is well; new
// files are made in memory, and tables that were half written, which Pebble reads
// back, move there. What stands on the disk is what a crash at that
// moment leaves, which recovery handles; Pebble goes on and serves reads; and the
// store refuses every commit, for it looks at the gate before it acknowledges one.
//
// After close nothing reaches the disk any more, whatever still runs.
type gate struct {
	vfs.FS
	armed  atomic.Bool // Pebble runs: failures freeze instead of being returned
	frozen atomic.Bool // no change reaches the disk
	after  *vfs.MemFS  // the files made since

	mu    sync.Mutex
	cause error // of the freeze
	locks []*gateLock
}

func newGate(fs vfs.FS) *gate { return &gate{FS: fs, after: vfs.NewMem()} }

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

// close freezes the gate for good and gives up the locks.
func (g *gate) close() {
	g.freeze(ErrClosed)
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

// create runs f, which makes or reuses a file; m does the same in memory.
func (g *gate) create(name string, f func() (vfs.File, error), m func() (vfs.File, error)) (vfs.File, error) {
	if !g.frozen.Load() {
		file, err := f()
		switch {
		case err == nil:
			return &gateFile{File: file, g: g, name: name}, nil
		case !g.armed.Load() || oserror.IsNotExist(err):
			return nil, err
		}
		g.freeze(err)
	}
	if err := g.after.MkdirAll(g.FS.PathDir(name), dirMode); err != nil {
		return nil, err
	}
	return m()
}

func (g *gate) makeAfter(name string) func() (vfs.File, error) {
	return func() (vfs.File, error) { return g.after.Create(name, vfs.WriteCategoryUnspecified) }
}

func (g *gate) Create(name string, cat vfs.DiskWriteCategory) (vfs.File, error) {
	return g.create(name, func() (vfs.File, error) { return g.FS.Create(name, cat) }, g.makeAfter(name))
}

func (g *gate) ReuseForWrite(old, name string, cat vfs.DiskWriteCategory) (vfs.File, error) {
	return g.create(name, func() (vfs.File, error) { return g.FS.ReuseForWrite(old, name, cat) }, g.makeAfter(name))
}

func (g *gate) OpenReadWrite(name string, cat vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return g.create(name, func() (vfs.File, error) { return g.FS.OpenReadWrite(name, cat, opts...) }, g.makeAfter(name))
}

func (g *gate) OpenDir(name string) (vfs.File, error) {
	return g.create(g.FS.PathJoin(name, "."), func() (vfs.File, error) { return g.FS.OpenDir(name) },
		func() (vfs.File, error) { return g.after.OpenDir(name) })
}

func (g *gate) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if g.frozen.Load() {
		if f, err := g.after.Open(name, opts...); err == nil {
			return f, nil
		}
	}
	f, err := g.FS.Open(name, opts...)
	if err == nil && strings.HasSuffix(name, ".blob") {
		if err := checkBlob(f, name); err != nil {
			_ = f.Close() // it was read only
			return nil, err
		}
	}
	return f, err
}

func (g *gate) Stat(name string) (vfs.FileInfo, error) {
	if g.frozen.Load() {
		if i, err := g.after.Stat(name); err == nil {
			return i, nil
		}
	}
	return g.FS.Stat(name)
}

func (g *gate) Link(old, name string) error {
	return g.change(func() error { return g.FS.Link(old, name) })
}

func (g *gate) Remove(name string) error {
	if g.frozen.Load() && g.after.Remove(name) == nil {
		return nil
	}
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

// gateFile is a file of the disk that is written, or a directory that is synced.
// It has one writer.
type gateFile struct {
	vfs.File
	g    *gate
	name string
	n    int64    // bytes written
	mem  vfs.File // where a table goes on after the freeze
}

func (f *gateFile) Write(p []byte) (int, error) {
	if f.mem == nil && !f.g.frozen.Load() {
		n, err := f.File.Write(p)
		if err == nil {
			f.n += int64(n)
			return n, nil
		}
		if !f.g.armed.Load() {
			return n, err
		}
		f.g.freeze(err)
	}
	if !isTable(f.name) {
		return len(p), nil
	}
	if f.mem == nil {
		if err := f.move(); err != nil {
			return 0, err
		}
	}
	return f.mem.Write(p)
}

// move copies what is written so far to memory.
func (f *gateFile) move() error {
	written := make([]byte, f.n)
	old, err := f.g.FS.Open(f.name)
	if err != nil {
		return err
	}
	_, err = io.ReadFull(io.NewSectionReader(old, 0, f.n), written)
	if err := errors.Join(err, old.Close()); err != nil {
		return err
	}
	if err := f.g.after.MkdirAll(f.g.FS.PathDir(f.name), dirMode); err != nil {
		return err
	}
	if f.mem, err = f.g.after.Create(f.name, vfs.WriteCategoryUnspecified); err != nil {
		return err
	}
	_, err = f.mem.Write(written)
	return err
}

// WriteAt is used for small files that are read at the next Open only.
func (f *gateFile) WriteAt(p []byte, off int64) (int, error) {
	n := len(p)
	return n, f.change(func() (err error) { _, err = f.File.WriteAt(p, off); return err })
}

// change runs f, which changes the file, unless the gate is frozen.
func (f *gateFile) change(do func() error) error {
	if f.g.frozen.Load() {
		return nil
	}
	err := do()
	if err == nil || !f.g.armed.Load() {
		return err
	}
	f.g.freeze(err)
	return nil
}

func (f *gateFile) Sync() error     { return f.change(func() error { return f.File.Sync() }) }
func (f *gateFile) SyncData() error { return f.change(func() error { return f.File.SyncData() }) }

func (f *gateFile) SyncTo(n int64) (full bool, err error) {
	err = f.change(func() (err error) { full, err = f.File.SyncTo(n); return err })
	return full, err
}

func (f *gateFile) Preallocate(off, n int64) error {
	return f.change(func() error { return f.File.Preallocate(off, n) })
}

func (f *gateFile) Close() error {
	err := f.File.Close()
	if f.mem != nil {
		_ = f.mem.Close() // of memory
	}
	if err == nil || !f.g.armed.Load() {
		return err
	}
	f.g.freeze(err)
	return nil
}
