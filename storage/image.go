package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/ivmc/ivmc/zset"
)

// The images of a relation are its rows at its horizon on the disk, page by page,
// in place of the log up to there: versions born at or before the horizon that died
// after it, if ever. The block of an image is one of the log that is not sorted by
// commits: it has the offset in the page and the birth of each row.
//
// A reclaim writes the images of the pages that changed since the horizon of
// before, under the TSO of the one to come, outside the turn. Nothing refers to them
// yet. One small batch then sets the horizon, removes the log up to it and the
// images that were replaced: a crash leaves the one or the other. Images above the
// horizon are what a crash left of a reclaim; they go at the first load.

// imageBatch is about how many bytes of images are handed to Pebble at once.
const imageBatch = 1 << 20

// imaging writes the images of a relation as of h.
type imaging struct {
	s      *Store
	rel    ID
	o      *Object
	v      *view
	h      TSO
	batch  *pebble.Batch
	pages  []int // which were written or came to nothing, ascending
	before int   // pages that had an image
	ops    []Op
	bytes  int64
}

// write makes the images. What it wrote stands in pages, also after an error.
func (m *imaging) write(ctx context.Context) error {
	m.ops = slices.Repeat([]Op{OpInsert}, pageRows)
	m.batch = m.s.db.NewBatch()
	defer func() { _ = m.batch.Close() }()
	rows := m.v.rowsUpTo(m.h)
	for _, no := range m.changed(rows) {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.pages = append(m.pages, no)
		if err := m.page(no, rows); err != nil {
			return m.s.readError(err)
		}
		if m.batch.Len() < imageBatch {
			continue
		}
		if err := m.flush(); err != nil {
			return err
		}
	}
	return m.flush()
}

func (m *imaging) flush() error {
	if err := m.s.db.Apply(m.batch, pebble.NoSync); err != nil {
		m.s.gate.freeze(err)
	}
	_ = m.batch.Close()
	m.batch = m.s.db.NewBatch()
	return m.s.Failed()
}

// changed lists the pages with a birth or a death between the horizon of the view
// and m.h; rows is the number of versions born up to m.h.
func (m *imaging) changed(rows uint64) (list []int) {
	old := m.v.rowsUpTo(m.v.horizon)
	m.before = int((old + pageMask) >> pageBits)
	seen := make([]bool, int((rows+pageMask)>>pageBits))
	for a := old; a < rows; a = (a | pageMask) + 1 {
		seen[a>>pageBits] = true
	}
	for d, end := m.v.deathsUpTo(m.v.horizon), m.v.deathsUpTo(m.h); d < end; {
		part := m.v.deaths.run(int(d), int(end))
		for _, a := range part {
			seen[a>>pageBits] = true
		}
		d += uint64(len(part))
	}
	for no, yes := range seen {
		if yes {
			list = append(list, no)
		}
	}
	return list
}

// page writes the image of one page: its versions before `rows` that live at m.h.
func (m *imaging) page(no int, rows uint64) error {
	p, first := m.v.page(no), uint64(no)<<pageBits
	_, n := p.rowsOf(0, int(min(rows-first, uint64(p.span()))))
	stay := living(p.st[:n], m.h, nil)
	if len(stay) == 0 {
		return nil
	}
	offs := p.offsets(0, n, nil)
	src := blockSource{flags: flagImage, schemaVersion: m.o.SchemaVersion,
		rows: &zset.Batch{N: len(stay), Cols: make([]zset.Column, len(m.o.Schema))}}
	runs := runsOf(stay, nil)
	for c, f := range m.o.Schema {
		col := p.column(c, f.Type, m.v.fills)
		src.rows.Cols[c] = takeRuns(&col, runs, len(stay))
	}
	for _, row := range stay {
		src.offs = append(src.offs, int64(offs[row]))
		src.births = append(src.births, int64(p.st[row].born))
	}
	step := recordsPerBlock(rawBytes(src.rows)+16*int64(len(stay)), len(stay))
	var block []byte
	for at, chunk := 0, uint32(0); at < len(stay); at, chunk = at+step, chunk+1 {
		src.from, src.to = at, min(at+step, len(stay))
		src.ops = m.ops[:src.to-src.from]
		block = appendBlock(block[:0], &src)
		m.bytes += int64(len(block))
		seal(block, m.h, uint64(at), uint64(len(stay)))
		if err := m.batch.Set(imageKey(m.rel, no, m.h, chunk), block, nil); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes what write wrote, when nothing will come of it.
func (m *imaging) sweep() {
	for _, no := range m.pages {
		if err := m.s.db.DeleteRange(imageKey(m.rel, no, m.h, 0), imageKey(m.rel, no, m.h+1, 0), pebble.NoSync); err != nil {
			m.s.opts.Logger.Errorf("removing images of relation %d: %v", m.rel, err)
			return
		}
	}
}

// publish adds to the batch what the images take the place of.
func (m *imaging) publish(batch *pebble.Batch) error {
	if err := batch.DeleteRange(logKey(m.rel, 0, 0), logKey(m.rel, m.h+1, 0), nil); err != nil {
		return err
	}
	for i := 0; i < len(m.pages) && m.pages[i] < m.before; i++ {
		if err := batch.DeleteRange(imageKey(m.rel, m.pages[i], 0, 0), imageKey(m.rel, m.pages[i], m.h, 0), nil); err != nil {
			return err
		}
	}
	return m.s.each(secRunRef, func(key, val []byte) error {
		if ID(binary.BigEndian.Uint64(val)) != m.rel || TSO(binary.BigEndian.Uint64(val[8:])) > m.h {
			return nil
		}
		run := keyU64(key, 1)
		if err := batch.Delete(bytes.Clone(key), nil); err != nil {
			return err
		}
		return batch.DeleteRange(idKey(secRun, run), idKey(secRun, run+1), nil)
	})
}
