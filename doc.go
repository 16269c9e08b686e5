// Package ivmc keeps the results of SQL views up to date at a cost that follows
// the change and not the data.
//
// # Opening
//
// A database is a directory, or lives in memory:
//
//	db, err := ivmc.Open("flights.db", nil)
//	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
//	defer db.Close()
//
// One process has a directory at a time: a second one gets [ErrLocked]. A [DB]
// is safe for concurrent use.
//
// # Tables and changes
//
// [DB.Exec] runs SQL. Statements are separated by semicolons; $1, $2 stand for
// arguments:
//
//	db.Exec(ctx, `CREATE TABLE sale(id BIGINT PRIMARY KEY, shop TEXT, amount DECIMAL(10,2))`)
//	db.Exec(ctx, `INSERT INTO sale VALUES ($1, $2, $3)`, 1, "north", "12.50")
//
// [DB.Apply] is the fast way in for many rows: an Arrow record, by column name,
// in one transaction. A column __op of int8 tells inserts (0), deletes (1) and
// upserts (2) apart; or a column __weight of int64 makes the record a Z-set.
//
//	tso, err := db.Apply(ctx, "sale", record)
//
// # Views
//
// A materialized view is built when it is created. A refresh brings it forward
// by what changed since, in one atomic step:
//
//	db.Exec(ctx, `CREATE MATERIALIZED VIEW takings AS
//		SELECT shop, count(*) AS sales, sum(amount) AS total FROM sale GROUP BY shop`)
//	report, err := db.Refresh(ctx, "takings", ivmc.Auto)
//	fmt.Println(report.Executed, report.RowsIn, report.RowsOut)
//
// [Incremental] never falls back, but for a first build: it fails with the reasons where a view cannot
// be maintained. [Auto] does what is possible and says why. [DB.Explain] prints
// the plan, [DB.Verify] recomputes a view and compares, [DB.Changes] iterates
// over the changes of a table or view.
//
// # Following changes
//
// [DB.Subscribe] gives the changes of a table or view commit by commit, and waits
// for the next one:
//
//	for batch, err := range db.Subscribe(ctx, "takings", ivmc.SubscribeOptions{}) {
//		if err != nil {
//			return err
//		}
//		for _, ch := range batch.Changes {
//			fmt.Println(ch.Op, ch.After.Text(0))
//		}
//	}
//
// # Functions of the program
//
// [Options.Functions] makes Go functions known to SQL, also in views. The types
// come from the signature; [VectorFunc] works on Arrow arrays.
//
//	ivmc.Func1("initials", func(name string) (string, error) { .. })
//
// # Other doors
//
// [DB.Load] reads files, [DB.Dump] writes all as SQL. [DB.Schedule] refreshes views as their
// definitions say. [DB.Consumer] hands over the changes of a table stream, each until it is
// acknowledged. Package driver is a driver of database/sql; package ivmctest checks views in
// tests.
//
// # Reading
//
// [DB.Query] gives Arrow batches; the caller releases the reader. [DB.Text]
// gives cells as text, as psql prints them.
//
// # Arrow types
//
// Columns have these Arrow types, and may be null but where they cannot be (NOT NULL, count):
//
//   - BOOLEAN bool; SMALLINT int16, INTEGER int32, BIGINT int64; REAL float32, DOUBLE PRECISION float64
//   - NUMERIC(p,s) decimal128(p,s); with p above 38, or without a precision, as sum and avg give it, utf8, exact
//   - TEXT, VARCHAR, CHAR and INTERVAL utf8; BYTEA binary; UUID fixed_size_binary[16]
//   - DATE date32; TIME time64[us]; TIMESTAMP timestamp[us] without a zone, TIMESTAMPTZ timestamp[us, tz=UTC]
//   - an array the list of its elements' type
//
// # Transactions
//
// A [Session] has settings and at most one transaction, and belongs to one
// goroutine. A transaction reads one moment plus its own writes; of two that
// write the same row the first to commit wins, and the other one gets
// [ErrConflict] and starts again:
//
//	s := db.Session()
//	defer s.Close()
//	s.Exec(ctx, "BEGIN")
//	s.Exec(ctx, "UPDATE sale SET amount = amount + 1 WHERE id = 1")
//	_, err = s.Exec(ctx, "COMMIT")
//
// # Errors
//
// Every error of a statement is an [*Error] with SQLSTATE, line and column; it
// lists all that is wrong with the statement. The sentinels [ErrClosed],
// [ErrLocked], [ErrNotFound], [ErrCorruption], [ErrVersion] and [ErrConflict]
// are for errors.Is. A context that ends gives code 57014, which errors.Is finds to
// be [context.Canceled] or [context.DeadlineExceeded]; statement_timeout gives the
// code alone. Nothing is half done. A nil context is [context.Background].
//
// # Arrow memory
//
// What a caller passes in stays the caller's: it is copied before the call
// returns. What a caller is given must be released by the caller: the
// record reader of [DB.Query]. A record of a reader is valid until the reader's
// next call of Next; who keeps it longer retains it.
package ivmc
