package delta

import (
	"github.com/ivmc/ivmc/algebra"
	"github.com/ivmc/ivmc/expr"
)

// Project.
//
// Identity: Δ(πe R) = πe(ΔR).
// Class: D.
// State: none.
// Cost: O(|ΔR|).
// Careful: an expression that can raise needs a consolidated delta, and is
// evaluated even where no reader needs its column, as the definition does.
// See: docs/citations.md, "linear operators".

// Project yields the expressions for every row.
type Project struct {
	Exprs []*expr.Expr `json:"exprs"`
	Names []string     `json:"names,omitempty"` // of the columns, where the query has given some; for people
}

func deriveProject(d *deriver, n *algebra.Project, need []bool, path string) stream {
	d.volatile(n.Exprs...)
	at := make([]int, len(n.Exprs))
	var kept []*expr.Expr
	var names []string
	for i, e := range n.Exprs {
		at[i] = -1
		if need == nil || need[i] || e.Raises() {
			at[i] = len(kept)
			kept, names = append(kept, e), append(names, n.Names[i])
		}
	}
	s := d.node(n.Input, marks(len(n.Input.Schema()), kept...), path+".0")
	es := s.exprs(kept)
	if raises(es) {
		s = d.settled(s)
	}
	node := &Node{Op: OpProject, Class: ClassDelta, Types: typesOf(es), Ins: []*Node{s.node}, Project: &Project{Exprs: es, Names: names}}
	return stream{node: node, at: at}
}

func printProject(c *canon, n *algebra.Project) { c.exprs(n.Exprs) }
