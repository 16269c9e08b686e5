// Package runtime runs delta plans over storage: batches of at most 4096 rows
// are pulled through operators that are compiled once per opened plan. It sees
// no SQL and no algebra.
//
// Main types: [View] (an opened view: its plans compiled, its operator state in
// memory), [Step] (the private write set of one advance, then one commit),
// [Query] and [Rows] (a from-empty plan over a [Source]: SELECT, and the rows
// of DML).
//
// Invariants kept here: I2 (a step is a function of sides and deltas in
// (lo, hi]), I3 (view rows, states, offsets: one commit), I4 (consolidated
// before what is not linear and what can raise), I5 (a negative total is
// corruption, XX001, never clamped), I8, I12 (state in memory changes only
// after the commit returned), I13.
//
//	v, err := runtime.OpenView(store, obj, plans)
//	step, err := v.Step(ctx, nil)
//	tso, err := step.Commit(ctx)
package runtime
