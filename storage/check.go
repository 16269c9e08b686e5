package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/ivmc/ivmc/zset"
)

// Fault is one thing that is wrong in a store.
type Fault struct {
	Object string // the table or view concerned; "" where none is known
	Text   string
}

// CheckReport is what Check read, and what was wrong.
type CheckReport struct {
	Relations int
	Blocks    int64 // of logs and of states
	Bytes     int64 // of the blocks
	Versions  int64 // row versions, dead ones too
	Faults    []Fault
}

// checker checks one snapshot of a store.
type checker struct {
	s       *Store
	db      *pebble.Snapshot
	cat     *Catalog
	offsets map[ID]Offsets
	last    TSO
	rep     *CheckReport
}

// Check reads everything that is stored, from the disk as far as it is not
// cached, and compares: checksums, the structure of blocks, that the rows of a
// log are all there and that nothing dies twice, keys that must be unique, NOT
// NULL columns, and that offsets and states belong to views and to what those
// read. It goes on after a fault. It changes nothing, and is no obstacle to
// anybody; relations are read one at a time, as they were when it began.
//
// The catalog and the head of the store were read by Open. The last block of a
// log that is gone as a whole cannot be told from one that was never written.
func (s *Store) Check(ctx context.Context) (_ *CheckReport, err error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.exit()
	defer s.edge(&err)
	c := &checker{s: s, db: s.db.NewSnapshot(), offsets: map[ID]Offsets{}, rep: &CheckReport{}}
	defer func() {
		if e := c.db.Close(); e != nil && err == nil {
			err = s.readError(e)
		}
	}()
	last, err := s.getFrom(c.db, section(secLastTSO))
	if err != nil {
		return nil, err
	}
	if len(last) == 8 {
		c.last = TSO(keyU64(last, 0))
	}
	c.catalog()
	c.readOffsets()
	for _, o := range c.cat.Objects() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if o.Kind != Query && o.Kind != Stream {
			c.relation(o)
		}
	}
	c.strays()
	c.states(ctx)
	return c.rep, ctx.Err()
}

func (c *checker) fault(object, format string, args ...any) {
	c.rep.Faults = append(c.rep.Faults, Fault{object, fmt.Sprintf(format, args...)})
}

// each calls f for the keys of a section. What cannot be read is a fault, and
// the end of the section: where it goes on is not known.
func (c *checker) each(sec byte, f func(key, val []byte)) {
	it, err := c.db.NewIter(&pebble.IterOptions{LowerBound: section(sec), UpperBound: section(sec + 1)})
	if err != nil {
		c.fault("", "%v", err)
		return
	}
	defer func() {
		if err := it.Close(); err != nil {
			c.fault("", "section %02x cannot be read: %v", sec, err)
		}
	}()
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			c.fault("", "key %x cannot be read: %v", it.Key(), err)
			continue
		}
		f(it.Key(), v)
	}
}

func (c *checker) catalog() {
	var objs []*Object
	c.each(secObject, func(key, val []byte) {
		o := new(Object)
		if err := json.Unmarshal(val, o); err != nil || len(key) != 9 || uint64(o.ID) != keyU64(key, 1) {
			c.fault("", "catalog entry %x is damaged", key)
			return
		}
		objs = append(objs, o)
	})
	c.cat = newCatalog(0, objs)
}

// readOffsets reads those of views and streams, which must name what is there and
// no moment that is still to come. A stream outlives its relation.
func (c *checker) readOffsets() {
	c.each(secOffsets, func(key, val []byte) {
		off, ok := decodeOffsets(val)
		if !ok || len(key) != 9 {
			c.fault("", "offsets %x are damaged", key)
			return
		}
		id := ID(keyU64(key, 1))
		o, ok := c.cat.ByID(id)
		if !ok {
			c.fault("", "there are offsets of view %d, and no such view", id)
			return
		}
		c.offsets[id] = off
		if off.Frontier > c.last {
			c.fault(o.Name, "frontier %d is behind the last commit, %d", off.Frontier, c.last)
		}
		for in, at := range off.Inputs {
			switch src, ok := c.cat.ByID(in); {
			case !ok && o.Kind == Stream:
			case !ok:
				c.fault(o.Name, "has an offset in relation %d, which is not there", in)
			case at > c.last:
				c.fault(o.Name, "offset %d in %q is behind the last commit, %d", at, src.Name, c.last)
			}
		}
	})
}

// relation replays the log of a relation of its own, and looks at its rows.
func (c *checker) relation(o *Object) {
	c.rep.Relations++
	f, err := fillsOf(o)
	if err != nil {
		c.fault(o.Name, "%v", err)
		return
	}
	l := loader{s: c.s, db: c.db, r: newRelation(c.s, o), types: o.Schema.Types(), v: &view{fills: f}}
	err = l.replay()
	c.rep.Blocks += l.read
	c.rep.Bytes += l.bytes + l.images
	if err != nil {
		c.fault(o.Name, "%v", err)
		return
	}
	c.rep.Versions += int64(l.v.n)
	if k := l.v.commits.len(); k > 0 && l.v.commits.at(k-1).tso > c.last {
		c.fault(o.Name, "its log goes to TSO %d, and the last commit was %d", l.v.commits.at(k-1).tso, c.last)
	}
	if o.Kind == Table {
		c.notNull(o, l.v)
	}
	c.key(o, l.v, o.KeyConstraint(), o.Key)
	for _, u := range o.Unique {
		c.key(o, l.v, u.Name, u.Cols)
	}
	c.inMemory(o, l.v)
}

// inMemory compares the number of rows with that of the relation that readers
// have, if it is loaded.
func (c *checker) inMemory(o *Object, v *view) {
	c.s.relMu.Lock()
	r := c.s.rels[o.ID]
	c.s.relMu.Unlock()
	if r == nil || !r.loaded.Load() || r.Readable(c.last) != nil {
		return
	}
	if mem, disk := r.Rows(c.last), int64(v.rowsUpTo(c.last))-int64(v.deathsUpTo(c.last)); mem != disk {
		c.fault(o.Name, "has %d rows in memory and %d on the disk", mem, disk)
	}
}

// alive calls f for every page with the rows that live.
func (v *view) alive(f func(p *page, rows []int32)) {
	var sel []int32
	for i := range v.pages() {
		p := v.page(i)
		sel = sel[:0]
		for k := range p.n {
			if TSO(atomic.LoadUint64(&p.st[k].died)) == Never {
				sel = append(sel, int32(k))
			}
		}
		f(p, sel)
	}
}

func (c *checker) notNull(o *Object, v *view) {
	types := o.Schema.Types()
	for i, f := range o.Schema {
		if !f.NotNull {
			continue
		}
		nulls := 0
		v.alive(func(p *page, rows []int32) {
			col := p.column(i, types[i], v.fills)
			for _, k := range rows {
				if col.IsNull(int(k)) {
					nulls++
				}
			}
		})
		if nulls > 0 {
			c.fault(o.Name, "column %q is NOT NULL and is NULL in %d rows", f.Name, nulls)
		}
	}
}

// key looks for two rows that live with one key: by hash first, which is little
// to hold, then the keys themselves of the hashes that occur twice.
func (c *checker) key(o *Object, v *view, name string, key []int) {
	if len(key) == 0 {
		return
	}
	var hashes []uint64
	eachKey(o, v, key, func(k *zset.Keys, i int) { hashes = append(hashes, k.Hash[i]) })
	slices.Sort(hashes)
	twice := map[uint64]bool{}
	for i := 1; i < len(hashes); i++ {
		if hashes[i] == hashes[i-1] {
			twice[hashes[i]] = true
		}
	}
	if len(twice) == 0 {
		return
	}
	seen, more := map[string]bool{}, 0
	eachKey(o, v, key, func(k *zset.Keys, i int) {
		if !twice[k.Hash[i]] {
			return
		}
		if seen[string(k.Key(i))] {
			more++
		}
		seen[string(k.Key(i))] = true
	})
	if more > 0 {
		c.fault(o.Name, "%d rows too many for the unique key %q", more, name)
	}
}

// eachKey calls f for the key of every row that lives and has no NULL in it.
func eachKey(o *Object, v *view, key []int, f func(k *zset.Keys, i int)) {
	types := o.Schema.Types()
	cols := make([]zset.Column, len(key))
	var keys zset.Keys
	v.alive(func(p *page, rows []int32) {
		for k, c := range key {
			cols[k] = p.column(c, types[c], v.fills)
		}
		keys.EncodeKeys(cols, p.n)
		for _, i := range rows {
			if keys.Null == nil || !keys.Null[i] {
				f(&keys, int(i))
			}
		}
	})
}

// strays looks for logs of relations that are not there, and for keys of no
// section. Runs that nothing refers to are of commits that are on their way.
func (c *checker) strays() {
	known := []byte{secFormat, secNextID, secLastTSO, secObject, secOffsets, secHorizon, secNote, secLog, secImage, secRunRef, secRun, secState}
	it, err := c.db.NewIter(nil)
	if err != nil {
		c.fault("", "%v", err)
		return
	}
	defer func() {
		if err := it.Close(); err != nil {
			c.fault("", "the store cannot be read: %v", err)
		}
	}()
	for ok := it.First(); ok; {
		k := it.Key()
		switch {
		case len(k) == 0 || !slices.Contains(known, k[0]):
			c.fault("", "key %x is of no section", k)
			ok = it.Next()
			continue
		case k[0] == secNote && len(k) < noteKeyLen:
			c.fault("", "key %x of a note has another length", k)
			ok = it.Next()
			continue
		case k[0] == secLog && len(k) == logKeyLen, k[0] == secHorizon && len(k) == 9, k[0] == secNote:
			id := ID(keyU64(k, 1))
			if _, there := c.cat.ByID(id); !there {
				c.fault("", "there is a %s of relation %d, and no such relation", map[byte]string{secLog: "log", secHorizon: "horizon", secNote: "note"}[k[0]], id)
			}
			ok = it.SeekGE(idKey(k[0], uint64(id)+1))
			continue
		}
		ok = it.SeekGE(section(k[0] + 1))
	}
}

// states reads the blocks of the states of views. Those of another generation
// are of a build that is on its way.
func (c *checker) states(ctx context.Context) {
	c.each(secNote, func(key, val []byte) {
		if _, fault := openNote(key, val); fault != "" {
			c.fault("", "note %x: %s", key, fault)
		}
	})
	c.each(secState, func(key, val []byte) {
		if ctx.Err() != nil {
			return
		}
		if len(key) != stateKeyLen {
			c.fault("", "key %x of a state has another length", key)
			return
		}
		id := StateID{View: ID(keyU64(key, 1)), N: int(keyU32(key, 9)), Gen: keyU32(key, 13)}
		name := ""
		if o, ok := c.cat.ByID(id.View); ok {
			name = o.Name
		}
		if off, ok := c.offsets[id.View]; !ok || off.Gen != id.Gen {
			return
		}
		c.rep.Blocks++
		c.rep.Bytes += int64(len(val))
		if fault, _ := eachState(val, func(_, _ []byte) error { return nil }); fault != "" {
			c.fault(name, "%v", c.s.corruptState(id, key, fault))
		}
	})
}
