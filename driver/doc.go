// Package driver makes ivmc a database of database/sql, under the name "ivmc".
//
//	import (
//		"database/sql"
//
//		_ "github.com/ivmc/ivmc/driver"
//	)
//
//	db, err := sql.Open("ivmc", "flights.db")
//
// # Data source names
//
// A name is a directory, or ":memory:", and behind a question mark options as in
// a URL: "flights.db?no_sync=true&statement_timeout=5s". The options are those of
// [ivmc.Options] (must_exist, no_sync, no_files, memory_limit,
// max_statement_bytes, max_depth) and the settings of a session (TimeZone,
// statement_timeout), which every connection begins with. One that is neither is
// an error of [sql.Open].
//
// [sql.Open] opens the database and [sql.DB.Close] closes it. All connections of
// one sql.DB share it, so ":memory:" is one database for each sql.DB. A directory
// is open once: a second sql.Open of it gets [ivmc.ErrLocked].
//
// A program that also uses the API of package ivmc opens the database with it and
// hands it over; closing it stays with the program:
//
//	sqlDB := sql.OpenDB(driver.Connector(db))
//
// # Statements
//
// Parameters are $1, $2; they take what [ivmc.DB.Exec] takes. Exec without a
// prepared statement runs several statements that are separated by semicolons.
//
// # Transactions
//
// A transaction reads one moment plus its own writes; of two that write the same
// row the first to commit wins, and the other one fails with [ivmc.ErrConflict].
// That is what [sql.LevelSnapshot] and [sql.LevelRepeatableRead] ask for and more
// than the weaker levels do, which are accepted; [sql.LevelSerializable] is
// refused. A read-only transaction refuses what does not only read (25006).
//
// # Values and columns
//
// Cells are int64, float64, bool, string, []byte (BYTEA) and time.Time (DATE,
// TIMESTAMP and TIMESTAMPTZ, in UTC; the infinite ones are strings). NUMERIC,
// TIME, INTERVAL, UUID and arrays are strings, exact.
//
// # Errors
//
// Errors are those of package ivmc, as they are: errors.As gives the [*ivmc.Error]
// with SQLSTATE and position, errors.Is knows the sentinels.
package driver
