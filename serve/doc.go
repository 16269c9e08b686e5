// Package serve lets many processes work with one database: one of them holds the
// store and serves it at a socket in its directory, the others speak to that one.
//
// [Store] is what a program does with a database, whoever holds it: [Local] does it
// in this process, [Dial] asks the process that serves. Both give the same rows,
// reports and errors.
//
//	l, err := serve.Listen(dir)       // after ivmc.Open(dir): who has the lock may serve
//	srv := serve.NewServer(db, serve.Options{})
//	go srv.Serve(l)
//	defer srv.Shutdown(ctx)
//
// # The protocol
//
// A connection is a session: its settings and its transaction live in the server,
// and end with it. Both sides send frames: a kind of one byte, the length of the
// payload in four (big endian), the payload. The client begins with a hello, and
// then sends one request after another: an operation with what it needs, in JSON,
// and the text of the statement as it stands. The answer is
//
//	head   once, of what gives rows: the columns, and what the statement did
//	rows   any number of times: cells as text
//	bytes  any number of times: of a dump, of lines of JSON, of a stream of Arrow records
//	tick   any number of times: how far a file is read
//	end    once: the result, or the error
//
// While it waits, the client may send cancel, as Ctrl-C does in a process of its own,
// or enough, when it wants no more rows. Nothing is sent ahead of a reader: the
// socket takes some ten kilobytes, and then the server waits.
//
// Who may connect: the user that the server runs as, and nobody else.
package serve
