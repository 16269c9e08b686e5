package storage

import "github.com/cockroachdb/pebble/v2"

// Stats describes a relation for status displays.
type Stats struct {
	ID           ID
	Loaded       bool
	MemBytes     int64
	Versions     int64 // row versions, dead ones too
	Rows         int64 // visible at the applied TSO
	LogBytes     int64 // on disk, about
	Arrangements int

	ArrangementBytes int64 // of MemBytes
}

// Stats describes the relation with that id without loading it: of one that was
// not touched, only LogBytes is known.
func (s *Store) Stats(id ID) (_ Stats, err error) {
	if err := s.enter(); err != nil {
		return Stats{}, err
	}
	defer s.exit()
	defer s.edge(&err)
	r, err := s.relation(id)
	if err != nil {
		return Stats{}, err
	}
	st := Stats{ID: id}
	n, err := s.db.EstimateDiskUsage(idKey(secLog, uint64(id)), idKey(secLog, uint64(id)+1))
	if err != nil {
		return st, s.readError(err)
	}
	images, err := s.db.EstimateDiskUsage(idKey(secImage, uint64(id)), idKey(secImage, uint64(id)+1))
	if err != nil {
		return st, s.readError(err)
	}
	st.LogBytes = int64(n + images)
	if st.Loaded = r.loaded.Load(); st.Loaded {
		st.MemBytes, st.Versions, st.Rows = r.MemBytes(), r.Versions(), r.Rows(s.Applied())
		r.arrMu.Lock()
		st.Arrangements = len(r.arrs)
		for _, a := range r.arrs {
			st.ArrangementBytes += a.MemBytes()
		}
		r.arrMu.Unlock()
	}
	return st, nil
}

// DiskBytes is the size of the files of the store. Pebble's own sum leaves out what
// was found at the open.
func (s *Store) DiskBytes() (n int64) {
	if s.enter() != nil {
		return 0
	}
	defer s.exit()
	names, _ := s.gate.List(s.dir)
	for _, name := range names {
		if st, err := s.gate.Stat(s.gate.PathJoin(s.dir, name)); err == nil { // it may be gone by now
			n += st.Size()
		}
	}
	return n
}

// Arrangement is the arrangement with that id; nil if there is none now.
func (r *Relation) Arrangement(id string) *Arrangement {
	r.arrMu.Lock()
	defer r.arrMu.Unlock()
	return r.arrs[id]
}

// ArrangementStats is how many keys an arrangement has and the memory that it
// takes; false if there is none now. It loads nothing.
func (s *Store) ArrangementStats(rel ID, id string) (keys, bytes int64, ok bool) {
	r, err := s.relation(rel)
	if err != nil {
		return 0, 0, false
	}
	a := r.Arrangement(id)
	if a == nil {
		return 0, 0, false
	}
	return int64(a.Keys()), a.MemBytes(), true
}

// Latest is the TSO of the last commit that changed a relation; 0: none. Of one
// that is not loaded the key of its last block says it.
func (s *Store) Latest(id ID) (tso TSO, err error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.exit()
	defer s.edge(&err)
	r, err := s.relation(id)
	if err != nil {
		return 0, err
	}
	if r.loaded.Load() {
		return r.LastChange(s.Applied()), nil
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: idKey(secLog, uint64(id)), UpperBound: idKey(secLog, uint64(id)+1)})
	if err != nil {
		return 0, s.readError(err)
	}
	defer func() { err = s.closeIter(it, err) }()
	if it.Last() && len(it.Key()) == logKeyLen {
		return TSO(keyU64(it.Key(), 9)), nil
	}
	return r.Horizon(), s.iterError(it)
}
