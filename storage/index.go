package storage

import "github.com/ivmc/ivmc/zset"

// index brings versions [from, end) of src into the keys of v, but for those that
// died at or before low or in their own commit. Rows with a NULL in a further key
// are not in it.
func (v *view) index(o *Object, src *view, from, end uint64, low TSO) {
	if v.pk != nil {
		v.pk.index(o, o.Key, src, from, end, low)
	}
	for i, t := range v.uniq {
		t.index(o, o.Unique[i].Cols, src, from, end, low)
	}
}

// index brings versions into one key.
func (t *arrangement) index(o *Object, key []int, v *view, from, end uint64, low TSO) {
	if from == 0 {
		t.byRow.reserve(int(v.n) - v.deaths.len())
	}
	cols := make([]zset.Column, len(key))
	var keys zset.Keys
	var rows, offs []int32
	for at := from; at < end; {
		p := v.page(int(at >> pageBits))
		first := at &^ pageMask
		i, j := int(at-first), int(min(end-first, uint64(p.span())))
		at = first + uint64(j)
		i, j = p.rowsOf(i, j)
		rows = wanted(p, i, j, low, rows[:0])
		if len(rows) == 0 {
			continue
		}
		offs = p.offsets(0, p.n, offs[:0])
		runs := runsOf(rows, nil)
		for k, c := range key {
			col := p.column(c, o.Schema[c].Type, v.fills)
			if len(rows) < p.n {
				col = takeRuns(&col, runs, len(rows))
			}
			cols[k] = col
		}
		keys.EncodeKeys(cols, len(rows))
		t.add(&keys, v, func(k int) Addr {
			if keys.Null != nil && keys.Null[k] {
				return NoAddr
			}
			return Addr(first) + Addr(offs[rows[k]])
		})
	}
}
