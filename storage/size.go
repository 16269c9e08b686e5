package storage

import (
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"
)

// Size is what a relation, and the states of the view that it is, take on the disk.
type Size struct {
	Rows       int64 // that live
	LogBytes   int64 // of the log and the images below it, which are the rows
	StateBytes int64 // of operators' states
}

// Size measures a relation without loading it: the last block of a log says how
// many rows there are. Plain views have none of it.
func (s *Store) Size(id ID) (z Size, err error) {
	if err := s.enter(); err != nil {
		return z, err
	}
	defer s.exit()
	defer s.edge(&err)
	var tail []byte
	var runs []uint64
	z.LogBytes, err = s.bytesOf(idKey(secLog, uint64(id)), idKey(secLog, uint64(id)+1), func(it *pebble.Iterator, n int) error {
		if n != headLen+12 {
			return nil
		}
		b, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		if h, body, fault := openBlock(b); fault == "" && h.flags&flagRef != 0 && len(body) == 12 {
			runs = append(runs, binary.LittleEndian.Uint64(body))
		}
		return nil
	}, &tail)
	if err != nil {
		return z, err
	}
	if m, ok := s.mark(id); ok {
		n, err := s.bytesOf(idKey(secImage, uint64(id)), idKey(secImage, uint64(id)+1), nil, nil)
		if err != nil {
			return z, err
		}
		z.Rows, z.LogBytes = int64(m.rows-m.deaths), z.LogBytes+n
	}
	if tail != nil {
		h, _, fault := openBlock(tail)
		if fault != "" {
			return z, errorf(ErrCorrupt, codeCorrupt, "log of relation %d is corrupt: %s", id, fault)
		}
		z.Rows = int64(h.base) + int64(h.rows) - int64(h.deathBase) - int64(h.dead)
	}
	for _, run := range runs {
		n, err := s.bytesOf(idKey(secRun, run), idKey(secRun, run+1), nil, nil)
		if err != nil {
			return z, err
		}
		z.LogBytes += n
	}
	z.StateBytes, err = s.bytesOf(idKey(secState, uint64(id)), idKey(secState, uint64(id)+1), nil, nil)
	return z, err
}

// bytesOf adds up the values of keys in [from, to) without reading them; each, if
// any, is called with the length of every one. tail, if any, gets the last value.
func (s *Store) bytesOf(from, to []byte, each func(it *pebble.Iterator, n int) error, tail *[]byte) (sum int64, err error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: to})
	if err != nil {
		return 0, s.readError(err)
	}
	defer func() { err = s.closeIter(it, err) }()
	for ok := it.First(); ok; ok = it.Next() {
		v := it.LazyValue()
		sum += int64(v.Len())
		if each != nil {
			if err := each(it, v.Len()); err != nil {
				return 0, s.readError(err)
			}
		}
	}
	if tail != nil && it.Last() {
		b, err := it.ValueAndErr()
		if err != nil {
			return 0, s.readError(err)
		}
		*tail = append([]byte{}, b...)
	}
	return sum, nil
}

// Since is how many rows of a relation were born and died after lo, as
// [Relation.ChangeCount] has it up to the last commit. Of a relation that is not
// loaded two blocks are read.
func (s *Store) Since(id ID, lo TSO) (n int64, err error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.exit()
	defer s.edge(&err)
	r, err := s.relation(id)
	if err != nil {
		return 0, err
	}
	if r.loaded.Load() {
		return int64(r.ChangeCount(lo, s.Applied())), nil
	}
	if h := r.Horizon(); lo < h {
		n, err := s.Since(id, h)
		return 1 + n, err
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: idKey(secLog, uint64(id)), UpperBound: idKey(secLog, uint64(id)+1)})
	if err != nil {
		return 0, s.readError(err)
	}
	defer func() { err = s.closeIter(it, err) }()
	first, last := uint64(0), uint64(0)
	for i, at := range []*uint64{&first, &last} {
		if ok := i == 0 && it.SeekGE(logKey(id, lo+1, 0)) || i == 1 && it.Last(); !ok {
			return 0, s.iterError(it)
		}
		b, err := it.ValueAndErr()
		if err != nil {
			return 0, s.readError(err)
		}
		h, body, fault := openBlock(b)
		if fault == "" && i == 0 {
			*at, fault = upTo(&h, body, lo)
		} else {
			*at = h.base + uint64(h.rows) + h.deathBase + uint64(h.dead)
		}
		if fault != "" {
			return 0, errorf(ErrCorrupt, codeCorrupt, "log of %q is corrupt at key %x: %s", r.obj.Load().Name, it.Key(), fault)
		}
	}
	return int64(last - first), nil
}

func (s *Store) iterError(it *pebble.Iterator) error {
	if err := it.Error(); err != nil {
		return s.readError(err)
	}
	return nil
}

// upTo is how many rows were born and died up to lo, of a block whose last
// record came after it: all before the block, and those of its own earlier commits.
func upTo(h *head, body []byte, lo TSO) (n uint64, fault string) {
	n = h.base + h.deathBase
	if h.flags&flagRuns == 0 {
		return n, ""
	}
	var p logPart
	r := reader{b: body}
	p.decodeRuns(&r, h)
	p.decodeOps(&r, h)
	if r.bad {
		return 0, "records of the block do not add up"
	}
	at := 0
	for _, run := range p.runs {
		if run.tso > lo {
			break
		}
		born, died := count(p.ops[at : at+run.n])
		n += uint64(born + died)
		at += run.n
	}
	return n, ""
}
