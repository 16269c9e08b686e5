// Package conformance asks a real PostgreSQL whether we mean what it means:
// rows, types as format_type prints them, column names and SQLSTATEs of
//
//   - expressions, made by walking the table of functions, operators and casts
//     over the edges of their types;
//   - casts of every edge value to every type, explicit and on assignment;
//   - aggregates over bags of edge values;
//   - whole queries, transactions and views of random worlds.
//
// It holds tests alone; they are skipped with a notice where there is no
// PostgreSQL (see package postgres). `make conformance` is the long run.
//
// Where we mean to differ stands in differences.txt, with the reason. A
// difference that is not there fails, and so does an entry that no longer occurs.
package conformance
