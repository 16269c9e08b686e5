package storage

import (
	"sync"

	"github.com/ivmc/ivmc/zset"
)

// arrangement is an index of versions by key, for many readers and one writer.
// mu is held for a page of keys, or some thousand steps of chains, at most.
type arrangement struct {
	mu    sync.RWMutex
	byRow *rowIndex // by columns; or
	byKey *keyIndex // by a computed key
}

// find sets out[i] to the newest entry of key i of k in v, or 0.
func (t *arrangement) find(k *zset.Keys, v *view, out []uint32) {
	if t.byRow != nil {
		t.byRow.find(k, v, out)
	} else {
		t.byKey.find(k, v, out)
	}
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
	t.byRow.add(k, &rowSource{v: v}, addr, nil, nil)
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
