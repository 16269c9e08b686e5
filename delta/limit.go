package delta

import "github.com/ivmc/ivmc/algebra"

// Limit.
//
// Identity: Δ(first(R)) = first(R@hi) - first(R@lo), where R@hi is R@lo, kept in
// order, with ΔR merged into it.
// Class: D.
// State: the rows of the input in the order of the sort below, with their counts.
// Cost: O(d × log n + k) of k rows up to the end of the limit; from empty that of
// the sort below.
// Careful: without ORDER BY the row encoding decides (I13), never arrival: a sort
// without keys is put below. Projections are drawn up over the limit, so that they
// are evaluated for its rows alone. Without a count, all rows but the skipped ones
// are walked in each step: a blocker.
// See: docs/citations.md, "order".

// Limit skips Offset rows and keeps Count, -1: all that follow.
type Limit struct {
	Count  int64 `json:"count"`
	Offset int64 `json:"offset,omitempty"`
	// Kept, in a plan of a step, is 1 + the state of the input's rows, which is in
	// the order of By; the input is the change of those rows.
	Kept int       `json:"kept,omitempty"`
	By   []SortKey `json:"by,omitempty"`
}

func deriveLimit(d *deriver, n *algebra.Limit, need []bool, path string) stream {
	if p, ok := n.Input.(*algebra.Project); ok && algebra.Ordered(p) {
		below := *n
		below.Input = p.Input
		if d.top == n {
			d.top = &below
		}
		return deriveProject(d, &algebra.Project{Input: &below, Exprs: p.Exprs, Names: p.Names}, need, path)
	}
	d.limits++
	defer func() { d.limits-- }()
	by, known := order(n.Input)
	if !known && algebra.Ordered(n.Input) { // the list below has an order that its columns do not tell
		d.block(Blocker{Code: CodeNotSupported, Object: "LIMIT", Pos: max(int(n.Pos), -1), Permanent: true,
			Reason:  "it takes the first rows of a list whose order is not to be seen in the columns that come from below",
			Rewrite: "give this LIMIT an ORDER BY of its own"})
		in := d.node(n.Input, nil, path+".0").arrange(all(len(n.Input.Schema())))
		return stream{node: &Node{Op: OpLimit, Types: in.Types, Ins: []*Node{in}, Limit: &Limit{Count: n.Count, Offset: n.Offset}}}
	}
	s, ok := n.Input.(*algebra.Sort)
	if !ok {
		s = &algebra.Sort{Input: n.Input, By: by}
	}
	bounded := n.Count != algebra.NoCount
	if !bounded {
		d.unbounded(n)
	}
	first, kept := int64(0), 0
	if bounded {
		first = n.Count + n.Offset
		var order canon
		printSort(&order, s)
		kept = 1 + d.state(StateOrdered, path, "first", holding(s.Input, nil, "first "+order.b.String()))
	}
	if d.full || !bounded {
		in := d.sort(s, first, kept, path+".0").node
		return stream{node: &Node{Op: OpLimit, Types: in.Types, Ins: []*Node{in}, Limit: &Limit{Count: n.Count, Offset: n.Offset}}}
	}
	keys := d.sortKeys(s)
	in := stream{node: d.node(s.Input, nil, path+".0.0").arrange(all(len(s.Schema())))}
	for _, k := range keys {
		if k.Expr.Raises() {
			in = d.settled(in)
		}
	}
	node := &Node{Op: OpLimit, Class: ClassDelta, Types: in.node.Types, Ins: []*Node{in.node},
		Limit: &Limit{Count: n.Count, Offset: n.Offset, Kept: kept, By: keys}}
	if d.opts.Off["limit"] {
		return in
	}
	return stream{node: node, unique: true}
}

// order is that of the list n where the columns of n tell it: of a sort, also below
// filters and limits, which hand on its rows as they are. known is false for what is
// no list, and for a list that a projection has taken columns from.
func order(n algebra.Node) (by []algebra.SortKey, known bool) {
	switch n := n.(type) {
	case *algebra.Sort:
		return n.By, true
	case *algebra.Filter:
		return order(n.Input)
	case *algebra.Limit:
		return order(n.Input)
	}
	return nil, false
}

// unbounded blocks on a limit that does not end.
func (d *deriver) unbounded(n *algebra.Limit) {
	b := Blocker{Code: CodeNotSupported, Object: "OFFSET", Pos: int(n.Pos), Permanent: true,
		Reason:  "when a row of those that are skipped is deleted, the next one is skipped in its place, and to find it is to walk over all rows",
		Rewrite: "leave OFFSET out of the view, with the ORDER BY that goes with it, and put them in the query that reads the view; or give it a LIMIT too"}
	if n != d.top { // the reader cannot do it instead
		b.Rewrite = "give it a LIMIT too; else make a view of what stands without the OFFSET, and one query over it, no view, of the rest"
	}
	if n.Pos == 0 {
		b.Pos = -1
	}
	d.block(b)
}

func printLimit(c *canon, n *algebra.Limit) { c.add("%d %d", n.Count, n.Offset) }
