package storage

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// Open opens the store in dir, and makes one if there is none. Errors are
// ErrLocked (naming the process), ErrVersion (naming both versions), ErrForeign,
// ErrMissing, ErrCorrupt or ErrFailed.
func Open(dir string, opts *Options) (_ *Store, err error) {
	s := &Store{dir: dir, rels: map[ID]*Relation{}, pins: map[pin]int{}, marks: map[ID]horizonMark{}, states: map[StateID]stateSize{}}
	if opts != nil {
		s.opts = *opts
	}
	s.opts.EnsureDefaults()
	s.bufs.New = func() any { return new([]byte) }
	s.gate = newGate(s.opts.FS)
	defer s.edge(&err)

	fresh, err := checkDir(s.opts.FS, dir, s.opts.MustExist)
	if err != nil {
		return nil, err
	}
	done := false
	defer func() {
		if !done {
			s.abandon()
		}
	}()
	if fresh, err = s.openDir(fresh); err != nil {
		return nil, err
	}
	if !fresh {
		if err := s.examine(); err != nil {
			return nil, err
		}
		if err := dropClean(s.gate, dir); err != nil {
			return nil, errorf(ErrFailed, codeIO, "cannot write to %q", dir).because(err)
		}
	}
	s.gate.armed.Store(true) // Pebble, told of it, would try to write what its log has for ever
	s.db, err = s.openDB(false)
	if cause := s.gate.failure(); cause != nil {
		return nil, errorf(ErrFailed, codeIO, "cannot open the store at %q", dir).because(cause)
	}
	if err != nil {
		return nil, err
	}
	if err := s.recover(); err != nil {
		return nil, err
	}
	if fresh {
		if err := endStore(s.gate, dir); err != nil {
			return nil, errorf(ErrFailed, codeIO, "cannot write to %q", dir).because(err)
		}
	}
	if cause := s.gate.failure(); cause != nil {
		return nil, errorf(ErrFailed, codeIO, "cannot open the store at %q", dir).because(cause)
	}
	s.merger = startMerger(s)
	done = true
	return s, nil
}

// abandon undoes a failed Open.
func (s *Store) abandon() {
	s.closed.Store(true)
	if s.db != nil {
		_ = s.closeDB() // the error of Open is the one to tell
	} else if s.lock != nil {
		_ = s.lock.Close()
	}
	s.gate.close()
}

// openDir makes or checks the directory and takes its lock.
func (s *Store) openDir(fresh bool) (_ bool, err error) {
	if fresh {
		if err := makeDir(s.gate, s.dir); err != nil {
			return false, errorf(ErrFailed, codeIO, "cannot make %q", s.dir).because(err)
		}
	}
	pid := s.opts.PID
	if pid == 0 {
		pid = os.Getpid()
	}
	if s.lock, err = lockDir(s.gate, s.dir, pid); err != nil {
		return false, err
	}
	if fresh { // look again, now that nobody else can
		if fresh, err = checkDir(s.gate, s.dir, false); err != nil {
			return false, err
		}
	}
	if !fresh {
		return false, checkMark(s.gate, s.dir)
	}
	if err := beginStore(s.gate, s.dir); err != nil {
		return false, errorf(ErrFailed, codeIO, "cannot write to %q", s.dir).because(err)
	}
	return true, nil
}

// pebbleLog hands Pebble's complaints on. Its Fatalf does not end the process.
type pebbleLog struct{ s *Store }

func (l pebbleLog) Infof(string, ...any) {}

func (l pebbleLog) Errorf(format string, args ...any) { l.s.opts.Logger.Errorf(format, args...) }

func (l pebbleLog) Fatalf(format string, args ...any) {
	l.s.opts.Logger.Errorf(format, args...)
	l.s.gate.freeze(fmt.Errorf(format, args...))
}

func (s *Store) openDB(readOnly bool) (*pebble.DB, error) {
	cache := pebble.NewCache(s.opts.CacheBytes)
	defer cache.Unref()
	log := pebbleLog{s}
	o := &pebble.Options{
		FS:                          s.gate,
		ReadOnly:                    readOnly,
		DisableWAL:                  s.opts.Memory,
		Lock:                        s.lock,
		Cache:                       cache,
		Logger:                      log,
		FormatMajorVersion:          pebble.FormatValueSeparation,
		MemTableSize:                32 << 20,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       4,
		L0StopWritesThreshold:       20,
		WALBytesPerSync:             1 << 20,
		EventListener: &pebble.EventListener{
			BackgroundError: func(err error) { log.Errorf("%v", err) },
			DataCorruption: func(i pebble.DataCorruptionInfo) {
				log.Errorf("%s: %v", i.Path, i.Details)
			},
		},
	}
	// Blocks are compact already, and large: compression costs more than it
	// saves, and compactions need not move them.
	for i := range o.Levels {
		o.Levels[i].Compression = func() *sstable.CompressionProfile { return sstable.NoCompression }
		o.Levels[i].BlockSize = 32 << 10
	}
	o.Experimental.ValueSeparationPolicy = func() pebble.ValueSeparationPolicy {
		return pebble.ValueSeparationPolicy{Enabled: true, MinimumSize: 4 << 10, MaxBlobReferenceDepth: 10, TargetGarbageRatio: 0.3}
	}
	db, err := pebble.Open(s.dir, o)
	if err != nil {
		if isCorruption(err) {
			return nil, errorf(ErrCorrupt, codeCorrupt, "store at %q is corrupt", s.dir).because(err)
		}
		return nil, errorf(ErrFailed, codeIO, "cannot open the store at %q", s.dir).because(err)
	}
	return db, nil
}

func isCorruption(err error) bool { return pebble.IsCorruptionError(err) || errors.Is(err, ErrCorrupt) }

// readError is the error of a read of the disk.
func (s *Store) readError(err error) error {
	if isCorruption(err) {
		return errorf(ErrCorrupt, codeCorrupt, "store at %q is corrupt", s.dir).because(err)
	}
	return errorf(ErrFailed, codeIO, "cannot read the store at %q", s.dir).because(err)
}

// closeIter closes it and adds its error to err.
func (s *Store) closeIter(it *pebble.Iterator, err error) error {
	if e := it.Close(); e != nil && err == nil {
		return s.readError(e)
	}
	return err
}

// get is the value of key in fresh memory; nil if there is none.
func (s *Store) get(key []byte) ([]byte, error) { return s.getFrom(s.db, key) }

// recover reads what must be known before the first statement: version, ids,
// the last TSO, catalog and offsets. Rows are loaded when first touched.
func (s *Store) recover() error {
	version, err := s.get(section(secFormat))
	if err != nil {
		return err
	}
	switch {
	case version == nil:
		v := binary.BigEndian.AppendUint32(nil, formatVersion)
		mode := pebble.Sync
		if s.opts.Memory {
			mode = pebble.NoSync
		}
		if err := s.db.Set(section(secFormat), v, mode); err != nil {
			return s.readError(err)
		}
	case len(version) != 4:
		return errorf(ErrCorrupt, codeCorrupt, "format version of the store at %q is damaged", s.dir)
	case binary.BigEndian.Uint32(version) != formatVersion:
		return errVersion(s.dir, uint64(binary.BigEndian.Uint32(version)))
	}
	for _, c := range []struct {
		key []byte
		set func(uint64)
	}{
		{section(secNextID), s.nextID.Store},
		{section(secLastTSO), func(v uint64) { s.last = TSO(v); s.applied.Store(v) }},
	} {
		b, err := s.get(c.key)
		if err != nil {
			return err
		}
		if b != nil && len(b) != 8 {
			return errorf(ErrCorrupt, codeCorrupt, "key %x of the store at %q is damaged", c.key, s.dir)
		}
		if b != nil {
			c.set(binary.BigEndian.Uint64(b))
		}
	}
	if err := s.recoverCatalog(); err != nil {
		return err
	}
	if err := s.recoverOffsets(); err != nil {
		return err
	}
	if err := s.recoverHorizons(); err != nil {
		return err
	}
	if err := s.sweepRuns(); err != nil {
		return err
	}
	if err := s.sweepImages(); err != nil {
		return err
	}
	return s.sweepStates()
}

// each calls f for the keys of a section in order.
func (s *Store) each(sec byte, f func(key, val []byte) error) (err error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: section(sec), UpperBound: section(sec + 1)})
	if err != nil {
		return s.readError(err)
	}
	defer func() { err = s.closeIter(it, err) }()
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			return s.readError(err)
		}
		if err := f(it.Key(), v); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) recoverCatalog() error {
	var objs []*Object
	err := s.each(secObject, func(key, val []byte) error {
		o := new(Object)
		if err := json.Unmarshal(val, o); err != nil || len(key) != 9 || uint64(o.ID) != keyU64(key, 1) {
			return errorf(ErrCorrupt, codeCorrupt, "catalog entry %x is damaged", key).because(err)
		}
		objs = append(objs, o)
		return nil
	})
	if err != nil {
		return err
	}
	s.catalog.Store(newCatalog(1, objs))
	return nil
}

func (s *Store) recoverOffsets() error {
	m := map[ID]Offsets{}
	err := s.each(secOffsets, func(key, val []byte) error {
		o, ok := decodeOffsets(val)
		if !ok || len(key) != 9 {
			return errorf(ErrCorrupt, codeCorrupt, "offsets %x are damaged", key)
		}
		m[ID(keyU64(key, 1))] = o
		return nil
	})
	s.offsets.Store(&m)
	return err
}

// sweepRuns removes runs that no commit refers to: a crash came between.
func (s *Store) sweepRuns() error {
	referred := map[uint64]bool{}
	highest := uint64(0)
	if err := s.each(secRunRef, func(key, _ []byte) error {
		run := keyU64(key, 1)
		referred[run] = true
		highest = max(highest, run)
		return nil
	}); err != nil {
		return err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: section(secRun), UpperBound: section(secRun + 1)})
	if err != nil {
		return s.readError(err)
	}
	var lost []uint64
	for ok := it.First(); ok; {
		run := keyU64(it.Key(), 1)
		highest = max(highest, run)
		if !referred[run] {
			lost = append(lost, run)
		}
		ok = it.SeekGE(idKey(secRun, run+1))
	}
	if err := s.closeIter(it, nil); err != nil {
		return err
	}
	s.nextRun.Store(highest)
	for _, run := range lost {
		if err := s.db.DeleteRange(idKey(secRun, run), idKey(secRun, run+1), pebble.NoSync); err != nil {
			return s.readError(err)
		}
	}
	return nil
}

// sweepStates removes states of generations that were never published.
func (s *Store) sweepStates() error {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: section(secState), UpperBound: section(secState + 1)})
	if err != nil {
		return s.readError(err)
	}
	var lost []StateID
	for ok := it.First(); ok; {
		id := StateID{View: ID(keyU64(it.Key(), 1)), N: int(keyU32(it.Key(), 9)), Gen: keyU32(it.Key(), 13)}
		if o, ok := s.Offsets(id.View); !ok || o.Gen != id.Gen {
			lost = append(lost, id)
		}
		ok = it.SeekGE(after(statePrefix(id)))
	}
	if err := s.closeIter(it, nil); err != nil {
		return err
	}
	for _, id := range lost {
		if err := s.db.DeleteRange(statePrefix(id), after(statePrefix(id)), pebble.NoSync); err != nil {
			return s.readError(err)
		}
	}
	return nil
}
