package runtime

import (
	"bytes"
	"encoding/binary"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// listing is STRING_AGG or ARRAY_AGG over its multiset. An entry there, behind
// the key of the group, is the sort keys, order preserving, the row encodings of
// the value and of the separator if there is one, and where there are sort keys
// four bytes with their length: so the order of the entries is the order of the list.
type listing struct {
	array    bool
	distinct bool
	val      zset.Type
	arg      int // places of the expressions; -1: none
	sep      int
	filter   int
	by       []int
	keys     []expr.AggKey

	value, cut zset.Column // scratch: one value, one separator
	last       []byte      // key encodings of the value before, under DISTINCT
	next       []byte
	out        []byte
}

// place of an expression among es, behind which it is appended; -1 for nil.
func place(es *[]*expr.Expr, e *expr.Expr) int {
	if e == nil {
		return -1
	}
	*es = append(*es, e)
	return len(*es) - 1
}

func newListing(g expr.AggCall, arg int, es *[]*expr.Expr) *listing {
	l := &listing{array: g.Name == "array_agg", distinct: g.Distinct, val: g.Arg.Typ, arg: arg, keys: g.By}
	l.sep, l.filter = place(es, g.Sep), place(es, g.Filter)
	for _, k := range g.By {
		l.by = append(l.by, place(es, k.Expr))
	}
	return l
}

// add counts the entries of the rows of cols, each in its group.
func (l *listing) add(t *tally, groups []uint32, cols []zset.Column, w []int64) {
	buf, off, hash := t.batch.Buf[:0], append(t.batch.Off[:0], 0), t.batch.Hash[:0]
	kept := t.kept[:0]
	for i, g := range groups {
		if l.filter >= 0 && (cols[l.filter].IsNull(i) || cols[l.filter].I64[i] == 0) || !l.array && cols[l.arg].IsNull(i) {
			continue
		}
		at := len(buf)
		buf = binary.BigEndian.AppendUint32(buf, g)
		for k, c := range l.by {
			buf = appendSortKey(buf, &cols[c], i, delta.SortKey{Desc: l.keys[k].Desc, NullsFirst: l.keys[k].NullsFirst})
		}
		n := len(buf) - at - 4
		buf = zset.AppendRow(buf, &cols[l.arg], i)
		if l.sep >= 0 {
			buf = zset.AppendRow(buf, &cols[l.sep], i)
		}
		if len(l.by) > 0 {
			buf = binary.BigEndian.AppendUint32(buf, uint32(n))
		}
		off = append(off, uint32(len(buf)))
		hash = append(hash, zset.Hash(buf[at:]))
		kept = append(kept, weight(w, i))
	}
	t.batch.Buf, t.batch.Off, t.batch.Hash, t.kept = buf, off, hash, kept
	t.count()
}

// read appends to c the list of the group with the prefix; order[from:to] of the
// tally are its changed entries, none for the list as it was.
func (l *listing) read(m *multi, prefix []byte, from, to int, c *zset.Column) error {
	l.out, l.last = l.out[:0], l.last[:0]
	any := false
	err := m.tally.each(m.main, prefix, from, to, func(entry []byte, n int64) error {
		if len(l.by) > 0 {
			if len(entry) < 4 {
				return errState("a list")
			}
			end := len(entry) - 4
			skip := binary.BigEndian.Uint32(entry[end:])
			if uint64(skip) > uint64(end) {
				return errState("a list")
			}
			entry = entry[skip:end]
		}
		reuse(&l.value, l.val)
		rest, err := zset.DecodeRow(entry, &l.value)
		if err != nil {
			return err
		}
		if l.sep >= 0 {
			reuse(&l.cut, l.val) // of one type
			if _, err := zset.DecodeRow(rest, &l.cut); err != nil {
				return err
			}
		}
		if l.distinct {
			l.next = zset.AppendKey(l.next[:0], &l.value, 0)
			if l.sep >= 0 {
				l.next = zset.AppendKey(l.next, &l.cut, 0)
			}
			if any && bytes.Equal(l.next, l.last) {
				return nil
			}
			l.last, l.next, n = l.next, l.last, 1
		}
		for range n {
			switch {
			case l.array:
				l.out = zset.AppendElement(l.out, &l.value, 0)
			default:
				if any && !l.cut.IsNull(0) {
					l.out = append(l.out, l.cut.Bytes(0)...)
				}
				l.out = append(l.out, l.value.Bytes(0)...)
			}
			any = true
			if len(l.out) > maxList {
				return zset.Errorf(zset.CodeOutOfMemory, -1, "a list of an aggregate is longer than 1 GiB")
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if any {
		c.AppendBytes(l.out)
	} else {
		c.AppendNull()
	}
	return nil
}

// maxList is how long a text or an array can be, as in PostgreSQL.
const maxList = 1 << 30

// each calls f with the keys behind prefix after the run, without it, and their
// counts, ascending; order[from:to] are the changed ones.
func (t *tally) each(main *zset.Ordered, prefix []byte, from, to int, f func(key []byte, n int64) error) error {
	var c zset.OrderedCursor
	if main != nil {
		c = main.FirstWith(prefix)
	}
	for {
		old := c.Valid() && bytes.HasPrefix(c.Key(), prefix)
		if !old && from == to {
			return nil
		}
		order := -1 // the key of main is less
		if from < to {
			order = 1
			if old {
				order = bytes.Compare(c.Key(), t.keys.Key(int(t.order[from])))
			}
		}
		if order < 0 {
			if err := f(c.Key()[len(prefix):], c.Count()); err != nil {
				return err
			}
			c.Next()
			continue
		}
		i := t.order[from]
		from++
		if order == 0 {
			c.Next()
		}
		if t.after[i] > 0 {
			if err := f(t.keys.Key(int(i))[len(prefix):], t.after[i]); err != nil {
				return err
			}
		}
	}
}
