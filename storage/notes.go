package storage

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/cockroachdb/pebble/v2"
)

// Note is something that is remembered of an object beside its rows: a numbered
// value of a kind that its owner chose. It goes with the object. Nobody reads at a
// TSO of it: what has one is in the log.
type Note struct {
	Object ID
	Kind   byte
	Seq    uint64
	Value  []byte // nil: it is removed
}

func noteKey(n *Note) []byte {
	k := make([]byte, 0, noteKeyLen)
	k = append(k, secNote)
	k = binary.BigEndian.AppendUint64(k, uint64(n.Object))
	k = append(k, n.Kind)
	return binary.BigEndian.AppendUint64(k, n.Seq)
}

// writeNotes adds notes to a batch: the value, CRC.4.
func writeNotes(batch *pebble.Batch, notes []Note) (err error) {
	for i := range notes {
		n := &notes[i]
		if n.Value == nil {
			err = batch.Delete(noteKey(n), nil)
		} else {
			val := append(make([]byte, 0, len(n.Value)+4), n.Value...)
			err = batch.Set(noteKey(n), binary.LittleEndian.AppendUint32(val, crc32.Checksum(n.Value, castagnoli)), nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// PutNotes writes notes by themselves: there is no commit, and no wait for the
// disk. Those of an object that is gone are left out.
func (s *Store) PutNotes(notes []Note) (err error) {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.exit()
	defer s.edge(&err)
	s.mu.Lock() // no drop comes between
	defer s.mu.Unlock()
	if err := s.Failed(); err != nil {
		return err
	}
	batch := s.db.NewBatch()
	defer func() { _ = batch.Close() }() // returns memory
	cat := s.Catalog()
	for i := range notes {
		if _, ok := cat.ByID(notes[i].Object); !ok {
			continue
		}
		if err := writeNotes(batch, notes[i:i+1]); err != nil {
			return s.readError(err)
		}
	}
	return s.apply(batch, false)
}

// Notes calls f for the notes of an object of one kind, by their numbers. val is
// valid during the call.
func (s *Store) Notes(id ID, kind byte, f func(seq uint64, val []byte) error) (err error) {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.exit()
	defer s.edge(&err)
	prefix := append(idKey(secNote, uint64(id)), kind)
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return s.readError(err)
	}
	defer func() { err = s.closeIter(it, err) }()
	for ok := it.First(); ok; ok = it.Next() {
		b, err := it.ValueAndErr()
		if err != nil {
			return s.readError(err)
		}
		val, fault := openNote(it.Key(), b)
		if fault != "" {
			return errorf(ErrCorrupt, codeCorrupt, "note %x of object %d: %s", it.Key(), id, fault)
		}
		if err := f(keyU64(it.Key(), len(prefix)), val); err != nil {
			return err
		}
	}
	return nil
}

// openNote checks a stored note.
func openNote(key, b []byte) (val []byte, fault string) {
	n := len(b) - 4
	switch {
	case len(key) != noteKeyLen:
		return nil, "key has another length"
	case n < 0 || crc32.Checksum(b[:n], castagnoli) != binary.LittleEndian.Uint32(b[n:]):
		return nil, "checksum is wrong"
	}
	return b[:n], ""
}
