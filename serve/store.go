package serve

import (
	"context"
	"io"

	"github.com/ivmc/ivmc"
)

// Store is a database that somebody holds. It is safe for concurrent use.
type Store interface {
	// Session opens a session. The caller closes it.
	Session(ctx context.Context) (Session, error)
	// Text runs one statement that returns rows. The caller closes them.
	Text(ctx context.Context, sql string) (Rows, error)
	// WriteJSON writes the rows of a query, an object a line, see [ivmc.Text.WriteJSON].
	WriteJSON(ctx context.Context, sql string, w io.Writer) error
	// WriteArrow writes the rows of a query as a stream of Arrow records.
	WriteArrow(ctx context.Context, sql string, w io.Writer) error

	Refresh(ctx context.Context, view string, mode ivmc.Mode) (*ivmc.RefreshReport, error)
	RefreshViews(ctx context.Context, mode ivmc.Mode, below bool, views []string) ([]*ivmc.RefreshReport, error)
	Verify(ctx context.Context, view string) (*ivmc.VerifyReport, error)
	Status(ctx context.Context) (*ivmc.Status, error)
	Graph(ctx context.Context, format string) (string, error)
	Check(ctx context.Context) (*ivmc.CheckReport, error)
	Dump(ctx context.Context, w io.Writer) error
	Load(ctx context.Context, table string, o ivmc.LoadOptions, files ...string) (int64, error)

	// Views lists the materialized views, each after those that it reads, and Sources
	// those below one of them.
	Views(ctx context.Context) ([]string, error)
	Sources(ctx context.Context, view string) ([]string, error)

	// Consumer opens a stream. The caller closes it.
	Consumer(ctx context.Context, stream string, o ivmc.ConsumerOptions) (Consumer, error)
	Close() error
}

// Session is settings and at most one transaction, see [ivmc.Session]. It belongs
// to one goroutine.
type Session interface {
	// Run runs one statement. Rows are to be closed before the next one.
	Run(ctx context.Context, sql string) (*Outcome, error)
	ExplainWith(ctx context.Context, o *ivmc.ExplainOptions, sql string) (string, error)
	Rehearse(ctx context.Context, o *ivmc.ExplainOptions, sql string) (text string, ok bool, err error)
	InTransaction() bool
	Failed() bool
	// OnProgress has f hear how much of a file COPY has read, in bytes.
	OnProgress(f func(done, size int64))
	Close() error
}

// Outcome is what a statement did.
type Outcome struct {
	ivmc.Result
	Rows Rows // nil for a statement that returns none
}

// Rows are the rows of a query with cells as text, see [ivmc.Text].
type Rows interface {
	Columns() []ivmc.ColumnInfo
	Next() bool
	Cell(c int) (text []byte, null bool)
	Err() error
	Close()
}

// Consumer reads a table stream, see [ivmc.Consumer].
type Consumer interface {
	Poll(ctx context.Context) (Delivery, error) // nil: nothing to deliver
	Next(ctx context.Context) (Delivery, error)
	// Acknowledge says that d, the last delivery, was handled.
	Acknowledge(ctx context.Context, d Delivery) error
	Close() error
}

// Delivery is the changes of whole commits, see [ivmc.Delivery].
type Delivery interface {
	Bounds() (from, to ivmc.TSO)
	WriteJSON(ctx context.Context, w io.Writer, e ivmc.Envelope) (int, error)
}
