package delta

import "github.com/ivmc/ivmc/algebra"

// Limit.
//
// Identity: none that is linear; the delta of a top-k needs the rows beyond it.
// Class: F in a view: a blocker.
// State: none.
// Cost: from empty that of the sort below.
// Careful: without ORDER BY the row encoding decides (I13), never arrival: a
// sort without keys is put below.
// See: docs/citations.md, "order".

// Limit skips Offset rows and keeps Count, -1: all that follow.
type Limit struct {
	Count  int64 `json:"count"`
	Offset int64 `json:"offset,omitempty"`
}

func deriveLimit(d *deriver, n *algebra.Limit, need []bool, path string) stream {
	b := Blocker{Code: CodeNotSupported, Object: "LIMIT", Pos: int(n.Pos),
		Reason:  "when a row of the first ones is deleted, one from beyond the limit takes its place, and those are not kept",
		Rewrite: "leave LIMIT out of the view, with the ORDER BY that goes with it, and put them in the query that reads the view"}
	if n.Count == algebra.NoCount {
		b.Object = "OFFSET"
		b.Reason = "when a row of those that are skipped is deleted, the next one is skipped in its place, and those are not kept"
		b.Rewrite = "leave OFFSET out of the view, with the ORDER BY that goes with it, and put them in the query that reads the view"
	}
	if n != d.top { // the reader cannot do it instead
		b.Rewrite = "number the rows by row_number() OVER (PARTITION BY .. ORDER BY ..) and compare the number, where the first rows of each partition are meant; " +
			"else make a view of what stands without the " + b.Object + ", and one query over it, no view, of the rest"
	}
	if n.Pos == 0 {
		b.Pos = -1
	}
	d.block(b)
	d.limits++
	defer func() { d.limits-- }()
	first := int64(0)
	if n.Count != algebra.NoCount && n.Count <= 1<<40 && n.Offset <= 1<<40 {
		first = n.Count + n.Offset
	}
	width := all(len(n.Input.Schema()))
	in := d.listed(n.Input, first, path+".0").arrange(width)
	return stream{node: &Node{Op: OpLimit, Types: in.Types, Ins: []*Node{in}, Limit: &Limit{Count: n.Count, Offset: n.Offset}}}
}

// listed is n as a list of which only the first rows will be read (0: all): in
// the order of a sort right below, or below projections; else by row encoding.
func (d *deriver) listed(n algebra.Node, first int64, path string) stream {
	m, depth := n, 0
	for {
		p, ok := m.(*algebra.Project)
		if !ok {
			break
		}
		m, depth = p.Input, depth+1
	}
	s, sorted := m.(*algebra.Sort)
	if !sorted {
		return d.sort(&algebra.Sort{Input: n}, first, path)
	}
	if depth == 0 {
		return d.sort(s, first, path)
	}
	return d.node(n, nil, path)
}

func printLimit(c *canon, n *algebra.Limit) { c.add("%d %d", n.Count, n.Offset) }
