package ivmc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ivmc/ivmc"
)

func mustExec(t testing.TB, db *ivmc.DB, sql string) {
	t.Helper()
	if _, err := db.Exec(context.Background(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// polled is the next delivery, which must be what is wanted.
func polled(t *testing.T, c *ivmc.Consumer, want string) *ivmc.Delivery {
	t.Helper()
	d, err := c.Poll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := delivered(t, d); got != want {
		t.Fatalf("delivered %s, wanted %s", got, want)
	}
	return d
}

// delivered is a delivery as text.
func delivered(t testing.TB, d *ivmc.Delivery) string {
	t.Helper()
	if d == nil {
		return "nothing"
	}
	var out []string
	for ch, err := range d.Changes(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		s := ch.Op.String()
		for _, r := range []ivmc.Row{ch.Before, ch.After} {
			if r.Exists() {
				s += " " + r.Text(0) + "," + r.Text(1)
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestConsumer(t *testing.T) {
	ctx := context.Background()
	start := time.Date(2026, 9, 14, 10, 0, 0, 0, time.UTC)
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, Clock: func() time.Time { return start }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	mustExec(t, db, `CREATE TABLE t(id BIGINT PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a'), (2, 'b');
CREATE STREAM s ON TABLE t PROPERTIES('type' = 'detail', 'show_initial_rows' = 'true')`)
	if _, err := db.Consumer("t", ivmc.ConsumerOptions{}); err == nil {
		t.Error("a table is no stream")
	}
	if _, err := db.Consumer("none", ivmc.ConsumerOptions{}); !errors.Is(err, ivmc.ErrNotFound) {
		t.Error(err)
	}
	for _, err := range db.Changes(ctx, "s", 0, db.Applied()) {
		if err == nil {
			t.Error("a stream has no log of its own")
		}
	}
	for _, err := range db.Subscribe(ctx, "s", ivmc.SubscribeOptions{}) {
		if err == nil {
			t.Error("a stream is followed by its consumer")
		}
		break
	}
	c, err := db.Consumer("s", ivmc.ConsumerOptions{BatchRows: 3})
	if err != nil {
		t.Fatal(err)
	}
	poll := func(want string) *ivmc.Delivery { t.Helper(); return polled(t, c, want) }
	ack := func(d *ivmc.Delivery) {
		t.Helper()
		if err := c.Acknowledge(ctx, d); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := c.Lag(ctx); err != nil || l.Position != 0 || l.Changes != 2 {
		t.Error(l, err)
	}
	d := poll("insert 1,a; insert 2,b")
	if !d.Rows || d.From != 0 {
		t.Error("the rows that were there first", d)
	}
	poll("insert 1,a; insert 2,b") // again: nobody said that they arrived
	ack(d)
	if err := c.Acknowledge(ctx, d); !errors.Is(err, ivmc.ErrConflict) {
		t.Error("acknowledged twice", err)
	}
	poll("nothing")
	mustExec(t, db, "UPDATE t SET v = 'c' WHERE id = 1; INSERT INTO t VALUES (3, 'x'); UPDATE t SET id = 4 WHERE id = 2; BEGIN; DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (5, 'y'), (6, 'z'), (7, 'w'); COMMIT")
	if l, err := c.Lag(ctx); err != nil || l.Changes != 2+1+2+4 {
		t.Error(l, err)
	}
	ack(poll("update 1,a 1,c; insert 3,x"))
	ack(poll("delete 2,b; insert 4,b"))
	d = poll("delete 1,c; insert 5,y; insert 6,z; insert 7,w") // one commit is never cut
	for _, err := range d.Changes(ctx) {
		if err == nil {
			t.Error("read twice")
		}
	}
	mustExec(t, db, "INSERT INTO t VALUES (8, NULL)")
	ack(d)
	for e, want := range map[ivmc.Envelope]string{
		ivmc.PlainRows:  `{"op":"APPEND","tso":"TSO","lsn":0,"row":{"id":8,"v":null}}` + "\n",
		ivmc.SignedRows: `{"weight":1,"tso":"TSO","lsn":0,"row":{"id":8,"v":null}}` + "\n",
		ivmc.DebeziumRows: `{"op":"c","before":null,"after":{"id":8,"v":null},"source":{"connector":"ivmc","schema":"public","table":"t","tso":"TSO","lsn":0,"ts_ms":1789380000000},"ts_ms":1789380000000}` +
			"\n",
	} {
		d, err := c.Poll(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if n, err := d.WriteJSON(ctx, &out, e); n != 1 || err != nil {
			t.Error(n, err)
		}
		if got := strings.ReplaceAll(out.String(), fmt.Sprint(d.To), "TSO"); got != want {
			t.Errorf("%s: %s", e, got)
		}
	}
	if _, err := c.Reset(ctx); err != nil {
		t.Fatal(err)
	}
	poll("nothing")

	got := make(chan string)
	go func() {
		d, err := c.Next(ctx)
		if err != nil {
			got <- err.Error()
			return
		}
		got <- delivered(t, d)
	}()
	mustExec(t, db, "CREATE TABLE other(a INT); INSERT INTO other VALUES (1); INSERT INTO t VALUES (9, 'n')")
	if s := <-got; s != "insert 9,n" {
		t.Error("waited for", s)
	}
	mustExec(t, db, "TRUNCATE t; INSERT INTO t VALUES (10, 'after')")
	ack(poll("insert 9,n"))      // its bounds are from before
	ack(poll("insert 10,after")) // no deletes, and nothing of before
	mustExec(t, db, "DROP TABLE t")
	var e *ivmc.Error
	if _, err := c.Poll(ctx); !errors.As(err, &e) || e.Code != "55000" {
		t.Error("the base is gone", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.Next(cancelled); err == nil {
		t.Error("the context has ended")
	}
}

// TestConsumerOverRestarts: what was not acknowledged comes again, with the same
// bounds; what was, does not. What the retention took is said, and Reset goes on.
func TestConsumerOverRestarts(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	now := time.Date(2026, 9, 14, 10, 0, 0, 0, time.UTC)
	var db *ivmc.DB
	var c *ivmc.Consumer
	open := func() {
		t.Helper()
		if db != nil {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if db, err = ivmc.Open(dir, &ivmc.Options{Clock: func() time.Time { return now }}); err != nil {
			t.Fatal(err)
		}
		if db.Applied() == 0 {
			mustExec(t, db, "CREATE TABLE t(id BIGINT PRIMARY KEY, v TEXT) PROPERTIES ('binlog.ttl_seconds' = '60', 'binlog.pin' = 'false'); CREATE STREAM s ON TABLE t")
		}
		if c, err = db.Consumer("s", ivmc.ConsumerOptions{BatchRows: 1}); err != nil {
			t.Fatal(err)
		}
	}
	poll := func(want string) *ivmc.Delivery { t.Helper(); return polled(t, c, want) }
	open()
	mustExec(t, db, "INSERT INTO t VALUES (1, 'a'); INSERT INTO t VALUES (2, 'b')")
	first := poll("insert 1,a")
	open()
	if again := poll("insert 1,a"); again.From != first.From || again.To != first.To {
		t.Error("the bounds were", first.From, first.To, "and are", again.From, again.To)
	} else if err := c.Acknowledge(ctx, again); err != nil {
		t.Fatal(err)
	}
	if err := c.Acknowledge(ctx, first); !errors.Is(err, ivmc.ErrConflict) {
		t.Error("acknowledged by two", err)
	}
	open()
	held := poll("insert 2,b")
	now = now.Add(time.Hour)
	mustExec(t, db, "INSERT INTO t VALUES (3, 'c')")
	var e *ivmc.Error
	if _, err := c.Poll(ctx); !errors.As(err, &e) || e.Code != "55000" || !strings.Contains(e.Message, "BINLOG_BROKEN") {
		t.Error("expired", err)
	}
	if _, err := c.Next(ctx); !errors.As(err, &e) || e.Code != "55000" {
		t.Error("expired", err)
	}
	if err := c.Acknowledge(ctx, held); err != nil { // it was read in time
		t.Error(err)
	}
	poll("insert 3,c")
	mustExec(t, db, "INSERT INTO t VALUES (4, 'd')")
	now = now.Add(time.Hour)
	to, err := c.Reset(ctx)
	if lag, lerr := c.Lag(ctx); err != nil || lerr != nil || lag.Position != to || lag.Changes != 0 {
		t.Error(to, lag, err, lerr)
	}
	mustExec(t, db, "INSERT INTO t VALUES (5, 'e')")
	poll("insert 5,e")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Poll(ctx); !errors.Is(err, ivmc.ErrClosed) {
		t.Error("closed", err)
	}
}
