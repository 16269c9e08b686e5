package delta

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Op names the operator of a plan node.
type Op string

// The operators of plans. Which of the pointers of [Node] is set follows from it.
const (
	OpChanges     Op = "changes"     // ΔR over (lo, hi]
	OpScan        Op = "scan"        // R at hi
	OpFind        Op = "find"        // R at hi, by primary key
	OpNothing     Op = "nothing"     // no rows
	OpValues      Op = "values"      // constant rows
	OpFilter      Op = "filter"      // σ
	OpProject     Op = "project"     // π
	OpUnion       Op = "union"       // sum of the inputs, one after the other
	OpConsolidate Op = "consolidate" // weights of identical rows summed, zeros dropped
	OpLookup      Op = "lookup"      // each row with the rows of a side that have its key
	OpHashJoin    Op = "hash join"   // the same against a table built in this run
	OpNegate      Op = "negate"      // weights with the other sign
	OpRepeat      Op = "repeat"      // weights times a number that stands in the row
	OpShare       Op = "share"       // rows that several operators read, made once
	OpKeep        Op = "keep"        // passes rows on and keeps them as a private relation
	OpAggregate   Op = "aggregate"   // γ
	OpSort        Op = "sort"
	OpWindow      Op = "window" // each row with its number in its partition
	OpLimit       Op = "limit"
	OpUnnest      Op = "unnest" // each row with the elements of its lists
)

// Class says how an operator follows its inputs.
type Class string

// The classes. A full refresh is a property of a view, not of an operator.
const (
	ClassDelta Class = "D" // the delta follows from the input's delta, state and sides
	ClassKeys  Class = "R" // touched keys are recomputed
)

// Side is which state of a relation is read.
type Side string

// The sides of a step.
const (
	Lo Side = "lo" // before the step
	Hi Side = "hi" // after it
)

// Node is an operator of a plan. Types are those of its output columns.
type Node struct {
	Op    Op          `json:"op"`
	Class Class       `json:"class,omitempty"`
	Types []zset.Type `json:"types"`
	Ins   []*Node     `json:"ins,omitempty"`

	Input     int        `json:"input,omitempty"` // changes, scan, find: position in Plan.Inputs
	Find      *Find      `json:"find,omitempty"`
	Values    *Values    `json:"values,omitempty"`
	Filter    *Filter    `json:"filter,omitempty"`
	Project   *Project   `json:"project,omitempty"`
	Union     *Union     `json:"union,omitempty"`
	Lookup    *Lookup    `json:"lookup,omitempty"`
	HashJoin  *HashJoin  `json:"hash_join,omitempty"`
	Repeat    *Repeat    `json:"repeat,omitempty"`
	Share     *Share     `json:"share,omitempty"`
	Keep      *Keep      `json:"keep,omitempty"`
	Aggregate *Aggregate `json:"aggregate,omitempty"`
	Sort      *Sort      `json:"sort,omitempty"`
	Window    *Window    `json:"window,omitempty"`
	Limit     *Limit     `json:"limit,omitempty"`
	Unnest    *Unnest    `json:"unnest,omitempty"`
}

// Walk calls f for n and every node below it, readers before their inputs.
func (n *Node) Walk(f func(*Node)) {
	f(n)
	for _, in := range n.Ins {
		in.Walk(f)
	}
}

func typesOf(es []*expr.Expr) []zset.Type {
	ts := make([]zset.Type, len(es))
	for i, e := range es {
		ts[i] = e.Typ
	}
	return ts
}
