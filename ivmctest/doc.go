// Package ivmctest checks views: after every step of changes the view that was
// brought forward must hold what its query gives.
//
// # Changes made up
//
// [View] makes a database of a schema and a view, changes the tables at random
// and refreshes the view incrementally after each few changes. What it makes up
// follows the types and constraints of the tables: few values, so that rows
// join, repeat and go away again; NULLs, duplicates, edges of the types; keys that
// move; several tables and statements in one step, with and without transactions.
//
//	func TestTakings(t *testing.T) {
//		ivmctest.View(t, ivmctest.Options{
//			Schema: `CREATE TABLE sale(id BIGINT PRIMARY KEY, shop TEXT, amount DECIMAL(10,2))`,
//			View:   `SELECT shop, count(*) AS sales, sum(amount) AS total FROM sale GROUP BY shop`,
//		})
//	}
//
// A view fails the test if it cannot be refreshed incrementally, if a refresh
// fails, as one does that divides by zero, or if a row differs. The failure
// prints the least script that it could find which shows it again, to be run by
// ivmc sql --memory, and the rows that differ.
//
// # Changes recorded
//
// With a [Options.Script] these are the changes, and nothing is made up.
//
// # Your own database
//
// [Verify] refreshes and checks the views of a database that a test has filled by
// itself.
//
// What this finds are views over functions of the program that do not give the
// same result each time, queries that fail on rows which nobody thought of, views
// that have ceased to be incremental, and errors of ivmc.
package ivmctest
