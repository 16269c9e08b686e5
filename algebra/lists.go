package algebra

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// member is one row of a group as an aggregate that makes a list sees it.
type member struct {
	keys     []memberKey
	val, sep []byte // row encodings
	same     []byte // key encodings of value and separator
	row      int
}

type memberKey struct {
	null bool
	enc  []byte
}

// defList is the meaning of STRING_AGG and ARRAY_AGG: the rows that the filter
// takes, in the order of the keys, then of the values by row encoding, then of
// the separators (I13), each as often as its weight says, or once under
// DISTINCT; NULL if there are none. cols are the cells of inputs(g).
func defList(g expr.AggCall, cols []zset.Column, w []int64) (zset.Value, error) {
	arg, sep, filter, by := &cols[0], &cols[1], &cols[2], cols[3:]
	var ms []member
	for i := range w {
		taken := !filter.IsNull(i) && filter.I64[i] == 1
		if !taken || arg.IsNull(i) && g.Name != "array_agg" {
			continue
		}
		m := member{row: i, val: zset.AppendRow(nil, arg, i), sep: zset.AppendRow(nil, sep, i)}
		m.same = zset.AppendKey(zset.AppendKey(nil, arg, i), sep, i)
		for k := range by {
			m.keys = append(m.keys, memberKey{by[k].IsNull(i), zset.AppendKey(nil, &by[k], i)})
		}
		ms = append(ms, m)
	}
	slices.SortStableFunc(ms, func(x, y member) int { return compareMembers(g, x, y) })
	if g.Distinct {
		ms = slices.CompactFunc(ms, func(x, y member) bool { return bytes.Equal(x.same, y.same) })
	}
	if len(ms) == 0 {
		return zset.NullOf(g.Typ), nil
	}
	var out []byte
	first := true
	for _, m := range ms {
		n := w[m.row]
		if g.Distinct {
			n = 1
		}
		for range n {
			if g.Name == "array_agg" {
				out = zset.AppendElement(out, arg, m.row)
				continue
			}
			if !first && !sep.IsNull(m.row) {
				out = append(out, sep.Bytes(m.row)...)
			}
			out = append(out, arg.Bytes(m.row)...)
			first = false
		}
	}
	return zset.Value{Type: g.Typ, S: string(out)}, nil
}

func compareMembers(g expr.AggCall, x, y member) int {
	for k, by := range g.By {
		l, r := x.keys[k], y.keys[k]
		if l.null != r.null {
			if l.null == by.NullsFirst {
				return -1
			}
			return 1
		}
		if c := bytes.Compare(l.enc, r.enc); c != 0 {
			if by.Desc {
				return -c
			}
			return c
		}
	}
	return cmp.Or(bytes.Compare(x.val, y.val), bytes.Compare(x.sep, y.sep))
}
