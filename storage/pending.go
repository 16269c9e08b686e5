package storage

import "github.com/cockroachdb/pebble/v2"

// Pending is how many changes of a relation were committed in (lo, hi], as
// ChangeCount has it. A relation that nobody has touched yet is not loaded for
// that: one key of its log tells whether there are some. exact is false then,
// and n is 0 or 1.
func (s *Store) Pending(id ID, lo, hi TSO) (n int, exact bool, err error) {
	if err := s.enter(); err != nil {
		return 0, false, err
	}
	defer s.exit()
	defer s.edge(&err)
	r, err := s.relation(id)
	if err != nil {
		return 0, false, err
	}
	if r.loaded.Load() {
		return r.ChangeCount(lo, hi), true, nil
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: idKey(secLog, uint64(id)), UpperBound: idKey(secLog, uint64(id)+1)})
	if err != nil {
		return 0, false, s.readError(err)
	}
	defer func() { err = s.closeIter(it, err) }()
	if lo < r.Horizon() || it.Last() && len(it.Key()) == logKeyLen && TSO(keyU64(it.Key(), 9)) > lo {
		n = 1
	}
	if err := it.Error(); err != nil {
		return 0, false, s.readError(err)
	}
	return n, false, nil
}
