package storage

import (
	"context"
	"io"
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// Law of the fold. Of a key, the version that lived at lo and died in the window
// is the row at its start, the version born in the window that lives at hi the
// row at its end. Both: a row before and a row after, equal ones too, since the
// key was written. One alone: a delete of the start, an insert of the end. None:
// the key came and went. What happened in between does not matter, only when it
// last happened.

// keyChange is what a window did to one key.
type keyChange struct {
	start, end Addr
	tso        TSO
	lsn        uint32
}

// folded gives all rows of a MinDelta window at once.
func (l *windowLog) folded(ctx context.Context, out []shown) ([]shown, error) {
	if l.done {
		return nil, io.EOF
	}
	l.done = true
	if l.key == nil {
		return l.foldedBag(ctx, out)
	}
	ids := zset.NewKeyTable(0)
	var changes []keyChange
	var at []uint32
	note := func(addrs []Addr, k *zset.Keys) { // at[i] is the change of the key of addrs[i]
		at = grow(at, len(addrs))
		ids.FindOrAdd(k, at)
		for len(changes) < ids.Cap() {
			changes = append(changes, keyChange{start: NoAddr, end: NoAddr})
		}
	}
	err := l.all(ctx, func(recs []Record) {
		l.before, l.after = l.before[:0], l.after[:0]
		for _, rec := range recs {
			if rec.Before != NoAddr {
				l.before = append(l.before, rec.Before)
			}
			if rec.After != NoAddr {
				l.after = append(l.after, rec.After)
			}
		}
		l.keysOf(l.before, &l.keyB, &l.old)
		note(l.before, &l.old)
		died := 0
		for _, rec := range recs {
			if rec.Before == NoAddr {
				continue
			}
			c := &changes[at[died]]
			died++
			c.tso, c.lsn = rec.TSO, rec.LSN
			if rec.Before < l.first {
				c.start = rec.Before
			}
		}
		l.keysOf(l.after, &l.keyA, &l.new)
		note(l.after, &l.new)
		born := 0
		for _, rec := range recs {
			if rec.After == NoAddr {
				continue
			}
			c := &changes[at[born]]
			born++
			if rec.TSO > c.tso || rec.TSO == c.tso && rec.LSN > c.lsn {
				c.tso, c.lsn = rec.TSO, rec.LSN
			}
			if l.v.visible(rec.After, l.w.Hi) {
				c.end = rec.After
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return sorted(changes, out), nil
}

// sorted appends the rows of the changes in the order of their last records.
func sorted(changes []keyChange, out []shown) []shown {
	slices.SortFunc(changes, func(a, b keyChange) int {
		if a.tso != b.tso {
			if a.tso < b.tso {
				return -1
			}
			return 1
		}
		return int(a.lsn) - int(b.lsn)
	})
	for _, c := range changes {
		before, after := ChangeBefore, ChangeAfter
		if c.start == NoAddr {
			after = ChangeInsert
		}
		if c.end == NoAddr {
			before = ChangeDelete
		}
		if c.start != NoAddr {
			out = append(out, shown{c.start, c.tso, c.lsn, before})
		}
		if c.end != NoAddr {
			out = append(out, shown{c.end, c.tso, c.lsn, after})
		}
	}
	return out
}

// foldedBag nets by whole row: of n copies that lived at the start and went, and
// m that came and live at the end, the difference shows, by the last records.
func (l *windowLog) foldedBag(ctx context.Context, out []shown) ([]shown, error) {
	rows := rowCounts{ids: zset.NewKeyTable(0)}
	var gone, come []keyChange
	err := l.all(ctx, func(recs []Record) {
		g, c := len(gone), len(come)
		l.before, l.after = l.before[:0], l.after[:0]
		for _, rec := range recs {
			if rec.Before != NoAddr && rec.Before < l.first {
				gone = append(gone, keyChange{rec.Before, NoAddr, rec.TSO, rec.LSN})
				l.before = append(l.before, rec.Before)
			}
			if rec.After != NoAddr && l.v.visible(rec.After, l.w.Hi) {
				come = append(come, keyChange{NoAddr, rec.After, rec.TSO, rec.LSN})
				l.after = append(l.after, rec.After)
			}
		}
		l.keysOf(l.before, &l.keyB, &l.old)
		rows.gone.count(rows.ids, &l.old, len(gone)-g)
		l.keysOf(l.after, &l.keyA, &l.new)
		rows.come.count(rows.ids, &l.new, len(come)-c)
	})
	if err != nil {
		return nil, err
	}
	net := rows.come.beyond(come, &rows.gone, rows.gone.beyond(gone, &rows.come, nil))
	if l.cur.p != nil {
		net = l.cur.p.folded(net)
	}
	return sorted(net, out), nil
}

// rowCounts counts the copies of each row that went and that came.
type rowCounts struct {
	ids        *zset.KeyTable
	gone, come copies
}

type copies struct {
	of []uint32 // the row's id, by change
	n  []int    // by id
}

func (c *copies) count(ids *zset.KeyTable, k *zset.Keys, n int) {
	at := len(c.of)
	c.of = append(c.of, make([]uint32, n)...)
	ids.FindOrAdd(k, c.of[at:])
	for _, id := range c.of[at:] {
		for len(c.n) <= int(id) {
			c.n = append(c.n, 0)
		}
		c.n[id]++
	}
}

// beyond appends the changes of c that the other side does not cancel: the last ones.
func (c *copies) beyond(changes []keyChange, other *copies, net []keyChange) []keyChange {
	skipped := make([]int, len(c.n))
	for i, id := range c.of {
		if int(id) < len(other.n) && skipped[id] < other.n[id] {
			skipped[id]++
			continue
		}
		net = append(net, changes[i])
	}
	return net
}
