package refresh

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// The states of a task.
const (
	TaskRunning  = "RUNNING"
	TaskSuccess  = "SUCCESS"
	TaskFailed   = "FAILED"
	TaskCanceled = "CANCELED"
)

// Task is one refresh, as it is remembered. Three modes are told apart: what the
// view is made for, what this refresh asked for, what was planned for it; the
// fourth is what ran, which differs from the plan where a damaged state was found.
type Task struct {
	ID      uint64 // of no other refresh of the database; rises
	View    storage.ID
	Trigger Trigger
	Status  string

	Configured, Requested, Planned, Executed Mode
	Reason, Detail                           string // why it was not incremental
	Code, Error                              string // of one that failed

	RowsIn, RowsOut int64
	From, To        storage.TSO
	// Estimates of what both ways would take; 0: there was none.
	Estimates Estimates
	// Queued is when it was asked for, Started when its turn came, Finished when it
	// went to its commit, or failed. The unit of what is kept is a microsecond.
	Queued, Started, Finished time.Time
}

// Estimates is what a refresh was expected to cost.
type Estimates struct {
	Pending  int64         // rows born and died in what the view reads
	Rows     int64         // rows of what it reads, and its own: a full refresh goes through them
	Delta    time.Duration // of a step; 0: not estimated
	Complete time.Duration // of a full refresh; 0: not estimated
}

// taskVersion is the first byte of a record.
const taskVersion = 1

// most is how many bytes of a text a record keeps.
const most = 1000

// append writes the record of a task: numbers as varints, texts with their lengths.
func (t *Task) append(b []byte) []byte {
	num := func(ns ...int64) {
		for _, n := range ns {
			b = binary.AppendVarint(b, n)
		}
	}
	str := func(ss ...string) {
		for _, s := range ss {
			if len(s) > most {
				s = strings.ToValidUTF8(s[:most], "")
			}
			b = binary.AppendUvarint(b, uint64(len(s)))
			b = append(b, s...)
		}
	}
	b = append(b, taskVersion)
	num(int64(t.ID), int64(t.Trigger), int64(t.Configured), int64(t.Requested), int64(t.Planned), int64(t.Executed))
	str(t.Status, t.Reason, t.Detail, t.Code, t.Error)
	num(t.RowsIn, t.RowsOut, int64(t.From), int64(t.To))
	num(t.Estimates.Pending, t.Estimates.Rows, int64(t.Estimates.Delta), int64(t.Estimates.Complete))
	num(micros(t.Queued), micros(t.Started), micros(t.Finished))
	return b
}

// parse reads what append wrote; false: this program does not know it.
func (t *Task) parse(b []byte) bool {
	if len(b) == 0 || b[0] != taskVersion {
		return false
	}
	b = b[1:]
	bad := false
	num := func() int64 {
		n, k := binary.Varint(b)
		if k <= 0 {
			bad, b = true, nil
			return 0
		}
		b = b[k:]
		return n
	}
	str := func() string {
		n, k := binary.Uvarint(b)
		if k <= 0 || n > uint64(len(b)-k) {
			bad, b = true, nil
			return ""
		}
		s := string(b[k : k+int(n)])
		b = b[k+int(n):]
		return s
	}
	mode := func() Mode {
		n := num()
		bad = bad || n < 0 || n > int64(Fallback)
		return Mode(n)
	}
	t.ID, t.Trigger = uint64(num()), Trigger(num())
	t.Configured, t.Requested, t.Planned, t.Executed = mode(), mode(), mode(), mode()
	t.Status, t.Reason, t.Detail, t.Code, t.Error = str(), str(), str(), str(), str()
	t.RowsIn, t.RowsOut, t.From, t.To = num(), num(), storage.TSO(num()), storage.TSO(num())
	t.Estimates = Estimates{num(), num(), time.Duration(num()), time.Duration(num())}
	t.Queued, t.Started, t.Finished = moment(num()), moment(num()), moment(num())
	return !bad && len(b) == 0
}

// micros is a time as it is kept; the zero time is 0.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func moment(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// task is the record of a report.
func (r *Report) task(now time.Time) Task {
	t := Task{ID: r.Task, View: r.ID, Trigger: r.Trigger, Status: TaskSuccess,
		Configured: r.Configured, Requested: r.Requested, Planned: r.Planned, Executed: r.Executed,
		Reason: r.Reason, Detail: r.Detail, RowsIn: r.RowsIn, RowsOut: r.RowsOut, From: r.From, To: r.To,
		Estimates: r.Estimates, Queued: r.Queued, Started: r.Started, Finished: now}
	if t.Queued.IsZero() {
		t.Queued = t.Started
	}
	return t
}

// failed is the record of a report whose refresh ended with an error.
func (t *Task) failed(err error) {
	t.Status, t.Code, t.Error = TaskFailed, "XX000", err.Error()
	var z *zset.Error
	if errors.As(err, &z) {
		t.Code, t.Error = z.Code, z.Msg
	}
	if canceled(err) {
		t.Status, t.Code = TaskCanceled, "57014"
	}
	t.RowsIn, t.RowsOut, t.To = 0, 0, t.From
}
