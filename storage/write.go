package storage

import (
	"encoding/binary"
	"encoding/json"

	"github.com/cockroachdb/pebble/v2"
)

// write fills the batch.
func (s *Store) write(p *prepared, batch *pebble.Batch, tso TSO, cat *Catalog) error {
	put := func(key, val []byte) error { return batch.Set(key, val, nil) }
	if err := put(section(secLastTSO), binary.BigEndian.AppendUint64(nil, uint64(tso))); err != nil {
		return s.readError(err)
	}
	for _, rc := range p.rels {
		if err := rc.writeTo(batch, tso); err != nil {
			return s.readError(err)
		}
	}
	for i := range p.c.States {
		st := &p.c.States[i]
		prefix := statePrefix(st.ID)
		if st.Replace {
			if err := batch.DeleteRange(prefix, after(prefix), nil); err != nil {
				return s.readError(err)
			}
		}
		for n, b := range p.states[i] {
			if err := put(stateKey(st.ID, tso, uint32(i)<<20|uint32(n)), b); err != nil {
				return s.readError(err)
			}
		}
	}
	for i := range p.c.Offsets {
		o, err := &p.c.Offsets[i], error(nil)
		if key := idKey(secOffsets, uint64(o.View)); o.Delete {
			err = batch.Delete(key, nil)
		} else {
			err = put(key, encodeOffsets(o.Set))
		}
		if err != nil {
			return s.readError(err)
		}
	}
	if err := writeNotes(batch, p.c.Notes); err != nil {
		return s.readError(err)
	}
	return s.writeCatalog(p, batch, cat)
}

func (s *Store) writeCatalog(p *prepared, batch *pebble.Batch, cat *Catalog) error {
	if cat == nil {
		return nil
	}
	for _, ch := range p.c.Catalog {
		if ch.Put == nil {
			if err := s.writeDrop(batch, ch.Drop); err != nil {
				return s.readError(err)
			}
			continue
		}
		o, _ := cat.ByID(ch.Put.ID)
		b, err := json.Marshal(o)
		if err != nil {
			return errorf(ErrChange, codeInternal, "object %q cannot be written", o.Name).because(err)
		}
		if err := batch.Set(idKey(secObject, uint64(o.ID)), b, nil); err != nil {
			return s.readError(err)
		}
		for { // ids come from NewID, but a caller may bring its own
			n := s.nextID.Load()
			if n >= uint64(o.ID) || s.nextID.CompareAndSwap(n, uint64(o.ID)) {
				break
			}
		}
	}
	return batch.Set(section(secNextID), binary.BigEndian.AppendUint64(nil, s.nextID.Load()), nil)
}

// writeDrop removes all keys of an object.
func (s *Store) writeDrop(batch *pebble.Batch, id ID) error {
	n := uint64(id)
	for _, sec := range []byte{secObject, secOffsets, secHorizon, secNote, secLog, secImage, secState} {
		if err := batch.DeleteRange(idKey(sec, n), idKey(sec, n+1), nil); err != nil {
			return err
		}
	}
	return s.each(secRunRef, func(key, val []byte) error {
		if ID(binary.BigEndian.Uint64(val)) != id {
			return nil
		}
		run := keyU64(key, 1)
		if err := batch.Delete(idKey(secRunRef, run), nil); err != nil {
			return err
		}
		return batch.DeleteRange(idKey(secRun, run), idKey(secRun, run+1), nil)
	})
}
