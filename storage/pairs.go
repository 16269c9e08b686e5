package storage

import (
	"context"
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// Law of the pairs. The rows of a view are written as deletes and inserts. Where
// its identity is known, a row that went and one that came in the same commit, alone
// with their values of it, are one update: at the place of the later record, so that
// the order stays that of (TSO, LSN). Rows that do not fit together so stay what they
// are: whatever the identity says, the sum of a window is the same with pairs and without.

// pairer finds what belongs together by the identity of an object.
type pairer struct {
	v     *view
	types []zset.Type
	by    []int // columns; none: all rows belong together

	keys zset.Keys
	cols []zset.Column
}

// pairs says for every row that went where in come its successor is; -1: it has none.
func (p *pairer) pairs(gone, come []Addr) []int32 {
	out := make([]int32, len(gone))
	ids := zset.NewKeyTable(len(gone))
	of := make([]uint32, max(len(gone), len(come)))
	p.keysOf(gone)
	ids.FindOrAdd(&p.keys, of[:len(gone)])
	went := make([]int32, ids.Cap()) // by id, the row; -2: there are several
	for i := range went {
		went[i] = -1
	}
	for i, id := range of[:len(gone)] {
		if out[i] = -1; went[id] == -1 {
			went[id] = int32(i)
		} else {
			went[id] = -2
		}
	}
	p.keysOf(come)
	ids.Find(&p.keys, of[:len(come)])
	for i, id := range of[:len(come)] {
		if int(id) >= len(went) || went[id] < 0 {
			continue
		}
		if g := went[id]; out[g] == -1 {
			out[g] = int32(i)
		} else { // a second one came
			out[g], went[id] = -1, -2
		}
	}
	return out
}

func (p *pairer) keysOf(addrs []Addr) {
	p.cols = p.cols[:0]
	for _, c := range p.by {
		p.cols = append(p.cols, zset.NewColumn(p.types[c], len(addrs)))
	}
	p.v.gather(addrs, p.by, p.types, p.cols)
	p.keys.EncodeKeys(p.cols, len(addrs))
}

// PairCursor streams the records of a log as [RecordCursor] does, those of a view
// with an identity in pairs.
type PairCursor struct {
	*RecordCursor
	p    *pairer // nil: the log has pairs as it is
	rest []Record
}

// Pairs is [Relation.Records] with pairs.
func (r *Relation) Pairs(lo, hi TSO) *PairCursor {
	c := &PairCursor{RecordCursor: r.Records(lo, hi)}
	c.p = c.v.pairer(r.obj.Load())
	return c
}

// pairer is nil where records are updates by themselves.
func (v *view) pairer(o *Object) *pairer {
	if o.Identity == nil {
		return nil
	}
	return &pairer{v: v, types: o.Schema.Types(), by: o.Identity}
}

// Next is [RecordCursor.Next].
func (c *PairCursor) Next(ctx context.Context) ([]Record, error) {
	if c.p == nil {
		return c.RecordCursor.Next(ctx)
	}
	if len(c.rest) == 0 {
		recs, err := c.RecordCursor.Next(ctx)
		if err != nil || c.alone() {
			return recs, err
		}
		all := slices.Clone(recs)
		for c.at < len(c.ops) { // the commit has more
			if recs, err = c.RecordCursor.Next(ctx); err != nil {
				return nil, err
			}
			all = append(all, recs...)
		}
		c.rest = c.p.paired(all)
	}
	n := min(len(c.rest), pageRows)
	c.out = append(c.out[:0], c.rest[:n]...)
	c.rest = c.rest[n:]
	return c.out, nil
}

// alone reports whether the commit at hand has nothing but inserts, or nothing but
// deletes, as that of a build.
func (c *PairCursor) alone() bool { return c.v.commits.at(c.k-1).same != 0 }

// paired is all records of a commit with pairs.
func (p *pairer) paired(recs []Record) []Record {
	var gone, come []Addr
	var from, to []int // where they are in recs
	for i, rec := range recs {
		switch rec.Op {
		case OpInsert:
			come, to = append(come, rec.After), append(to, i)
		case OpDelete:
			gone, from = append(gone, rec.Before), append(from, i)
		}
	}
	for g, c := range p.pairs(gone, come) {
		if c < 0 {
			continue
		}
		first, last := from[g], to[c]
		if first > last {
			first, last = last, first
		}
		recs[last].Op, recs[last].Before, recs[last].After = OpUpdate, gone[g], come[c]
		recs[first].Op = 0
	}
	return slices.DeleteFunc(recs, func(rec Record) bool { return rec.Op == 0 })
}

// folded makes pairs of the net changes of a window.
func (p *pairer) folded(net []keyChange) []keyChange {
	var gone, come []Addr
	var from, to []int
	for i, c := range net {
		switch {
		case c.end == NoAddr:
			gone, from = append(gone, c.start), append(from, i)
		case c.start == NoAddr:
			come, to = append(come, c.end), append(to, i)
		}
	}
	for g, c := range p.pairs(gone, come) {
		if c < 0 {
			continue
		}
		old, now := &net[from[g]], &net[to[c]]
		if now.start = old.start; old.tso > now.tso || old.tso == now.tso && old.lsn > now.lsn {
			now.tso, now.lsn = old.tso, old.lsn
		}
		old.start = NoAddr
	}
	return slices.DeleteFunc(net, func(c keyChange) bool { return c.start == NoAddr && c.end == NoAddr })
}
