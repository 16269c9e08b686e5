package driver_test

import (
	"database/sql"
	"fmt"
	"log"

	_ "github.com/ivmc/ivmc/driver"
)

// A view in a program that knows databases by database/sql.
func Example() {
	db, err := sql.Open("ivmc", ":memory:")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	_, err = db.Exec(`
		CREATE TABLE sale(id BIGINT PRIMARY KEY, shop TEXT, amount DECIMAL(10,2));
		CREATE MATERIALIZED VIEW takings AS
			SELECT shop, count(*) AS sales, sum(amount) AS total FROM sale GROUP BY shop`)
	if err != nil {
		log.Fatal(err)
	}
	sell, err := db.Prepare(`INSERT INTO sale VALUES ($1, $2, $3)`)
	if err != nil {
		log.Fatal(err)
	}
	defer sell.Close()
	for i, shop := range []string{"north", "south", "north"} {
		if _, err := sell.Exec(i, shop, "2.50"); err != nil {
			log.Fatal(err)
		}
	}
	if _, err := db.Exec(`REFRESH MATERIALIZED VIEW takings INCREMENTAL`); err != nil {
		log.Fatal(err)
	}
	var sales int
	var total string
	err = db.QueryRow(`SELECT sales, total FROM takings WHERE shop = $1`, "north").Scan(&sales, &total)
	fmt.Println(sales, total, err)
	// Output:
	// 2 5.00 <nil>
}
