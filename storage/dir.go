package storage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Files of ours beside Pebble's. A directory without a mark is not a store, and
// nothing is written to it. The mark holds the format version, so that Pebble never
// sees a store of another one. While a store is being made there is the mark of the
// making too: Pebble does not survive a crash in its first moments, so a store
// that has it is made anew; nothing was acknowledged yet.
const (
	markName   = "IVMC"
	makingName = "IVMC.making"
	markText   = "ivmc store, format "
	pidName    = "IVMC.pid"
	lockName   = "LOCK"
)

const dirMode = os.FileMode(0o755)

// checkDir refuses a directory that is not ours, before anything is written to
// it. fresh: there is no store yet.
func checkDir(fs vfs.FS, dir string, mustExist bool) (fresh bool, err error) {
	info, err := fs.Stat(dir)
	switch {
	case err != nil && oserror.IsNotExist(err):
		if mustExist {
			return false, errorf(ErrMissing, codeNotStore, "there is no store at %q", dir)
		}
		return true, nil
	case err != nil:
		return false, errorf(ErrFailed, codeIO, "cannot look at %q", dir).because(err)
	case !info.IsDir():
		return false, errorf(ErrForeign, codeNotStore, "%q is not a directory", dir)
	}
	names, err := fs.List(dir)
	if err != nil {
		return false, errorf(ErrFailed, codeIO, "cannot list %q", dir).because(err)
	}
	strange, making := "", false
	for _, name := range names {
		switch name {
		case makingName:
			making = true
		case pidName, lockName: // as far as it came before the first mark
		default:
			strange = name
		}
	}
	if !making && slices.Contains(names, markName) {
		return false, nil
	}
	if !making && strange != "" {
		return false, errorf(ErrForeign, codeNotStore, "%q is not empty and not a store (it has a file %q)", dir, strange)
	}
	if mustExist {
		return false, errorf(ErrMissing, codeNotStore, "there is no store at %q", dir)
	}
	return true, nil
}

// makeDir makes dir, and those above it that are missing, so that they survive a
// crash.
func makeDir(fs vfs.FS, dir string) error {
	if dir == "" {
		return nil
	}
	var missing []string
	for d := dir; ; d = fs.PathDir(d) {
		if _, err := fs.Stat(d); err == nil || !oserror.IsNotExist(err) {
			break
		}
		missing = append(missing, d)
		if fs.PathDir(d) == d {
			break
		}
	}
	if err := fs.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	for _, d := range missing {
		if err := syncDir(fs, fs.PathDir(d)); err != nil {
			return err
		}
	}
	return nil
}

func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// lockDir takes the lock of dir and leaves our process id there.
func lockDir(fs vfs.FS, dir string, pid int) (*pebble.Lock, error) {
	lock, err := pebble.LockDirectory(dir, fs)
	if err != nil {
		if held(err) {
			return nil, errLocked(fs, dir)
		}
		return nil, errorf(ErrFailed, codeIO, "cannot lock %q", dir).because(err)
	}
	if err := writeFile(fs, fs.PathJoin(dir, pidName), strconv.Itoa(pid)); err != nil {
		return nil, errors.Join(errorf(ErrFailed, codeIO, "cannot write to %q", dir).because(err), lock.Close())
	}
	return lock, nil
}

// held reports whether err says that somebody has the lock. The system answers
// EAGAIN or EACCES; a bare EACCES, for one with a path is about permissions.
func held(err error) bool {
	var path *os.PathError
	if errors.As(err, &path) {
		return false
	}
	return errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) ||
		strings.Contains(err.Error(), "lock held by current process")
}

func errLocked(fs vfs.FS, dir string) error {
	b, err := readFile(fs, fs.PathJoin(dir, pidName))
	who := "another process"
	if pid := strings.TrimSpace(string(b)); err == nil && pid != "" {
		who = "process " + pid
	}
	hint := "One process has a database at a time; others work through it while it serves: ivmc serve, and serve.Dial in Go."
	if who == "process "+strconv.Itoa(os.Getpid()) {
		who, hint = "this process", "Open it once, and share it: a DB is safe for concurrent use, and database/sql has it by driver.Connector."
	}
	e := errorf(ErrLocked, codeLocked, "store at %q is in use by %s", dir, who)
	e.err.Hint = hint
	return e
}

func writeFile(fs vfs.FS, name, text string) error {
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(text))
	return errors.Join(err, f.Sync(), f.Close())
}

func readFile(fs vfs.FS, name string) ([]byte, error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, 1<<10))
	return b, errors.Join(err, f.Close())
}

// beginStore marks dir as a store in the making and empties it.
func beginStore(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	if err := writeFile(fs, fs.PathJoin(dir, makingName), ""); err != nil {
		return err
	}
	if err := syncDir(fs, dir); err != nil {
		return err
	}
	for _, name := range names {
		if name == makingName || name == lockName || name == pidName {
			continue
		}
		if err := fs.RemoveAll(fs.PathJoin(dir, name)); err != nil {
			return err
		}
	}
	return syncDir(fs, dir)
}

// endStore marks dir as a store.
func endStore(fs vfs.FS, dir string) error {
	if err := writeFile(fs, fs.PathJoin(dir, markName), fmt.Sprintf("%s%d\n", markText, formatVersion)); err != nil {
		return err
	}
	if err := syncDir(fs, dir); err != nil {
		return err
	}
	if err := fs.Remove(fs.PathJoin(dir, makingName)); err != nil {
		return err
	}
	return syncDir(fs, dir)
}

// checkMark compares the version in the mark with ours.
func checkMark(fs vfs.FS, dir string) error {
	b, err := readFile(fs, fs.PathJoin(dir, markName))
	if err != nil {
		return errorf(ErrFailed, codeIO, "cannot read the mark of the store at %q", dir).because(err)
	}
	text, ok := strings.CutPrefix(string(b), markText)
	v, err := strconv.ParseUint(strings.TrimSpace(text), 10, 32)
	if !ok || err != nil {
		return errorf(ErrCorrupt, codeCorrupt, "mark of the store at %q is damaged", dir)
	}
	if v != formatVersion {
		return errVersion(dir, v)
	}
	return nil
}

func errVersion(dir string, found uint64) error {
	return errorf(ErrVersion, codeVersion, "store at %q has format version %d, this program reads version %d", dir, found, formatVersion)
}
