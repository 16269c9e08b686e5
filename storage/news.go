package storage

import "context"

// Wait waits until something is applied after t, or ctx ends. Nothing is missed
// between a read of [Store.Applied] and the call. A commit pays for it only
// while somebody waits.
func (s *Store) Wait(ctx context.Context, t TSO) error {
	for {
		ch := s.news.Load()
		if ch == nil {
			fresh := make(chan struct{})
			if !s.news.CompareAndSwap(nil, &fresh) {
				continue
			}
			ch = &fresh
		}
		if s.Applied() > t { // after the channel is there: whoever applies now closes it
			return nil
		}
		select {
		case <-*ch:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// publish makes everything up to tso readable and wakes who waits.
func (s *Store) publish(tso TSO) {
	s.applied.Store(uint64(tso))
	if s.news.Load() != nil {
		if ch := s.news.Swap(nil); ch != nil {
			close(*ch)
		}
	}
}
