package ivmc_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/ivmc/ivmc"
)

// sales is a database in memory with a table and a view of it.
func sales(ctx context.Context) *ivmc.DB {
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	_, err = db.Exec(ctx, `
		CREATE TABLE sale(id BIGINT PRIMARY KEY, shop TEXT, amount DECIMAL(10,2));
		INSERT INTO sale VALUES (1, 'north', 12.50), (2, 'south', 7.00);
		CREATE MATERIALIZED VIEW takings AS
			SELECT shop, count(*) AS sales, sum(amount) AS total FROM sale GROUP BY shop`)
	if err != nil {
		log.Fatal(err)
	}
	return db
}

// Many rows at once, as an Arrow record. One call is one transaction.
func ExampleDB_Apply() {
	ctx := context.Background()
	db := sales(ctx)
	defer db.Close()

	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "shop", Type: arrow.BinaryTypes.String},
		{Name: "amount", Type: &arrow.Decimal128Type{Precision: 10, Scale: 2}},
		{Name: "__op", Type: arrow.PrimitiveTypes.Int8},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	row := func(id int64, shop, amount string, op int8) {
		b.Field(0).(*array.Int64Builder).Append(id)
		b.Field(1).(*array.StringBuilder).Append(shop)
		if err := b.Field(2).AppendValueFromString(amount); err != nil {
			log.Fatal(err)
		}
		b.Field(3).(*array.Int8Builder).Append(op)
	}
	row(3, "south", "1.25", 0)  // insert
	row(1, "", "0.00", 1)       // delete, by key
	row(2, "south", "70.00", 2) // upsert
	record := b.NewRecord()
	defer record.Release()

	if _, err := db.Apply(ctx, "sale", record); err != nil {
		log.Fatal(err)
	}
	report, err := db.Refresh(ctx, "takings", ivmc.Auto)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Executed, "read", report.RowsIn, "changes")
	// Output:
	// INCREMENTAL read 4 changes
}

// Rows as Arrow batches.
func ExampleDB_Query() {
	ctx := context.Background()
	db := sales(ctx)
	defer db.Close()

	reader, err := db.Query(ctx, `SELECT shop, sales FROM takings WHERE sales > $1 ORDER BY shop`, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Release()
	for reader.Next() {
		rec := reader.Record() // valid until the next call of Next
		shop := rec.Column(0).(*array.String)
		n := rec.Column(1).(*array.Int64)
		for i := range int(rec.NumRows()) {
			fmt.Println(shop.Value(i), n.Value(i))
		}
	}
	if err := reader.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// north 1
	// south 1
}

// The changes of a view, as its refreshes made them.
func ExampleDB_Changes() {
	ctx := context.Background()
	db := sales(ctx)
	defer db.Close()

	seen := db.Applied()
	if _, err := db.Exec(ctx, `UPDATE sale SET amount = 8 WHERE id = 2`); err != nil {
		log.Fatal(err)
	}
	if _, err := db.Refresh(ctx, "takings", ivmc.Auto); err != nil {
		log.Fatal(err)
	}
	for ch, err := range db.Changes(ctx, "takings", seen, db.Applied()) {
		if err != nil {
			log.Fatal(err)
		}
		if ch.Op != ivmc.Insert {
			fmt.Println("-", ch.Before.Text(0), ch.Before.Text(2))
		}
		if ch.Op != ivmc.Delete {
			fmt.Println("+", ch.After.Text(0), ch.After.Text(2))
		}
	}
	// Output:
	// - south 7.00
	// + south 8.00
}

// A transaction that is run again when another one was first.
func ExampleSession() {
	ctx := context.Background()
	db := sales(ctx)
	defer db.Close()

	raise := func() error {
		s := db.Session()
		defer s.Close() // rolls back what is open
		for _, sql := range []string{
			`BEGIN`,
			`UPDATE sale SET amount = amount + 1 WHERE shop = 'south'`,
			`COMMIT`,
		} {
			if _, err := s.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	}
	err := raise()
	for errors.Is(err, ivmc.ErrConflict) {
		err = raise()
	}
	fmt.Println(err)
	// Output:
	// <nil>
}

// What an error says.
func ExampleError() {
	ctx := context.Background()
	db := sales(ctx)
	defer db.Close()

	_, err := db.Exec(ctx, "SELECT shop,\n       amuont, total\nFROM sale")
	var e *ivmc.Error
	if errors.As(err, &e) {
		for _, x := range e.Errors {
			fmt.Println(x.Line, x.Column, x.Code, x.Message)
		}
	}
	// Output:
	// 2 8 42703 column "amuont" does not exist
	// 2 16 42703 column "total" does not exist
}

// Strict refreshes fail with the reasons; AUTO says what it did instead.
func ExampleDB_Refresh() {
	ctx := context.Background()
	db := sales(ctx)
	defer db.Close()

	if _, err := db.Exec(ctx, `CREATE MATERIALIZED VIEW places AS SELECT id, rank() OVER (ORDER BY amount DESC) AS place FROM sale`); err != nil {
		log.Fatal(err)
	}
	_, err := db.Refresh(ctx, "places", ivmc.Incremental)
	var e *ivmc.Error
	fmt.Println(errors.As(err, &e), e.Message)
	report, err := db.Refresh(ctx, "places", ivmc.Auto)
	fmt.Println(err, report.Executed, report.Reason)
	// Output:
	// true materialized view "places" cannot be refreshed incrementally
	// <nil> COMPLETE OPERATOR_NOT_SUPPORTED
}

// A view compared with its definition, at the moment that it stands for.
func ExampleDB_Verify() {
	ctx := context.Background()
	db := sales(ctx)
	defer db.Close()

	report, err := db.Verify(ctx, "takings")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Equal, report.Rows, report.Differing)
	// Output:
	// true 2 0
}

// The changes of a view as its refreshes make them, for as long as one listens.
func ExampleDB_Subscribe() {
	ctx := context.Background()
	db := sales(ctx)
	defer db.Close()

	sub := db.Subscribe(ctx, "takings", ivmc.SubscribeOptions{Rows: true})
	if _, err := db.Exec(ctx, `INSERT INTO sale VALUES (4, 'west', 1); REFRESH MATERIALIZED VIEW takings`); err != nil {
		log.Fatal(err)
	}
	for batch, err := range sub {
		if err != nil {
			log.Fatal(err)
		}
		for _, ch := range batch.Changes {
			fmt.Println(ch.Op, ch.After.Text(0), ch.After.Text(2))
		}
		if !batch.Rows {
			break // or go on, and wait for the next refresh
		}
	}
	// Unordered output:
	// insert north 12.50
	// insert south 7.00
	// insert west 1.00
}

// A function of the program in SQL, also in a view.
func ExampleFunc1() {
	ctx := context.Background()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, Functions: []ivmc.Function{
		ivmc.Func1("initials", func(name string) (string, error) {
			var out []rune
			for _, word := range strings.Fields(name) {
				out = append(out, []rune(word)[0])
			}
			return string(out), nil
		}),
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec(ctx, `
		CREATE TABLE person(name TEXT);
		INSERT INTO person VALUES ('Ada Lovelace'), ('Al Lee'), ('Alan Turing'), (NULL);
		CREATE MATERIALIZED VIEW monograms AS
			SELECT initials(name) AS initials, count(*) AS n FROM person WHERE name IS NOT NULL GROUP BY initials(name);
		DELETE FROM person WHERE name = 'Al Lee';
		REFRESH MATERIALIZED VIEW monograms INCREMENTAL`)
	if err != nil {
		log.Fatal(err)
	}
	rows, err := db.Text(ctx, `SELECT initials, n FROM monograms ORDER BY initials`)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		fmt.Println(rows.Value(0), rows.Value(1))
	}
	// Output:
	// AL 1
	// AT 1
}

// The same function of many rows at once, over Arrow arrays.
func ExampleVectorFunc() {
	ctx := context.Background()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, Functions: []ivmc.Function{
		ivmc.VectorFunc("fahrenheit", []string{"double precision"}, "double precision", func(args []arrow.Array, n int) (arrow.Array, error) {
			out := array.NewFloat64Builder(memory.DefaultAllocator)
			defer out.Release()
			for _, celsius := range args[0].(*array.Float64).Float64Values() {
				out.Append(celsius*9/5 + 32)
			}
			return out.NewArray(), nil
		}),
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Text(ctx, `SELECT fahrenheit(t) FROM (VALUES (100), (-40), (NULL)) v(t)`)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		fmt.Println(rows.Value(0))
	}
	// Output:
	// 212
	// -40
	// <nil>
}

// Why a view can follow its changes, or not: the first line, and how.
func ExampleDB_Explain() {
	ctx := context.Background()
	db := sales(ctx)
	defer db.Close()

	plan, err := db.Explain(ctx, `REFRESH MATERIALIZED VIEW takings`)
	if err != nil {
		log.Fatal(err)
	}
	for line := range strings.Lines(plan) {
		if strings.HasPrefix(line, "Incremental:") {
			fmt.Println(line[:len("Incremental: yes")])
		}
	}
	// Output:
	// Incremental: yes
}

// One statement, read once and run many times.
func ExampleSession_Prepare() {
	ctx := context.Background()
	db := sales(ctx)
	defer db.Close()

	s := db.Session()
	defer s.Close()
	sell, err := s.Prepare(`INSERT INTO sale VALUES ($1, 'east', $2)`)
	if err != nil {
		log.Fatal(err)
	}
	for id := 10; id < 13; id++ {
		if _, err := s.RunPrepared(ctx, sell, id, "1.50"); err != nil {
			log.Fatal(err)
		}
	}
	out, err := s.Run(ctx, `SELECT sum(amount) FROM sale WHERE shop = 'east'`)
	if err != nil {
		log.Fatal(err)
	}
	defer out.Rows.Close()
	for out.Rows.Next() {
		fmt.Println(out.Rows.Value(0))
	}
	// Output:
	// 4.50
}
