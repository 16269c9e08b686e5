package storage

import "github.com/cockroachdb/pebble/v2"

// FirstChange is the TSO of the first commit after lo that changed a relation; 0: none
// did. Of changes that retention gave up it is that of the last of them. Of a relation
// that is not loaded one block is read.
func (s *Store) FirstChange(id ID, lo TSO) (tso TSO, err error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.exit()
	defer s.edge(&err)
	r, err := s.relation(id)
	if err != nil {
		return 0, err
	}
	if h := r.Horizon(); lo < h {
		return h, nil
	}
	if r.loaded.Load() {
		if t := r.Cut(lo, s.Applied(), 0); t > lo {
			return t, nil
		}
		return 0, nil
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: idKey(secLog, uint64(id)), UpperBound: idKey(secLog, uint64(id)+1)})
	if err != nil {
		return 0, s.readError(err)
	}
	defer func() { err = s.closeIter(it, err) }()
	if !it.SeekGE(logKey(id, lo+1, 0)) {
		return 0, s.iterError(it)
	}
	b, err := it.ValueAndErr()
	if err != nil {
		return 0, s.readError(err)
	}
	tso = TSO(keyU64(it.Key(), 9)) // of the last commit in the block
	h, body, fault := openBlock(b)
	if fault == "" && h.flags&flagRuns != 0 {
		var p logPart
		rd := reader{b: body}
		if p.decodeRuns(&rd, &h); rd.bad {
			fault = "records of the block do not add up"
		}
		for _, run := range p.runs {
			if run.tso > lo {
				tso = min(tso, run.tso)
			}
		}
	}
	if fault != "" {
		return 0, errorf(ErrCorrupt, codeCorrupt, "log of %q is corrupt at key %x: %s", r.obj.Load().Name, it.Key(), fault)
	}
	return tso, nil
}
