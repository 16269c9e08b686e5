// Package zset holds what every other package computes with: SQL types, values,
// columns, and batches, which are Z-sets (finite maps from row to integer
// weight) laid out in columns.
//
// Main types: [Type] (a SQL type), [Value] (one cell), [Column] (many cells of
// one type as raw slices), [Batch] (columns plus weights), [Schema] (named
// columns), [KeyTable] (byte keys to dense ids), [Decimal] (an exact number
// with its scale).
//
// Two encodings of a row, never mixed (I8):
//
//   - The key encoding ([AppendKey]) is order preserving and many to one: cells
//     that are not distinct in SQL's sense (-0.0 and 0.0, numeric 1.0 and 1.00,
//     NULL and NULL) have equal bytes. It serves group keys, join keys, primary
//     keys and arrangements.
//   - The row encoding ([AppendRow]) is exact: equal bytes if and only if same
//     bits and same text. It refines the order of the key encoding, and serves
//     consolidation, view rows and the choice of a least member.
//
// Invariants kept here: I4 (a batch says whether it is consolidated), I8 (three
// equalities), I13 (the row encoding breaks ties).
package zset
