package storage

import (
	"encoding/binary"
	"errors"
	"strconv"
	"strings"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// cleanName is a file that Close leaves: the TSO of the last commit. It goes
// before the first write of the next Open.
//
// Pebble takes a damaged end of its log for the torn end that a crash leaves,
// and a damaged list of files for an empty store. After a clean end there is no
// torn end: what is missing was damaged. After a crash the promises in the log tell
// the two apart, for all but the last commits.
const cleanName = "IVMC.clean"

// examine looks at an existing store before anything in it is changed: an open
// for writing would drop what it cannot find a use for.
func (s *Store) examine() (err error) {
	db, err := s.openDB(true)
	if err != nil {
		return err
	}
	defer func() {
		if e := db.Close(); e != nil && err == nil {
			err = s.readError(e)
		}
	}()
	if format, err := s.getFrom(db, section(secFormat)); err != nil {
		return err
	} else if format == nil {
		return errorf(ErrCorrupt, codeCorrupt, "store at %q is corrupt: its data are not found any more, the list of its files (MANIFEST) is damaged; nothing was changed", s.dir)
	}
	closedAt, clean, err := readClean(s.gate, s.dir)
	if err != nil {
		return err
	}
	last, err := s.getFrom(db, section(secLastTSO))
	if err != nil {
		return err
	}
	found := TSO(0)
	if len(last) == 8 {
		found = TSO(binary.BigEndian.Uint64(last))
	}
	if !clean {
		return s.keptPromise(found)
	}
	if found != closedAt {
		return errorf(ErrCorrupt, codeCorrupt, "store at %q is corrupt: it was closed at TSO %d and reads only to TSO %d, so its log (*.log) is damaged; nothing was changed", s.dir, closedAt, found)
	}
	return nil
}

// keptPromise makes sure that a store which was not closed reads to where its log
// promises.
func (s *Store) keptPromise(found TSO) error {
	name, number, err := newestLog(s.gate, s.dir)
	promised := TSO(0)
	if err == nil && name != "" {
		promised, err = readPromise(s.gate, s.gate.PathJoin(s.dir, name), number)
	}
	if err != nil {
		return errorf(ErrFailed, codeIO, "cannot read the log of the store at %q", s.dir).because(err)
	}
	if promised > found {
		return errorf(ErrCorrupt, codeCorrupt, "store at %q is corrupt: its log (%s) is damaged: TSO %d was on the disk, and it reads only to TSO %d; nothing was changed", s.dir, name, promised, found)
	}
	return nil
}

// getFrom is the value of key in db in fresh memory; nil if there is none.
func (s *Store) getFrom(db pebble.Reader, key []byte) ([]byte, error) {
	v, closer, err := db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, s.readError(err)
	}
	out := append([]byte{}, v...)
	if err := closer.Close(); err != nil {
		return nil, s.readError(err)
	}
	return out, nil
}

// readClean reads the mark of a clean end. What cannot be read as one is none:
// the mark only adds to what is known.
func readClean(fs vfs.FS, dir string) (at TSO, clean bool, err error) {
	b, err := readFile(fs, fs.PathJoin(dir, cleanName))
	if err != nil {
		if oserror.IsNotExist(err) {
			return 0, false, nil
		}
		return 0, false, errorf(ErrFailed, codeIO, "cannot read %q", fs.PathJoin(dir, cleanName)).because(err)
	}
	line, whole := strings.CutSuffix(string(b), "\n")
	v, err := strconv.ParseUint(line, 10, 64)
	return TSO(v), whole && err == nil, nil
}

// dropClean removes the mark, for good, before the first write.
func dropClean(fs vfs.FS, dir string) error {
	if err := fs.Remove(fs.PathJoin(dir, cleanName)); err != nil {
		if oserror.IsNotExist(err) {
			return nil
		}
		return err
	}
	return syncDir(fs, dir)
}

// writeClean leaves the mark. Everything before it is on the disk.
func writeClean(fs vfs.FS, dir string, at TSO) error {
	if err := writeFile(fs, fs.PathJoin(dir, cleanName), strconv.FormatUint(uint64(at), 10)+"\n"); err != nil {
		return err
	}
	return syncDir(fs, dir)
}
