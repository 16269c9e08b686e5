package storage

import (
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
)

// Store is an open database. Safe for concurrent use.
type Store struct {
	dir  string
	opts Options
	db   *pebble.DB
	gate *gate
	lock *pebble.Lock
	bufs sync.Pool // *[]byte, for blocks

	life   sync.Mutex     // guards the step from open to closed
	users  sync.WaitGroup // whoever uses db
	closed atomic.Bool
	lost   atomic.Bool // see Lost

	applied atomic.Uint64
	news    atomic.Pointer[chan struct{}] // closed by the next commit; nil: nobody waits
	catalog atomic.Pointer[Catalog]
	offsets atomic.Pointer[map[ID]Offsets]
	nextID  atomic.Uint64
	nextRun atomic.Uint64

	mu   sync.Mutex // the sequencer
	last TSO        // under mu

	durable  atomic.Uint64 // see promise
	promised uint64        // in the log; under mu

	relMu sync.Mutex
	rels  map[ID]*Relation   // touched so far
	marks map[ID]horizonMark // of all relations that have one; under relMu

	pinMu sync.Mutex
	pins  map[pin]int

	stateMu sync.Mutex
	states  map[StateID]stateSize

	merger *merger
}

// Applied is the TSO of the last commit: everything up to it is readable.
func (s *Store) Applied() TSO { return TSO(s.applied.Load()) }

// Catalog is the current catalog.
func (s *Store) Catalog() *Catalog { return s.catalog.Load() }

// NewID is an id that no object had before. It is lost if no commit uses it.
func (s *Store) NewID() ID { return ID(s.nextID.Add(1)) }

// NoSync reports whether commits never wait for the disk.
func (s *Store) NoSync() bool { return s.opts.NoSync }

// Failed is the error that made the store refuse commits, or nil.
func (s *Store) Failed() error {
	if cause := s.gate.failure(); cause != nil && !s.closed.Load() {
		return errorf(ErrFailed, codeIO, "store has failed").because(cause)
	}
	return nil
}

// Lost is not nil when a commit that could be read already did not come to the disk:
// its writer was told that it failed, so nobody may read it, or what came after it, and
// what stood before may be reclaimed. Whoever reads for others asks here first. Only
// opening the store again tells what the disk has.
func (s *Store) Lost() error {
	if !s.lost.Load() || s.closed.Load() {
		return nil
	}
	err := errorf(ErrFailed, codeIO, "store has failed, and its last commits are not on the disk").because(s.gate.failure())
	err.err.Hint = "Open it again, when the disk is well: what was acknowledged is there."
	return err
}

// enter keeps the disk open until exit.
func (s *Store) enter() error {
	s.life.Lock()
	defer s.life.Unlock()
	if s.closed.Load() {
		return errClosed()
	}
	s.users.Add(1)
	return nil
}

func (s *Store) exit() { s.users.Done() }

func errClosed() error { return errorf(ErrClosed, codeClosed, "store is closed") }

// edge turns a panic from below into a failed store and an error: what Pebble
// was doing is unknown, so nothing may be written after it.
func (s *Store) edge(err *error) {
	if r := recover(); r != nil {
		s.opts.Logger.Errorf("panic: %v\n%s", r, debug.Stack())
		e := errorf(ErrFailed, codeInternal, "store has failed: %v", r)
		s.gate.freeze(e)
		*err = e
	}
}

// Relation finds a relation by its object's id, and loads it on the first touch.
func (s *Store) Relation(id ID) (_ *Relation, err error) {
	r, err := s.relation(id)
	if err != nil || r.loaded.Load() {
		return r, err
	}
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.exit()
	defer s.edge(&err)
	if err := s.load(r); err != nil {
		return nil, err
	}
	return r, nil
}

// relation is the relation with that id, perhaps not loaded.
func (s *Store) relation(id ID) (*Relation, error) {
	s.relMu.Lock()
	defer s.relMu.Unlock()
	if r := s.rels[id]; r != nil {
		return r, nil
	}
	o, ok := s.Catalog().ByID(id)
	if !ok {
		return nil, errorf(ErrNoObject, codeNoObject, "relation %d does not exist", id)
	}
	r := newRelation(s, o)
	r.horizon.Store(uint64(s.marks[id].at))
	s.rels[id] = r
	return r, nil
}

// Close waits for running commits and reads of the disk, and closes the store.
// The second one gives ErrClosed. Rows in memory stay readable.
func (s *Store) Close() error {
	s.life.Lock()
	if s.closed.Load() {
		s.life.Unlock()
		return errClosed()
	}
	s.closed.Store(true)
	s.life.Unlock()
	s.merger.stop()
	s.users.Wait()
	failed := s.gate.failure()
	err := s.closeDB()
	s.gate.close()
	if failed != nil {
		return nil // the cause was told to every commit since
	}
	if err != nil {
		return errorf(ErrFailed, codeIO, "closing the store").because(err)
	}
	return nil
}

func (s *Store) closeDB() (err error) {
	defer s.edge(&err)
	mark := s.merger != nil && !s.opts.Memory // Open came to its end
	if mark {
		err = s.db.LogData(nil, pebble.Sync) // also what was committed without
	}
	if e := s.db.Close(); err == nil {
		err = e
	}
	if mark && err == nil && s.gate.failure() == nil {
		err = writeClean(s.gate, s.dir, s.last)
	}
	if e := s.lock.Close(); err == nil {
		err = e
	}
	return err
}
