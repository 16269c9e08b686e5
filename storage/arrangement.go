package storage

import (
	"sync"

	"github.com/ivmc/ivmc/zset"
)

// arrangement is an index of versions by key, for many readers and one writer.
// mu is held for a page of keys, or some thousand steps of chains, at most.
type arrangement struct {
	mu    sync.RWMutex
	byRow index     // by columns; or
	byKey *keyIndex // by a computed key
}

// index finds chains of versions by a key of columns. It is used under the lock of
// its arrangement.
type index interface {
	// find sets out[i] to the newest entry of key i of k that v has, or 0.
	find(k *zset.Keys, v *view, out []uint32)
	// add puts version w.addr(i), unless it is NoAddr, in front of the chain of key
	// i of k, for all i. There is room. False: w.check refused.
	add(k *zset.Keys, w *adding) bool
	// reserve makes room for n more keys.
	reserve(n int)
	// undo takes back an add to slot; the last add first, and without a reserve in
	// between, so that nothing was placed behind a key that goes.
	undo(slot uint32)
	// older is the entry behind entry e.
	older(e uint32) uint32
	keys() int
	memBytes() int64
}

// newIndex is an index by cols; rows says by whole rows, whose keys HashRows makes.
func newIndex(cols []int, types []zset.Type, rows bool) index {
	if len(cols) == 1 && !rows && types[0].Phys() != zset.PhysBytes {
		return newIntIndex()
	}
	return newRowIndex(cols, types, rows)
}

// find sets out[i] to the newest entry of key i of k in v, or 0. It takes the lock.
func (t *arrangement) find(k *zset.Keys, v *view, out []uint32) {
	n := k.Len()
	for i := 0; i < n; i += pageRows {
		j := min(i+pageRows, n)
		t.mu.RLock()
		if t.byRow != nil {
			t.byRow.find(subKeys(k, i, j), v, out[i:j])
		} else {
			t.byKey.find(subKeys(k, i, j), out[i:j])
		}
		t.mu.RUnlock()
	}
}

// subKeys is keys [i, j) of k.
func subKeys(k *zset.Keys, i, j int) *zset.Keys {
	s := &zset.Keys{Buf: k.Buf, Off: k.Off[i : j+1], Hash: k.Hash[i:j]}
	if k.Null != nil {
		s.Null = k.Null[i:j]
	}
	if k.Rows != nil {
		s.Rows = make([]zset.Column, len(k.Rows))
		for c := range k.Rows {
			s.Rows[c] = k.Rows[c].Slice(i, j)
		}
	}
	return s
}

// older is the entry behind entry e.
func (t *arrangement) older(e uint32) uint32 {
	if t.byRow != nil {
		return t.byRow.older(e)
	}
	return t.byKey.older(e)
}

// add puts version addr(i), which v has, in front of the chain of key i of k.
func (t *arrangement) add(k *zset.Keys, v *view, addr func(i int) Addr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byKey != nil {
		t.byKey.add(k, addr)
		return
	}
	t.byRow.reserve(k.Len())
	t.byRow.add(k, &adding{src: rowSource{v: v}, addr: addr})
}

func (t *arrangement) keys() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.byRow != nil {
		return t.byRow.keys()
	}
	return t.byKey.keys()
}

func (t *arrangement) memBytes() int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.byRow != nil {
		return t.byRow.memBytes()
	}
	return t.byKey.memBytes()
}
