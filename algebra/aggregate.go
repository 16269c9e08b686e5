package algebra

import (
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
	Input  Node `json:"-"`
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
		s = append(s, zset.Field{Name: a.Names[len(a.Keys)+i], Type: g.Typ, NotNull: g.Name == "count"})
	}
	return s
}

// Inputs is the input.
func (a *Aggregate) Inputs() []Node { return []Node{a.Input} }

func (a *Aggregate) with(ins []Node) Node { c := *a; c.Input = ins[0]; return &c }
