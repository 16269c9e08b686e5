package delta

import (
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Aggregate.
//
// Identity: Δ(γ R) = for every key of ΔR: -γ(group at lo), +γ(group at hi). A
// linear aggregate of a group is a homomorphism: acc(G + ΔG) = acc(G) + acc(ΔG).
// Class: D.
// State: per group its row count and one accumulator per linear aggregate; per
// MIN or MAX argument an ordered multiset of the group's values; where equal
// keys need not be identical, one of the keys as they are.
// Cost: O(|ΔR| + touched groups); MIN and MAX O(|ΔR| log n).
// Careful: a group lives while its row count is positive, not while its sums
// are not zero. A global aggregate has its row even over no rows. Of equal but
// not identical keys or extremes the least by row encoding shows (I8, I13),
// also after the one that showed is deleted. MIN and MAX of one argument share
// a multiset.
// See: docs/citations.md, "aggregates".

// Aggregate groups rows by not-distinct keys. Output: keys, then aggregates.
type Aggregate struct {
	Keys   []*expr.Expr   `json:"keys,omitempty"`
	Aggs   []expr.AggCall `json:"aggs,omitempty"`
	Global bool           `json:"global,omitempty"`
	// State is the position of the groups in Plan.States; -1: nothing is kept.
	State int `json:"state"`
	// Ordered is, per aggregate, the position of its multiset; -1: it is linear.
	Ordered []int `json:"ordered,omitempty"`
	// Inexact says that equal keys need not be identical: the least shows. Least
	// is the position of the multiset of keys; -1: nothing is kept.
	Inexact bool `json:"inexact,omitempty"`
	Least   int  `json:"least"`
}

func deriveAggregate(d *deriver, n *algebra.Aggregate, need []bool, path string) stream {
	d.volatile(n.Keys...)
	args := make([]*expr.Expr, len(n.Aggs))
	for i, a := range n.Aggs {
		args[i] = a.Arg
	}
	d.volatile(args...)
	m := marks(len(n.Input.Schema()), n.Keys...)
	mark(m, args...)
	s := d.node(n.Input, m, path+".0")

	a := &Aggregate{Keys: s.exprs(n.Keys), Global: n.Global, State: d.state(StateGroups, path, "groups"), Least: -1}
	exact := true
	for _, k := range n.Keys {
		exact = exact && zset.KeyExact(k.Typ)
	}
	if !exact && !d.opts.Off["least"] {
		a.Inexact = true
		a.Least = d.state(StateLeast, path, "least")
	}
	for _, g := range n.Aggs {
		state := -1
		if g.Class() == expr.Ordered {
			state = d.state(StateOrdered, path, "ordered "+keyText([]*expr.Expr{g.Arg}))
		}
		a.Ordered = append(a.Ordered, state)
		if g.Arg != nil {
			g.Arg = s.expr(g.Arg)
		}
		a.Aggs = append(a.Aggs, g)
	}
	if raises(a.Keys) || raises(args) {
		s = d.settled(s)
	}
	node := &Node{Op: OpAggregate, Class: ClassDelta, Types: n.Schema().Types(), Ins: []*Node{s.node}, Aggregate: a}
	return stream{node: node, unique: true}
}

func printAggregate(c *canon, n *algebra.Aggregate) {
	c.add("%v ", n.Global)
	c.exprs(n.Keys)
	for _, a := range n.Aggs {
		c.add("%s/%d", a.Name, a.Version())
		c.typ(a.Typ)
		c.expr(a.Arg)
	}
}
