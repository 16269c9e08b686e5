// Package session says what a statement does: it parses, binds, plans and runs
// one statement after another, keeps at most one transaction, and turns every
// change of rows into one commit of the store.
//
// Main types: [Engine] (one open store and what all sessions share), [Session]
// (settings and at most one transaction; not for concurrent use), [Result]
// (command tag, notices, rows), [Rows] (batches of a query).
//
// Invariants kept here:
//
//   - I2 and I9: a statement binds one version of the catalog and reads one TSO.
//     In a transaction both are those of its begin, plus the transaction's own
//     writes: rows that it wrote have addresses of their own
//     ([storage.Own]), stored rows that it removed are hidden.
//   - Rows change through one door, [storage.Store.Commit]. A statement first
//     computes all of its new rows, then checks keys over the whole statement,
//     then joins the write set: UPDATE t SET id = id + 1 has no order.
//   - A failed statement leaves no trace. In a transaction every later statement
//     but ROLLBACK is refused (25P02).
//
// A short example:
//
//	e, err := session.Open("", session.Options{InMemory: true})
//	s := e.Session()
//	res, err := s.Run(ctx, "SELECT 1 AS one")
//	for {
//		b, err := res.Rows.Next(ctx) // io.EOF ends
//	}
//	res.Rows.Close()
package session
