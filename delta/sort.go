package delta

import (
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
)

// Sort.
//
// Identity: as a Z-set, the input; the order is for a LIMIT above it, and for
// whoever reads the rows.
// Class: F in a view, where it is a blocker: stored rows have no order. Under a LIMIT
// it is part of that.
// State: none; under a LIMIT a run from empty leaves the rows in the limit's.
// Cost: from empty O(n log n) of the rows; O(n log k) under a LIMIT of k.
// Careful: rows that the keys do not tell apart are ordered by the row encoding
// of all columns (I13), so no column may be dropped below.
// See: docs/citations.md, "order".

// Sort orders rows by the keys, then by row encoding.
type Sort struct {
	By []SortKey `json:"by"`
	// First keeps only so many rows; 0: all.
	First int64 `json:"first,omitempty"`
	// Kept is 1 + the state that the rows are left in; 0: none. See [Limit].
	Kept int `json:"kept,omitempty"`
}

// SortKey is one key of a sort.
type SortKey struct {
	Expr       *expr.Expr `json:"expr"`
	Desc       bool       `json:"desc,omitempty"`
	NullsFirst bool       `json:"nulls_first,omitempty"`
}

func deriveSort(d *deriver, n *algebra.Sort, need []bool, path string) stream {
	return d.sort(n, 0, 0, path)
}

func (d *deriver) sort(n *algebra.Sort, first int64, kept int, path string) stream {
	s := stream{node: d.node(n.Input, nil, path+".0").arrange(all(len(n.Input.Schema())))}
	by := d.sortKeys(n)
	if d.limits == 0 {
		pos := -1
		if len(n.By) > 0 {
			pos = int(n.By[0].Expr.Pos)
		}
		d.block(Blocker{Code: CodeNotSupported, Object: "ORDER BY", Pos: pos, Permanent: true,
			Reason:  "the stored rows of a view have no order to keep",
			Rewrite: "leave ORDER BY out of the view and sort in the query that reads it"})
	}
	if !d.full { // a change has no order
		return s
	}
	s.node = &Node{Op: OpSort, Types: s.node.Types, Ins: []*Node{s.node}, Sort: &Sort{By: by, First: first, Kept: kept}}
	return s
}

func (d *deriver) sortKeys(n *algebra.Sort) []SortKey {
	by := make([]SortKey, len(n.By))
	for i, k := range n.By {
		d.volatile(k.Expr)
		by[i] = SortKey{Expr: k.Expr, Desc: k.Desc, NullsFirst: k.NullsFirst}
	}
	return by
}

func printSort(c *canon, n *algebra.Sort) {
	for _, k := range n.By {
		c.expr(k.Expr)
		c.add("%v %v;", k.Desc, k.NullsFirst)
	}
}
