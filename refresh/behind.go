package refresh

import (
	"errors"

	"github.com/ivmc/ivmc/storage"
)

// Lag is how far a view is behind what is committed.
type Lag struct {
	Frontier storage.TSO
	Changes  int64 // of tables and views below it, as far as Exact
	Exact    bool  // false: there may be more; nothing was loaded to count them
}

// Behind tells whether a built view lacks changes that were committed up to at,
// its own inputs' or those that wait further down a chain. It scans nothing and
// loads nothing. A view that was refreshed past at is not behind.
func (e *Engine) Behind(id storage.ID, at storage.TSO) (Lag, bool) {
	return e.BehindBut(id, at, nil)
}

// BehindBut is [Engine.Behind] that does not look at the changes of some tables.
func (e *Engine) BehindBut(id storage.ID, at storage.TSO, but map[storage.ID]bool) (Lag, bool) {
	f, ok := e.Frontier(id)
	if !ok || f > at {
		return Lag{}, false
	}
	lag := Lag{Frontier: f, Exact: true}
	e.count(id, at, &lag, but, map[storage.ID]bool{})
	return lag, lag.Changes > 0
}

func (e *Engine) count(id storage.ID, at storage.TSO, lag *Lag, but, seen map[storage.ID]bool) {
	o, view := e.store.Offsets(id)
	if !view || seen[id] {
		return
	}
	seen[id] = true
	for in, lo := range o.Inputs {
		if but[in] {
			continue
		}
		n, exact, err := e.store.Pending(in, lo, at)
		if err != nil { // dropped, or not readable: whoever reads it will say so
			continue
		}
		lag.Changes += int64(n)
		lag.Exact = lag.Exact && (exact || n == 0)
		e.count(in, at, lag, but, seen)
	}
}

// Pending is the Changes of [Engine.Behind] of a built view up to the last commit, counted in any
// case: of relations that are not loaded, from their logs.
func (e *Engine) Pending(id storage.ID) (int64, error) {
	return e.lag(id, map[storage.ID]bool{})
}

func (e *Engine) lag(id storage.ID, seen map[storage.ID]bool) (sum int64, err error) {
	o, view := e.store.Offsets(id)
	if !view || seen[id] {
		return 0, nil
	}
	seen[id] = true
	for in, lo := range o.Inputs {
		n, err := e.store.Since(in, lo)
		if errors.Is(err, storage.ErrNoObject) { // dropped: whoever reads it will say so
			continue
		}
		if err != nil {
			return 0, err
		}
		below, err := e.lag(in, seen)
		if err != nil {
			return 0, err
		}
		sum += n + below
	}
	return sum, nil
}

// Lacks is the TSO of the first commit that a built view lacks, of its own inputs or
// further down a chain; 0: none. Nothing is loaded for it.
func (e *Engine) Lacks(id storage.ID) (storage.TSO, error) {
	return e.lacks(id, map[storage.ID]bool{})
}

func (e *Engine) lacks(id storage.ID, seen map[storage.ID]bool) (first storage.TSO, err error) {
	o, view := e.store.Offsets(id)
	if !view || seen[id] {
		return 0, nil
	}
	seen[id] = true
	for in, lo := range o.Inputs {
		t, err := e.store.FirstChange(in, lo)
		if errors.Is(err, storage.ErrNoObject) { // dropped: whoever reads it will say so
			continue
		}
		if err != nil {
			return 0, err
		}
		below, err := e.lacks(in, seen)
		if err != nil {
			return 0, err
		}
		for _, t := range []storage.TSO{t, below} {
			if t != 0 && (first == 0 || t < first) {
				first = t
			}
		}
	}
	return first, nil
}
