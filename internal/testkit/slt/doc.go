// Package slt runs sqllogictest files, .test and .slt, against us or another
// engine; for tests alone.
//
// [Parse] reads the records of the classic format and of its dialects that are
// about SQL: statement ok, error (with a SQLSTATE or a regular expression), count;
// query with a type string, nosort, rowsort, valuesort, a label, rows one value a
// line or one row a line, or a hash; skipif, onlyif, halt, hash-threshold,
// control, subtest. Others (system, connection, sleep, ..) are passed over.
//
// [Run] runs a file as printed. [Churn] asks for more: each SELECT becomes a
// materialized view made over empty tables; the rows that the file's tables hold
// at that place arrive in random batches, a quarter goes and comes back, one row
// is changed and changed back; after each step every view, refreshed
// incrementally where it can be, must hold what its query gives.
//
//	records, err := slt.Parse(text)
//	report := slt.Run(slt.NewEngine(db.Session()), records)
//	for _, f := range report.Failures { fmt.Println(f) }
package slt
