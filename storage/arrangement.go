package storage

import (
	"sync"

	"github.com/ivmc/ivmc/zset"
)

// arrangement maps keys to chains of versions, newest first. An entry of a chain
// is the version itself: every version has one key at most, so the link to the
// next older one is an array by address. Four bytes a version, and the keys.
//
// Lock mu for a page of versions at most.
type arrangement struct {
	mu    sync.RWMutex
	keys  *zset.KeyTable
	heads []uint32   // by id: 1 + the newest version; 0: none
	next  [][]uint32 // by address, in pages: 1 + the next older version; 0: the end
}

func newArrangement() *arrangement { return &arrangement{keys: zset.NewKeyTable(0)} }

// growHeads makes room for new ids.
func (t *arrangement) growHeads() {
	for n := t.keys.Cap(); len(t.heads) < n; {
		t.heads = append(t.heads, 0)
	}
}

// push makes a the newest version of id. Addresses come in ascending order, but
// may skip.
func (t *arrangement) push(id uint32, a Addr) {
	p, o := int(a>>pageBits), int(a&pageMask)
	for len(t.next) <= p {
		t.next = append(t.next, nil)
	}
	if len(t.next[p]) <= o {
		t.growNext(p, o)
	}
	t.next[p][o] = t.heads[id]
	t.heads[id] = uint32(a) + 1
}

func (t *arrangement) growNext(p, o int) {
	room := pageRows
	if p == 0 {
		room = roomFor(0, o+1) // small relations stay small
	}
	page := make([]uint32, room)
	copy(page, t.next[p])
	t.next[p] = page
}

// pop undoes the last push of id.
func (t *arrangement) pop(id uint32) { t.heads[id] = t.older(t.heads[id]) }

// older is the entry behind entry e.
func (t *arrangement) older(e uint32) uint32 {
	a := e - 1
	return t.next[a>>pageBits][a&pageMask]
}

// dropEmpty removes those of ids that have no versions.
func (t *arrangement) dropEmpty(ids []uint32) {
	for _, id := range ids {
		if int(id) < len(t.heads) && t.heads[id] == 0 {
			t.keys.Delete(id)
		}
	}
}

func (t *arrangement) memBytes() int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	n := t.keys.MemBytes() + int64(4*cap(t.heads))
	for _, p := range t.next {
		n += int64(4 * len(p))
	}
	return n
}
