package zset

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// NoID says that a key is not in a [KeyTable].
const NoID = ^uint32(0)

// A slot is 0 (empty), tombstone, or a tag of hash bits above the place of a
// record, plus slotBias. A record is the id (4 bytes), the length of the key
// (uvarint) and the key. So a look-up touches two lines of memory: the slot and
// the record. Records lie in blocks, so that growth copies none; a place is the
// number of its block above the offset in it. A record that is longer than a
// block has one for itself.
const (
	tombstone = 1
	slotBias  = 2
	placeBits = 40
	placeMask = 1<<placeBits - 1
	tagMask   = ^uint64(placeMask)
	freedID   = ^uint64(0)
	blockBits = 20
	blockSize = 1 << blockBits
	blockMask = blockSize - 1
	probeStep = 128 // keys of a batch whose memory loads overlap
	minSlots  = 16
	minBlock  = 256
	minDead   = 1 << 16 // bytes of dead records below which no compaction is worth it
)

// KeyTable maps byte strings to dense ids: the n-th new key gets id n, or the
// id that was freed last. Hashes place a key, bytes decide. It holds no
// pointers per key. Not safe for concurrent use, but for concurrent Find
// without writers.
type KeyTable struct {
	slots []uint64 // power of two
	block [][]byte
	last  int      // the block that takes new records; later ones are empty
	place []uint64 // id -> place of its record, or freedID
	free  []uint32
	tombs int
	bytes int // of all records
	dead  int // of records of deleted keys
}

// NewKeyTable returns an empty table with room for hint keys.
func NewKeyTable(hint int) *KeyTable {
	t := &KeyTable{slots: make([]uint64, slotsFor(hint))}
	if hint > 0 {
		t.place = make([]uint64, 0, hint)
	}
	return t
}

// slotsFor is the number of slots for n keys at a load of at most 3/4.
func slotsFor(n int) int {
	if n*4 < minSlots*3 {
		return minSlots
	}
	return 1 << bits.Len(uint(n*4/3))
}

// Len is the number of keys.
func (t *KeyTable) Len() int { return len(t.place) - len(t.free) }

// Cap is one more than the highest id ever given since the last Reset: the
// length of arrays indexed by id.
func (t *KeyTable) Cap() int { return len(t.place) }

// Key is the key with the given id, nil if the id is free. It aliases the
// table's memory and is valid until the next call that adds or deletes.
func (t *KeyTable) Key(id uint32) []byte {
	if int(id) >= len(t.place) || t.place[id] == freedID {
		return nil
	}
	return t.keyAt(t.place[id])
}

// MemBytes is the memory that t holds.
func (t *KeyTable) MemBytes() int64 {
	n := 8*cap(t.slots) + 8*cap(t.place) + 4*cap(t.free)
	for _, b := range t.block {
		n += cap(b)
	}
	return int64(n)
}

// Reset forgets all keys and keeps the memory.
func (t *KeyTable) Reset() {
	clear(t.slots)
	for i := range t.block {
		t.block[i] = t.block[i][:0]
	}
	t.last, t.tombs, t.bytes, t.dead = 0, 0, 0, 0
	t.place, t.free = t.place[:0], t.free[:0]
}

func (t *KeyTable) keyAt(place uint64) []byte {
	p := t.block[place>>blockBits][place&blockMask+4:]
	if p[0] < 0x80 {
		return p[1 : 1+int(p[0]) : 1+int(p[0])]
	}
	n, w := binary.Uvarint(p)
	end := w + int(n)
	return p[w:end:end]
}

func (t *KeyTable) idAt(place uint64) uint32 {
	return binary.LittleEndian.Uint32(t.block[place>>blockBits][place&blockMask:])
}

// lookup finds the id of key, or NoID.
func (t *KeyTable) lookup(key []byte, h uint64) uint32 {
	mask := uint64(len(t.slots) - 1)
	tag := h & tagMask
	for i := h & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			return NoID
		}
		if s&tagMask == tag && s&placeMask != tombstone {
			place := s&placeMask - slotBias
			if bytes.Equal(t.keyAt(place), key) {
				return t.idAt(place)
			}
		}
	}
}

// add finds or adds key. There is an empty slot.
func (t *KeyTable) add(key []byte, h uint64) (id uint32, added bool) {
	mask := uint64(len(t.slots) - 1)
	tag := h & tagMask
	at, seen := uint64(0), false
	i := h & mask
	for ; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s == 0 {
			break
		}
		if s == tombstone {
			if !seen {
				at, seen = i, true
			}
			continue
		}
		if s&tagMask == tag {
			place := s&placeMask - slotBias
			if bytes.Equal(t.keyAt(place), key) {
				return t.idAt(place), false
			}
		}
	}
	if seen {
		t.tombs--
	} else {
		at = i
	}
	if n := len(t.free); n > 0 {
		id = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		id = uint32(len(t.place))
		t.place = append(t.place, 0)
	}
	place := t.appendRecord(id, key)
	t.place[id] = place
	t.slots[at] = tag | (place + slotBias)
	return id, true
}

// appendRecord writes a record and returns its place.
func (t *KeyTable) appendRecord(id uint32, key []byte) uint64 {
	n := recordLen(key)
	b := t.room(n)
	place := uint64(t.last)<<blockBits | uint64(len(b))
	b = binary.LittleEndian.AppendUint32(b, id)
	b = binary.AppendUvarint(b, uint64(len(key)))
	t.block[t.last] = append(b, key...)
	t.bytes += n
	return place
}

// room is the last block, with room for n bytes. The first block grows up to
// blockSize, so that a small table is small; others have their size at once.
func (t *KeyTable) room(n int) []byte {
	if len(t.block) > 0 {
		b := t.block[t.last]
		if len(b)+n <= cap(b) && len(b) <= blockMask {
			return b
		}
		if t.last == 0 && len(b)+n <= blockSize {
			grown := make([]byte, len(b), min(max(2*cap(b), len(b)+n), blockSize))
			copy(grown, b)
			t.block[0] = grown
			return grown
		}
		t.last++
		if t.last < len(t.block) && n <= cap(t.block[t.last]) {
			return t.block[t.last]
		}
	}
	size := max(n, blockSize)
	if t.last == 0 {
		size = max(n, minBlock)
	}
	b := make([]byte, 0, size)
	t.block = append(t.block[:t.last], b)
	return b
}

func recordLen(key []byte) int {
	return 4 + (bits.Len(uint(len(key))|1)+6)/7 + len(key)
}

// reserve makes room for n more keys in the slots.
func (t *KeyTable) reserve(n int) {
	live := t.Len()
	if (live+t.tombs+n)*4 <= len(t.slots)*3 {
		return
	}
	t.rehash(max(slotsFor(live+n), minSlots))
}

// rehash builds n slots anew from the records, in the order of ids, so that
// the arena is read forwards. Tombstones go.
func (t *KeyTable) rehash(n int) {
	if n == len(t.slots) {
		clear(t.slots)
	} else {
		t.slots = make([]uint64, n)
	}
	t.tombs = 0
	mask := uint64(n - 1)
	for _, place := range t.place {
		if place == freedID {
			continue
		}
		h := Hash(t.keyAt(place))
		i := h & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = h&tagMask | (place + slotBias)
	}
}

// FindKey is the id of key, or NoID.
func (t *KeyTable) FindKey(key []byte) uint32 { return t.lookup(key, Hash(key)) }

// AddKey is the id of key, which is added if it was not there.
func (t *KeyTable) AddKey(key []byte) (id uint32, added bool) {
	t.reserve(1)
	return t.add(key, Hash(key))
}

// Find sets ids[i] to the id of key i of k, or NoID, for all k.Len() keys.
func (t *KeyTable) Find(k *Keys, ids []uint32) {
	var place [probeStep]uint64
	n := k.Len()
	for lo := 0; lo < n; lo += probeStep {
		hi := min(lo+probeStep, n)
		t.touch(k.Hash[lo:hi], &place, ids[lo:hi])
		for i := lo; i < hi; i++ {
			key := k.Key(i)
			if p := place[i-lo]; p != freedID && bytes.Equal(t.keyAt(p), key) {
				continue
			}
			ids[i] = t.lookup(key, k.Hash[i])
		}
	}
}

// FindOrAdd sets ids[i] to the id of key i of k, adding the keys that are new,
// in the order of k: without freed ids, a new key is one whose id is not below
// Cap before the call.
func (t *KeyTable) FindOrAdd(k *Keys, ids []uint32) {
	var place [probeStep]uint64
	n := k.Len()
	for lo := 0; lo < n; lo += probeStep {
		hi := min(lo+probeStep, n)
		t.reserve(hi - lo)
		t.touch(k.Hash[lo:hi], &place, ids[lo:hi])
		for i := lo; i < hi; i++ {
			key := k.Key(i)
			if p := place[i-lo]; p != freedID && bytes.Equal(t.keyAt(p), key) {
				continue
			}
			ids[i], _ = t.add(key, k.Hash[i])
		}
	}
}

// touch guesses the ids of hash by the first slot alone: where its tag agrees,
// place[i] and ids[i] are those of its record, else place[i] is freedID. It
// loads the slots in one loop and the records in the next, so that the misses
// of many keys overlap instead of queueing up.
func (t *KeyTable) touch(hash []uint64, place *[probeStep]uint64, ids []uint32) {
	mask := uint64(len(t.slots) - 1)
	slots := t.slots
	for i, h := range hash {
		place[i] = slots[h&mask]
	}
	for i, h := range hash {
		s := place[i]
		if s < slotBias || (s^h)&tagMask != 0 {
			place[i] = freedID
			continue
		}
		p := s&placeMask - slotBias
		place[i] = p
		ids[i] = t.idAt(p)
	}
}

// Delete removes the key with the given id; the id is free for a later key.
// Nothing happens if it is free already.
func (t *KeyTable) Delete(id uint32) {
	if int(id) >= len(t.place) || t.place[id] == freedID {
		return
	}
	place := t.place[id]
	key := t.keyAt(place)
	mask := uint64(len(t.slots) - 1)
	i := Hash(key) & mask
	for t.slots[i] < slotBias || t.slots[i]&placeMask != place+slotBias {
		i = (i + 1) & mask
	}
	t.dead += recordLen(key)
	t.place[id] = freedID
	t.free = append(t.free, id)
	t.slots[i] = tombstone
	t.tombs++
	if t.slots[(i+1)&mask] == 0 {
		for t.slots[i] == tombstone { // nothing behind it is found through it
			t.slots[i] = 0
			t.tombs--
			i = (i - 1) & mask
		}
	}
	if t.dead >= minDead && t.dead > t.bytes/2 {
		t.compact()
	}
}

// compact copies the live records, in the order of ids, to new blocks.
func (t *KeyTable) compact() {
	old := KeyTable{block: t.block}
	t.block, t.last, t.bytes, t.dead = nil, 0, 0, 0
	for id, place := range t.place {
		if place != freedID {
			t.place[id] = t.appendRecord(uint32(id), old.keyAt(place))
		}
	}
	t.rehash(slotsFor(t.Len()))
}
