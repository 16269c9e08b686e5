package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/ivmc/ivmc"
)

// served is a database in memory at a socket in dir.
func served(t *testing.T, dir string) (*ivmc.DB, *Server, Store) {
	t.Helper()
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	srv, st := serving(t, db, dir)
	t.Cleanup(func() { db.Close() })
	return db, srv, st
}

func serving(t *testing.T, db *ivmc.DB, dir string) (*Server, Store) {
	t.Helper()
	l, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	srv := NewServer(db, Options{})
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	st, err := Dial(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		st.Close()
		if err := srv.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, ErrStopped) {
			t.Error(err)
		}
		if _, err := os.Lstat(filepath.Join(dir, SocketName)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the socket is still there: %v", err)
		}
	})
	return srv, st
}

func session(t *testing.T, st Store) Session {
	t.Helper()
	s, err := st.Session(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// do runs a statement, and gives its cells.
func do(t *testing.T, s Session, sql string) []string {
	t.Helper()
	o, err := s.Run(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if o.Rows == nil {
		return []string{o.Tag}
	}
	return cells(t, o.Rows)
}

func cells(t *testing.T, rows Rows) (out []string) {
	t.Helper()
	defer rows.Close()
	for rows.Next() {
		for c := range rows.Columns() {
			cell, null := rows.Cell(c)
			if null {
				cell = []byte("NULL")
			}
			out = append(out, string(cell))
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func codeOf(err error) string {
	var e *ivmc.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return fmt.Sprintf("none: %v", err)
}

func is(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, wanted %v", what, got, want)
	}
}

// TestSession: settings and transactions live in the server, for one connection.
func TestSession(t *testing.T) {
	_, _, st := served(t, t.TempDir())
	a, b := session(t, st), session(t, st)
	defer b.Close()
	do(t, a, "CREATE TABLE t(a INT, s TEXT)")
	do(t, a, "SET TimeZone = 'Asia/Tokyo'")
	is(t, "zone", do(t, a, "SHOW TimeZone"), "[Asia/Tokyo]")
	is(t, "zone of another", do(t, b, "SHOW TimeZone"), "[UTC]")
	do(t, a, "BEGIN")
	is(t, "in a transaction", a.InTransaction(), true)
	do(t, a, "INSERT INTO t VALUES (1, ''), (2, NULL)")
	is(t, "own rows", do(t, a, "SELECT * FROM t ORDER BY a"), "[1  2 NULL]")
	is(t, "rows of others", do(t, b, "SELECT * FROM t"), "[]")
	a.Close()
	// The server finds out when it looks at the connection again.
	is(t, "after the connection ended", do(t, b, "SELECT * FROM t"), "[]")
	if _, err := b.Run(context.Background(), "SELECT nothing FROM t"); codeOf(err) != "42703" {
		t.Error(err)
	} else if e := err.(*ivmc.Error); e.Position != 8 || e.Line != 1 || e.Column != 8 || len(e.Errors) != 1 {
		t.Errorf("%+v", e)
	}
	if _, err := b.Run(context.Background(), "SELECT * FROM nowhere"); !errors.Is(err, ivmc.ErrNotFound) {
		t.Errorf("%v is not ErrNotFound", err)
	}
	if _, err := b.Run(context.Background(), "SELECT '\xff'"); codeOf(err) != "22021" {
		t.Error(err)
	}
}

// long is a query over [grown] that takes for ever.
const long = "SELECT count(*) FROM big a, big b, big c WHERE a.i + b.i + c.i < 0"

// grown makes a table big of n rows.
func grown(t *testing.T, db *ivmc.DB, n int) {
	t.Helper()
	sql := "CREATE TABLE big(i BIGINT PRIMARY KEY); INSERT INTO big VALUES (1)"
	for k := 1; k < n; k *= 2 {
		sql += fmt.Sprintf("; INSERT INTO big SELECT i + %d FROM big WHERE i + %d <= %d", k, k, n)
	}
	if _, err := db.Exec(context.Background(), sql); err != nil {
		t.Fatal(err)
	}
}

// TestCancel: the end of the context cancels the statement, before its rows and
// between them, and the session goes on.
func TestCancel(t *testing.T) {
	db, _, st := served(t, t.TempDir())
	grown(t, db, 300_000)
	s := session(t, st)
	defer s.Close()
	for _, ctx := range []func() (context.Context, context.CancelFunc){
		func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), 20*time.Millisecond)
		},
		func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return ctx, cancel
		},
	} {
		ctx, cancel := ctx()
		o, err := s.Run(ctx, long)
		if err == nil {
			for o.Rows.Next() {
			}
			err = o.Rows.Err()
		}
		is(t, "code", codeOf(err), "57014")
		cancel()
		is(t, "after it", do(t, s, "SELECT 1"), "[1]")
	}
	do(t, s, "BEGIN")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o, err := s.Run(ctx, "SELECT i FROM big")
	if err != nil || !o.Rows.Next() {
		t.Fatal(err)
	}
	o.Rows.Close() // enough is no failure: the transaction goes on
	is(t, "after enough", do(t, s, "SELECT 1"), "[1]")
	if o, err = s.Run(ctx, "SELECT i FROM big"); err != nil || !o.Rows.Next() {
		t.Fatal(err)
	}
	cancel()
	for o.Rows.Next() {
	}
	is(t, "in the middle of rows", codeOf(o.Rows.Err()), "57014")
	_, err = s.Run(context.Background(), "SELECT 1")
	is(t, "the transaction", codeOf(err), "25P02")
}

// slow counts what is written to a connection.
type slow struct {
	net.Conn
	sent int
}

func (c *slow) Write(b []byte) (int, error) {
	c.sent += len(b)
	return c.Conn.Write(b)
}

// TestBackPressure: the server is never ahead of a reader by more than a frame.
func TestBackPressure(t *testing.T) {
	here, there := net.Pipe() // without a buffer of its own
	counted := &slow{Conn: there}
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	grown(t, db, 100_000)
	srv := NewServer(db, Options{})
	p := newPeer(srv, counted, 1)
	done := make(chan bool)
	go func() { p.serve(); close(done) }()
	l := &link{wire: newWire(here)}
	if err := l.greet(); err != nil {
		t.Fatal(err)
	}
	s := &remoteSession{l: l}
	o, err := s.Run(context.Background(), "SELECT i, repeat('x', 100) FROM big")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for o.Rows.Next() {
		if n++; n == 10 {
			if counted.sent > 4*rowBytes {
				t.Errorf("%d bytes were sent for ten rows", counted.sent)
			}
		}
	}
	if err := o.Rows.Err(); err != nil || n != 100000 {
		t.Errorf("%d rows: %v", n, err)
	}
	s.Close()
	<-done
}

// TestStreams: bytes and reports arrive as they are in the process of the database.
func TestStreams(t *testing.T) {
	db, err := ivmc.Open("", &ivmc.Options{InMemory: true, Clock: clockAt("2026-12-01 10:00:00").time}) // which stands still: how far a view is behind is told twice
	if err != nil {
		t.Fatal(err)
	}
	_, st := serving(t, db, t.TempDir())
	defer db.Close()
	ctx := context.Background()
	grown(t, db, 5000)
	if _, err := db.Exec(ctx, `CREATE TABLE t(id BIGINT PRIMARY KEY, v TEXT);
CREATE STREAM s ON TABLE t;
INSERT INTO t SELECT i, 'x' || i FROM big;
CREATE MATERIALIZED VIEW low AS SELECT count(*) AS n FROM t;
CREATE MATERIALIZED VIEW top AS SELECT n + 1 AS m FROM low;
INSERT INTO t VALUES (9000, NULL)`); err != nil {
		t.Fatal(err)
	}
	here := Local(db)
	for what, f := range map[string]func(st Store, w io.Writer) error{
		"dump":  func(st Store, w io.Writer) error { return st.Dump(ctx, w) },
		"json":  func(st Store, w io.Writer) error { return st.WriteJSON(ctx, "SELECT * FROM t ORDER BY id", w) },
		"arrow": func(st Store, w io.Writer) error { return st.WriteArrow(ctx, "SELECT * FROM t ORDER BY id", w) },
		"text": func(st Store, w io.Writer) error {
			rows, err := st.Text(ctx, "SELECT * FROM t ORDER BY id")
			if err == nil {
				fmt.Fprint(w, rows.Columns(), cells(t, rows))
			}
			return err
		},
		"none": func(st Store, w io.Writer) error { return st.WriteJSON(ctx, "CREATE TABLE no(a INT)", w) },
		"status": func(st Store, w io.Writer) error {
			s, err := st.Status(ctx)
			if err == nil {
				fmt.Fprintf(w, "%+v %+v", s.Relations[0], s.Relations[len(s.Relations)-1].View)
			}
			return err
		},
		"views": func(st Store, w io.Writer) error {
			v, err := st.Views(ctx)
			s, serr := st.Sources(ctx, "top")
			fmt.Fprint(w, v, s)
			return errors.Join(err, serr)
		},
		"check": func(st Store, w io.Writer) error {
			c, err := st.Check(ctx)
			fmt.Fprintf(w, "%+v", c)
			return err
		},
		"graph": func(st Store, w io.Writer) error {
			g, err := st.Graph(ctx, "json")
			fmt.Fprint(w, g)
			return err
		},
		"consume": func(st Store, w io.Writer) error {
			c, err := st.Consumer(ctx, "s", ivmc.ConsumerOptions{BatchRows: 10})
			if err != nil {
				return err
			}
			defer c.Close()
			d, err := c.Poll(ctx)
			if err != nil {
				return err
			}
			n, err := d.WriteJSON(ctx, w, ivmc.PlainRows)
			from, to := d.Bounds()
			fmt.Fprint(w, n, from, to)
			return err
		},
		"no stream": func(st Store, w io.Writer) error {
			_, err := st.Consumer(ctx, "t", ivmc.ConsumerOptions{})
			return err
		},
	} {
		var a, b bytes.Buffer
		aerr, berr := f(here, &a), f(st, &b)
		if fmt.Sprint(aerr) != fmt.Sprint(berr) || !bytes.Equal(a.Bytes(), b.Bytes()) || a.Len() == 0 && aerr == nil {
			t.Errorf("%s: %v and %v, %d bytes and %d", what, aerr, berr, a.Len(), b.Len())
		}
		if what == "arrow" {
			r, err := ipc.NewReader(&b)
			if err != nil || !r.Next() || r.Record().NumCols() != 2 {
				t.Errorf("no records: %v", err)
			}
		}
	}
	rep, err := st.Refresh(ctx, "low", ivmc.Incremental)
	if err != nil || rep.View != "low" || rep.Executed != ivmc.Incremental || rep.RowsIn != 1 || rep.Duration <= 0 {
		t.Errorf("%+v %v", rep, err)
	}
	ver, err := st.Verify(ctx, "low")
	if err != nil || !ver.Equal || ver.Rows != 1 {
		t.Errorf("%+v %v", ver, err)
	}
	if _, err := st.Refresh(ctx, "t", ivmc.Default); codeOf(err) == "" {
		t.Error(err)
	}
	// Acknowledged is acknowledged for everybody.
	c, err := st.Consumer(ctx, "s", ivmc.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.(*remoteConsumer).l.start(ctx, &ask{Op: "acknowledge"}, ""); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.(*remoteConsumer).l.receive(); err != nil { // an error: nothing was delivered
		t.Fatal(err)
	}
	d, err := c.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Acknowledge(ctx, d); err != nil {
		t.Fatal(err)
	}
	if d, err = c.Poll(ctx); d != nil && err == nil { // what came behind a delivery that nobody acknowledged
		err = c.Acknowledge(ctx, d)
	}
	if err != nil {
		t.Fatal(err)
	}
	if d, err := c.Poll(ctx); d != nil || err != nil {
		t.Errorf("%v %v", d, err)
	}
	within, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if _, err := c.Next(within); codeOf(err) != "57014" {
		t.Error(err)
	}
	// Whoever cannot write any more ends the stream.
	if err := st.Dump(ctx, broken{}); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

var errBroken = errors.New("broken")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// TestFiles: names of files are those of the client, and a message says them as they
// were given.
func TestFiles(t *testing.T) {
	_, _, st := served(t, t.TempDir())
	there := t.TempDir()
	t.Chdir(there)
	st.Close()
	c := st.(*client)
	c.spare = nil // the first connection was made elsewhere
	if err := os.WriteFile("x.csv", []byte("a,b\n1,x\n2,y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // the server's, which is this process
	s := &remoteSession{l: at(t, c.dir, there)}
	defer s.Close()
	do(t, s, "CREATE TABLE t(a INT, b TEXT)")
	is(t, "from", do(t, s, "COPY t FROM 'x.csv'"), "[COPY 2]")
	is(t, "to", do(t, s, "COPY t TO 'y.csv'"), "[COPY 2]")
	if b, err := os.ReadFile(filepath.Join(there, "y.csv")); err != nil || !strings.Contains(string(b), "2,y") {
		t.Errorf("%q %v", b, err)
	}
	_, err := s.Run(context.Background(), "COPY t FROM 'z.csv'")
	if codeOf(err) != "58P01" || !strings.Contains(err.Error(), `"z.csv"`) {
		t.Error(err)
	}
	l := at(t, c.dir, there)
	defer l.Close()
	var n int64
	if err := l.call(context.Background(), &ask{Op: "load", Name: "made", Load: &loading{Files: []string{"x.csv"}}}, "", nil, &n); err != nil || n != 2 {
		t.Errorf("%d %v", n, err)
	}
}

// at is a connection of a client that works in a directory.
func at(t *testing.T, dir, works string) *link {
	t.Helper()
	conn, err := dialSocket(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	l := &link{wire: newWire(conn)}
	if err := l.sendJSON(kindHello, hello{protocol, 1, works}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.receive(); err != nil {
		t.Fatal(err)
	}
	return l
}
