package delta

import (
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
)

// Sort.
//
// Identity: as a Z-set, the input; the order is for a LIMIT above it, and for
// whoever reads the rows.
// Class: F in a view, where it is a blocker: stored rows have no order.
// State: none.
// Cost: from empty O(n log n) of the rows; O(n log k) under a LIMIT of k.
// Careful: rows that the keys do not tell apart are ordered by the row encoding
// of all columns (I13), so no column may be dropped below.
// See: docs/citations.md, "order".

// Sort orders rows by the keys, then by row encoding.
type Sort struct {
	By []SortKey `json:"by"`
	// First keeps only so many rows; 0: all.
	First int64 `json:"first,omitempty"`
}

// SortKey is one key of a sort.
type SortKey struct {
	Expr       *expr.Expr `json:"expr"`
	Desc       bool       `json:"desc,omitempty"`
	NullsFirst bool       `json:"nulls_first,omitempty"`
}

func deriveSort(d *deriver, n *algebra.Sort, need []bool, path string) stream {
	return d.sort(n, 0, path)
}

func (d *deriver) sort(n *algebra.Sort, first int64, path string) stream {
	s := stream{node: d.node(n.Input, nil, path+".0").arrange(all(len(n.Input.Schema())))}
	by := make([]SortKey, len(n.By))
	pos := -1
	for i, k := range n.By {
		d.volatile(k.Expr)
		by[i] = SortKey{Expr: k.Expr, Desc: k.Desc, NullsFirst: k.NullsFirst}
		if pos < 0 {
			pos = int(k.Expr.Pos)
		}
	}
	if d.limits == 0 {
		d.block(Blocker{Code: CodeNotSupported, Object: "ORDER BY", Pos: pos, Permanent: true,
			Reason:  "the stored rows of a view have no order to keep",
			Rewrite: "leave ORDER BY out of the view and sort in the query that reads it"})
	}
	s.node = &Node{Op: OpSort, Types: s.node.Types, Ins: []*Node{s.node}, Sort: &Sort{By: by, First: first}}
	return s
}

func printSort(c *canon, n *algebra.Sort) {
	for _, k := range n.By {
		c.expr(k.Expr)
		c.add("%v %v;", k.Desc, k.NullsFirst)
	}
}
