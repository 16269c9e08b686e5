package runtime

import (
	"bytes"

	"github.com/ivmc/ivmc/zset"
)

// entrants feeds linear aggregates with DISTINCT from the multiset of their
// argument: a value whose count goes from 0 to positive is one input, one whose
// count comes back to 0 takes it away. Of values that are not distinct the least
// by row encoding is the input, so that a twin can take its place.
type entrants struct {
	aggs []int // positions of the aggregates
	t    zset.Type

	vals zset.Column
	ids  []uint32
	w    []int64
}

// entrantRows is how many inputs are collected before they are added.
const entrantRows = 4 * batchRows

// enter adds what m changes to the aggregates with DISTINCT over it.
func (o *aggregateOp) enter(m *multi) error {
	e := &m.entrants
	e.clear()
	for g := range uint32(o.local.table.Cap()) {
		from, to := m.group(g)
		prefix := o.local.table.Key(g)
		for from < to {
			var was, is []byte
			if zset.KeyExact(e.t) {
				i := m.order[from]
				key := m.keys.Key(int(i))[len(prefix):]
				if m.after[i] > m.sum[i] {
					was = key
				}
				if m.after[i] > 0 {
					is = key
				}
				from++
			} else {
				was, is, from = o.twins(m, prefix, from, to)
			}
			if bytes.Equal(was, is) { // no encoding is empty
				continue
			}
			if err := e.put(g, was, -1); err != nil {
				return err
			}
			if err := e.put(g, is, 1); err != nil {
				return err
			}
		}
		if len(e.ids) >= entrantRows {
			o.flush(e)
		}
	}
	o.flush(e)
	return nil
}

// twins is, of the values that are not distinct from the changed key order[from],
// the least before and after the run, nil for none, and the first changed key
// behind them.
func (o *aggregateOp) twins(m *multi, prefix []byte, from, to int) (was, is []byte, end int) {
	value := func(i int) []byte { return m.keys.Key(int(m.order[i]))[len(prefix):] }
	t, first := m.entrants.t, value(from)
	for end = from + 1; end < to && o.sameKey(t, first, value(end)); end++ {
	}
	at := from
	for ; at < end && is == nil; at++ {
		if m.after[m.order[at]] > 0 {
			is = value(at)
		}
	}
	if m.main == nil {
		return nil, is, end
	}
	member := func(c *zset.OrderedCursor) bool {
		return c.Valid() && bytes.HasPrefix(c.Key(), prefix) && o.sameKey(t, first, c.Key()[len(prefix):])
	}
	key := m.keys.Key(int(m.order[from]))
	c := m.main.SeekLT(key)
	for member(&c) {
		was = c.Key()[len(prefix):]
		c.Prev()
	}
	if was != nil { // unchanged, before every changed twin
		return was, was, end
	}
	p := from
	for c = m.main.SeekGE(key); member(&c); c.Next() {
		v := c.Key()[len(prefix):]
		if was == nil {
			was = v
		}
		for p < end && bytes.Compare(value(p), v) < 0 {
			p++
		}
		if p < end && bytes.Equal(value(p), v) {
			continue // changed: is knows
		}
		if is == nil || bytes.Compare(v, is) < 0 {
			is = v
		}
		break
	}
	return was, is, end
}

func (e *entrants) clear() {
	reuse(&e.vals, e.t)
	e.ids, e.w = e.ids[:0], e.w[:0]
}

// put collects w times the value of a row encoding, nil for none, in group g.
func (e *entrants) put(g uint32, enc []byte, w int64) error {
	if enc == nil {
		return nil
	}
	if _, err := zset.DecodeRow(enc, &e.vals); err != nil {
		return err
	}
	e.ids, e.w = append(e.ids, g), append(e.w, w)
	return nil
}

func (o *aggregateOp) flush(e *entrants) {
	if len(e.ids) == 0 {
		return
	}
	for _, j := range e.aggs {
		o.local.accs[j].Add(e.ids, &e.vals, e.w)
	}
	e.clear()
}
