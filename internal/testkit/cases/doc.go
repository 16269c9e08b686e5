// Package cases runs the scripts of testdata/cases: statements that must work
// or fail, and queries with their rows.
//
// Blocks are separated by blank lines; lines that start with # are comments.
//
//	statement ok
//	CREATE TABLE t(id BIGINT PRIMARY KEY)
//
//	statement error <regexp over "CODE message">
//	SELECT nothing FROM t
//
//	query IRT rowsort
//	SELECT id, x, name FROM t
//	----
//	1|0.5|NULL
//
// The types are I (integer), R (number with a fraction) and T (text). Rows are
// compared as bags: I and T as text, R exactly if both sides are decimals of the
// same value, else within 1e-9. NULL, (empty) and NaN stand for themselves.
//
// A REFRESH .. INCREMENTAL must have been executed incrementally. After every
// REFRESH the view is verified against its definition.
package cases
