// Package delta says how the output of an operator changes when its inputs
// change. Algebra goes in, a delta plan comes out: [Derive]. It is pure: no
// I/O, no clock, and its plan nodes are its own types, so that a plan is data
// that can be stored, compared, printed and run without the algebra (I7).
//
// Main types: [Plan] (inputs, arrangements, states and a tree of [Node]),
// [Blocker] (why a view is not incremental, and what to write instead),
// [Options]. One file per operator: its law, its state, its cost, its trap.
//
// A plan is one of two foldings of one derivation (I1). With a lower side, the
// leaves are the changes of a relation over (lo, hi] and the other inputs of a
// join are looked up at @lo or @hi. With an empty lower side ([Options].FromEmpty)
// every @lo is empty: changes become scans at @hi, the join terms that hold an
// empty side vanish, and the one that is left folds to hash joins. That plan
// runs first builds, COMPLETE and SELECT.
//
// Invariants kept here: I1 (one set of operators), I4 (a delta is consolidated
// before an expression that can raise), I6 (decisions stand in the plan), I7
// (plans are immutable data; the fingerprint covers meaning and state layout),
// I8 (SQL = in join keys, not-distinct in group keys), I9 (objects by id), I13
// (the row encoding breaks ties).
//
//	plan, blockers := delta.Derive(node, delta.Options{})
//	if len(blockers) > 0 {
//		return blockers // every reason, with position and rewrite
//	}
//	fmt.Print(plan.Format("text"))
package delta
