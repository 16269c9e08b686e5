// Package load turns files into batches and batches into files: CSV, JSON,
// Parquet and Arrow, plain or compressed. It knows no tables and no SQL.
//
// Main types: [Source] (a file being read: its columns, then its rows in
// batches), [Sink] (a file being written), [Options] (what COPY and `ivmc load`
// say of a file). One file per format.
//
// What always holds: columns are matched by name, but for a CSV without a header;
// a column of the file that nobody wants is an error, one that the file lacks is
// not there; a value is read as SQL text of its column's type, and checked; every
// error names file, row and column; memory is bounded by a batch and by
// [maxRow], whatever the file says of itself, and no row of a file is passed over in
// silence (docs/adr/0016). A damaged file is an error (22P04),
// never a panic.
//
//	src, err := load.Open(ctx, "airports.csv", load.Options{}, schema)
//	for {
//		b, err := src.Next(ctx) // nil at the end
//	}
package load
