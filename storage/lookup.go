package storage

import "github.com/ivmc/ivmc/zset"

// lookupMax is the number of matches of one call of Lookup at most.
const lookupMax = 4096

// LookupCursor is where a Lookup goes on. The zero value starts one; when more
// is false it is ready for the next. It keeps its memory. One goroutine.
type LookupCursor struct {
	Nulls bool // look keys with a NULL cell up too: NULL equals NULL

	t     *arrangement
	ids   []uint32 // by key: the entry to go on with
	at    int      // the key to go on with
	probe []int32
	addrs []Addr
	old   *view
}

// Reset abandons a Lookup that was not read to its end.
func (c *LookupCursor) Reset() { c.t, c.old = nil, nil }

// Lookup gives the rows visible at `at` with the keys of k: addrs[i] has key
// probe[i]. The matches of one key come newest first, those of all keys in the
// order of k; with more, call again with the same k, at and c. A key that a NULL
// cell is part of matches nothing, unless c.Nulls. The slices are valid until
// the next call. a was advanced to `at` before, and `at` is pinned, or the offset of
// a view, or the applied TSO.
func (a *Arrangement) Lookup(k *zset.Keys, at TSO, c *LookupCursor) (probe []int32, addrs []Addr, more bool) {
	if c.t == nil {
		c.start(a, k, at)
	}
	c.probe, c.addrs = c.probe[:0], c.addrs[:0]
	v := c.old
	n, flat := k.Len(), v.holed == 0
	// Steps bound how long the lock is held where most of a chain is not visible.
	for steps := 0; c.at < n && len(c.addrs) < lookupMax; steps = 0 {
		c.t.mu.RLock()
		for c.at < n && len(c.addrs) < lookupMax && steps < 4*lookupMax {
			e := c.ids[c.at]
			for e != 0 && len(c.addrs) < lookupMax && steps < 4*lookupMax {
				ad := Addr(e - 1)
				if flat && uint64(ad) < v.n && v.flat(ad).visible(at) || !flat && v.visible(ad, at) {
					c.probe = append(c.probe, int32(c.at))
					c.addrs = append(c.addrs, ad)
				}
				e = c.t.older(e)
				steps++
			}
			c.ids[c.at] = e
			if e == 0 {
				c.at++
			}
			steps++
		}
		c.t.mu.RUnlock()
	}
	if c.at < n {
		return c.probe, c.addrs, true
	}
	c.t, c.old = nil, nil
	return c.probe, c.addrs, false
}

// start finds the heads of all keys.
func (c *LookupCursor) start(a *Arrangement, k *zset.Keys, at TSO) {
	n := k.Len()
	now := a.now.Load()
	zset.Invariant(at >= now.low, "look-up at a TSO that nobody pins")
	c.t, c.at, c.old = now.t, 0, now.v
	c.ids = grow(c.ids, n)
	c.t.find(k, c.old, c.ids)
	if k.Null == nil || c.Nulls {
		return
	}
	for i, null := range k.Null[:n] {
		if null {
			c.ids[i] = 0
		}
	}
}
