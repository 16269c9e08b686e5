package ivmc

import (
	"context"
	"testing"
	"time"
)

// TestVerifyJob: a view with verify_interval is verified by itself, a part at a time,
// missed times once, and whatever the clock does; writers and refreshes go on.
func TestVerifyJob(t *testing.T) {
	w := newWall()
	db, err := Open("", &Options{InMemory: true, Clock: w.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	exec := func(sql string) {
		t.Helper()
		if _, err := db.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE t (a INT);
		INSERT INTO t VALUES (1), (2), (3);
		CREATE MATERIALIZED VIEW v PROPERTIES ('verify_interval' = '1 hour', 'verify_parts' = '2') AS SELECT a, count(*) AS n FROM t GROUP BY a;
		CREATE MATERIALIZED VIEW never BUILD DEFERRED PROPERTIES ('verify_interval' = '1 minute') AS SELECT a FROM t;
		CREATE MATERIALIZED VIEW other AS SELECT a FROM t`)
	type ended struct {
		r   *VerifyReport
		err error
	}
	reports, done := make(chan ended, 100), make(chan error, 1)
	go func() {
		done <- db.Schedule(ctx, &ScheduleOptions{Timer: w.Timer, OnVerify: func(r *VerifyReport, err error) { reports <- ended{r, err} }})
	}()
	<-w.armed
	next := func() {
		t.Helper()
		select {
		case e := <-reports:
			if e.err != nil || e.r.View != "v" || !e.r.Equal || e.r.ByDefinition {
				t.Fatalf("%+v", e)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("no verification came")
		}
		<-w.armed
	}
	quiet := func(d time.Duration) {
		t.Helper()
		for range 3 { // each look arms a timer
			select {
			case <-w.armed:
			default:
			}
			w.move(d / 3)
			exec("INSERT INTO t VALUES (4)")
			<-w.armed
		}
		if len(reports) > 0 {
			t.Fatalf("%+v", <-reports)
		}
	}
	quiet(30 * time.Minute)
	w.move(30 * time.Minute)
	next()
	w.move(5 * time.Hour) // once
	next()
	quiet(45 * time.Minute)
	w.move(-24 * time.Hour)
	quiet(30 * time.Second)
	w.move(time.Hour)
	next()
	rows, err := db.Text(ctx, "SELECT verify_every_ms, verify_parts, verified_at IS NOT NULL, next_verify_at - verified_at FROM information_schema.materialized_view_jobs WHERE view_name = 'v'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got string
	for rows.Next() {
		for i := range rows.Columns() {
			c, _ := rows.Cell(i)
			got += string(c) + "|"
		}
	}
	if got != "3600000|2|t|01:00:00|" {
		t.Error(got)
	}
	exec("ALTER MATERIALIZED VIEW v SET ('verify_interval' = '')")
	quiet(3 * time.Hour)
	for _, wrong := range []string{"'verify_interval' = '1 month'", "'verify_interval' = '10 ms'", "'verify_interval' = 'often'", "'verify_parts' = '0'"} {
		if _, err := db.Exec(ctx, "ALTER MATERIALIZED VIEW v SET ("+wrong+")"); err == nil {
			t.Error(wrong)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
