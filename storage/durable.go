package storage

import "github.com/cockroachdb/pebble/v2"

// Durable returns when all commits up to tso are on the disk. Who hands changes to the
// outside asks first: a commit is shown when it is applied, and what is not waited for,
// as the step of a refresh, may be taken by a crash, which nobody outside would hear
// of. It costs a sync only if no later commit had one. With NoSync nothing is waited
// for. Errors: ErrFailed, ErrClosed.
func (s *Store) Durable(tso TSO) (err error) {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.exit()
	defer s.edge(&err)
	if min(tso, s.Applied()) <= TSO(s.durable.Load()) {
		return nil
	}
	return s.Sync()
}

// Sync returns when all that was written is on the disk: commits, and notes. See
// [Store.Durable].
func (s *Store) Sync() (err error) {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.exit()
	defer s.edge(&err)
	if s.opts.NoSync {
		return nil
	}
	at := s.Applied()
	if err := s.db.LogData(nil, pebble.Sync); err != nil {
		s.gate.freeze(err)
	}
	if err := s.Failed(); err != nil {
		return err
	}
	s.onDisk(at)
	return nil
}
