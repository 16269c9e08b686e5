package delta

import "github.com/ivmc/ivmc/algebra"

// Grouping sets.
//
// Identity: Δ(γS1 R + .. + γSn R) = Σi Δ(γSi R), each with NULLs for the keys that
// its set does not name.
// Class: D.
// State: that of an aggregate for each set.
// Cost: that of an aggregate for each set; the changes of R are made once.
// Careful: the empty set is an aggregate of all rows, which has its row over none.
// See: docs/citations.md, "aggregates".

func deriveGroupingSets(d *deriver, n *algebra.GroupingSets, need []bool, path string) stream {
	d.share(n.Input, path+".l")
	return d.node(n.Sum(), need, path+".s")
}

func printGroupingSets(c *canon, n *algebra.GroupingSets) {
	c.add("%v %v ", n.Sets, n.Asked)
	printAggregate(c, &algebra.Aggregate{Input: n.Input, Keys: n.Keys, Aggs: n.Aggs})
}
