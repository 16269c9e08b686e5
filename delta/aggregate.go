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
// argument of MIN, MAX or an aggregate with DISTINCT an ordered multiset of the
// group's values; per STRING_AGG or ARRAY_AGG one of the values behind their
// sort keys; where equal keys need not be identical, one of the keys as they are.
// A linear aggregate with DISTINCT is fed by its multiset: a value that comes
// (count 0 to positive) is one input, one that goes takes it back.
// Cost: O(|ΔR| + touched groups); MIN, MAX and DISTINCT O(|ΔR| log n); a list
// O(values of the touched groups), for it is written anew.
// Careful: a group lives while its row count is positive, not while its sums
// are not zero. A global aggregate has its row even over no rows. Of equal but
// not identical keys or extremes the least by row encoding shows (I8, I13),
// also after the one that showed is deleted; so under DISTINCT a value may be
// replaced by its twin. What reads one argument shares a multiset.
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
	var args []*expr.Expr
	for _, a := range n.Aggs {
		args = append(args, a.Exprs()...)
	}
	d.volatile(args...)
	m := marks(len(n.Input.Schema()), n.Keys...)
	mark(m, args...)
	s := d.node(n.Input, m, path+".0")

	a := &Aggregate{Keys: s.exprs(n.Keys), Global: n.Global, State: d.state(StateGroups, path, "groups", holding(n, nil, "groups")), Least: -1}
	exact := true
	for _, k := range n.Keys {
		exact = exact && zset.KeyExact(k.Typ)
	}
	if !exact && !d.opts.Off["least"] {
		a.Inexact = true
		a.Least = d.state(StateLeast, path, "least", holding(n, nil, "least"))
	}
	for _, g := range n.Aggs {
		state := -1
		switch {
		case g.Class() == expr.List:
			name := "list " + listText(g)
			if g.Distinct { // who reads the multiset reads each value once: not to be shared
				name = "distinct " + name
			}
			state = d.state(StateOrdered, path, name, holding(n, nil, name))
		case g.Class() == expr.Ordered, g.Distinct:
			name := "ordered " + keyText([]*expr.Expr{g.Arg})
			state = d.state(StateOrdered, path, name, holding(n, nil, name))
		}
		a.Ordered = append(a.Ordered, state)
		a.Aggs = append(a.Aggs, g.Map(s.expr))
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
		if a.Distinct {
			c.add(" distinct")
		}
		if a.Class() == expr.List {
			c.add("{%s}", listText(a))
		}
	}
}

// listText is what the multiset of a list depends on.
func listText(g expr.AggCall) string {
	var c canon
	c.exprs(g.Exprs())
	for _, k := range g.By {
		c.add(" %v %v;", k.Desc, k.NullsFirst)
	}
	return c.b.String()
}
