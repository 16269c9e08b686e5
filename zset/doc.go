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
//     bits and same text (NaNs are one). It refines the order of the key
//     encoding cell by cell: where first cells are not distinct but not
//     identical, they decide before the second cells do. It serves
//     consolidation, view rows and the choice of a least member.
//
// Both start a cell with a mark byte (NULL has the highest), then 8 bytes big
// endian for whole numbers, dates and doubles; a text with bytes 0 and 1
// escaped and an end byte; a NUMERIC with its own exponent as class, exponent
// and digits, to which the row encoding adds the scale; an INTERVAL as 16 bytes
// of its length, to which the row encoding adds months and days; an array as its
// elements and an end byte. No encoding is a prefix
// of another, so rows are concatenations.
//
// The physical form of a cell is canonical too: identical cells, NaN apart,
// have equal elements or bytes. [Consolidate] builds on that.
//
//	var k zset.Keys
//	k.EncodeKeys(b.Cols[:2], b.N)   // group keys of a batch
//	t.FindOrAdd(&k, groups)         // groups[i] is the dense id of row i's key
//
// Invariants kept here: I4 (a batch says whether it is consolidated), I8 (three
// equalities), I13 (the row encoding breaks ties).
package zset
