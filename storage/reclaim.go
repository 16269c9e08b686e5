package storage

import (
	"context"
	"encoding/binary"
	"hash/crc32"

	"github.com/cockroachdb/pebble/v2"
)

// Reclaim gives up the history of a relation up to horizon, or as far as pins, the
// offsets of views and the applied TSO allow, and returns the horizon that it has
// then. Versions that died at or before it go, from memory and from the disk, and
// the log up to it. The cost follows the rows that live, so it pays when many are
// dead. Errors: ErrNoObject, ErrFailed, ErrClosed, ErrCorrupt of the first load, and
// ctx's; with an error the horizon may have moved and what is dead still be there.
func (s *Store) Reclaim(ctx context.Context, id ID, horizon TSO) (_ TSO, err error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.exit()
	defer s.edge(&err)
	r, err := s.relation(id)
	if err != nil {
		return 0, err
	}
	if err := s.load(r); err != nil {
		return 0, err
	}
	err = s.reclaim(ctx, r, horizon, true, 0)
	return r.Horizon(), err
}

// reclaiming is a reclaim of one relation on its way.
type reclaiming struct {
	s    *Store
	r    *Relation
	o    *Object
	h    TSO
	v    *view // up to here the keys are made
	thin []thinned
	keys *view // with keys alone
	disk imaging
}

// reclaim gives up the history of r up to want at most; views says whether the
// offsets of views are in the way. The disk gets back what was freed when that is
// more than lazy bytes.
func (s *Store) reclaim(ctx context.Context, r *Relation, want TSO, views bool, lazy int64) error {
	r.shrink.Lock()
	defer r.shrink.Unlock()
	c := reclaiming{s: s, r: r, h: r.raise(want, views)}
	s.mu.Lock()
	c.v, c.o = r.view.Load(), r.obj.Load() // of one moment, see mergeBlocks
	s.mu.Unlock()
	if c.h == c.v.horizon {
		return nil
	}
	c.disk = imaging{s: s, rel: r.id, o: c.o, v: c.v, h: c.h}
	err := c.disk.write(ctx)
	if err == nil {
		err = c.memory(ctx)
	}
	if err != nil {
		c.disk.sweep()
		return err
	}
	for _, a := range r.arranged() {
		if err := a.let(ctx); err != nil {
			return err
		}
	}
	return c.settle(ctx, lazy)
}

// settle waits for the disk, and gives back what was freed there: Pebble would do
// so only when it has written as much again.
func (c *reclaiming) settle(ctx context.Context, lazy int64) error {
	s, rel := c.s, uint64(c.r.id)
	if !s.opts.NoSync {
		if err := s.db.LogData(nil, pebble.Sync); err != nil {
			s.gate.freeze(err)
		}
		if err := s.Failed(); err != nil {
			return err
		}
	}
	if c.r.freed < lazy {
		return nil
	}
	c.r.freed = 0
	for _, part := range [][2][]byte{{idKey(secLog, rel), logKey(c.r.id, c.h+1, 0)}, {idKey(secImage, rel), idKey(secImage, rel+1)}} {
		if err := s.db.Compact(ctx, part[0], part[1], false); err != nil {
			return s.readError(err)
		}
	}
	return s.Failed()
}

// memory makes the pages and keys of after, and publishes.
func (c *reclaiming) memory(ctx context.Context) error {
	if c.thin = c.v.thin(c.h); len(c.thin) > 0 { // entries of what goes would have no cells
		c.keys = (&view{}).keyed(c.o)
		c.keys.index(c.o, c.v, 0, c.v.n, c.h)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return c.publish()
}

// arranged is the arrangements of r.
func (r *Relation) arranged() (out []*Arrangement) {
	r.arrMu.Lock()
	defer r.arrMu.Unlock()
	for _, a := range r.arrs {
		out = append(out, a)
	}
	return out
}

// catchUp is the number of new versions that are brought into the keys within the
// turn.
const catchUp = 2 * pageRows

// publish makes the horizon durable, and the view with it. Readers of older views
// keep the old pages.
func (c *reclaiming) publish() error {
	s, r := c.s, c.r
	for {
		s.mu.Lock()
		now := r.view.Load()
		if c.keys != nil && now.n-c.v.n > catchUp {
			s.mu.Unlock()
			c.keys.index(c.o, now, c.v.n, now.n, c.h)
			c.v = now
			continue
		}
		err := c.install(now)
		s.mu.Unlock()
		return err
	}
}

// install is the turn of a reclaim.
func (c *reclaiming) install(now *view) error {
	s, r := c.s, c.r
	if err := s.Failed(); err != nil {
		return err
	}
	if _, ok := s.Catalog().ByID(r.id); !ok {
		return errorf(ErrNoObject, codeNoObject, "relation %d was dropped", r.id)
	}
	batch := s.db.NewBatch()
	defer func() { _ = batch.Close() }()
	mark := markOf(now, c.h)
	if err := batch.Set(idKey(secHorizon, uint64(r.id)), mark.encode(), nil); err != nil {
		return s.readError(err)
	}
	if err := c.disk.publish(batch); err != nil {
		return s.readError(err)
	}
	next := now.above(c.h, c.thin)
	if c.keys != nil {
		c.keys.index(c.o, now, c.v.n, now.n, c.h)
		next.pk, next.uniq = c.keys.pk, c.keys.uniq
	}
	if err := s.db.Apply(batch, pebble.NoSync); err != nil {
		s.gate.freeze(err)
		return s.Failed()
	}
	if all, stay := now.recs-now.recsBelow(), now.recs-next.recsBelow(); all > 0 {
		bytes := r.logBytes.Load()
		keep := int64(float64(bytes) * float64(stay) / float64(all))
		r.logBytes.Store(keep)
		r.freed += bytes - keep + c.disk.bytes // images as long replace others
	}
	r.view.Store(next)
	s.relMu.Lock()
	s.marks[r.id] = mark
	s.relMu.Unlock()
	for len(r.blocks) > 0 && r.blocks[0].first <= c.h { // their commits cannot be encoded any more
		r.blocks = r.blocks[1:]
	}
	return nil
}

// horizonMark is what the disk knows of a horizon: at.8 rows.8 deaths.8 crc.4.
type horizonMark struct {
	at           TSO
	rows, deaths uint64 // versions born and died up to it
}

// mark is the horizon of a relation on the disk, if it has one.
func (s *Store) mark(id ID) (horizonMark, bool) {
	s.relMu.Lock()
	defer s.relMu.Unlock()
	m, ok := s.marks[id]
	return m, ok
}

func markOf(v *view, h TSO) horizonMark {
	return horizonMark{h, v.rowsUpTo(h), v.deathsUpTo(h)}
}

func (m horizonMark) encode() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(m.at))
	b = binary.LittleEndian.AppendUint64(b, m.rows)
	b = binary.LittleEndian.AppendUint64(b, m.deaths)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func decodeMark(b []byte) (m horizonMark, ok bool) {
	if len(b) != 28 || crc32.Checksum(b[:24], castagnoli) != binary.LittleEndian.Uint32(b[24:]) {
		return m, false
	}
	m = horizonMark{TSO(binary.LittleEndian.Uint64(b)), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])}
	return m, m.deaths <= m.rows && m.rows <= maxRows
}
