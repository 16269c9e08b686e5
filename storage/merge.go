package storage

import (
	"context"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/ivmc/ivmc/zset"
)

// logBlock is a block of the disk that holds few records: those of the commits
// first..last.
type logBlock struct {
	first, last TSO
	records     int
}

// mergeRows is the number of records from which a block is left alone.
const mergeRows = pageRows

// level is how often a block was merged, by its size: blocks of one level are
// merged together, so each record is rewritten two or three times at most.
func (b logBlock) level() int {
	n := 0
	for r := b.records; r >= 16; r >>= 4 {
		n++
	}
	return n
}

// noteBlock adds b to the list of small blocks at the end of a log.
func noteBlock(list []logBlock, b logBlock) []logBlock {
	if b.records >= mergeRows {
		return list[:0]
	}
	return append(list, b)
}

// noteBlocks notes the blocks of a commit, and wakes the merger when there are
// enough. Under Store.mu.
func (s *Store) noteBlocks(rc *relCommit, tso TSO) {
	r := rc.r
	r.logBytes.Add(rc.bytes)
	s.noteDead(r)
	if len(rc.parts) != 1 || len(rc.runs) > 0 {
		r.blocks = r.blocks[:0]
		return
	}
	r.blocks = noteBlock(r.blocks, logBlock{first: tso, last: tso, records: rc.records})
	if !r.queued && len(mergeable(r.blocks, s.opts.MergeFan)) > 0 {
		r.queued = s.merger.wake(r)
	}
}

// mergeable is the longest end of list that is worth merging: at least fan
// blocks of a level, and smaller ones behind them. Nil if there is none.
func mergeable(list []logBlock, fan int) []logBlock {
	if fan < 2 || len(list) < fan {
		return nil
	}
	level := list[len(list)-1].level()
	at, same, best := len(list), 0, -1
	for i := len(list) - 1; i >= 0; i-- {
		l := list[i].level()
		if l > level {
			level, same = l, 0
		}
		if l == level {
			same++
		}
		at = i
		if same >= fan {
			best = at
		}
	}
	if best < 0 {
		return nil
	}
	return list[best:]
}

// merger merges small blocks and reclaims what is dead in the background, one
// relation at a time.
type merger struct {
	s    *Store
	mu   sync.Mutex
	cond *sync.Cond
	todo []*Relation
	late bool        // time has passed: what nobody wakes for may be due
	tick *time.Timer // sets late
	done chan struct{}
	ctx  context.Context // ends with stop
	quit context.CancelFunc
}

// idle is how often the merger looks at what time alone lets go, by the clock of the
// machine; what is due, the clock of the store says.
const idle = time.Minute

func startMerger(s *Store) *merger {
	m := &merger{s: s, done: make(chan struct{})}
	m.ctx, m.quit = context.WithCancel(context.Background())
	m.cond = sync.NewCond(&m.mu)
	m.tick = time.AfterFunc(idle, m.pass)
	go m.run()
	return m
}

// pass says that time has passed.
func (m *merger) pass() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ctx.Err() == nil {
		m.late = true
		m.cond.Signal()
	}
}

// wake asks for a look at r; false after stop.
func (m *merger) wake(r *Relation) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ctx.Err() != nil {
		return false
	}
	m.todo = append(m.todo, r)
	m.cond.Signal()
	return true
}

// stop ends the merger and waits for it.
func (m *merger) stop() {
	m.mu.Lock()
	m.quit()
	m.tick.Stop()
	m.cond.Signal()
	m.mu.Unlock()
	<-m.done
}

func (m *merger) run() {
	defer close(m.done)
	for {
		m.mu.Lock()
		for len(m.todo) == 0 && !m.late && m.ctx.Err() == nil {
			m.cond.Wait()
		}
		if m.ctx.Err() != nil {
			m.mu.Unlock()
			return
		}
		if m.late {
			m.late = false
			m.mu.Unlock()
			if err := m.s.reclaimAll(m.ctx); err != nil && m.ctx.Err() == nil {
				m.s.opts.Logger.Errorf("reclaiming rows: %v", err)
			}
			m.tick.Reset(idle)
			continue
		}
		r := m.todo[0]
		m.todo = m.todo[1:]
		m.mu.Unlock()
		if err := m.s.mergeBlocks(r); err != nil {
			m.s.opts.Logger.Errorf("merging log blocks of relation %d: %v", r.id, err)
		}
		if err := m.s.reclaimDue(m.ctx, r); err != nil && m.ctx.Err() == nil {
			m.s.opts.Logger.Errorf("reclaiming rows of relation %d: %v", r.id, err)
		}
	}
}

// mergeBlocks replaces the small blocks at the end of the log of r by one. The
// new one has the key of the last: one batch, so a crash leaves either.
func (s *Store) mergeBlocks(r *Relation) (err error) {
	defer s.edge(&err)
	r.shrink.Lock()
	defer r.shrink.Unlock()
	s.mu.Lock()
	r.queued = false
	list := append([]logBlock(nil), mergeable(r.blocks, s.opts.MergeFan)...)
	v, o := r.view.Load(), r.obj.Load() // of one moment: an object of later has columns without fills in v
	s.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	merged := logBlock{first: list[0].first, last: list[len(list)-1].last}
	block, records := v.encode(merged.first, merged.last, o)
	merged.records = records

	batch := s.db.NewBatchWithSize(len(block) + 64*len(list))
	defer batch.Close()
	for _, b := range list[:len(list)-1] {
		if err := batch.Delete(logKey(r.id, b.last, 0), nil); err != nil {
			return s.readError(err)
		}
	}
	if err := batch.Set(logKey(r.id, merged.last, 0), block, nil); err != nil {
		return s.readError(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.Failed(); err != nil {
		return err
	}
	if _, ok := s.Catalog().ByID(r.id); !ok {
		return nil // dropped meanwhile
	}
	if err := s.db.Apply(batch, pebble.NoSync); err != nil {
		s.gate.freeze(err)
		return s.Failed()
	}
	r.blocks = replaceBlocks(r.blocks, merged)
	return nil
}

// replaceBlocks puts merged in place of the blocks it was made of. Blocks that
// came meanwhile stay; if a large one came, the list was emptied.
func replaceBlocks(list []logBlock, merged logBlock) []logBlock {
	var out []logBlock
	put := false
	for _, b := range list {
		switch {
		case b.last < merged.first || b.first > merged.last:
			out = noteBlock(out, b)
		case !put:
			out, put = noteBlock(out, merged), true
		}
	}
	return out
}

// encode is the sealed block of the records of the commits first..last of v.
func (v *view) encode(first, last TSO, o *Object) (block []byte, records int) {
	i, j := v.commitAfter(first-1), v.commitAfter(last)
	src := blockSource{flags: flagRuns, schemaVersion: o.SchemaVersion}
	row, death := v.commits.at(i).row, v.commits.at(i).death
	for k := i; k < j; k++ {
		n := len(src.ops)
		src.ops = v.opsOf(k, src.ops)
		src.runs = append(src.runs, tsoRun{v.commits.at(k).tso, len(src.ops) - n})
	}
	endRow, endDeath := v.n, uint64(v.deaths.len())
	if j < v.commits.len() {
		endRow, endDeath = v.commits.at(j).row, v.commits.at(j).death
	}
	types := o.Schema.Types()
	rows := zset.NewBatch(types, int(endRow-row))
	for a := row; a < endRow; {
		p := v.page(int(a >> pageBits))
		from := int(a & pageMask)
		to := min(p.span(), from+int(endRow-a))
		i, j := p.rowsOf(from, to) // all are there: they were born above the horizon
		for c := range types {
			part := p.column(c, types[c], v.fills)
			part = part.Slice(i, j)
			rows.Cols[c].AppendColumn(&part)
		}
		rows.N += to - from
		a += uint64(to - from)
	}
	for d := death; d < endDeath; {
		part := v.deaths.run(int(d), int(endDeath))
		src.dead = append(src.dead, part...)
		d += uint64(len(part))
	}
	src.rows, src.to = rows, rows.N
	block = appendBlock(nil, &src)
	seal(block, last, row, death)
	return block, len(src.ops)
}

// opsOf appends the operations of commit k.
func (v *view) opsOf(k int, dst []Op) []Op {
	c := v.commits.at(k)
	row, death, op := v.n, uint64(v.deaths.len()), uint64(v.ops.len())
	if k+1 < v.commits.len() {
		next := v.commits.at(k + 1)
		row, death, op = next.row, next.death, next.op
	}
	if c.same == 0 {
		for i := c.op; i < op; {
			part := v.ops.run(int(i), int(op))
			dst = append(dst, part...)
			i += uint64(len(part))
		}
		return dst
	}
	n := row - c.row
	if !c.same.bears() {
		n = death - c.death
	}
	for range n {
		dst = append(dst, c.same)
	}
	return dst
}
