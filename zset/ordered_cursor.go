package zset

import "bytes"

// OrderedCursor is a position in an [Ordered]. It is good until the multiset changes.
type OrderedCursor struct {
	t    *Ordered
	at   place
	leaf *leaf // nil: at no key
}

// First is a cursor at the least key.
func (t *Ordered) First() OrderedCursor { return t.settle(place{}) }

// SeekGE is a cursor at the least key that is not less than key.
func (t *Ordered) SeekGE(key []byte) OrderedCursor {
	p, _ := t.find(key)
	return t.settle(p)
}

// SeekLT is a cursor at the largest key less than bound.
func (t *Ordered) SeekLT(bound []byte) OrderedCursor {
	p, _ := t.find(bound)
	c := OrderedCursor{t: t, at: p, leaf: t.kids[p.b].kids[p.l]}
	c.Prev()
	return c
}

// FirstWith is a cursor at the least key that starts with prefix, if there is one.
func (t *Ordered) FirstWith(prefix []byte) OrderedCursor {
	return t.SeekGE(prefix).with(prefix)
}

// LastWith is a cursor at the largest key that starts with prefix, if there is
// one. For MAX over a type whose key encoding is not exact it is not yet the
// answer: of the keys that are not distinct from it, its neighbours, the least by
// row encoding is shown (I8, I13).
func (t *Ordered) LastWith(prefix []byte) OrderedCursor {
	var tmp [128]byte
	bound := append(tmp[:0], prefix...)
	for len(bound) > 0 && bound[len(bound)-1] == 0xff {
		bound = bound[:len(bound)-1]
	}
	if len(bound) == 0 {
		b := len(t.kids) - 1
		l := len(t.kids[b].kids) - 1
		c := OrderedCursor{t: t, at: place{b: b, l: l, i: len(t.kids[b].kids[l].count)}, leaf: t.kids[b].kids[l]}
		c.Prev()
		return c.with(prefix)
	}
	bound[len(bound)-1]++
	return t.SeekLT(bound).with(prefix)
}

func (c OrderedCursor) with(prefix []byte) OrderedCursor {
	if c.Valid() && !bytes.HasPrefix(c.Key(), prefix) {
		c.leaf = nil
	}
	return c
}

// settle is a cursor at p, or at the next key where p is behind its leaf's last.
func (t *Ordered) settle(p place) OrderedCursor {
	c := OrderedCursor{t: t, at: p, leaf: t.kids[p.b].kids[p.l]}
	for c.leaf != nil && c.at.i >= len(c.leaf.count) {
		c.step(1)
		c.at.i = 0
	}
	return c
}

// step moves to the neighbouring leaf; leaf is nil where there is none.
func (c *OrderedCursor) step(d int) {
	p := &c.at
	p.l += d
	if p.l < 0 || p.l >= len(c.t.kids[p.b].kids) {
		p.b += d
		if p.b < 0 || p.b >= len(c.t.kids) {
			c.leaf = nil
			return
		}
		p.l = 0
		if d < 0 {
			p.l = len(c.t.kids[p.b].kids) - 1
		}
	}
	c.leaf = c.t.kids[p.b].kids[p.l]
}

// Valid reports whether c is at a key.
func (c *OrderedCursor) Valid() bool { return c.leaf != nil }

// Key is the key at c; it aliases the multiset. c must be Valid.
func (c *OrderedCursor) Key() []byte { return c.leaf.keys.key(c.at.i) }

// Count is the count of the key at c.
func (c *OrderedCursor) Count() int64 { return c.leaf.count[c.at.i] }

// Next moves c to the next key; c must be Valid.
func (c *OrderedCursor) Next() {
	c.at.i++
	for c.leaf != nil && c.at.i >= len(c.leaf.count) {
		c.step(1)
		c.at.i = 0
	}
}

// Prev moves c to the key before; c must be Valid.
func (c *OrderedCursor) Prev() {
	c.at.i--
	for c.leaf != nil && c.at.i < 0 {
		c.step(-1)
		if c.leaf != nil {
			c.at.i = len(c.leaf.count) - 1
		}
	}
}
