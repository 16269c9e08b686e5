package ivmc_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ivmc/ivmc"
)

// A stream that a program consumes: what it acknowledged does not come again.
func ExampleDB_Consumer() {
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	_, err = db.Exec(ctx, `
		CREATE TABLE orders (id INT PRIMARY KEY, state TEXT);
		CREATE STREAM new_orders ON TABLE orders;
		INSERT INTO orders VALUES (1, 'new'), (2, 'new');
		UPDATE orders SET state = 'paid' WHERE id = 1`)
	if err != nil {
		log.Fatal(err)
	}
	c, err := db.Consumer("new_orders", ivmc.ConsumerOptions{})
	if err != nil {
		log.Fatal(err)
	}
	d, err := c.Next(ctx) // waits until there is something
	if err != nil {
		log.Fatal(err)
	}
	for ch, err := range d.Changes(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(ch.Op, ch.After.Text(0), ch.After.Text(1))
	}
	if err := c.Acknowledge(ctx, d); err != nil {
		log.Fatal(err)
	}
	lag, err := c.Lag(ctx)
	fmt.Println(lag.Changes, "left", err)
	// Output:
	// insert 2 new
	// insert 1 paid
	// 0 left <nil>
}
