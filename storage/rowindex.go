package storage

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"

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
	one   bool     // the key is one integer, date or such
	slots []uint64 // hash<<32 | entry; 0: empty
	bits  uint
	used  int
	known atomic.Pointer[intDir] // of full pages, see dir
}

const minSlotBits = 4

// seenSlots is the number of keys whose loads of memory overlap.
const seenSlots = 256

func newRowIndex(cols []int, types []zset.Type, exact bool) *rowIndex {
	x := &rowIndex{cols: cols, types: types, exact: exact, bits: minSlotBits}
	x.one = len(cols) == 1 && types[0].Phys() == zset.PhysI64
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
		return s.v.page(int(a >> pageBits)).cols, int(a & pageMask)
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
	if x.one && x.cols[0] < len(cols) && len(key) == 9 {
		c := &cols[x.cols[0]]
		return uint64(c.I64[at])^1<<63 == binary.BigEndian.Uint64(key[1:]) && !c.IsNull(at)
	}
	var buf [64]byte
	for j, c := range x.cols {
		col, at := (*zset.Column)(nil), at
		if c < len(cols) {
			col = &cols[c]
		} else {
			fill := src.v.fills.column(c, x.types[j], 1, 1)
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
			fill := f.column(c, x.types[j], 1, 1)
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

// intDir is the cells of an integer column by page, so that a look at one is one
// miss of memory. Pages that have a NULL, or have not the column, are empty.
type intDir [][]int64

// dir is that of the key, if it pays for n look-ups; nil if not. What it says of
// full pages is kept: they do not change any more.
func (x *rowIndex) dir(v *view, n int) intDir {
	pages := v.pages()
	if !x.one || n*4 < pages {
		return nil
	}
	full := x.fullPages(v)
	if v.tail == nil {
		return full
	}
	return append(full[:len(v.full):len(v.full)], x.cells(v.tail))
}

// fullPages is the directory of the full pages of v.
func (x *rowIndex) fullPages(v *view) intDir {
	var d intDir
	if known := x.known.Load(); known != nil {
		d = *known
	}
	if len(d) < len(v.full) {
		e := make(intDir, len(v.full), len(v.full)*5/4+1)
		for i := copy(e, d); i < len(e); i++ {
			e[i] = x.cells(v.full[i])
		}
		x.known.Store(&e)
		d = e
	}
	return d[:len(v.full)]
}

// cells is the key of the rows of a page; nil if the page cannot show it plainly.
func (x *rowIndex) cells(p *page) []int64 {
	if c := x.cols[0]; c < len(p.cols) && p.cols[c].Null == nil {
		return p.cols[c].I64
	}
	return nil
}

// guesses is what the first slots of a group of keys say. All slots are loaded
// before all cells: the misses of a group overlap instead of queueing up.
type guesses struct {
	at   [seenSlots]uint32 // which slot
	slot [seenSlots]uint64 // what is in it
	cell [seenSlots]uint64 // the cell of the slot's version, as it is in a key
	hit  [seenSlots]bool   // cell is known
	died uint64            // of no meaning: loads must have a use
}

func (x *rowIndex) guess(g *guesses, hash []uint64, d intDir, v *view) {
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
	for i, h := range hash {
		g.hit[i] = false
		if d == nil || (g.slot[i]^h)>>32 != 0 || g.slot[i] == 0 {
			continue
		}
		a := uint32(g.slot[i]) - 1
		if p := int(a >> pageBits); p < len(d) && int(a&pageMask) < len(d[p]) {
			g.cell[i], g.hit[i] = uint64(d[p][a&pageMask])^1<<63, true
		}
	}
	if v == nil {
		return
	}
	for i := range hash { // whoever finds a version asks next whether it lives
		if g.hit[i] {
			g.died ^= atomic.LoadUint64(&v.stamp(Addr(uint32(g.slot[i]) - 1)).died)
		}
	}
}

// right reports whether the guess is the answer for key.
func (g *guesses) right(i int, key []byte) bool {
	return g.hit[i] && len(key) == 9 && binary.BigEndian.Uint64(key[1:]) == g.cell[i]
}

// find sets out[i] to the newest entry of key i of k that v has, or 0. d is of v.
func (x *rowIndex) find(k *zset.Keys, v *view, d intDir, out []uint32) {
	src := rowSource{v: v}
	var g guesses
	for lo, n := 0, k.Len(); lo < n; lo += seenSlots {
		hi := min(lo+seenSlots, n)
		x.guess(&g, k.Hash[lo:hi], d, v)
		for i := lo; i < hi; i++ {
			if g.right(i-lo, k.Key(i)) {
				out[i] = uint32(g.slot[i-lo])
				continue
			}
			home := x.home(uint32(k.Hash[i] >> 32))
			_, out[i] = x.probe(&src, v.n, k, i, home, x.slots[home])
		}
	}
}

// adding is what add needs to know: where the new versions are, and who decides.
type adding struct {
	src  rowSource
	dir  intDir // of src.v
	addr func(i int) Addr
	// before, if not nil, has for key i a stored version of that very key.
	before []Addr
	// check sees the newest entry of key i, 0 if it is new; with false add stops.
	check func(i int, newest uint32) bool
	// done hears of the slot of each key that was added.
	done func(slot uint32)
}

// add puts version addr(i), unless it is NoAddr, in front of the chain of key i
// of k, for all i. There is room. False: check refused.
func (x *rowIndex) add(k *zset.Keys, w *adding) bool {
	end := w.src.end()
	var g guesses
	for lo, n := 0, k.Len(); lo < n; lo += seenSlots {
		hi := min(lo+seenSlots, n)
		if w.before != nil {
			x.guess(&g, k.Hash[lo:hi], nil, nil)
		} else {
			x.guess(&g, k.Hash[lo:hi], w.dir, w.src.v)
		}
		for i := lo; i < hi; i++ {
			a := w.addr(i)
			if a == NoAddr {
				continue
			}
			tag := uint32(k.Hash[i] >> 32)
			slot := g.at[i-lo]
			newest := uint32(x.slots[slot])
			known := g.right(i-lo, k.Key(i)) // then the slot is that key's, whatever came in front since
			if w.before != nil {
				_, own := w.before[i].own()
				known = !own && newest == uint32(w.before[i])+1
			}
			if !known {
				slot = x.home(tag)
				slot, newest = x.probe(&w.src, end, k, i, slot, x.slots[slot])
			}
			if w.check != nil && !w.check(i, newest) {
				return false
			}
			if newest == 0 {
				x.used++
			}
			x.link(a, newest)
			x.slots[slot] = uint64(tag)<<32 | uint64(uint32(a)+1)
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
