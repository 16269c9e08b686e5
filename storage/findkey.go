package storage

import (
	"sync/atomic"

	"github.com/ivmc/ivmc/zset"
)

// FindKey sets out[i] to the address of the row of a keyed relation whose primary
// key is key i of k, as of `at`; NoAddr where there is none. k holds key
// encodings of the columns of Object.Key in their order.
func (r *Relation) FindKey(k *zset.Keys, at TSO, out []Addr) {
	v := r.view.Load()
	v.findIn(v.pk, k, at, out)
}

// FindUnique is FindKey by the further key u, a position in Object.Unique. A key
// with a NULL is nowhere.
func (r *Relation) FindUnique(u int, k *zset.Keys, at TSO, out []Addr) {
	v := r.view.Load()
	v.findIn(v.uniq[u], k, at, out)
}

func (v *view) findIn(t *arrangement, k *zset.Keys, at TSO, out []Addr) {
	zset.Invariant(at >= v.horizon, "look-up by key below the horizon")
	n := k.Len()
	for i := range n {
		out[i] = NoAddr
	}
	if t == nil {
		return
	}
	entries := make([]uint32, n)
	t.find(k, v, entries)
	// Of the versions of a key the newest that is born decides: one is born only
	// after the one before it died. Addresses are dealt out in the order of commits.
	born, flat := v.rowsUpTo(at), v.holed == 0
	var died [seenSlots]uint64
	for lo := 0; born > 0 && lo < n; lo += seenSlots {
		group := entries[lo:min(lo+seenSlots, n)]
		for i, e := range group { // loads alone and no branches, so that the misses of many rows overlap
			a := uint64(e) - 1
			if a >= born {
				a = 0
			}
			if flat {
				died[i] = atomic.LoadUint64(&v.flat(Addr(a)).died)
			} else {
				died[i] = atomic.LoadUint64(&v.stamp(Addr(a)).died)
			}
		}
		for i, e := range group {
			if uint64(e)-1 < born {
				if group[i] = 0; uint64(at) < died[i] {
					out[lo+i] = Addr(e - 1)
				}
			}
		}
	}
	for i := 0; i < n; i += pageRows {
		t.findOlder(v, born, at, entries[i:min(i+pageRows, n)], out[i:])
	}
}

// findOlder follows the chains of entries that are not 0, whose newest version was
// not born at `at`.
func (t *arrangement) findOlder(v *view, born uint64, at TSO, entries []uint32, out []Addr) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for i, e := range entries {
		for e != 0 && uint64(e-1) >= born {
			e = t.older(e)
		}
		if e != 0 && v.visible(Addr(e-1), at) {
			out[i] = Addr(e - 1)
		}
	}
}
