package storage

// The horizon of a relation is the TSO of the last commit whose history is given
// up. Law: every read at or above the horizon, and of every window that begins
// there, gives what it would give if nothing had ever been reclaimed; a read below
// it is ErrBelowHorizon. It never goes back, also not over a reopen, and never
// passes a pin, nor what a view has read of the relation (unless its retention says
// so), nor the applied TSO.
//
// A reader pins first and looks at the horizon then: it is raised under the lock of
// the pins, before any row goes.

// pin is a TSO that somebody reads at: one relation, or, with rel 0, any.
type pin struct {
	rel ID
	at  TSO
}

// Pin keeps the versions that are visible at `at` readable until release, which
// may be called more than once. `at` is pinned already or is an offset of a view;
// otherwise see PinApplied.
func (s *Store) Pin(at TSO) (release func()) { return s.PinLog(0, at) }

// PinLog pins `at` for one relation, and with it the log behind `at`. What was
// reclaimed before is not there: Readable tells, when the pin is set.
func (s *Store) PinLog(rel ID, at TSO) (release func()) {
	p := pin{rel, at}
	s.pinMu.Lock()
	s.pins[p]++
	s.pinMu.Unlock()
	return s.releaser(p)
}

// PinApplied pins the applied TSO, in one step: nothing can come between reading
// it and pinning it. This is how to begin to read.
func (s *Store) PinApplied() (at TSO, release func()) {
	s.pinMu.Lock()
	p := pin{at: s.Applied()}
	s.pins[p]++
	s.pinMu.Unlock()
	return p.at, s.releaser(p)
}

func (s *Store) releaser(p pin) func() {
	released := false
	return func() {
		s.pinMu.Lock()
		defer s.pinMu.Unlock()
		if released {
			return
		}
		released = true
		if s.pins[p]--; s.pins[p] == 0 {
			delete(s.pins, p)
		}
	}
}

// Horizon is the TSO below which r cannot be read any more; 0: all of its history
// is there.
func (r *Relation) Horizon() TSO { return TSO(r.horizon.Load()) }

// Readable is ErrBelowHorizon (72000) if r cannot be read at `at` any more, nor the
// changes since. It stays readable while `at` is pinned.
func (r *Relation) Readable(at TSO) error {
	h := r.Horizon()
	if at >= h {
		return nil
	}
	o := r.obj.Load()
	e := errorf(ErrBelowHorizon, codeGone, "history of %s %q before TSO %d is gone", o.Kind, o.Name, h)
	e.err.Object = o.Name
	return e
}

// floor is the TSO below which nobody reads r: the lowest of the pins, of what is
// applied and, with views, of the offsets of the views that read it.
func (r *Relation) floor(views bool) TSO {
	r.s.pinMu.Lock()
	defer r.s.pinMu.Unlock()
	return r.lowest(views)
}

// lowest is floor under pinMu.
//
// The applied TSO comes first, so that a pin of it that comes later is not below
// the result; the pins come before the offsets, for a view that is being built sets
// its offset before it gives its pin up.
func (r *Relation) lowest(views bool) TSO {
	low := r.s.Applied()
	for p := range r.s.pins {
		if p.rel == 0 || p.rel == r.id {
			low = min(low, p.at)
		}
	}
	if !views {
		return low
	}
	for _, o := range *r.s.offsets.Load() {
		if t, ok := o.Inputs[r.id]; ok {
			low = min(low, t)
		}
	}
	return low
}

// raise lifts the horizon of r to the last commit at or before want that may go,
// and returns it. What is above it stays readable; nothing is gone yet.
func (r *Relation) raise(want TSO, views bool) TSO {
	r.s.pinMu.Lock()
	defer r.s.pinMu.Unlock()
	h := r.Horizon()
	v := r.view.Load()
	want = max(min(want, r.lowest(views)), v.horizon)
	if k := v.commitAfter(want); k > v.cut {
		h = max(h, v.commits.at(k-1).tso)
	}
	r.horizon.Store(uint64(h))
	return h
}
