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
	read   int64 // blocks that were right
	bytes  int64 // of them
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
	if err := l.replay(); err != nil {
		return err
	}
	l.indexes()
	r.view.Store(l.v)
	s.mu.Lock()
	r.blocks = l.blocks
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

// replay reads all blocks in order.
func (l *loader) replay() (err error) {
	n := uint64(l.r.id)
	it, err := l.db.NewIter(&pebble.IterOptions{LowerBound: idKey(secLog, n), UpperBound: idKey(secLog, n+1)})
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
	case h.base != l.v.n || h.deathBase != uint64(l.v.deaths.len()):
		return l.corrupt(tso, key, "a block before this one is missing")
	case h.partition != 0:
		return l.corrupt(tso, key, "block has an unknown partition")
	}
	if h.flags&flagRef != 0 {
		return l.run(key, &h, body)
	}
	if err := l.records(key, &h, body); err != nil {
		return err
	}
	if keyU32(key, 17) == 0 {
		l.blocks = noteBlock(l.blocks, logBlock{first: l.part.runs[0].tso, last: tso, records: h.records})
	} else {
		l.blocks = l.blocks[:0]
	}
	return nil
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
	row, dead, at := 0, 0, 0
	for _, run := range p.runs {
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

// indexes builds the keys.
func (l *loader) indexes() {
	o := l.r.obj.Load()
	if l.r.pk != nil {
		l.index(l.r.pk, o.Key)
	}
	for i, t := range l.r.uniq {
		l.index(t, o.Unique[i].Cols)
	}
}

// index builds one of them; a row with a NULL in a further key is not in it.
func (l *loader) index(t *arrangement, key []int) {
	cols := make([]zset.Column, len(key))
	t.byRow.reserve(int(l.v.n) - l.v.deaths.len())
	var keys zset.Keys
	for i := range l.v.pages() {
		p := l.v.page(i)
		for k, c := range key {
			cols[k] = p.column(c, l.types[c], l.v.fills)
		}
		keys.EncodeKeys(cols, p.n)
		t.add(&keys, l.v, func(k int) Addr {
			if p.st[k].born == p.st[k].died || keys.Null != nil && keys.Null[k] {
				return NoAddr
			}
			return Addr(i<<pageBits + k)
		})
	}
}
