package storage

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/ivmc/ivmc/zset"
)

// loader replays the log of one relation.
type loader struct {
	s      *Store
	db     pebble.Reader
	r      *Relation
	types  []zset.Type
	v      *view
	part   logPart
	base   uint64 // address of the first row of the current change
	blocks []logBlock
	read   int64    // blocks that were right
	bytes  int64    // of those of the log
	images int64    // of those of images
	stale  [][]byte // keys of images above the horizon
}

// load reads a relation from the disk, once. Commits to it load it first, so the
// log does not grow meanwhile.
func (s *Store) load(r *Relation) error {
	if r.loaded.Load() {
		return nil
	}
	r.loading.Lock()
	defer r.loading.Unlock()
	if r.loaded.Load() {
		return nil
	}
	f, err := fillsOf(r.obj.Load())
	if err != nil {
		return err
	}
	l := loader{s: s, db: s.db, r: r, types: r.Schema().Types(), v: &view{fills: f}}
	l.v.keyed(r.obj.Load())
	if err := l.replay(); err != nil {
		return err
	}
	for _, k := range l.stale {
		if err := s.db.Delete(k, pebble.NoSync); err != nil {
			return s.readError(err)
		}
	}
	l.v.index(r.obj.Load(), l.v, 0, l.v.n, l.v.horizon)
	r.view.Store(l.v)
	s.mu.Lock()
	r.blocks = l.blocks
	r.logBytes.Store(l.bytes)
	r.look = l.v.deathsUpTo(l.v.horizon)
	s.noteDead(r)
	s.mu.Unlock()
	r.loaded.Store(true)
	return nil
}

func (l *loader) corrupt(tso TSO, key []byte, fault string) error {
	o := l.r.obj.Load()
	e := errorf(ErrCorrupt, codeCorrupt, "log of %s %q is corrupt at TSO %d, key %x: %s", o.Kind, o.Name, tso, key, fault)
	e.err.Object = o.Name
	return e
}

// replay reads the images, and all blocks above the horizon in order.
func (l *loader) replay() (err error) {
	n := uint64(l.r.id)
	if err := l.loadImages(); err != nil {
		return err
	}
	it, err := l.db.NewIter(&pebble.IterOptions{LowerBound: logKey(l.r.id, l.v.horizon+1, 0), UpperBound: idKey(secLog, n+1)})
	if err != nil {
		return l.s.readError(err)
	}
	defer func() { err = l.s.closeIter(it, err) }()
	tso := TSO(0)
	for ok := it.First(); ok; ok = it.Next() {
		key := it.Key()
		if len(key) != logKeyLen {
			return l.corrupt(tso, key, "key has another length")
		}
		tso = TSO(keyU64(key, 9))
		b, err := it.ValueAndErr()
		if err != nil {
			return l.readError(tso, key, err)
		}
		if err := l.block(key, tso, b); err != nil {
			return err
		}
	}
	if err := it.Error(); err != nil {
		return l.readError(tso, nil, err)
	}
	return nil
}

func (l *loader) readError(tso TSO, key []byte, err error) error {
	if !isCorruption(err) {
		return l.s.readError(err)
	}
	return l.corrupt(tso, key, err.Error())
}

func (l *loader) block(key []byte, tso TSO, b []byte) error {
	h, body, fault := openBlock(b)
	switch {
	case fault != "":
		return l.corrupt(tso, key, fault)
	case h.tso != tso:
		return l.corrupt(tso, key, "block belongs to another TSO")
	case h.flags&flagRuns == 0 && !l.follows(h.base, h.deathBase):
		return l.corrupt(tso, key, faultMissing)
	case h.flags&flagImage != 0:
		return l.corrupt(tso, key, "block is one of an image")
	case h.partition != 0:
		return l.corrupt(tso, key, "block has an unknown partition")
	}
	if h.flags&flagRef != 0 {
		return l.run(key, &h, body)
	}
	if err := l.records(key, &h, body); err != nil {
		return err
	}
	if keyU32(key, 17) == 0 && l.part.runs[0].tso > l.v.horizon {
		l.blocks = noteBlock(l.blocks, logBlock{first: l.part.runs[0].tso, last: tso, records: h.records})
	} else {
		l.blocks = l.blocks[:0]
	}
	return nil
}

const faultMissing = "a block before this one is missing"

// follows reports whether a block that starts there comes next.
func (l *loader) follows(base, deathBase uint64) bool {
	return base == l.v.n && deathBase == uint64(l.v.deaths.len())
}

// below is how many records of a merged block lie at or below the horizon, and the
// births and deaths in them: the images have them.
func (l *loader) below() (runs, ops, born, died int) {
	for _, run := range l.part.runs {
		if run.tso > l.v.horizon {
			break
		}
		b, d := count(l.part.ops[ops : ops+run.n])
		runs, ops, born, died = runs+1, ops+run.n, born+b, died+d
	}
	return runs, ops, born, died
}

// run reads the blocks that a reference stands for.
func (l *loader) run(key []byte, h *head, body []byte) (err error) {
	if len(body) != 12 {
		return l.corrupt(h.tso, key, "reference does not parse")
	}
	run, chunks := binary.LittleEndian.Uint64(body), binary.LittleEndian.Uint32(body[8:])
	it, err := l.db.NewIter(&pebble.IterOptions{LowerBound: idKey(secRun, run), UpperBound: idKey(secRun, run+1)})
	if err != nil {
		return l.s.readError(err)
	}
	defer func() { err = l.s.closeIter(it, err) }()
	chunk, row, dead := uint32(0), uint64(0), uint64(0)
	for ok := it.First(); ok; ok = it.Next() {
		b, err := it.ValueAndErr()
		if err != nil {
			return l.readError(h.tso, it.Key(), err)
		}
		c, body, fault := openBlock(b)
		if fault == "" && (c.base != row || c.deathBase != dead || c.flags&flagRef != 0) {
			fault = "a block of the run is missing"
		}
		if fault != "" {
			return l.corrupt(h.tso, it.Key(), fault)
		}
		c.tso = h.tso
		if err := l.records(it.Key(), &c, body); err != nil {
			return err
		}
		chunk, row, dead = chunk+1, row+uint64(c.rows), dead+uint64(c.dead)
	}
	if err := it.Error(); err != nil {
		return l.readError(h.tso, key, err)
	}
	if chunk != chunks || row != uint64(h.rows) || dead != uint64(h.dead) {
		return l.corrupt(h.tso, key, "a block of the run is missing")
	}
	l.blocks = l.blocks[:0]
	return nil
}

// records adds those of a block to the view.
func (l *loader) records(key []byte, h *head, body []byte) error {
	l.read++
	l.bytes += int64(headLen + len(body))
	p := &l.part
	if fault := p.decode(h, body, l.types, l.v.fills); fault != "" {
		return l.corrupt(h.tso, key, fault)
	}
	if h.flags&flagChange != 0 {
		l.base = l.v.n
	}
	first, at, row, dead := l.below()
	if h.flags&flagRuns != 0 && !l.follows(h.base+uint64(row), h.deathBase+uint64(dead)) {
		return l.corrupt(h.tso, key, faultMissing)
	}
	for _, run := range p.runs[first:] {
		ops := p.ops[at : at+run.n]
		born, died := count(ops)
		part := p.rows.Slice(row, row+born)
		if h.rows == 0 {
			part = nil
		}
		l.v = l.v.grow(l.types, part, run.tso)
		addrs := p.dead[dead : dead+died]
		for i, a := range addrs {
			if k, own := a.own(); own {
				a = Addr(l.base) + Addr(k)
				addrs[i] = a
			}
			if uint64(a) >= l.v.n {
				return l.corrupt(run.tso, key, "a record kills a row that is not there")
			}
			if st := l.v.stamp(a); TSO(atomic.LoadUint64(&st.died)) != Never {
				return l.corrupt(run.tso, key, "a record kills a dead row")
			}
			l.v.die(a, run.tso)
		}
		l.v.record(run.tso, uint64(born), ops, addrs)
		row, dead, at = row+born, dead+died, at+run.n
	}
	return nil
}
