package algebra

import (
	"bytes"
	"slices"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Sort is its input as a list in the order of By. As a Z-set it is its input;
// the order matters to a [Limit] right above it and to whoever is handed the
// rows of the whole query.
//
// Rows that By does not tell apart are ordered by the row encoding of all
// columns of the input, ascending (I13): so no rule may drop or reorder the
// columns below a sort that a limit reads.
type Sort struct {
	Input Node
	By    []SortKey
}

// SortKey is one expression of ORDER BY. The order of values is that of the
// key encoding: NaN is the largest number, text compares by bytes.
type SortKey struct {
	Expr       *expr.Expr
	Desc       bool
	NullsFirst bool
}

// Schema is that of the input.
func (s *Sort) Schema() zset.Schema { return s.Input.Schema() }

// Inputs is the input.
func (s *Sort) Inputs() []Node { return []Node{s.Input} }

func (s *Sort) with(ins []Node) Node { return &Sort{Input: ins[0], By: s.By} }

// Ordered reports whether the rows of n come as a list: from a sort, past
// operators that take rows one by one.
func Ordered(n Node) bool {
	switch n := n.(type) {
	case *Sort:
		return true
	case *Project:
		return Ordered(n.Input)
	case *Filter:
		return Ordered(n.Input)
	case *Limit:
		return Ordered(n.Input)
	}
	return false
}

func (s *Sort) eval(o *oracle) (*zset.Batch, error) {
	b, err := o.set(s.Input)
	if err != nil {
		return nil, err
	}
	by := make([]*expr.Expr, len(s.By))
	for k := range s.By {
		by[k] = s.By[k].Expr
	}
	es, err := newRowwise(by)
	if err != nil {
		return nil, err
	}
	keys, all := make([][]cell, b.N), make([][]byte, b.N)
	order := make([]int32, b.N)
	for i := range b.N {
		cols, err := es.at(b, i)
		if err != nil {
			return nil, err
		}
		for k := range cols {
			keys[i] = append(keys[i], cell{cols[k].IsNull(0), zset.AppendKey(nil, &cols[k], 0)})
		}
		all[i], order[i] = rowKey(b, i), int32(i)
	}
	slices.SortFunc(order, func(x, y int32) int {
		if c := compareCells(s.By, keys[x], keys[y]); c != 0 {
			return c
		}
		return bytes.Compare(all[x], all[y])
	})
	return b.Take(order), nil
}

// cell is a sort key of one row.
type cell struct {
	null bool
	key  []byte
}

// compareCells orders the keys of two rows.
func compareCells(by []SortKey, x, y []cell) int {
	for k, by := range by {
		l, r := x[k], y[k]
		c := bytes.Compare(l.key, r.key)
		switch {
		case l.null != r.null:
			if l.null == by.NullsFirst {
				return -1
			}
			return 1
		case c != 0 && by.Desc:
			return -c
		case c != 0:
			return c
		}
	}
	return 0
}

func (s *Sort) line() string {
	if len(s.By) == 0 {
		return "sort by row encoding"
	}
	return "sort by " + sortText(s.By, columns(s.Input))
}

func sortText(by []SortKey, col func(int) string) string {
	return list(len(by), ", ", func(i int) string {
		k, out := by[i], by[i].Expr.Format(col)
		if k.Desc {
			out += " desc"
		}
		if k.NullsFirst != k.Desc {
			out += map[bool]string{true: " nulls first", false: " nulls last"}[k.NullsFirst]
		}
		return out
	})
}
