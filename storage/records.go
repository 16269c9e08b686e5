package storage

import (
	"context"
	"io"

	"github.com/ivmc/ivmc/zset"
)

// Record is one record of the log: what happened, and to which versions. After
// is NoAddr for a delete, Before for an insert.
type Record struct {
	TSO    TSO
	LSN    uint32 // its place in the commit, from 0, in this relation
	Op     Op
	After  Addr
	Before Addr
}

// RecordCursor streams the raw log of a relation in the order of (TSO, LSN).
type RecordCursor struct {
	r        *Relation
	v        *view
	err      error // of the first Next
	k, end   int   // commits [k, end) come
	ops      []Op
	at       int // of ops
	row, die uint64
	out      []Record
}

// Records gives every record of (lo, hi], those of rows that came and went too.
// Next gives ErrBelowHorizon where lo is below the horizon. The cursor's own Gather
// reads their images also when the horizon passes lo meanwhile.
func (r *Relation) Records(lo, hi TSO) *RecordCursor {
	c := &RecordCursor{r: r, v: r.view.Load()}
	if hi > lo {
		if c.err = r.Readable(lo); c.err != nil {
			return c
		}
		c.k, c.end = c.v.commitAfter(lo), c.v.commitAfter(hi)
	}
	return c
}

// Gather is [Relation.Gather] for the versions of the cursor's records.
func (c *RecordCursor) Gather(addrs []Addr, cols []int, out []zset.Column) {
	o, v := c.r.obj.Load(), *c.v
	v.fills = c.r.view.Load().fills // of the columns that came meanwhile
	v.gather(addrs, cols, o.Schema.Types(), out)
}

// Next gives at most 4096 records of one commit, valid until the next call; io.EOF
// after the last.
func (c *RecordCursor) Next(ctx context.Context) ([]Record, error) {
	if c.err != nil {
		return nil, c.err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for c.at == len(c.ops) {
		if c.k == c.end {
			return nil, io.EOF
		}
		ent := c.v.commits.at(c.k)
		c.ops, c.at = c.v.opsOf(c.k, c.ops[:0]), 0
		c.row, c.die = ent.row, ent.death
		c.k++
	}
	tso := c.v.commits.at(c.k - 1).tso
	c.out = c.out[:0]
	for ; c.at < len(c.ops) && len(c.out) < pageRows; c.at++ {
		rec := Record{TSO: tso, LSN: uint32(c.at), Op: c.ops[c.at], After: NoAddr, Before: NoAddr}
		if rec.Op.bears() {
			rec.After = Addr(c.row)
			c.row++
		}
		if rec.Op.kills() {
			rec.Before = c.v.deaths.at(int(c.die))
			c.die++
		}
		c.out = append(c.out, rec)
	}
	return c.out, nil
}
