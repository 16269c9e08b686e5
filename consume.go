package ivmc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/ivmc/ivmc/session"
	"github.com/ivmc/ivmc/storage"
)

// ConsumerOptions are the options of [DB.Consumer]. The zero value has defaults.
type ConsumerOptions struct {
	// BatchRows is how many rows, about, a delivery has at most: rows that came and
	// rows that went, so that an update counts twice. A delivery ends where a commit
	// ends, and has one at least. Default: 10000.
	BatchRows int
}

// String lists the options with their defaults, one line.
func (o ConsumerOptions) String() string {
	o.ensureDefaults()
	return fmt.Sprintf("batch_rows=%d", o.BatchRows)
}

func (o *ConsumerOptions) ensureDefaults() {
	if o.BatchRows <= 0 {
		o.BatchRows = 10000
	}
}

// Consumer reads a table stream for a program: a durable subscription with a name,
// that of the stream. Make one with CREATE STREAM; DROP STREAM ends it. Its place
// is the offset of the stream, which moves when a delivery is acknowledged, and
// survives restarts; what was not acknowledged is delivered again. Safe for
// concurrent use.
//
//	c, err := db.Consumer("new_orders", ivmc.ConsumerOptions{})
//	if err != nil {
//		return err
//	}
//	for {
//		d, err := c.Next(ctx)
//		if err != nil {
//			return err
//		}
//		for ch, err := range d.Changes(ctx) {
//			if err != nil {
//				return err
//			}
//			fmt.Println(ch.Op, ch.After.Text(0))
//		}
//		if err := c.Acknowledge(ctx, d); err != nil {
//			return err
//		}
//	}
//
// A consumer that is slow holds up nobody: what it has not read stays in the log of
// the base, and nothing is read ahead of it.
type Consumer struct {
	c    *session.Consumer
	rows int64
}

// Delivery is the changes of whole commits, in their order.
type Delivery struct {
	// From and To are positions: the changes were committed after From and not
	// after To. From is 0 for the rows that a stream with show_initial_rows gives
	// first. A target that stores To with the rows knows what it has.
	From, To TSO
	// Rows: these are the rows at To, as inserts.
	Rows bool

	d    *session.Delivery
	read bool
}

// Lag is how far a stream is behind the relation it is on.
type Lag struct {
	Position TSO           // up to where it was consumed; 0: not yet
	Latest   TSO           // of the last commit that changed the relation
	Changes  int64         // rows that came and rows that went since
	Age      time.Duration // of the oldest of them
}

// Consumer opens a stream. Errors: [ErrNotFound], 42809 for what is no stream.
func (db *DB) Consumer(stream string, o ConsumerOptions) (*Consumer, error) {
	c, err := db.engine.Consumer(stream)
	if err != nil {
		return nil, publish(err, "")
	}
	o.ensureDefaults()
	return &Consumer{c, int64(o.BatchRows)}, nil
}

// Poll gives the next delivery, nil if there is nothing to deliver. Before it is
// acknowledged, another call gives the same changes again, also after a crash, and none
// beyond To: a part of them where BatchRows is less. A stream whose changes are gone is an error (55000) and never a part of them:
// [Consumer.Reset] goes on from now.
func (c *Consumer) Poll(ctx context.Context) (*Delivery, error) {
	d, err := c.c.Poll(ctx, c.rows)
	if d == nil || err != nil {
		return nil, publish(err, "")
	}
	return &Delivery{From: d.From, To: d.To, Rows: d.Initial, d: d}, nil
}

// Next is [Consumer.Poll] that waits until there is something.
func (c *Consumer) Next(ctx context.Context) (*Delivery, error) {
	for {
		lag, err := c.c.Lag(ctx)
		if err != nil {
			return nil, publish(err, "")
		}
		if d, err := c.Poll(ctx); d != nil || err != nil {
			return d, err
		}
		if err := c.c.Wait(ctx, lag.Now); err != nil {
			return nil, publish(err, "")
		}
	}
}

// Acknowledge says that d was handled: the stream moves to d.To, durably. The error
// is [ErrConflict] if the stream was moved by another one since.
func (c *Consumer) Acknowledge(ctx context.Context, d *Delivery) error {
	return publish(c.c.Acknowledge(ctx, d.d), "")
}

// Reset moves the stream to now, gives up what is pending, and returns the
// position.
func (c *Consumer) Reset(ctx context.Context) (TSO, error) {
	to, err := c.c.Reset(ctx)
	return to, publish(err, "")
}

// Lag is how far the stream is behind.
func (c *Consumer) Lag(ctx context.Context) (Lag, error) {
	l, err := c.c.Lag(ctx)
	return Lag{l.From, l.Latest, l.Changes, l.Age}, publish(err, "")
}

// errRead is that of a delivery that is read twice.
var errRead = errors.New("ivmc: the delivery was read; poll it again")

// Changes iterates over the changes of d, once. An update of a stream that keeps
// before images has both rows.
func (d *Delivery) Changes(ctx context.Context) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if d.read {
			yield(Change{}, errRead)
			return
		}
		d.read = true
		var before Row
		for {
			b, err := d.d.Next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Change{}, publish(err, ""))
				return
			}
			width := len(d.d.Schema)
			ops, tsos, lsns := b.Cols[width].I64, b.Cols[width+1].I64, b.Cols[width+2].I64
			rows := *b
			rows.Cols = b.Cols[:width:width]
			for i := range b.N {
				ch := Change{TSO: TSO(tsos[i]), LSN: uint32(lsns[i])}
				switch row := (Row{&rows, i}); ops[i] {
				case storage.ChangeInsert:
					ch.Op, ch.After = Insert, row
				case storage.ChangeDelete:
					ch.Op, ch.Before = Delete, row
				case storage.ChangeBefore:
					before = row
					continue
				default:
					ch.Op, ch.Before, ch.After = Update, before, row
				}
				if !yield(ch, nil) {
					return
				}
			}
		}
	}
}
