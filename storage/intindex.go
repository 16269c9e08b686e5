package storage

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/ivmc/ivmc/zset"
)

// intIndex finds the chain of a key that is one column of fixed width: an integer,
// a date, a double and such. The slot holds the key itself, so that a look-up is
// one miss of memory and no cell is read. 21 to 43 bytes a key.
//
// Open addressing with linear probing. A slot's place follows from the upper bits
// of the mixed key, so growing copies slots in order.
type intIndex struct {
	chains
	slots []intSlot
	bits  uint
	used  int
	null  uint32 // the newest entry of the key NULL
}

type intSlot struct {
	key   uint64 // the key encoding without its mark
	entry uint32 // 0: the slot is empty
}

// nullSlot is the number of the slot of NULL.
const nullSlot = ^uint32(0)

func newIntIndex() *intIndex {
	return &intIndex{bits: minSlotBits, slots: make([]intSlot, 1<<minSlotBits)}
}

// intKey is the key of an encoding; false for NULL.
func intKey(enc []byte) (uint64, bool) {
	if len(enc) != 9 {
		return 0, false
	}
	return binary.BigEndian.Uint64(enc[1:]), true
}

// home is where the search for key starts.
func (x *intIndex) home(key uint64) uint32 {
	key = (key ^ key>>32) * 0x9e3779b97f4a7c15
	return uint32((key ^ key>>29) * 0xbf58476d1ce4e5b9 >> (64 - x.bits))
}

// slot is that of key, or the empty one that ends the search, from slot i on.
func (x *intIndex) slot(key uint64, i uint32) uint32 {
	mask := uint32(len(x.slots) - 1)
	for x.slots[i].entry != 0 && x.slots[i].key != key {
		i = (i + 1) & mask
	}
	return i
}

// intGroup is some keys, the slots where the search for each starts, and what they hold.
type intGroup struct {
	home [seenSlots]uint32 // nullSlot: of NULL
	key  [seenSlots]uint64
	slot [seenSlots]intSlot

	newest [seenSlots]uint32 // entries
}

// load reads keys lo to hi of k and their first slots. It decides nothing in
// between, so that the misses of the whole group overlap.
func (x *intIndex) load(g *intGroup, k *zset.Keys, lo, hi int) {
	for i := lo; i < hi; i++ {
		key, ok := intKey(k.Key(i))
		g.key[i-lo], g.home[i-lo] = key, x.home(key)
		if !ok {
			g.home[i-lo] = nullSlot
		}
	}
	mask := uint32(len(x.slots) - 1)
	for i := range hi - lo {
		g.slot[i] = x.slots[g.home[i]&mask]
	}
}

func (x *intIndex) find(k *zset.Keys, v *view, out []uint32) {
	var g intGroup
	for lo := 0; lo < len(out); lo += seenSlots {
		hi := min(lo+seenSlots, len(out))
		x.load(&g, k, lo, hi)
		for i := range hi - lo {
			switch at := g.home[i]; {
			case at == nullSlot:
				out[lo+i] = x.null
			case g.slot[i].key == g.key[i] || g.slot[i].entry == 0:
				out[lo+i] = g.slot[i].entry
			default:
				out[lo+i] = x.slots[x.slot(g.key[i], at)].entry
			}
		}
	}
	for i, e := range out {
		for e != 0 && uint64(e-1) >= v.n {
			e = x.older(e)
		}
		out[i] = e
	}
}

func (x *intIndex) add(k *zset.Keys, w *adding) bool {
	var g intGroup
	for lo, n := 0, k.Len(); lo < n; lo += seenSlots {
		hi := min(lo+seenSlots, n)
		x.load(&g, k, lo, hi)
		if w.warm != nil {
			for i := range hi - lo {
				if g.home[i] != nullSlot && g.slot[i].key != g.key[i] && g.slot[i].entry != 0 {
					g.home[i] = x.slot(g.key[i], g.home[i])
					g.slot[i] = x.slots[g.home[i]]
				}
				g.newest[i] = g.slot[i].entry
			}
			w.warm(g.newest[:hi-lo])
		}
		for i := lo; i < hi; i++ {
			a := w.addr(i)
			if a == NoAddr {
				continue
			}
			key, slot, head := g.key[i-lo], g.home[i-lo], &x.null
			if slot != nullSlot {
				slot = x.slot(key, slot)
				head = &x.slots[slot].entry
			}
			if w.check != nil && !w.check(i, *head) {
				return false
			}
			if *head == 0 {
				x.used++
			}
			x.link(a, *head)
			*head = uint32(a) + 1
			if slot != nullSlot {
				x.slots[slot].key = key
			}
			if w.done != nil {
				w.done(slot)
			}
		}
	}
	return true
}

func (x *intIndex) undo(slot uint32) {
	at := &x.null
	if slot != nullSlot {
		at = &x.slots[slot].entry
	}
	*at = x.older(*at)
	if *at == 0 {
		x.used--
	}
}

func (x *intIndex) reserve(n int) {
	want := uint(bits.Len(uint((x.used + n) * 4 / 3)))
	if want <= x.bits {
		return
	}
	old := x.slots
	x.bits, x.slots = want, newSlots(1<<want)
	mask := uint32(len(x.slots) - 1)
	for _, s := range old {
		if s.entry == 0 {
			continue
		}
		i := x.home(s.key)
		for x.slots[i].entry != 0 {
			i = (i + 1) & mask
		}
		x.slots[i] = s
	}
}

func (x *intIndex) keys() int       { return x.used }
func (x *intIndex) memBytes() int64 { return int64(16*len(x.slots)) + x.chains.memBytes() }

// newSlots is n empty slots, in huge pages if they fill some.
func newSlots(n int) []intSlot {
	if n*int(unsafe.Sizeof(intSlot{})) < 2*hugePage {
		return make([]intSlot, n)
	}
	b := hugeMemory(n * int(unsafe.Sizeof(intSlot{})))
	return unsafe.Slice((*intSlot)(unsafe.Pointer(unsafe.SliceData(b))), n)
}
