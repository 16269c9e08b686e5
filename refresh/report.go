package refresh

import (
	"context"
	"time"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Mode is how a view is, or is asked to be, brought forward.
type Mode uint8

// The modes. Auto is incremental where that is possible, else complete. Fallback
// is Incremental for a view's definition, which must be incremental, and Auto
// for a refresh: complete where something is in the way, with the reason.
const (
	Auto Mode = iota
	Incremental
	Complete
	Fallback
)

// String is the word of the statement.
func (m Mode) String() string {
	return [...]string{"AUTO", "INCREMENTAL", "COMPLETE", "INCREMENTAL FALLBACK"}[m]
}

// Plans is what a view is run by.
type Plans struct {
	Incremental *delta.Plan // nil if there are Blockers
	Full        *delta.Plan
	Blockers    []delta.Blocker // why it cannot be maintained incrementally
}

// Planner makes the plans of a view from its stored definition. It is called
// when a view is first touched; plans are then kept with the open view.
type Planner interface {
	Plans(obj *storage.Object) (Plans, error)
}

// Definer is a [Planner] that also knows what a view is by definition.
type Definer interface {
	// Define computes the rows of a view, with its inputs as they stood at the
	// offsets, in the slowest and plainest way; nil: that would take too long.
	Define(ctx context.Context, obj *storage.Object, at storage.Offsets) (*zset.Batch, error)
}

// Configurer is a [Planner] that knows which mode a view was made for.
type Configurer interface {
	Configured(obj *storage.Object) Mode
}

// Report is what one refresh did.
type Report struct {
	ID      storage.ID
	View    string
	Task    uint64 // see [Task]
	Trigger Trigger
	// The modes that the view is made for, that was asked for, that was planned,
	// and that ran.
	Configured, Requested, Planned, Executed Mode

	Reason    string // the code that made it COMPLETE; "" where it was asked for or not needed
	Detail    string // that reason in words
	NoOp      bool   // nothing was pending: no commit was made
	Loaded    bool   // what a process loads once was loaded for it: the states of the view
	RowsIn    int64  // rows of deltas read (of relations, for a complete refresh)
	RowsOut   int64  // records written to the view; a row that changes is a delete and an insert
	From, To  storage.TSO
	Commit    storage.TSO // of the step's own commit; 0 if there was none
	Kept      int         // states that a view took over of the definition before; see [Engine.Redefine]
	Estimates Estimates
	work      work
	choice    choice
	Queued    time.Time // when it was asked for
	Started   time.Time
	Duration  time.Duration
	Plan      *delta.Plan // that ran; nil: nothing was pending
	Operators []OperatorTime
	Err       error // of a view in a cascade that was not refreshed: nothing of it moved
}

// OperatorTime is the share of one operator, its inputs excluded.
type OperatorTime struct {
	Name string
	Rows int64 // rows it handed on
	Time time.Duration
}

// VerifyReport compares a view with its definition recomputed.
type VerifyReport struct {
	View     string
	Equal    bool
	Rows     int64       // rows of the view
	Expected int64       // rows of the recomputation
	Frontier storage.TSO // what both stand for
	Schema   zset.Schema
	// Diff holds up to 20 of the rows that differ: weight > 0 is missing from
	// the view, weight < 0 is too much in it. Nil if equal.
	Diff      *zset.Batch
	Differing int64       // how many rows differ
	Delta     *zset.Batch // all of those
	Naive     bool        // compared with the definition too, not only with the full plan
	Duration  time.Duration
}
