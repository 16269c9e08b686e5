package storage

import (
	"encoding/binary"
	"hash/crc32"
	"sort"
)

// Offsets is up to where a view or stream has read its inputs, the base TSO that it
// stands for, and the generation of its state. Of a stream the frontier is the
// commit that moved it last, and the generation says whether one read it.
type Offsets struct {
	Inputs   map[ID]TSO
	Frontier TSO
	Gen      uint32
}

// OffsetChange sets the offsets of a view or stream, or deletes them.
type OffsetChange struct {
	View   ID
	Set    Offsets
	Delete bool
	// Move makes it a compare-and-set, which loses (ErrConsumed) unless the offset
	// in Move.Input is From now. Set.Frontier becomes the TSO of the commit.
	Move *Move
}

// Move is the offset that a compare-and-set expects.
type Move struct {
	Input ID
	From  TSO // 0: there is no offset
}

// moved sets the frontiers of the offsets that c moves, and ErrConsumed if another
// commit moved one first.
func (s *Store) moved(c *Commit, tso TSO) error {
	m := *s.offsets.Load()
	for i := range c.Offsets {
		o := &c.Offsets[i]
		if o.Move == nil {
			continue
		}
		if m[o.View].Inputs[o.Move.Input] != o.Move.From {
			return errorf(ErrConsumed, codeConflict, "target offset already consumed")
		}
		o.Set.Frontier = tso
	}
	return nil
}

// AllOffsets are the offsets of all views and streams. The map is read-only.
func (s *Store) AllOffsets() map[ID]Offsets { return *s.offsets.Load() }

// Offsets is what the last commit set for view. The map is read-only.
func (s *Store) Offsets(view ID) (Offsets, bool) {
	m := *s.offsets.Load()
	o, ok := m[view]
	return o, ok
}

// encodeOffsets: frontier.8 gen.4 (id.8 tso.8)* crc.4
func encodeOffsets(o Offsets) []byte {
	ids := make([]ID, 0, len(o.Inputs))
	for id := range o.Inputs {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	b := binary.LittleEndian.AppendUint64(nil, uint64(o.Frontier))
	b = binary.LittleEndian.AppendUint32(b, o.Gen)
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint64(b, uint64(id))
		b = binary.LittleEndian.AppendUint64(b, uint64(o.Inputs[id]))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func decodeOffsets(b []byte) (o Offsets, ok bool) {
	n := len(b) - 4
	if n < 12 || (n-12)%16 != 0 || crc32.Checksum(b[:n], castagnoli) != binary.LittleEndian.Uint32(b[n:]) {
		return o, false
	}
	o = Offsets{Inputs: map[ID]TSO{}, Frontier: TSO(binary.LittleEndian.Uint64(b)), Gen: binary.LittleEndian.Uint32(b[8:])}
	for p := b[12:n]; len(p) > 0; p = p[16:] {
		o.Inputs[ID(binary.LittleEndian.Uint64(p))] = TSO(binary.LittleEndian.Uint64(p[8:]))
	}
	return o, true
}

// withOffsets is m after changes; drop are the dropped objects.
func withOffsets(m map[ID]Offsets, changes []OffsetChange, drop []ID) map[ID]Offsets {
	out := make(map[ID]Offsets, len(m)+len(changes))
	for id, o := range m {
		out[id] = o
	}
	for i := range changes {
		if changes[i].Delete {
			delete(out, changes[i].View)
		} else {
			out[changes[i].View] = changes[i].Set
		}
	}
	for _, id := range drop {
		delete(out, id)
	}
	return out
}
