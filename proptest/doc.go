// Package proptest states the laws of the whole engine, through its public door,
// and tests them on random schemas, views and transactions.
//
//   - A view equals its query, after any transactions and any steps, whatever
//     reads it: the same query by the full path, Verify, SQLite.
//   - Any split of the same changes into steps gives the same view.
//   - A crash at any file operation, reopened, is a prefix of what ran, contains
//     all that was acknowledged, and the next refresh goes on from there.
//   - An I/O error at any file operation loses nothing that was acknowledged.
//   - A reader never waits for a refresh.
//
// It holds tests alone. A failing case is named by its seed.
package proptest
