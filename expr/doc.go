// Package expr says what a cell means: scalar functions, operators, casts and
// aggregates, evaluated over batches in columns.
//
// Main types: [Expr] (a bound expression: immutable data that a plan stores),
// [Func] (a row of the function table), [Program] and [Evaluator] (expressions
// compiled once per plan, and the scratch to run them), [RowError]; [AggCall]
// and [Accumulator] for aggregates, which live in the files aggregate.go,
// count.go, sum_*.go, avg.go and minmax.go.
//
// Binding ([Call], [Cast], [Unify], [Comparison], [Case]) follows PostgreSQL:
// its overloads, result types, implicit casts and SQLSTATEs. Meaning follows
// it too: three-valued logic, NaN above all numbers and equal to itself,
// overflow an error and never a wrap.
//
// Invariants kept here: I7 (expressions hold no closures; programs do, and are
// never stored), I8 (a comparison casts both sides to one type of one physical
// form, so equal cells have equal key encodings), and of design.md's "errors in
// data": an argument of AND, OR, CASE or COALESCE is computed only for rows that
// need it, an expression knows whether it can raise, and an error names the
// least failing row of the batch.
//
// Example:
//
//	delay := expr.Col(2, zset.TInt8)
//	sixty := expr.Const(zset.IntValue(60))
//	late, err := expr.Call(">", []*expr.Expr{delay, sixty}, -1)
//	prog, err := expr.Compile([]*expr.Expr{late})
//	sel, err := prog.New().Filter(batch, nil) // rows where delay > 60 is TRUE
package expr
