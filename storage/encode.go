package storage

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/cockroachdb/pebble/v2"
	"github.com/ivmc/ivmc/zset"
)

// checkChange refuses a change that does not fit the relation: what it would
// store could not be read back.
func checkChange(o *Object, ch *Change) error {
	bad := func(format string, args ...any) error {
		e := errorf(ErrChange, codeInternal, "change of %q: "+format, append([]any{o.Name}, args...)...)
		e.err.Object = o.Name
		return e
	}
	born, died := 0, 0
	for _, op := range ch.Ops {
		switch op {
		case OpInsert:
			born++
		case OpUpdate:
			born++
			died++
		case OpDelete, OpTruncate:
			died++
		default:
			return bad("operation %d is none", op)
		}
	}
	rows := 0
	if ch.Rows != nil {
		rows = ch.Rows.N
	}
	if born != rows || died != len(ch.Dead) {
		return bad("%d rows and %d dead addresses for %d and %d by its operations", rows, len(ch.Dead), born, died)
	}
	if rows == 0 {
		return nil
	}
	if len(ch.Rows.Cols) != len(o.Schema) {
		return bad("%d columns for %d", len(ch.Rows.Cols), len(o.Schema))
	}
	for i := range o.Schema {
		c, f := &ch.Rows.Cols[i], &o.Schema[i]
		if c.Type.Phys() != f.Type.Phys() || (f.Type.Fixed() && c.Type.Scale != f.Type.Scale) {
			return bad("column %q is %s, not %s", f.Name, c.Type, f.Type)
		}
		if c.Len() < rows {
			return bad("column %q has %d cells for %d rows", f.Name, c.Len(), rows)
		}
		if c.Null != nil && (f.NotNull || isKey(o.Key, i)) {
			for k := range rows {
				if c.Null[k] {
					return errNotNull(o, f)
				}
			}
		}
	}
	return nil
}

func isKey(key []int, c int) bool {
	for _, k := range key {
		if k == c {
			return true
		}
	}
	return false
}

func errNotNull(o *Object, f *zset.Field) error {
	e := zset.Errorf(codeNotNull, -1, "null value in column %q of relation %q violates not-null constraint", f.Name, o.Name)
	e.Object = f.Name
	return e
}

// rawBytes is the size of the rows of a change in memory.
func rawBytes(b *zset.Batch) (n int64) {
	if b == nil || b.N == 0 {
		return 0
	}
	for i := range b.Cols {
		c := &b.Cols[i]
		if c.Type.Phys() == zset.PhysBytes {
			n += int64(c.Off[b.N]-c.Off[0]) + 4*int64(b.N)
		} else {
			n += 8 * int64(b.N)
		}
	}
	return n
}

// encode cuts ch into blocks. A large one is written to the disk as a run, not
// waiting for it, and stands in the commit as a reference: memory stays bounded,
// and the turn short. The log of Pebble is sequential, so the run is durable when
// the commit is.
func (s *Store) encode(ctx context.Context, p *prepared, rc *relCommit, ch *Change) error {
	if err := fitsPage(rc, ch); err != nil {
		return err
	}
	raw := rawBytes(ch.Rows) + 4*int64(len(ch.Dead))
	large, step := raw > s.opts.RunBytes, recordsPerBlock(raw, len(ch.Ops))
	version := rc.obj.SchemaVersion
	run, chunks := uint64(0), uint32(0)
	if large {
		run = s.nextRun.Add(1)
		rc.runs = append(rc.runs, run)
	}
	deadBefore := 0
	for _, c := range rc.changes {
		deadBefore += len(c.Dead)
	}
	src := blockSource{flags: flagChange, schemaVersion: version, rows: ch.Rows}
	row, dead := 0, 0
	for at := 0; at < len(ch.Ops); at += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		src.ops = ch.Ops[at:min(at+step, len(ch.Ops))]
		born, died := count(src.ops)
		src.from, src.to = row, row+born
		src.dead = ch.Dead[dead : dead+died]
		buf := s.bufs.Get().(*[]byte)
		if *buf == nil {
			*buf = make([]byte, 0, blockBytes)
		}
		*buf = appendBlock((*buf)[:0], &src)
		rc.bytes += int64(len(*buf))
		if large {
			seal(*buf, 0, uint64(row), uint64(dead))
			err := s.db.Set(runKey(run, chunks), *buf, pebble.NoSync)
			s.bufs.Put(buf)
			if err != nil {
				return s.readError(err)
			}
			chunks++
		} else {
			rc.parts = append(rc.parts, part{buf: buf, rows: rc.rows + row, dead: deadBefore + dead})
			p.size += len(*buf) + 64
		}
		row, dead = row+born, dead+died
		src.flags = 0
	}
	if large {
		buf := s.bufs.Get().(*[]byte)
		*buf = appendRef((*buf)[:0], version, run, chunks, len(ch.Ops), row, dead)
		rc.parts = append(rc.parts, part{buf: buf, rows: rc.rows, dead: deadBefore})
		p.size += len(*buf) + 128
	}
	rc.rows += row
	rc.records += len(ch.Ops)
	return nil
}

// fitsPage refuses text of which a page would not hold 4096 cells: offsets have
// 32 bits.
func fitsPage(rc *relCommit, ch *Change) error {
	if ch.Rows == nil || rawBytes(ch.Rows) < math.MaxUint32/4 {
		return nil
	}
	for i := range ch.Rows.Cols {
		c := &ch.Rows.Cols[i]
		if c.Type.Phys() != zset.PhysBytes {
			continue
		}
		for k := 0; k < ch.Rows.N; k += pageRows {
			if c.Off[min(k+pageRows, ch.Rows.N)]-c.Off[k] > math.MaxUint32/4 {
				return errorf(ErrChange, codeLimit, "%d rows of %q have more than 1 GiB in one column", pageRows, rc.r.obj.Load().Name)
			}
		}
	}
	return nil
}

func count(ops []Op) (born, died int) {
	for _, o := range ops {
		if o.bears() {
			born++
		}
		if o.kills() {
			died++
		}
	}
	return born, died
}

// writeTo seals the blocks and puts them into the batch.
func (rc *relCommit) writeTo(batch *pebble.Batch, tso TSO) error {
	for i, pt := range rc.parts {
		b := *pt.buf
		seal(b, tso, rc.v.n+uint64(pt.rows), uint64(rc.v.deaths.len()+pt.dead))
		op := batch.SetDeferred(logKeyLen, len(b))
		copy(op.Key, logKey(rc.r.id, tso, uint32(i)))
		copy(op.Value, b)
		if err := op.Finish(); err != nil {
			return err
		}
	}
	for _, run := range rc.runs {
		val := binary.BigEndian.AppendUint64(nil, uint64(rc.r.id))
		val = binary.BigEndian.AppendUint64(val, uint64(tso))
		if err := batch.Set(idKey(secRunRef, run), val, nil); err != nil {
			return err
		}
	}
	return nil
}

// dropRuns removes the runs of a commit that came to nothing. If that fails,
// the next Open does it.
func (s *Store) dropRuns(p *prepared) {
	for _, rc := range p.rels {
		for _, run := range rc.runs {
			if err := s.db.DeleteRange(idKey(secRun, run), idKey(secRun, run+1), pebble.NoSync); err != nil {
				s.opts.Logger.Errorf("removing run %d: %v", run, err)
			}
		}
	}
}
