// Package explain says to a person, and to a program, what a plan does and why a
// view is, or is not, incremental. It decides nothing: what it says stands in
// the algebra and in the delta plan. It is pure: values in, text out.
//
// [New] makes a [Report] of a statement that was bound and planned. A report
// prints itself in the formats of [Formats]: text of at most [Width] columns, a
// JSON document whose names are a contract (docs/json.md), and three drawings,
// Graphviz, Mermaid and SVG.
//
//	r := explain.New(explain.Statement{Kind: explain.Query, Bound: bound, Normal: normal, Delta: plan})
//	text, err := r.Format("text")
package explain
