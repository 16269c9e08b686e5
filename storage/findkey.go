package storage

import "github.com/ivmc/ivmc/zset"

// subKeys is keys [i, j) of k.
func subKeys(k *zset.Keys, i, j int) *zset.Keys {
	s := &zset.Keys{Buf: k.Buf, Off: k.Off[i : j+1], Hash: k.Hash[i:j]}
	if k.Null != nil {
		s.Null = k.Null[i:j]
	}
	return s
}

// FindKey sets out[i] to the address of the row of a keyed relation whose primary
// key is key i of k, as of `at`; NoAddr where there is none. k holds key
// encodings of the columns of Object.Key in their order.
func (r *Relation) FindKey(k *zset.Keys, at TSO, out []Addr) {
	n := k.Len()
	if r.pk == nil {
		for i := range n {
			out[i] = NoAddr
		}
		return
	}
	v := r.view.Load()
	buf := make([]uint32, min(n, pageRows))
	for i := 0; i < n; i += pageRows {
		j := min(i+pageRows, n)
		r.pk.findKeys(subKeys(k, i, j), v, at, buf[:j-i], out[i:j])
	}
}

// findKeys looks one page of unique keys up.
func (t *arrangement) findKeys(k *zset.Keys, v *view, at TSO, entries []uint32, out []Addr) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	t.find(k, v, entries)
	for i, e := range entries {
		out[i] = NoAddr
		for e != 0 {
			if a := Addr(e - 1); v.visible(a, at) {
				out[i] = a
				break
			}
			e = t.older(e)
		}
	}
}
