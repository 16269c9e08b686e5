// Package postgres starts a real PostgreSQL of its own and talks to it: the judge
// of what SQL means. For tests alone.
//
// [Start] makes a cluster in a private directory, as another user if need be, on a
// free port of loopback and with a password of its own, with the time zone UTC, the encoding UTF-8, bytes as order of texts, and no
// care for the disk. A server that runs already is taken instead if
// IVMC_TEST_PG names its socket or host:port; it must trust the user postgres
// and be set up alike, and its schemas are wiped.
//
// [Conn] speaks the few messages of the protocol that a judge needs: simple
// queries, text in, text out. It is for one goroutine.
//
//	srv, err := postgres.Start()        // ErrAbsent where there is none
//	defer srv.Stop()
//	c, err := srv.Connect()
//	res, err := c.Exec("SELECT 1::numeric(5,2) AS a")
//	// res.Columns[0] is {a numeric(5,2)}, res.Rows[0][0].Text is 1.00
package postgres
