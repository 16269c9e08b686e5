package serve

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/ivmc/ivmc"
)

// TestShutdown: what runs may end, what does not is cancelled, and a session that
// asks for nothing ends at once.
func TestShutdown(t *testing.T) {
	for _, c := range []struct {
		query string
		grace time.Duration
		code  string
	}{
		{"SELECT i FROM big", time.Minute, ""},
		{long, 10 * time.Millisecond, "57P01"},
	} {
		dir := t.TempDir()
		db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
		if err != nil {
			t.Fatal(err)
		}
		grown(t, db, 100_000)
		l, err := Listen(dir)
		if err != nil {
			t.Fatal(err)
		}
		srv := NewServer(db, Options{})
		go srv.Serve(l)
		st, err := Dial(context.Background(), dir)
		if err != nil {
			t.Fatal(err)
		}
		busy, idle := session(t, st), session(t, st)
		do(t, idle, "BEGIN")
		o, err := busy.Run(context.Background(), c.query) // has begun when it returns
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan string, 1)
		go func() {
			for o.Rows.Next() {
			}
			code := ""
			if err := o.Rows.Err(); err != nil {
				code = codeOf(err)
			}
			got <- code
		}()
		ctx, cancel := context.WithTimeout(context.Background(), c.grace)
		err = srv.Shutdown(ctx)
		cancel()
		if (err != nil) != (c.code != "") {
			t.Errorf("%v", err)
		}
		is(t, "the statement that ran", <-got, c.code)
		_, err = idle.Run(context.Background(), "SELECT 1")
		is(t, "the session that asked for nothing", codeOf(err), "08006")
		if _, err := Dial(context.Background(), dir); !errors.Is(err, ErrNoServer) {
			t.Errorf("dial: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestShutdownOfConsumers: who waits for changes is told at once, and who works on
// some may say that it has done so.
func TestShutdownOfConsumers(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(ctx, "CREATE TABLE t(id BIGINT); CREATE STREAM waits ON TABLE t; INSERT INTO t VALUES (1); CREATE STREAM works ON TABLE t; INSERT INTO t VALUES (2)"); err != nil {
		t.Fatal(err)
	}
	l, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	srv := NewServer(db, Options{})
	go srv.Serve(l)
	st, err := Dial(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	consumer := func(name string) (Consumer, Delivery) {
		c, err := st.Consumer(ctx, name, ivmc.ConsumerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := c.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return c, d
	}
	waits, d := consumer("waits")
	if err := waits.Acknowledge(ctx, d); err != nil {
		t.Fatal(err)
	}
	works, d := consumer("works")
	told := make(chan error, 1)
	go func() {
		_, err := waits.Next(ctx)
		told <- err
	}()
	waiting := func() bool {
		srv.mu.Lock()
		defer srv.mu.Unlock()
		for p := range srv.peers {
			p.mu.Lock()
			yes := p.now != nil && p.now.Op == opNext
			p.mu.Unlock()
			if yes {
				return true
			}
		}
		return false
	}
	for !waiting() {
		runtime.Gosched()
	}
	ended := make(chan error, 1)
	go func() { ended <- srv.Shutdown(ctx) }()
	is(t, "who waits", codeOf(<-told), "57P01")
	if _, err := Dial(ctx, dir); !errors.Is(err, ErrNoServer) {
		t.Errorf("dial: %v", err)
	}
	var b bytes.Buffer
	if n, err := d.WriteJSON(ctx, &b, ivmc.PlainRows); n != 1 || err != nil {
		t.Error(n, err)
	}
	if err := works.Acknowledge(ctx, d); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	_, err = works.Poll(ctx)
	is(t, "no more", codeOf(err), "08006")
	c, err := db.Consumer("works", ivmc.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if lag, err := c.Lag(ctx); lag.Changes != 0 || err != nil {
		t.Error(lag, err)
	}
}

// tardy is a log that takes longer over an error than last words may.
type tardy struct{ slog.Handler }

func (s tardy) Enabled(context.Context, slog.Level) bool { return true }
func (s tardy) WithAttrs([]slog.Attr) slog.Handler       { return s }
func (s tardy) WithGroup(string) slog.Handler            { return s }
func (s tardy) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" {
			time.Sleep(severTime + 300*time.Millisecond)
		}
		return true
	})
	return nil
}

// TestShutdownLate: a statement that is longer in ending than last words may take has
// them all the same.
func TestShutdownLate(t *testing.T) {
	dir := t.TempDir()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	grown(t, db, 1000)
	l, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	srv := NewServer(db, Options{Logger: slog.New(tardy{slog.DiscardHandler})})
	go srv.Serve(l)
	st, err := Dial(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s, got := session(t, st), make(chan error, 1)
	go func() {
		_, err := s.Run(context.Background(), "INSERT INTO big SELECT a.i + b.i + c.i FROM big a, big b, big c")
		got <- err
	}()
	running := func() bool {
		srv.mu.Lock()
		defer srv.mu.Unlock()
		for p := range srv.peers {
			p.mu.Lock()
			now := p.now
			p.mu.Unlock()
			if now != nil {
				return true
			}
		}
		return false
	}
	for !running() {
		runtime.Gosched()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if srv.Shutdown(ctx) == nil {
		t.Error("nothing had to be cancelled")
	}
	if err := <-got; codeOf(err) != "57P01" {
		t.Errorf("%v", err)
	}
}
