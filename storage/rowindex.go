package storage

import (
	"bytes"

	"github.com/ivmc/ivmc/zset"
)

// rowIndex finds the chain of a key that consists of columns. It keeps no keys:
// a slot has 32 bits of the hash and the newest version, and the version's own
// cells decide. A slot's place follows from those 32 bits, so growing copies
// slots in order and looks at no row. About 12 bytes a key.
//
// Open addressing with linear probing. Entries of versions that a reader's view
// does not have yet are passed over: their keys cannot be compared, and he could
// not see them.
type rowIndex struct {
	chains
	cols  []int
	types []zset.Type
	exact bool     // by whole rows: keys are made by HashRows
	slots []uint64 // hash<<32 | entry; 0: empty
	bits  uint
	used  int
}

const minSlotBits = 4

// seenSlots is the number of keys whose loads of memory overlap.
const seenSlots = 256

func newRowIndex(cols []int, types []zset.Type, exact bool) *rowIndex {
	x := &rowIndex{cols: cols, types: types, exact: exact, bits: minSlotBits}
	x.slots = make([]uint64, 1<<x.bits)
	return x
}

// rowSource is where the cells of versions are: those of v, and behind them those
// of a commit that is being made.
type rowSource struct {
	v   *view
	own []*zset.Batch
}

// at gives the columns that version a is in, and its place there.
func (s *rowSource) at(a Addr) ([]zset.Column, int) {
	if uint64(a) < s.v.n {
		p, i := s.v.page(int(a>>pageBits)), int(a&pageMask)
		if p.holes != nil {
			i, _ = p.holes.row(i) // an index has no version that is not there
		}
		return p.cols, i
	}
	i := int(uint64(a) - s.v.n)
	for _, b := range s.own {
		if i < b.N {
			return b.Cols, i
		}
		i -= b.N
	}
	return nil, 0
}

func (s *rowSource) end() uint64 {
	n := s.v.n
	for _, b := range s.own {
		n += uint64(b.N)
	}
	return n
}

// equal reports whether version a has key i of k.
func (x *rowIndex) equal(src *rowSource, a Addr, k *zset.Keys, i int) bool {
	cols, at := src.at(a)
	if x.exact {
		return x.same(cols, src.v.fills, at, k, i)
	}
	key := k.Key(i)
	var buf [64]byte
	for j, c := range x.cols {
		col, at := (*zset.Column)(nil), at
		if c < len(cols) {
			col = &cols[c]
		} else {
			fill := src.v.fills.column(c, x.types[j], 1)
			col, at = &fill, 0
		}
		cell := zset.AppendKey(buf[:0], col, at)
		if !bytes.HasPrefix(key, cell) {
			return false
		}
		key = key[len(cell):]
	}
	return len(key) == 0
}

// same reports whether row at of cols is identical to row i of k, whose rows
// are hashed, not encoded.
func (x *rowIndex) same(cols []zset.Column, f fills, at int, k *zset.Keys, i int) bool {
	for j, c := range x.cols {
		if c >= len(cols) { // the version is older than the column
			fill := f.column(c, x.types[j], 1)
			if !zset.SameRow([]zset.Column{fill}, 0, k.Rows[j:j+1], i) {
				return false
			}
			continue
		}
		if !zset.SameRow(cols[c:c+1], at, k.Rows[j:j+1], i) {
			return false
		}
	}
	return true
}

// reserve makes room for n more keys.
func (x *rowIndex) reserve(n int) {
	bits := x.bits
	for (x.used+n)*3 > (2 << bits) {
		bits++
	}
	if bits == x.bits {
		return
	}
	old := x.slots
	x.bits, x.slots = bits, make([]uint64, 1<<bits)
	mask := uint32(len(x.slots) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		i := x.home(uint32(s >> 32))
		for x.slots[i] != 0 {
			i = (i + 1) & mask
		}
		x.slots[i] = s
	}
}

func (x *rowIndex) home(tag uint32) uint32 { return tag >> (32 - x.bits) }

// probe looks key ki of k up from slot i on, whose content is s. It gives the slot of the
// key and the newest entry in src; or the empty slot that ends the search and 0.
func (x *rowIndex) probe(src *rowSource, end uint64, k *zset.Keys, ki int, i uint32, s uint64) (slot, entry uint32) {
	mask := uint32(len(x.slots) - 1)
	tag := uint32(k.Hash[ki] >> 32)
	for s != 0 {
		if uint32(s>>32) == tag {
			e := uint32(s)
			for e != 0 && uint64(e-1) >= end {
				e = x.older(e)
			}
			if e != 0 && x.equal(src, Addr(e-1), k, ki) {
				return i, e
			}
		}
		i = (i + 1) & mask
		s = x.slots[i]
	}
	return i, 0
}

// firsts is the first slots of a group of keys. All are loaded before the cells of
// any: the misses of a group overlap instead of queueing up.
type firsts struct {
	at   [seenSlots]uint32 // which slot
	slot [seenSlots]uint64 // what is in it
}

func (x *rowIndex) first(g *firsts, hash []uint64) {
	mask := uint32(len(x.slots) - 1)
	for i, h := range hash {
		at := x.home(uint32(h >> 32))
		s := x.slots[at]
		for s != 0 && (s^h)>>32 != 0 && (at+1)&7 != 0 { // the rest of the line of memory
			at = (at + 1) & mask
			s = x.slots[at]
		}
		g.at[i], g.slot[i] = at, s
	}
}

func (x *rowIndex) find(k *zset.Keys, v *view, out []uint32) {
	src := rowSource{v: v}
	var g firsts
	for lo, n := 0, k.Len(); lo < n; lo += seenSlots {
		hi := min(lo+seenSlots, n)
		x.first(&g, k.Hash[lo:hi])
		for i := lo; i < hi; i++ {
			_, out[i] = x.probe(&src, v.n, k, i, g.at[i-lo], g.slot[i-lo])
		}
	}
}

// adding is what add needs to know: where the new versions are, and who decides.
type adding struct {
	src  rowSource
	addr func(i int) Addr
	// before, if not nil, has for key i a stored version of that very key.
	before []Addr
	// warm is shown what check will probably see, a group of keys at a time.
	warm func(newest []uint32)
	// check sees the newest entry of key i, 0 if it is new; with false add stops.
	check func(i int, newest uint32) bool
	// done hears of the slot of each key that was added.
	done func(slot uint32)
}

// add puts version addr(i), unless it is NoAddr, in front of the chain of key i
// of k, for all i. There is room. False: check refused.
func (x *rowIndex) add(k *zset.Keys, w *adding) bool {
	end := w.src.end()
	var g firsts
	for lo, n := 0, k.Len(); lo < n; lo += seenSlots {
		hi := min(lo+seenSlots, n)
		x.first(&g, k.Hash[lo:hi])
		for i := lo; i < hi; i++ {
			a := w.addr(i)
			if a == NoAddr {
				continue
			}
			slot := g.at[i-lo]
			newest := uint32(x.slots[slot])
			known := false // that the slot is the key's
			if w.before != nil {
				_, own := w.before[i].own()
				known = !own && newest == uint32(w.before[i])+1
			}
			if !known {
				slot, newest = x.probe(&w.src, end, k, i, slot, x.slots[slot])
			}
			if w.check != nil && !w.check(i, newest) {
				return false
			}
			if newest == 0 {
				x.used++
			}
			x.link(a, newest)
			x.slots[slot] = k.Hash[i]>>32<<32 | uint64(uint32(a)+1)
			if w.done != nil {
				w.done(slot)
			}
		}
	}
	return true
}

// undo takes back an add to slot; the last add first, and without a reserve in
// between, so that nothing was placed behind a key that goes.
func (x *rowIndex) undo(slot uint32) {
	older := x.older(uint32(x.slots[slot]))
	if older == 0 {
		x.slots[slot] = 0
		x.used--
		return
	}
	x.slots[slot] = x.slots[slot]&^0xffffffff | uint64(older)
}

func (x *rowIndex) keys() int       { return x.used }
func (x *rowIndex) memBytes() int64 { return int64(8*len(x.slots)) + x.chains.memBytes() }
