package serve

import (
	"context"
	"errors"
	"io"

	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/ivmc/ivmc"
)

// local is a database of this process.
type local struct{ *ivmc.DB }

// Local is db as a [Store]; closing that closes db.
func Local(db *ivmc.DB) Store { return local{db} }

func (l local) Session(context.Context) (Session, error) { return localSession{l.DB.Session()}, nil }

func (l local) Text(ctx context.Context, sql string) (Rows, error) {
	rows, err := l.DB.Text(ctx, sql)
	if err != nil {
		return nil, err
	}
	return rows, nil
}

func (l local) WriteJSON(ctx context.Context, sql string, w io.Writer) error {
	rows, err := l.DB.Text(ctx, sql)
	if err != nil {
		return err
	}
	defer rows.Close()
	return rows.WriteJSON(w)
}

func (l local) WriteArrow(ctx context.Context, sql string, w io.Writer) error {
	rows, err := l.DB.Query(ctx, sql)
	if err != nil {
		return err
	}
	defer rows.Release()
	out := ipc.NewWriter(w, ipc.WithSchema(rows.Schema()))
	for rows.Next() {
		if err := out.Write(rows.Record()); err != nil {
			return err
		}
	}
	return errors.Join(rows.Err(), out.Close())
}

func (l local) Views(context.Context) ([]string, error) { return l.DB.Views(), nil }

func (l local) RefreshViews(ctx context.Context, mode ivmc.Mode, below bool, views []string) ([]*ivmc.RefreshReport, error) {
	return l.DB.RefreshViews(ctx, mode, below, views...)
}

func (l local) Sources(_ context.Context, view string) ([]string, error) {
	return l.DB.Sources(view), nil
}

func (l local) Consumer(_ context.Context, stream string, o ivmc.ConsumerOptions) (Consumer, error) {
	c, err := l.DB.Consumer(stream, o)
	if err != nil {
		return nil, err
	}
	return localConsumer{c}, nil
}

// localSession is a session of this process.
type localSession struct{ *ivmc.Session }

func (s localSession) Run(ctx context.Context, sql string) (*Outcome, error) {
	o, err := s.Session.Run(ctx, sql)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Result: o.Result}
	if o.Rows != nil {
		out.Rows = o.Rows
	}
	return out, nil
}

func (s localSession) ExplainWith(ctx context.Context, o *ivmc.ExplainOptions, sql string) (string, error) {
	return s.Session.ExplainWith(ctx, o, sql)
}

// localConsumer is a stream that this process reads.
type localConsumer struct{ c *ivmc.Consumer }

func (c localConsumer) Poll(ctx context.Context) (Delivery, error) {
	return delivery(c.c.Poll(ctx))
}

func (c localConsumer) Next(ctx context.Context) (Delivery, error) {
	return delivery(c.c.Next(ctx))
}

func delivery(d *ivmc.Delivery, err error) (Delivery, error) {
	if d == nil || err != nil {
		return nil, err
	}
	return localDelivery{d}, nil
}

func (c localConsumer) Acknowledge(ctx context.Context, d Delivery) error {
	return c.c.Acknowledge(ctx, d.(localDelivery).Delivery)
}

func (c localConsumer) Close() error { return nil }

// localDelivery is a delivery in this process.
type localDelivery struct{ *ivmc.Delivery }

func (d localDelivery) Bounds() (from, to ivmc.TSO) { return d.From, d.To }
