package refresh

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ivmc/ivmc/storage"
)

// The kinds of notes that are kept of a view.
const (
	noteTask  = 1 // a task of the history, numbered in the view from 1
	noteCosts = 2 // what its refreshes were measured to cost, see [costs]
	noteMark  = 3 // what a verification found, see [Mark]
)

// DefaultHistory is how many tasks of a view are kept.
const DefaultHistory = 100

// history is what is known of the refreshes of all views beside what is stored.
type history struct {
	keep int
	last atomic.Uint64 // id given last

	mu      sync.Mutex
	running map[uint64]*Task
	cancels map[uint64]context.CancelFunc
}

// past is the part of a view: used with its turn.
type past struct {
	known       bool
	first, last uint64 // numbers of the oldest and the newest task that are stored
	costs       costs
}

// idle counts what leaves no record: refreshes that found nothing pending.
type idle struct {
	n  atomic.Int64
	at atomic.Int64 // the last of them, in microseconds since 1970
}

// Idle is how many refreshes of a view found nothing to do since the store was
// opened, and when the last was; they leave no task.
func (e *Engine) Idle(id storage.ID) (n int64, last time.Time) {
	en := e.known(id)
	if en == nil {
		return 0, time.Time{}
	}
	return en.idle.n.Load(), moment(en.idle.at.Load())
}

// Remember sets how many tasks of each view are kept; 0: [DefaultHistory]. Called
// before anything else, if at all.
func (e *Engine) Remember(n int) {
	if n > 0 {
		e.history.keep = n
	}
}

// begin gives a refresh its number and shows it as running.
func (e *Engine) begin(rep *Report) {
	h := &e.history
	now := uint64(max(e.now().UnixMicro(), 1))
	for {
		last := h.last.Load()
		if rep.Task = max(now, last+1); h.last.CompareAndSwap(last, rep.Task) {
			break
		}
	}
	if rep.Queued.IsZero() {
		rep.Queued = rep.Started
	}
	t := &Task{ID: rep.Task, View: rep.ID, Trigger: rep.Trigger, Status: TaskRunning, Configured: rep.Configured, Requested: rep.Requested,
		Planned: rep.Requested, Executed: rep.Requested, Queued: rep.Queued, Started: rep.Started}
	h.mu.Lock()
	h.running[rep.Task] = t
	h.mu.Unlock()
}

// cancellable is ctx, which [Engine.Cancel] may end from now on.
func (e *Engine) cancellable(ctx context.Context, rep *Report) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(ctx)
	e.history.mu.Lock()
	defer e.history.mu.Unlock()
	e.history.cancels[rep.Task] = cancel
	return taskContext{own, ctx}, cancel
}

// taskContext ends with its own or with its parent's, whichever says so first.
type taskContext struct {
	context.Context
	parent context.Context
}

func (c taskContext) Err() error {
	if err := c.Context.Err(); err != nil {
		return err
	}
	return c.parent.Err()
}

// Cancel ends a refresh of a view; false: it does not run.
func (e *Engine) Cancel(view storage.ID, task uint64) bool {
	h := &e.history
	h.mu.Lock()
	defer h.mu.Unlock()
	t, cancel := h.running[task], h.cancels[task]
	if t == nil || t.View != view || cancel == nil {
		return false
	}
	cancel()
	return true
}

// end takes a refresh off the list of those that run.
func (e *Engine) end(rep *Report) {
	h := &e.history
	h.mu.Lock()
	delete(h.running, rep.Task)
	delete(h.cancels, rep.Task)
	h.mu.Unlock()
}

// note adds the record of a refresh, and what it taught, to the notes of its commit.
func (e *Engine) note(en *entry, rep *Report, t *Task, learned bool) ([]storage.Note, error) {
	p := &en.past
	if err := e.recall(rep.ID, p); err != nil {
		return nil, err
	}
	notes := []storage.Note{{Object: rep.ID, Kind: noteTask, Seq: p.last + 1, Value: t.append(make([]byte, 0, 160))}}
	for n := p.first; n+uint64(e.history.keep) <= p.last+1; n++ {
		notes = append(notes, storage.Note{Object: rep.ID, Kind: noteTask, Seq: n})
	}
	if learned {
		notes = append(notes, p.costsNote(rep.ID))
	}
	return notes, nil
}

// noted is called when the notes are stored.
func (p *past) noted(notes []storage.Note) {
	for _, n := range notes {
		switch {
		case n.Kind != noteTask:
		case n.Value == nil:
			p.first = n.Seq + 1
		default:
			p.last = n.Seq
		}
	}
}

// recall reads the part of a view, once.
func (e *Engine) recall(id storage.ID, p *past) error {
	if p.known {
		return nil
	}
	var found past
	err := e.store.Notes(id, noteTask, func(seq uint64, _ []byte) error {
		if found.first == 0 {
			found.first = seq
		}
		found.last = seq
		return nil
	})
	if err != nil {
		return err
	}
	err = e.store.Notes(id, noteCosts, func(_ uint64, val []byte) error {
		found.costs.parse(val)
		return nil
	})
	if err != nil {
		return err
	}
	found.first = max(found.first, 1)
	found.known = true
	*p = found
	return nil
}

// fail records a refresh that ended with an error, by a note of its own: nothing
// else was written. What cannot be recorded is lost; the caller has the error.
func (e *Engine) fail(en *entry, rep *Report, err error) {
	t := rep.task(e.now())
	t.failed(err)
	notes, err := e.note(en, rep, &t, false)
	if err != nil {
		return
	}
	if _, there := e.store.Catalog().ByID(rep.ID); there && e.store.PutNotes(notes) == nil {
		en.past.noted(notes)
	}
}

func canceled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Tasks lists the refreshes of a view that are remembered, oldest first, and then
// those that run or wait for their turn. It waits for no refresh.
func (e *Engine) Tasks(id storage.ID) ([]Task, error) {
	var out []Task
	seen := map[uint64]bool{}
	err := e.store.Notes(id, noteTask, func(_ uint64, val []byte) error {
		t := Task{View: id}
		if t.parse(val) { // else of a later program
			out = append(out, t)
			seen[t.ID] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	h := &e.history
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range slices.Sorted(maps.Keys(h.running)) {
		if t := h.running[n]; t.View == id && !seen[n] {
			out = append(out, *t)
		}
	}
	return out, nil
}

// Stale is the code of what keeps a view from going on from where it stands, as
// the last look at it found; "": nothing, or nobody has looked since the store was
// opened. It waits for no refresh.
func (e *Engine) Stale(id storage.ID) string {
	if en := e.known(id); en != nil {
		if s := en.stale.Load(); s != nil {
			return *s
		}
	}
	return ""
}

// MemBytes is the memory of the state of a view after its last step.
func (e *Engine) MemBytes(id storage.ID) int64 {
	if en := e.known(id); en != nil {
		return en.mem.Load()
	}
	return 0
}

func (e *Engine) known(id storage.ID) *entry {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.views[id]
}

// look remembers what is in the way of a step, and what the state takes.
func (en *entry) look() {
	code := ""
	if len(en.plans.Blockers) == 0 {
		code, _ = en.obstacle()
	}
	if old := en.stale.Load(); old == nil && code != "" || old != nil && *old != code {
		en.stale.Store(&code)
	}
}
