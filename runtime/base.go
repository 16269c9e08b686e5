package runtime

import "github.com/ivmc/ivmc/storage"

// Base is what a step of a cascade reads: tables as of one TSO, which the caller
// pins, and views as of the steps that the same cascade made of them, which come
// later and yet stand for that TSO.
type Base struct {
	At    storage.TSO
	Views map[storage.ID]storage.TSO // when each view in the cascade was committed
	// Below is what views that are read and not in the cascade stood for before At
	// was fixed.
	Below map[storage.ID]storage.TSO
}

// reads is where a step reads each of its inputs.
type reads struct {
	hi    storage.TSO
	views map[storage.ID]storage.TSO // nil: all at hi
	last  storage.TSO                // the highest
}

func (r *reads) at(id storage.ID) storage.TSO {
	if t, ok := r.views[id]; ok {
		return t
	}
	return r.hi
}

// reading fixes where a step reads, once for all inputs (I2), and where it leads
// to. Without a base all are read at the applied TSO, which is pinned.
func (v *View) reading(base *Base) (r reads, to storage.Offsets, unpin func()) {
	if base == nil {
		parents := v.frontiers()
		r.hi, unpin = v.store.PinApplied()
		r.last = r.hi
		return r, v.reached(&r, parents), unpin
	}
	r = reads{hi: base.At, views: base.Views, last: base.At}
	parents := v.frontiers()
	for _, id := range v.inputs() {
		r.last = max(r.last, r.at(id))
	}
	for id, f := range base.Below {
		parents[id] = f
	}
	for id := range base.Views {
		parents[id] = base.At
	}
	return r, v.reached(&r, parents), func() {}
}
