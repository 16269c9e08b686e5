package ivmc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/refresh"
)

// Mode is how a view is brought forward.
type Mode uint8

// The modes.
const (
	// Default is the mode that the view was created with.
	Default Mode = iota
	// Auto is incremental where that is possible, else complete, with the reason.
	Auto
	// Incremental never falls back.
	Incremental
	// Complete recomputes the view.
	Complete
	// Fallback is Incremental where that is possible, else complete, with the
	// reason; a view can be created so only if it is incremental.
	Fallback
)

// String is the word of the statement.
func (m Mode) String() string {
	switch m {
	case Default:
		return "DEFAULT"
	case Auto:
		return "AUTO"
	case Incremental:
		return "INCREMENTAL"
	case Complete:
		return "COMPLETE"
	case Fallback:
		return "INCREMENTAL FALLBACK"
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

func (m Mode) word() (ast.RefreshMode, error) {
	words := map[Mode]ast.RefreshMode{Default: ast.ModeDefault, Auto: ast.ModeAuto, Incremental: ast.ModeIncremental, Complete: ast.ModeComplete,
		Fallback: ast.ModeFallback}
	w, ok := words[m]
	if !ok {
		return 0, &Error{Code: "22023", Message: fmt.Sprintf("%s is no refresh mode", m)}
	}
	return w, nil
}

// ParseMode reads the word of a mode, in any case; "" is [Default].
func ParseMode(s string) (Mode, error) {
	for _, m := range []Mode{Default, Auto, Incremental, Complete, Fallback} {
		if s == "" || strings.EqualFold(s, m.String()) {
			return m, nil
		}
	}
	return 0, &Error{Code: "22023", Message: fmt.Sprintf("%q is no refresh mode", s), Hint: "Modes: auto, incremental, complete, incremental fallback."}
}

// RefreshReport is what a refresh did.
type RefreshReport struct {
	View                string
	Task                uint64 // its number in information_schema.refresh_history, if it has a record there
	Trigger             string // what started it: "MANUAL", "SCHEDULE", "COMMIT", "LAG", "CASCADE" or "CREATE"
	Requested, Executed Mode
	// Configured is the mode that the view was made for, Planned what was decided
	// before it ran.
	Configured, Planned Mode
	Reason              string // the code of why it was not incremental; "" where it was, or was not asked to be
	Detail              string // the reason in words
	NoOp                bool   // nothing was pending
	RowsIn, RowsOut     int64  // changed rows read, records written to the view
	From, To            TSO    // what the view stood for before and stands for now
	Commit              TSO    // of the step itself, 0 if there was none
	Duration            time.Duration
	Estimates           Estimates
	Operators           []OperatorTime
	Err                 *Error // why the view was not refreshed; only in reports of [DB.RefreshViews]
}

// Estimates is what both ways of a refresh were expected to take. Where AUTO took
// the cheaper COMPLETE, the reason is "COST".
type Estimates struct {
	Pending               int64 // rows born and died in what the view reads; 0: there was nothing to weigh
	Incremental, Complete time.Duration
}

// OperatorTime is one operator's share of a refresh, its inputs excluded.
type OperatorTime struct {
	Name string
	Rows int64
	Time time.Duration
}

func modeOf(m refresh.Mode) Mode {
	switch m {
	case refresh.Incremental:
		return Incremental
	case refresh.Complete:
		return Complete
	case refresh.Fallback:
		return Fallback
	}
	return Auto
}

func reportOf(r *refresh.Report) *RefreshReport {
	out := &RefreshReport{
		View: r.View, Task: r.Task, Trigger: r.Trigger.String(), Configured: modeOf(r.Configured), Planned: modeOf(r.Planned),
		Estimates: Estimates{r.Estimates.Pending, r.Estimates.Delta, r.Estimates.Complete}, Requested: modeOf(r.Requested), Executed: modeOf(r.Executed), Reason: r.Reason, Detail: r.Detail, NoOp: r.NoOp,
		RowsIn: r.RowsIn, RowsOut: r.RowsOut, From: r.From, To: r.To, Commit: r.Commit, Duration: r.Duration,
	}
	for _, o := range r.Operators {
		out.Operators = append(out.Operators, OperatorTime(o))
	}
	return out
}

// Refresh brings a view forward to everything that is committed.
func (db *DB) Refresh(ctx context.Context, view string, mode Mode) (*RefreshReport, error) {
	ctx = orBackground(ctx)
	word, err := mode.word()
	if err != nil {
		return nil, err
	}
	rep, err := db.engine.RefreshView(ctx, view, word)
	if err != nil {
		return nil, publish(err, "")
	}
	return reportOf(rep), nil
}

// RefreshCascade brings forward what a view reads, each view by its own mode, and
// then the view, all from one base, so that they stand for the same [TSO]. The
// reports are of every view, sources first and the view itself last. The error is
// that of the first view that failed; it stops those that read it, and no other.
func (db *DB) RefreshCascade(ctx context.Context, view string, mode Mode) ([]*RefreshReport, error) {
	ctx = orBackground(ctx)
	word, err := mode.word()
	if err != nil {
		return nil, err
	}
	reps, err := db.engine.RefreshCascade(ctx, view, word)
	if err != nil {
		return nil, publish(err, "")
	}
	out := make([]*RefreshReport, len(reps))
	for i, r := range reps {
		out[i] = reportOf(r)
	}
	return out, nil
}

// RefreshViews brings the named views forward, or all where there are no names, and
// with below also the views that they read, these by their own modes: all from one
// base, so that they stand for the same [TSO]. The reports are of every view,
// sources first. One that fails has the reason in its report, and stops those that
// read it and no other; so has a name that is no view (42P01, 42809).
func (db *DB) RefreshViews(ctx context.Context, mode Mode, below bool, views ...string) ([]*RefreshReport, error) {
	ctx = orBackground(ctx)
	word, err := mode.word()
	if err != nil {
		return nil, err
	}
	reps, err := db.engine.RefreshViews(ctx, views, word, below)
	if err != nil {
		return nil, publish(err, "")
	}
	out := make([]*RefreshReport, len(reps))
	for i, r := range reps {
		out[i] = reportOf(r)
		errors.As(publish(r.Err, ""), &out[i].Err)
	}
	return out, nil
}

// VerifyReport compares a view with its definition recomputed at the same moment.
type VerifyReport struct {
	View     string
	Equal    bool
	Rows     int64 // of the view
	Expected int64 // of the recomputation
	Frontier TSO   // what both stand for
	// Differing counts the rows that differ; Diff shows up to 20 of them, "+"
	// for what the view lacks and "-" for what it has too much.
	Differing int64
	Diff      []string
	// ByDefinition says that the view was small enough to be computed a second
	// time, by the definition of every operator, and compared with that too.
	ByDefinition bool
	Duration     time.Duration
}

// Verify recomputes a view at its own offsets and compares row by row: by the
// full plan, and where there are few rows by the definition too. The view is not
// changed.
func (db *DB) Verify(ctx context.Context, view string) (*VerifyReport, error) {
	ctx = orBackground(ctx)
	r, err := db.engine.Verify(ctx, view)
	return verifyReport(r, err)
}

// VerifySample is [DB.Verify] of one of so many parts of the rows, by their
// hashes: it reads as much, and holds that part alone in memory. Parts follow each other from call to
// call, so that a job that runs it now and then has looked at every row after as
// many calls as there are parts. Writers go on; a refresh of the view waits.
//
// A view that differs, here or in Verify, is marked: its readers have a notice,
// information_schema.verify_mismatches keeps what differed, and the next refresh, if it is not
// strictly incremental, computes it anew, which clears the mark.
//
//	rep, err := db.VerifySample(ctx, "takings", 16) // say, once an hour
func (db *DB) VerifySample(ctx context.Context, view string, parts int) (*VerifyReport, error) {
	ctx = orBackground(ctx)
	r, err := db.engine.VerifySample(ctx, view, parts)
	return verifyReport(r, err)
}

func verifyReport(r *refresh.VerifyReport, err error) (*VerifyReport, error) {
	if err != nil {
		return nil, publish(err, "")
	}
	out := &VerifyReport{View: r.View, Equal: r.Equal, Rows: r.Rows, Expected: r.Expected, Frontier: r.Frontier,
		Differing: r.Differing, ByDefinition: r.Naive, Duration: r.Duration}
	if r.Diff != nil {
		for i := range r.Diff.N {
			out.Diff = append(out.Diff, refresh.DiffLine(r.Diff, i))
		}
	}
	return out, nil
}
