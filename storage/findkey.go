package storage

import "github.com/ivmc/ivmc/zset"

// FindKey sets out[i] to the address of the row of a keyed relation whose primary
// key is key i of k, as of `at`; NoAddr where there is none. k holds key
// encodings of the columns of Object.Key in their order.
func (r *Relation) FindKey(k *zset.Keys, at TSO, out []Addr) { r.findIn(r.pk, k, at, out) }

// FindUnique is FindKey by the further key u, a position in Object.Unique. A key
// with a NULL is nowhere.
func (r *Relation) FindUnique(u int, k *zset.Keys, at TSO, out []Addr) {
	r.findIn(r.uniq[u], k, at, out)
}

func (r *Relation) findIn(t *arrangement, k *zset.Keys, at TSO, out []Addr) {
	n := k.Len()
	if t == nil {
		for i := range n {
			out[i] = NoAddr
		}
		return
	}
	v := r.view.Load()
	entries := make([]uint32, n)
	t.find(k, v, entries)
	for i, e := range entries {
		out[i] = NoAddr
		if e != 0 && v.visible(Addr(e-1), at) {
			out[i], entries[i] = Addr(e-1), 0
		}
	}
	for i := 0; i < n; i += pageRows {
		t.findOlder(v, at, entries[i:min(i+pageRows, n)], out[i:])
	}
}

// findOlder follows the chains of entries that are not 0, whose newest version is
// not visible.
func (t *arrangement) findOlder(v *view, at TSO, entries []uint32, out []Addr) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for i, e := range entries {
		if e == 0 {
			continue
		}
		for e = t.older(e); e != 0; e = t.older(e) {
			if a := Addr(e - 1); v.visible(a, at) {
				out[i] = a
				break
			}
		}
	}
}
