// Package algebra is relational algebra over Z-sets: what a SQL query means,
// before anything is said of how it runs or how it changes.
//
// [Bind] turns a syntax tree into nodes ([Scan], [Filter], [Project], [Join],
// [UnionAll], [Aggregate], [Sort], [Limit], [Values]); [BindInsert],
// [BindUpdate] and [BindDelete] turn a DML statement into a query whose rows
// are the change. [Normalize] rewrites to the form that delta expects, by the
// rules listed in [Rules]. [Eval] is the naive definition of every operator and
// the oracle of every test; nothing in a running system calls it. [Format]
// prints the algebra stages of EXPLAIN.
//
// One file per operator holds what it means: its fields, its schema, its
// definition, its line in EXPLAIN. Columns are referred to by position in the
// input's schema, never by name (I9); a scan names its relation by id.
//
// Invariants kept here: nodes are immutable data (I7): a rewrite builds new
// ones. Both sides of a comparison have PostgreSQL's comparison type since
// binding (I8). Where SQL leaves an order or a choice open, the row encoding
// decides (I13). An expression that can raise is never moved below what would
// have spared the row.
//
//	n, err := algebra.Bind(query, algebra.Env{Catalog: cat})
//	if err != nil { // Errors: all of them, sorted by position
//		return err
//	}
//	n = algebra.Normalize(n)
//	fmt.Print(algebra.Format(n))
package algebra
