package ivmc

import (
	"context"
	"io"
	"time"

	"github.com/ivmc/ivmc/storage"
)

// Status is the state of a database at one moment.
type Status struct {
	Applied   TSO   // of the last commit
	DiskBytes int64 // of the directory's store, what compactions have not removed yet too
	Relations []RelationStatus
}

// RelationStatus is what is known of a table, view or stream.
type RelationStatus struct {
	Name    string
	Kind    string // "table", "view", "materialized view" or "stream"
	Columns int
	Rows    int64 // of a plain view 0

	LogBytes         int64 // on disk, of rows and their history
	StateBytes       int64 // on disk, of what a view keeps between refreshes
	MemoryBytes      int64 // rows and indexes in memory; 0 until first touched
	Arrangements     int   // indexes that views share, in memory
	ArrangementBytes int64 // of those

	View   *ViewStatus   // of a materialized view, else nil
	Stream *StreamStatus // of a stream, else nil
}

// StreamStatus is how a stream stands.
type StreamStatus struct {
	Base     string // the table or view that it is on; "" if that was dropped
	Type     string // min_delta, append_only or detail
	Consumed TSO    // up to here; 0: never, all of the rows of the base are to come
	Pending  int64  // rows born and died in its base since
	Stale    string // why it cannot be read; "" if it can
}

// ViewStatus is how a materialized view stands.
type ViewStatus struct {
	Mode     Mode     // that it was created with
	Blockers []string // codes of why it cannot be refreshed incrementally
	Built    bool     // false: BUILD DEFERRED, and never refreshed
	Frontier TSO      // what it stands for
	Pending  int64    // rows born and died in what it reads, and what that reads, since
	// Behind is for how long it has lacked a change that is committed: since the first one.
	Behind  time.Duration
	Trigger string // ON SCHEDULE .., WITH LAG .. or ON COMMIT ..; "": nothing but REFRESH
	Job     *Job   // nil: no scheduler runs, or the view has no trigger
}

// Job is how the scheduler stands with a view.
type Job struct {
	Running  bool
	Waiting  bool // to be refreshed as soon as there is room
	Paused   bool
	Next     time.Time // when it comes next; zero where that is not known
	Failures int       // in a row
	Skipped  int64     // triggers that were dropped, because one refresh ran and another one waited
}

// Status describes tables, views and streams, by name. Nothing is loaded or computed for
// it. Errors: [ErrClosed], [ErrCorruption], or that of ctx.
//
//	st, err := db.Status(ctx)
//	for _, r := range st.Relations {
//		if r.View != nil && r.View.Pending > 0 {
//			_, err = db.Refresh(ctx, r.Name, ivmc.Default)
//		}
//	}
func (db *DB) Status(ctx context.Context) (*Status, error) {
	ctx = orBackground(ctx)
	st, err := db.engine.Status(ctx)
	if err != nil {
		return nil, publish(err, "")
	}
	out := &Status{Applied: st.Applied, DiskBytes: st.DiskBytes}
	for _, r := range st.Relations {
		o := RelationStatus{Name: r.Name, Kind: r.Kind.String(), Columns: r.Columns, Rows: r.Size.Rows,
			LogBytes: r.Size.LogBytes, StateBytes: r.Size.StateBytes,
			MemoryBytes: r.Memory.MemBytes, Arrangements: r.Memory.Arrangements, ArrangementBytes: r.Memory.ArrangementBytes}
		if r.Kind == storage.View {
			o.View = &ViewStatus{Mode: modeOf(r.Mode), Blockers: r.Blockers, Built: r.Built, Frontier: r.Frontier, Pending: r.Pending, Behind: r.Behind, Trigger: r.Trigger}
			if r.Job != nil {
				job := Job(*r.Job)
				o.View.Job = &job
			}
		}
		if s := r.Stream; s != nil {
			o.Stream = &StreamStatus{Base: s.Base, Type: s.Type, Consumed: r.Frontier, Pending: r.Pending, Stale: s.Stale}
		}
		out.Relations = append(out.Relations, o)
	}
	return out, nil
}

// CheckReport is what [DB.Check] read and found.
type CheckReport struct {
	Relations int   // tables and materialized views, and what those keep
	Blocks    int64 // of rows, history and state
	Bytes     int64 // of the blocks
	Versions  int64 // of rows, those that are gone too
	Faults    []Fault
}

// Fault is one thing that is damaged.
type Fault struct {
	Object string // the table or view; "" where none is known
	Text   string
}

// Check reads all that is stored and compares it: the checksum and the structure
// of every block, rows against unique keys and NOT NULL, the offsets and states
// of views against what is there, and that every definition still means
// something. It goes on after a fault and changes nothing; others read and write
// meanwhile. Whether views are right is [DB.Verify]'s to say.
//
// Faults are in the report; an error (of ctx, [ErrClosed]) means that the check
// did not come to its end. Of a whole database a second one is damage that
// [Open] finds: then there is nothing to check, and Open says [ErrCorruption].
func (db *DB) Check(ctx context.Context) (*CheckReport, error) {
	ctx = orBackground(ctx)
	r, err := db.engine.Check(ctx)
	if err != nil {
		return nil, publish(err, "")
	}
	out := &CheckReport{Relations: r.Relations, Blocks: r.Blocks, Bytes: r.Bytes, Versions: r.Versions}
	for _, f := range r.Faults {
		out.Faults = append(out.Faults, Fault(f))
	}
	return out, nil
}

// Dump writes SQL that makes everything anew, all of it of one moment: tables
// with keys, constraints, defaults and rows; plain and materialized views, each
// after what it reads, with the settings that it keeps. Views come without rows:
// running the dump builds them, as of the tables. History is not in it.
//
// Run it with [DB.Exec], or ivmc sql, on an empty database. The dump of what
// that makes is the same text.
func (db *DB) Dump(ctx context.Context, w io.Writer) error {
	ctx = orBackground(ctx)
	return publish(db.engine.Dump(ctx, w), "")
}
