package storage

// chains links the versions that share a key, newest first. An entry is 1 + an
// address, and 0 ends a chain. Every version has one key at most, so the link to
// the next older one stands in an array by address: four bytes a version.
type chains struct {
	next [][]uint32 // in pages
}

// link notes that the version behind a, of the same key, is that of entry older.
// Addresses come in ascending order, but may skip.
func (c *chains) link(a Addr, older uint32) {
	p, o := int(a>>pageBits), int(a&pageMask)
	for len(c.next) <= p {
		c.next = append(c.next, nil)
	}
	if len(c.next[p]) <= o {
		c.grow(p, o)
	}
	c.next[p][o] = older
}

func (c *chains) grow(p, o int) {
	room := pageRows
	if p == 0 {
		room = roomFor(0, o+1) // small relations stay small
	}
	page := make([]uint32, room)
	copy(page, c.next[p])
	c.next[p] = page
}

// older is the entry behind entry e.
func (c *chains) older(e uint32) uint32 {
	a := e - 1
	return c.next[a>>pageBits][a&pageMask]
}

func (c *chains) memBytes() (n int64) {
	for _, p := range c.next {
		n += int64(4 * len(p))
	}
	return n
}
