package serve

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/ivmc/ivmc"
)

// ErrNoServer is that of a database that no process serves.
var ErrNoServer = errors.New("ivmc: no process serves the database")

// client is a database that another process holds. A call is a connection, and so is
// a session.
type client struct {
	dir   string
	mu    sync.Mutex
	spare *link // from Dial, until somebody takes it
}

// Dial is the database in dir by the process that serves it. Errors: [ErrNoServer]
// where there is none, or what that process says.
func Dial(ctx context.Context, dir string) (Store, error) {
	c := &client{dir: dir}
	l, err := c.link(ctx)
	if err != nil {
		return nil, err
	}
	c.spare = l
	return c, nil
}

func (c *client) link(ctx context.Context) (*link, error) {
	c.mu.Lock()
	l := c.spare
	c.spare = nil
	c.mu.Unlock()
	if l != nil {
		return l, nil
	}
	conn, err := dialSocket(ctx, c.dir)
	if err != nil {
		return nil, err
	}
	l = &link{wire: newWire(conn)}
	if err := l.greet(); err != nil {
		conn.Close()
		return nil, err
	}
	return l, nil
}

// Close ends what is left of the connection. Sessions have theirs.
func (c *client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.spare == nil {
		return nil
	}
	defer func() { c.spare = nil }()
	return c.spare.Close()
}

// call does one request on a connection of its own.
func (c *client) call(ctx context.Context, a *ask, text string, w io.Writer, value any) error {
	l, err := c.link(ctx)
	if err != nil {
		return err
	}
	defer l.Close()
	return l.call(ctx, a, text, w, value)
}

func (c *client) Session(ctx context.Context) (Session, error) {
	l, err := c.link(ctx)
	if err != nil {
		return nil, err
	}
	return &remoteSession{l: l}, nil
}

func (c *client) Text(ctx context.Context, sql string) (Rows, error) {
	l, err := c.link(ctx)
	if err != nil {
		return nil, err
	}
	o, err := l.run(ctx, &ask{Op: "text"}, sql, func() { l.Close() })
	if err != nil {
		l.Close()
		return nil, err
	}
	return o.Rows, nil
}

func (c *client) WriteJSON(ctx context.Context, sql string, w io.Writer) error {
	return c.call(ctx, &ask{Op: "json"}, sql, w, nil)
}

func (c *client) WriteArrow(ctx context.Context, sql string, w io.Writer) error {
	return c.call(ctx, &ask{Op: "arrow"}, sql, w, nil)
}

func (c *client) Dump(ctx context.Context, w io.Writer) error {
	return c.call(ctx, &ask{Op: "dump"}, "", w, nil)
}

// value is the answer to a request that gives one.
func value[T any](ctx context.Context, c *client, a *ask) (*T, error) {
	v := new(T)
	if err := c.call(ctx, a, "", nil, v); err != nil {
		return nil, err
	}
	return v, nil
}

func (c *client) Refresh(ctx context.Context, view string, mode ivmc.Mode) (*ivmc.RefreshReport, error) {
	return value[ivmc.RefreshReport](ctx, c, &ask{Op: "refresh", Name: view, Mode: mode})
}

func (c *client) RefreshViews(ctx context.Context, mode ivmc.Mode, below bool, views []string) ([]*ivmc.RefreshReport, error) {
	reps, err := value[[]*ivmc.RefreshReport](ctx, c, &ask{Op: "refresh views", Names: views, Below: below, Mode: mode})
	if err != nil {
		return nil, err
	}
	return *reps, nil
}

func (c *client) Verify(ctx context.Context, view string) (*ivmc.VerifyReport, error) {
	return value[ivmc.VerifyReport](ctx, c, &ask{Op: "verify", Name: view})
}

func (c *client) Status(ctx context.Context) (*ivmc.Status, error) {
	return value[ivmc.Status](ctx, c, &ask{Op: "status"})
}

func (c *client) Check(ctx context.Context) (*ivmc.CheckReport, error) {
	return value[ivmc.CheckReport](ctx, c, &ask{Op: "check"})
}

func (c *client) Graph(ctx context.Context, format string) (text string, err error) {
	err = c.call(ctx, &ask{Op: "graph", Name: format}, "", nil, &text)
	return text, err
}

func (c *client) Views(ctx context.Context) (names []string, err error) {
	err = c.call(ctx, &ask{Op: "views"}, "", nil, &names)
	return names, err
}

func (c *client) Sources(ctx context.Context, view string) (names []string, err error) {
	err = c.call(ctx, &ask{Op: "sources", Name: view}, "", nil, &names)
	return names, err
}

func (c *client) Load(ctx context.Context, table string, o ivmc.LoadOptions, files ...string) (rows int64, err error) {
	l, err := c.link(ctx)
	if err != nil {
		return 0, err
	}
	defer l.Close()
	l.tick = o.Progress
	a := &ask{Op: "load", Name: table, Load: &loading{o.Format, o.NoHeader, o.Null, o.Delimiter, o.Key, files}}
	err = l.call(ctx, a, "", nil, &rows)
	return rows, err
}

// remoteSession is a connection.
type remoteSession struct {
	l    *link
	rows *remoteRows // that are open
}

// run does a request that may give rows; done is called with the last of them.
func (l *link) run(ctx context.Context, a *ask, sql string, done func()) (*Outcome, error) {
	x, err := l.start(ctx, a, sql)
	if err != nil {
		return nil, err
	}
	for {
		k, b, err := x.next()
		if err != nil {
			return nil, err
		}
		switch k {
		case kindHead:
			var h head
			if err := json.Unmarshal(b, &h); err != nil {
				return nil, err
			}
			l.open, l.failed = h.Open, h.Failed
			return &Outcome{Result: h.Result, Rows: &remoteRows{x: x, columns: h.Columns, cells: make([][]byte, len(h.Columns)), done: done}}, nil
		case kindEnd:
			o := &Outcome{}
			err := json.Unmarshal(x.value, &o.Result)
			return o, err
		}
	}
}

func (s *remoteSession) Run(ctx context.Context, sql string) (*Outcome, error) {
	if s.rows != nil {
		s.rows.Close()
	}
	o, err := s.l.run(ctx, &ask{Op: "run"}, sql, func() { s.rows = nil })
	if err == nil && o.Rows != nil {
		s.rows = o.Rows.(*remoteRows)
	}
	return o, err
}

func (s *remoteSession) ExplainWith(ctx context.Context, o *ivmc.ExplainOptions, sql string) (text string, err error) {
	err = s.l.call(ctx, &ask{Op: "explain", Explain: o}, sql, nil, &text)
	return text, err
}

func (s *remoteSession) Rehearse(ctx context.Context, o *ivmc.ExplainOptions, sql string) (string, bool, error) {
	var r rehearsed
	err := s.l.call(ctx, &ask{Op: "rehearse", Explain: o}, sql, nil, &r)
	return r.Text, r.OK, err
}

// rehearsed is what Rehearse gives.
type rehearsed struct {
	Text string `json:"text"`
	OK   bool   `json:"ok"`
}

func (s *remoteSession) InTransaction() bool { return s.l.open }

func (s *remoteSession) Failed() bool { return s.l.failed }

func (s *remoteSession) OnProgress(f func(done, size int64)) { s.l.tick = f }

func (s *remoteSession) Close() error { return s.l.Close() }

// remoteConsumer is a connection that reads a stream.
type remoteConsumer struct{ l *link }

func (c *client) Consumer(ctx context.Context, stream string, o ivmc.ConsumerOptions) (Consumer, error) {
	l, err := c.link(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.call(ctx, &ask{Op: "consumer", Name: stream, Batch: o.BatchRows}, "", nil, nil); err != nil {
		l.Close()
		return nil, err
	}
	return &remoteConsumer{l}, nil
}

// bounds are those of a delivery; nil: there is none.
type bounds struct {
	From ivmc.TSO `json:"from"`
	To   ivmc.TSO `json:"to"`
}

func (c *remoteConsumer) take(ctx context.Context, op string) (Delivery, error) {
	var b *bounds
	if err := c.l.call(ctx, &ask{Op: op}, "", nil, &b); err != nil || b == nil {
		return nil, err
	}
	return &remoteDelivery{c.l, *b}, nil
}

func (c *remoteConsumer) Poll(ctx context.Context) (Delivery, error) { return c.take(ctx, "poll") }
func (c *remoteConsumer) Next(ctx context.Context) (Delivery, error) { return c.take(ctx, opNext) }

func (c *remoteConsumer) Acknowledge(ctx context.Context, _ Delivery) error {
	return c.l.call(ctx, &ask{Op: opAcknowledge}, "", nil, nil)
}

func (c *remoteConsumer) Close() error { return c.l.Close() }

// remoteDelivery is the last one of its connection.
type remoteDelivery struct {
	l *link
	bounds
}

func (d *remoteDelivery) Bounds() (from, to ivmc.TSO) { return d.From, d.To }

func (d *remoteDelivery) WriteJSON(ctx context.Context, w io.Writer, e ivmc.Envelope) (n int, err error) {
	err = d.l.call(ctx, &ask{Op: opDeliver, Envelope: e}, "", w, &n)
	return n, err
}
