package algebra

import (
	"bytes"
	"maps"
	"slices"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Aggregate is one row for each group of rows of Input whose Keys are not
// distinct (I8: NULL groups with NULL, -0.0 with 0.0, 1.0 with 1.00), with
// weight 1: the keys, then the aggregates over the group's rows, each counted
// as often as its weight says.
//
// The keys shown are those of the group's member whose keys are least by row
// encoding (I13). Without aggregates it is DISTINCT. Global has no keys and
// yields its one row over an empty input too.
type Aggregate struct {
	Input  Node
	Keys   []*expr.Expr
	Aggs   []expr.AggCall
	Names  []string // of the keys, then of the aggregates
	Global bool
}

// Schema is the keys, then the aggregates.
func (a *Aggregate) Schema() zset.Schema {
	in := a.Input.Schema()
	s := make(zset.Schema, 0, len(a.Names))
	for i, k := range a.Keys {
		s = append(s, zset.Field{Name: a.Names[i], Type: k.Typ, NotNull: notNull(k, in)})
	}
	for i, g := range a.Aggs {
		s = append(s, zset.Field{Name: a.Names[len(a.Keys)+i], Type: g.Typ, NotNull: g.Name == "count" || g.Name == "count_if"})
	}
	return s
}

// Inputs is the input.
func (a *Aggregate) Inputs() []Node { return []Node{a.Input} }

func (a *Aggregate) with(ins []Node) Node { c := *a; c.Input = ins[0]; return &c }

// members is the rows of one group: what its aggregates see, and its shown key.
type members struct {
	least []byte        // row encoding of key
	key   []zset.Column // one cell per key
	args  []zset.Column // per expression of keys and aggregates: one cell per row
	w     []int64
}

func (a *Aggregate) eval(o *oracle) (*zset.Batch, error) {
	b, err := o.set(a.Input)
	if err != nil {
		return nil, err
	}
	es := slices.Clone(a.Keys)
	for _, g := range a.Aggs {
		es = append(es, inputs(g)...)
	}
	run, err := newRowwise(es)
	if err != nil {
		return nil, err
	}
	groups := map[string]*members{}
	if a.Global {
		groups[""] = newMembers(es)
	}
	for i := range b.N {
		cells, err := run.at(b, i)
		if err != nil {
			return nil, err
		}
		if b.Weight(i) < 0 {
			return nil, errWeight()
		}
		a.add(groups, es, cells, b.Weight(i))
	}
	return a.result(groups)
}

// newMembers is an empty group; es are the keys, then the arguments.
func newMembers(es []*expr.Expr) *members {
	m := &members{}
	for _, e := range es {
		m.args = append(m.args, zset.NewColumn(e.Typ, 0))
	}
	return m
}

// add puts a row, its keys and arguments in cells, into its group.
func (a *Aggregate) add(groups map[string]*members, es []*expr.Expr, cells []zset.Column, w int64) {
	var key, row []byte
	for k := range a.Keys {
		key = zset.AppendKey(key, &cells[k], 0)
		row = zset.AppendRow(row, &cells[k], 0)
	}
	m := groups[string(key)]
	if m == nil {
		m = newMembers(es)
		groups[string(key)] = m
	}
	if m.key == nil || bytes.Compare(row, m.least) < 0 {
		m.least, m.key = row, nil
		for k := range a.Keys {
			c := zset.NewColumn(a.Keys[k].Typ, 1)
			c.AppendCell(&cells[k], 0)
			m.key = append(m.key, c)
		}
	}
	for i := range cells {
		m.args[i].AppendCell(&cells[i], 0)
	}
	m.w = append(m.w, w)
}

// result is one row per group, in the order of the keys.
func (a *Aggregate) result(groups map[string]*members) (*zset.Batch, error) {
	out := zset.NewBatch(a.Schema().Types(), len(groups))
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		m := groups[key]
		for k := range a.Keys {
			out.Cols[k].AppendCell(&m.key[k], 0)
		}
		at := len(a.Keys)
		for i, g := range a.Aggs {
			n := len(inputs(g))
			v, err := definition(g, m.args[at:at+n], m.w)
			at += n
			if err != nil {
				return nil, err
			}
			out.Cols[len(a.Keys)+i].AppendValue(v)
		}
		out.N++
	}
	return out, nil
}

func (a *Aggregate) line() string {
	col := columns(a.Input)
	keys := list(len(a.Keys), ", ", func(i int) string { return named(a.Keys[i].Format(col), a.Names[i]) })
	aggs := list(len(a.Aggs), ", ", func(i int) string {
		return named(a.Aggs[i].Format(col), a.Names[len(a.Keys)+i])
	})
	switch {
	case a.Global:
		return "aggregate all: " + aggs
	case len(a.Aggs) == 0:
		return "distinct " + keys
	}
	return "aggregate by " + keys + ": " + aggs
}
