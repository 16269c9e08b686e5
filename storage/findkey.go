package storage

import (
	"sync"

	"github.com/ivmc/ivmc/zset"
)

// subKeys is keys [i, j) of k.
func subKeys(k *zset.Keys, i, j int) *zset.Keys {
	s := &zset.Keys{Buf: k.Buf, Off: k.Off[i : j+1], Hash: k.Hash[i:j]}
	if k.Null != nil {
		s.Null = k.Null[i:j]
	}
	return s
}

// idPool lends memory for ids of a page of keys.
type idBuf [pageRows]uint32

var idPool = sync.Pool{New: func() any { return new(idBuf) }}

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
	buf := idPool.Get().(*idBuf)
	defer idPool.Put(buf)
	for i := 0; i < n; i += pageRows {
		j := min(i+pageRows, n)
		r.pk.find(subKeys(k, i, j), v, at, buf[:j-i], out[i:j])
	}
}

// find looks one page of unique keys up. The loads of a step wait for those of
// the step before, not for each other.
func (t *arrangement) find(k *zset.Keys, v *view, at TSO, ids []uint32, out []Addr) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	t.keys.Find(k, ids)
	for i, id := range ids {
		if id != zset.NoID {
			ids[i] = t.heads[id]
		} else {
			ids[i] = 0
		}
	}
	for i, e := range ids {
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
