package ivmc_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ivmc/ivmc"
)

// A table, a view of it, a change, and a refresh that costs what changed.
func Example() {
	ctx := context.Background()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	_, err = db.Exec(ctx, `
		CREATE TABLE sale(id BIGINT PRIMARY KEY, shop TEXT, amount DECIMAL(10,2));
		INSERT INTO sale VALUES (1, 'north', 12.50), (2, 'south', 7.00), (3, 'north', 2.50);
		CREATE MATERIALIZED VIEW takings AS
			SELECT shop, count(*) AS sales, sum(amount) AS total FROM sale GROUP BY shop`)
	if err != nil {
		log.Fatal(err)
	}

	_, err = db.Exec(ctx, `UPDATE sale SET amount = amount + $1 WHERE id = $2`, "0.25", 2)
	if err != nil {
		log.Fatal(err)
	}
	report, err := db.Refresh(ctx, "takings", ivmc.Incremental)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Executed, "in", report.RowsIn)

	rows, err := db.Text(ctx, `SELECT shop, sales, total FROM takings ORDER BY shop`)
	if err != nil {
		log.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		shop, _ := rows.Cell(0)
		fmt.Print(string(shop), " ")
		total, _ := rows.Cell(2)
		fmt.Println(string(total))
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// INCREMENTAL in 2
	// north 15.00
	// south 7.25
}
