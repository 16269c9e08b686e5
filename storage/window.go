package storage

import (
	"context"
	"io"
	"sort"

	"github.com/ivmc/ivmc/zset"
)

// WindowMode says what a [Window] shows of the records in it.
type WindowMode uint8

// The modes.
const (
	MinDelta   WindowMode = iota // what differs between the ends, key by key; of a bag row by row, see [Object.Identity]
	AppendOnly                   // the inserts alone, as they were written
	Detail                       // every record; an update is the row before and the row after
)

// Window is the records of (Lo, Hi] of a log. What a truncation took with it is
// not there: neither deletes of it, nor what happened before it.
type Window struct {
	Lo, Hi TSO
	Mode   WindowMode
}

// What a row of a window is.
const (
	ChangeInsert int64 = iota
	ChangeDelete
	ChangeBefore // the row that an update replaced
	ChangeAfter
)

// Columns that a window has beside those of its relation, for
// [Relation.Window], and ColumnTSO for [Relation.Scan] too: what the row is (SMALLINT), and the TSO and LSN (BIGINT)
// of its record; of a folded row, of the last record of its key.
const (
	ColumnOp = -1 - iota
	ColumnTSO
	ColumnLSN
)

// shown is one row of a window.
type shown struct {
	addr Addr
	tso  TSO
	lsn  uint32
	op   int64
}

// WindowCursor streams the rows of a window in the order of (TSO, LSN), the row
// before an update before the one after it. One goroutine.
type WindowCursor struct {
	v     *view
	types []zset.Type
	cols  []int
	rows  []shown // still to come
	next  func(context.Context, []shown) ([]shown, error)
	addrs []Addr
}

// Window reads the columns cols of the records in w: positions in the relation,
// ColumnOp, ColumnTSO and ColumnLSN. Its cost is that of the records in w,
// whatever the size of the relation and of its log.
func (r *Relation) Window(w Window, cols []int) *WindowCursor {
	obj := r.obj.Load()
	log := &windowLog{w: w, types: obj.Schema.Types(), key: obj.Key, cur: r.Pairs(w.Lo, w.Hi)}
	log.v = log.cur.v
	log.start()
	c := &WindowCursor{v: log.v, types: log.types, cols: cols}
	c.next = log.detail
	if w.Mode == MinDelta {
		c.next = log.folded
	}
	return c
}

// Next gives the next batch of at most 4096 rows; io.EOF after the last.
func (c *WindowCursor) Next(ctx context.Context) (*zset.Batch, error) {
	for len(c.rows) == 0 {
		var err error
		if c.rows, err = c.next(ctx, c.rows[:0]); err != nil {
			return nil, err
		}
	}
	rows := c.rows[:min(len(c.rows), pageRows)]
	c.rows = c.rows[len(rows):]
	return c.batch(rows), nil
}

func (c *WindowCursor) batch(rows []shown) *zset.Batch {
	c.addrs = c.addrs[:0]
	for _, s := range rows {
		c.addrs = append(c.addrs, s.addr)
	}
	b := &zset.Batch{N: len(rows), Cols: make([]zset.Column, len(c.cols))}
	for i, col := range c.cols {
		out := &b.Cols[i]
		switch col {
		case ColumnOp:
			*out = zset.NewColumn(zset.TInt2, b.N)
			for _, s := range rows {
				out.AppendI64(s.op)
			}
		case ColumnTSO:
			*out = zset.NewColumn(zset.TInt8, b.N)
			for _, s := range rows {
				out.AppendI64(int64(s.tso))
			}
		case ColumnLSN:
			*out = zset.NewColumn(zset.TInt8, b.N)
			for _, s := range rows {
				out.AppendI64(int64(s.lsn))
			}
		default:
			*out = zset.NewColumn(c.types[col], b.N)
			c.v.gather(c.addrs, c.cols[i:i+1], c.types, b.Cols[i:i+1])
		}
	}
	return b
}

// windowLog reads the records of a window behind the last truncation.
type windowLog struct {
	v     *view
	types []zset.Type
	w     Window
	key   []int
	first Addr // the first version born after w.Lo
	cur   *PairCursor

	old, new   zset.Keys // keys of the updates at hand
	before     []Addr
	after      []Addr
	keyB, keyA []zset.Column
	done       bool
}

// start puts the cursor at the first record behind the last truncation in the
// window, and gives its TSO; 0: there is none.
func (l *windowLog) start() TSO {
	l.first = Addr(l.v.rowsUpTo(l.w.Lo))
	var ops []Op
	for k := l.cur.end - 1; k >= l.cur.k; k-- {
		ent := l.v.commits.at(k)
		if ent.same != 0 && ent.same != OpTruncate {
			continue
		}
		ops = l.v.opsOf(k, ops[:0])
		for i := len(ops) - 1; i >= 0; i-- {
			if ops[i] == OpTruncate {
				l.first = l.cur.seek(k, ops, i+1)
				return ent.tso
			}
		}
	}
	return 0
}

// LastChange is the TSO of the last commit at or before `at` that changed the
// relation, of those up to the horizon the last one; 0: none.
func (r *Relation) LastChange(at TSO) TSO {
	v := r.view.Load()
	if k := v.commitAfter(at); k > v.cut {
		return v.commits.at(k - 1).tso
	}
	return v.horizon
}

// LastTruncation is the TSO of the last commit of (lo, hi] that truncated the
// relation; 0: none.
func (r *Relation) LastTruncation(lo, hi TSO) TSO {
	log := &windowLog{w: Window{Lo: lo, Hi: hi}, cur: r.Pairs(lo, hi)}
	log.v = log.cur.v
	return log.start()
}

// Cut is where a window that begins at lo ends so that it has at most n rows born
// and died, but one commit at least: the TSO of a commit in (lo, hi], or lo if there
// is none. Behind a truncation it counts from there.
func (r *Relation) Cut(lo, hi TSO, n int64) TSO {
	lo = max(lo, r.LastTruncation(lo, hi))
	v := r.view.Load()
	first, end := v.commitAfter(lo), v.commitAfter(hi)
	if first >= end {
		return lo
	}
	before := int64(v.commits.at(first).row + v.commits.at(first).death)
	k := first + sort.Search(end-first-1, func(i int) bool { // the commit whose successor would be too much
		stop := v.commits.at(first + i + 1).tso
		return int64(v.rowsUpTo(stop)+v.deathsUpTo(stop))-before > n
	})
	return v.commits.at(k).tso
}

// seek goes to record i of commit k, whose operations are given, and gives the
// first address born there or later.
func (c *RecordCursor) seek(k int, ops []Op, i int) Addr {
	ent := c.v.commits.at(k)
	c.k, c.ops, c.at, c.row, c.die = k+1, ops, i, ent.row, ent.death
	for _, op := range ops[:i] {
		if op.bears() {
			c.row++
		}
		if op.kills() {
			c.die++
		}
	}
	return Addr(c.row)
}

// detail appends the rows of the next records.
func (l *windowLog) detail(ctx context.Context, out []shown) ([]shown, error) {
	recs, err := l.cur.Next(ctx)
	if err != nil {
		return nil, err
	}
	moved := l.moved(recs)
	u := 0
	for _, rec := range recs {
		row := shown{rec.After, rec.TSO, rec.LSN, ChangeInsert}
		switch {
		case rec.Op == OpUpdate:
			before, after := ChangeBefore, ChangeAfter
			if moved != nil && moved[u] {
				before, after = ChangeDelete, ChangeInsert
			}
			u++
			if l.w.Mode == Detail {
				out = append(out, shown{rec.Before, rec.TSO, rec.LSN, before})
			} else if after != ChangeInsert {
				continue
			}
			row.op = after
		case rec.Op.kills():
			if l.w.Mode != Detail {
				continue
			}
			row.addr, row.op = rec.Before, ChangeDelete
		}
		out = append(out, row)
	}
	return out, nil
}

// moved says for every update of recs whether it changed the primary key: then
// the one key went and the other came. Nil for a bag.
func (l *windowLog) moved(recs []Record) []bool {
	if l.key == nil {
		return nil
	}
	l.before, l.after = l.before[:0], l.after[:0]
	for _, rec := range recs {
		if rec.Op == OpUpdate {
			l.before, l.after = append(l.before, rec.Before), append(l.after, rec.After)
		}
	}
	l.keysOf(l.before, &l.keyB, &l.old)
	l.keysOf(l.after, &l.keyA, &l.new)
	out := make([]bool, len(l.before))
	for i := range out {
		out[i] = string(l.old.Key(i)) != string(l.new.Key(i))
	}
	return out
}

// keysOf encodes the primary keys of the versions at addrs; of a bag whole rows.
func (l *windowLog) keysOf(addrs []Addr, cols *[]zset.Column, k *zset.Keys) {
	key := l.key
	if key == nil {
		key = allColumns(len(l.types))
	}
	*cols = (*cols)[:0]
	for _, c := range key {
		*cols = append(*cols, zset.NewColumn(l.types[c], len(addrs)))
	}
	l.v.gather(addrs, key, l.types, *cols)
	if l.key == nil {
		k.EncodeRows(*cols, len(addrs))
	} else {
		k.EncodeKeys(*cols, len(addrs))
	}
}

func allColumns(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// all reads the records to their end, as they are.
func (l *windowLog) all(ctx context.Context, f func([]Record)) error {
	for {
		recs, err := l.cur.RecordCursor.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		f(recs)
	}
}
