// Package refresh decides when and how a view moves: incrementally, by
// recomputing it, or not at all, and says why. It asks for plans through
// [Planner] and runs them by package runtime.
//
// Main types: [Engine] (all views of one store), [Mode], [Report],
// [VerifyReport]. A view is refreshed serially; different views need not wait
// for each other, and readers never wait (I12).
//
// Invariants kept here: I2 (hi is the applied TSO, fixed once for all inputs of
// a step), I3 (one step, one commit), I11 (records of a step carry the TSO of
// its own commit; offsets and frontier are kept beside it). Strict INCREMENTAL
// never falls back and never moves an offset when it fails; a fallback records
// the code that caused it.
//
//	eng := refresh.New(store, planner)
//	rep, err := eng.Refresh(ctx, id, refresh.Auto)
//	fmt.Println(rep.Executed, rep.Reason, rep.RowsIn, rep.RowsOut)
package refresh
