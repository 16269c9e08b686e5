package ivmc_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ivmc/ivmc"
)

// A view that follows the commits of others, while Schedule runs. ON SCHEDULE and
// WITH LAG go by the clock.
func ExampleDB_Schedule() {
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err = db.Exec(ctx, `
		CREATE TABLE orders (state TEXT);
		CREATE MATERIALIZED VIEW by_state REFRESH ON COMMIT ASYNC AS SELECT state, count(*) AS n FROM orders GROUP BY state;
		INSERT INTO orders VALUES ('new'), ('new')`)
	if err != nil {
		log.Fatal(err)
	}
	err = db.Schedule(ctx, &ivmc.ScheduleOptions{OnRefresh: func(r *ivmc.RefreshReport, err error) {
		fmt.Println(r.View, r.Trigger, r.Executed, r.RowsIn, err)
		cancel() // a program goes on until it ends
	}})
	fmt.Println(err)
	// Output:
	// by_state COMMIT INCREMENTAL 2 <nil>
	// <nil>
}
