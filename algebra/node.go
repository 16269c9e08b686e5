package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Node is an operator of the algebra with its inputs: a finite function from
// the relations of a database to a Z-set. Nodes are immutable. The set is
// closed: the unexported methods are the three things that this package must
// know of each operator, so that a new one cannot be half there.
type Node interface {
	// Schema is the columns of the result.
	Schema() zset.Schema
	// Inputs lists the input nodes in order; nil for a leaf.
	Inputs() []Node

	// with is the same operator over other inputs of the same number.
	with(ins []Node) Node
	// eval is the definition of the operator, see [Eval].
	eval(o *oracle) (*zset.Batch, error)
	// line is the operator in EXPLAIN, without its inputs.
	line() string
}

// Walk calls f for n and every node below it, inputs after their reader. It
// does not go below a node for which f returns false.
func Walk(n Node, f func(Node) bool) {
	if !f(n) {
		return
	}
	for _, in := range n.Inputs() {
		Walk(in, f)
	}
}

// Scans lists the scans below n from left to right, one per occurrence.
func Scans(n Node) []*Scan {
	var out []*Scan
	Walk(n, func(m Node) bool {
		if s, ok := m.(*Scan); ok {
			out = append(out, s)
		}
		return true
	})
	return out
}

// notNull reports whether e never yields NULL over rows of in. It may say no
// where the truth is yes.
func notNull(e *expr.Expr, in zset.Schema) bool {
	switch e.Op {
	case expr.OpCol:
		return e.Col < len(in) && in[e.Col].NotNull // not one of a query around
	case expr.OpConst:
		return !e.Val.Null
	}
	return false
}
