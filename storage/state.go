package storage

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/cockroachdb/pebble/v2"
)

// StateID names one state of a view: its n-th operator's, of one generation.
type StateID struct {
	View ID
	N    int
	Gen  uint32
}

// Packed is a list of byte strings in one piece of memory.
type Packed struct {
	Buf []byte
	Off []uint32 // len = strings+1, or 0
}

// Len is the number of strings.
func (p *Packed) Len() int { return max(len(p.Off)-1, 0) }

// At is string i; it aliases Buf.
func (p *Packed) At(i int) []byte { return p.Buf[p.Off[i]:p.Off[i+1]] }

// Append adds a string; b is copied.
func (p *Packed) Append(b []byte) {
	if len(p.Off) == 0 {
		p.Off = append(p.Off, 0)
	}
	p.Buf = append(p.Buf, b...)
	p.Off = append(p.Off, uint32(len(p.Buf)))
}

// Reset empties p and keeps its memory.
func (p *Packed) Reset() { p.Buf, p.Off = p.Buf[:0], p.Off[:0] }

// StateChange writes values to keys of a state; a value of no bytes deletes its
// key. Replace drops all that the state held before, in the same commit, so a
// Replace without keys clears it.
type StateChange struct {
	ID      StateID
	Replace bool
	Keys    Packed
	Vals    Packed
}

// A block of state: magic.2 format.1 0.1 count.4 bodyLen.4 CRC.4 (of all but
// itself), then the lengths of the keys, those of the values, the keys, the values.
const (
	stateMagic      = 0x5349 // "IS"
	stateHeadLen    = 16
	stateBlockBytes = blockBytes

	// Lengths that are all the same take no bytes, so that a count alone says nothing
	// of the memory that it asks for.
	maxStateEntries = stateBlockBytes + 1
)

// appendStateBlock appends entries [i, j).
func appendStateBlock(dst []byte, c *StateChange, i, j int) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, stateHeadLen)...)
	dst = appendLengths(dst, c.Keys.Off[i:j+1])
	dst = appendLengths(dst, c.Vals.Off[i:j+1])
	dst = append(dst, c.Keys.Buf[c.Keys.Off[i]:c.Keys.Off[j]]...)
	dst = append(dst, c.Vals.Buf[c.Vals.Off[i]:c.Vals.Off[j]]...)
	h, body := dst[at:], dst[at+stateHeadLen:]
	binary.LittleEndian.PutUint16(h, stateMagic)
	h[2] = blockFormat
	binary.LittleEndian.PutUint32(h[4:], uint32(j-i))
	binary.LittleEndian.PutUint32(h[8:], uint32(len(body)))
	binary.LittleEndian.PutUint32(h[12:], stateCRC(h, body))
	return dst
}

func stateCRC(head, body []byte) uint32 {
	return crc32.Update(crc32.Checksum(head[:12], castagnoli), castagnoli, body)
}

// eachState calls f for the entries of a block. fault is the reason why b is
// none; err is f's.
func eachState(b []byte, f func(key, val []byte) error) (fault string, err error) {
	if len(b) < stateHeadLen || binary.LittleEndian.Uint16(b) != stateMagic || b[2] != blockFormat {
		return "block of state is of an unknown format", nil
	}
	n, body := int(binary.LittleEndian.Uint32(b[4:])), b[stateHeadLen:]
	if uint32(len(body)) != binary.LittleEndian.Uint32(b[8:]) ||
		stateCRC(b, body) != binary.LittleEndian.Uint32(b[12:]) {
		return "checksum of the block of state is wrong", nil
	}
	if n > maxStateEntries {
		return "block of state has more entries than any", nil
	}
	r := reader{b: body}
	keyOff, keyLen := r.offsets([]uint32{0}, n)
	valOff, valLen := r.offsets([]uint32{0}, n)
	keys, vals := r.bytes(keyLen), r.bytes(valLen)
	if r.bad || len(r.b) != 0 {
		return "block of state does not parse", nil
	}
	for i := range n {
		if err := f(keys[keyOff[i]:keyOff[i+1]], vals[valOff[i]:valOff[i+1]]); err != nil {
			return "", err
		}
	}
	return "", nil
}

// stateBlocks encodes c into blocks of about blockBytes.
func stateBlocks(c *StateChange) [][]byte {
	var out [][]byte
	for i, n := 0, c.Keys.Len(); i < n; {
		j := i + 1
		for j < n && j-i < maxStateEntries && c.Keys.Off[j+1]-c.Keys.Off[i]+c.Vals.Off[j+1]-c.Vals.Off[i] < stateBlockBytes {
			j++
		}
		out = append(out, appendStateBlock(nil, c, i, j))
		i = j
	}
	return out
}

// stateSize is how much of a state is on disk: by its last Replace, and since.
type stateSize struct{ base, log int64 }

// StateBytes is the size on disk of what the last Replace of a state wrote, and
// of what was added since: who owns the state decides by it when to write it
// anew. Known once the state was written or loaded by this store.
func (s *Store) StateBytes(id StateID) (base, log int64) {
	s.stateMu.Lock()
	defer s.stateMu.Unlock()
	z := s.states[id]
	return z.base, z.log
}

// LoadState calls f for everything written to a state since its last Replace, in
// order: a later value of a key counts, and one of no bytes deletes it. key and
// val are valid during the call.
func (s *Store) LoadState(id StateID, f func(key, val []byte) error) (err error) {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.exit()
	defer s.edge(&err)
	prefix := statePrefix(id)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return s.readError(err)
	}
	defer func() { err = s.closeIter(it, err) }()
	var size stateSize
	var first uint64
	for ok := it.First(); ok; ok = it.Next() {
		b, err := it.ValueAndErr()
		if err != nil {
			return s.readError(err)
		}
		if len(it.Key()) != stateKeyLen {
			return s.corruptState(id, it.Key(), "key has another length")
		}
		fault, err := eachState(b, f)
		if fault != "" {
			return s.corruptState(id, it.Key(), fault)
		}
		if err != nil {
			return err
		}
		if tso := keyU64(it.Key(), len(prefix)); first == 0 || tso == first {
			first = tso
			size.base += int64(len(b))
		} else {
			size.log += int64(len(b))
		}
	}
	s.stateMu.Lock()
	s.states[id] = size
	s.stateMu.Unlock()
	return nil
}

func (s *Store) corruptState(id StateID, key []byte, fault string) error {
	return errorf(ErrCorrupt, codeCorrupt, "state %d of view %d, generation %d, key %x: %s", id.N, id.View, id.Gen, key, fault)
}
