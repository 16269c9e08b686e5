package schedule

import (
	"cmp"
	"slices"
	"time"
)

// Cause is why a view is refreshed.
type Cause uint8

// The causes. Cascade: because a view that reads it is.
const (
	ByCascade Cause = iota
	ByTick
	ByCommit
	ByLag
	ByRetry
)

// Job is a view in the eyes of the scheduler.
type Job struct {
	ID     uint64
	Rule   Rule
	Paused bool
	Reads  []uint64 // the jobs of the views that it reads, directly
	// Last is when the view was brought forward last, as far as that is known. A
	// tick between then and now was missed, and runs once.
	Last time.Time
}

// Target is a view of a pass.
type Target struct {
	ID    uint64
	Cause Cause
}

// Pass is views that are refreshed together, each after those that it reads.
type Pass struct {
	ID      uint64
	Targets []Target
}

// Outcome is what became of a target.
type Outcome struct {
	ID     uint64
	Failed bool
	Took   time.Duration // from the start of the pass until the view was refreshed
}

// Options of a [Queue].
type Options struct {
	Workers int           // passes at a time; 0: 1
	Jitter  time.Duration // ticks of a view come up to so much later, always by the same; at most a tenth of its interval
	Retry   time.Duration // the first time after a failure, doubled by each; 0: a second
	Longest time.Duration // what the doubling ends at; 0: five minutes
}

// Queue is what is due, what waits and what runs. One goroutine.
type Queue struct {
	opts   Options
	jobs   map[uint64]*job
	passes map[uint64]Pass
	order  []*job    // by number
	last   uint64    // number of the last pass
	lined  uint64    // how often a job came in line
	now    time.Time // the latest that was handed in
}

type job struct {
	Job
	next    time.Time // of a tick; zero: none
	due     bool      // in line
	place   uint64    // in line: who is lower came first
	cause   Cause
	since   time.Time // when the first change came that the view lacks
	dirty   bool      // it lacks changes since then
	running uint64    // the pass; 0: none
	fails   int
	retry   time.Time // not before; zero: at once
	took    time.Duration
	skipped int64
}

// NewQueue is an empty queue.
func NewQueue(o Options) *Queue {
	if o.Workers == 0 {
		o.Workers = 1
	}
	if o.Retry == 0 {
		o.Retry = time.Second
	}
	if o.Longest == 0 {
		o.Longest = 5 * time.Minute
	}
	return &Queue{opts: o, jobs: map[uint64]*job{}, passes: map[uint64]Pass{}}
}

// Set says which jobs there are. What is known of those that stay, stays; a job
// with another rule begins afresh.
func (q *Queue) Set(now time.Time, jobs []Job) {
	q.tell(now)
	there := map[uint64]bool{}
	for _, in := range jobs {
		there[in.ID] = true
		j := q.jobs[in.ID]
		if j != nil && j.Rule == in.Rule && j.Paused == in.Paused {
			j.Reads = in.Reads
			continue
		}
		fresh := &job{Job: in}
		if j != nil {
			fresh.running, fresh.skipped, fresh.took = j.running, j.skipped, j.took
			if !j.Paused && !in.Paused { // another rule: from now on
				in.Last = now
			}
		}
		fresh.next = q.tick(fresh, minTime(in.Last, now))
		q.jobs[in.ID] = fresh
	}
	for id := range q.jobs {
		if !there[id] {
			delete(q.jobs, id)
		}
	}
	q.order = q.order[:0]
	for _, j := range q.jobs {
		q.order = append(q.order, j)
	}
	slices.SortFunc(q.order, func(a, b *job) int { return cmp.Compare(a.ID, b.ID) })
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// tick is the next tick of j after a moment, its jitter added; zero: none.
func (q *Queue) tick(j *job, after time.Time) time.Time {
	shift := q.jitter(j)
	t := j.Rule.Next(after.Add(-shift))
	if t.IsZero() {
		return t
	}
	return t.Add(shift)
}

// jitter spreads jobs over time by their numbers.
func (q *Queue) jitter(j *job) time.Duration {
	most := q.opts.Jitter
	if j.Rule.Kind == Every {
		most = min(most, j.Rule.Interval()/10)
	}
	if most <= 0 {
		return 0
	}
	h := (j.ID + 1) * 0x9E3779B97F4A7C15 // spreads small numbers
	return time.Duration((h >> 1) % uint64(most))
}

// tell takes notice of the time. Where it runs backwards, nothing waits for what
// it has shown before, and what has waited already has.
func (q *Queue) tell(now time.Time) {
	if back := q.now.Sub(now); back > 0 {
		for _, j := range q.jobs {
			if next := q.tick(j, now); !j.next.IsZero() && next.Before(j.next) {
				j.next = next
			}
			if j.dirty {
				j.since = j.since.Add(-back)
			}
			if j.fails > 0 {
				j.retry = j.retry.Add(-back)
			}
		}
	}
	q.now = now
}

// backoff is the wait after so many failures.
func (q *Queue) backoff(fails int) time.Duration {
	if fails == 0 {
		return 0
	}
	d := q.opts.Retry
	for range fails - 1 {
		if d *= 2; d >= q.opts.Longest {
			return q.opts.Longest
		}
	}
	return min(d, q.opts.Longest)
}

// Touch says that a view lacks changes since a moment. It matters to rules that
// follow commits.
func (q *Queue) Touch(now, since time.Time, id uint64) {
	q.tell(now)
	j := q.jobs[id]
	if j == nil || j.dirty || !j.Rule.Follows() {
		return
	}
	j.dirty, j.since = true, minTime(since, now)
}

// Clean reports whether nobody has said that a job lacks changes.
func (q *Queue) Clean(id uint64) bool { j := q.jobs[id]; return j != nil && !j.dirty }

// margin is how long before its lag runs out a view is refreshed: twice what that
// took so far, and a tenth of the lag, but never more than half of it.
func (j *job) margin() time.Duration {
	return min(j.Rule.Lag/2, j.Rule.Lag/10+2*j.took)
}

// comes is when j comes in line, or is due again; zero: nothing is known that
// would bring it.
func (q *Queue) comes(j *job) (at time.Time, cause Cause) {
	if j.Paused {
		return at, 0
	}
	switch {
	case j.fails > 0 && j.running != 0: // it is being tried
		return at, ByRetry
	case j.fails > 0:
		return j.retry, ByRetry
	case j.Rule.Kind == Lag && j.dirty:
		return j.since.Add(j.Rule.Lag - j.margin()), ByLag
	case j.Rule.Kind == Commit && j.dirty:
		return j.since, ByCommit
	}
	return j.next, ByTick
}

// line brings in line what is due, and counts what comes when its place is taken.
func (q *Queue) line(now time.Time) {
	for _, j := range q.order {
		if !j.next.IsZero() && !j.next.After(now) {
			switch {
			case j.Paused:
			case j.due || j.fails > 0: // what waits, or is tried again, takes this too
				j.skipped += j.Rule.ticks(j.next, now)
			default:
				q.enter(j, ByTick)
			}
			j.next = q.tick(j, now)
		}
		if j.due {
			continue
		}
		if at, cause := q.comes(j); cause != ByTick && !at.IsZero() && !at.After(now) {
			q.enter(j, cause)
		}
	}
}

func (q *Queue) enter(j *job, cause Cause) {
	q.lined++
	j.due, j.cause, j.place = true, cause, q.lined
}

// Start gives the passes that start now, as far as workers are free. Views that
// have one below them in common, or above, are of one pass. A pass with a view
// that runs in another one waits.
func (q *Queue) Start(now time.Time) []Pass {
	q.tell(now)
	q.line(now)
	var out []Pass
	for _, group := range q.groups() {
		if len(q.passes) >= q.opts.Workers {
			break
		}
		if slices.ContainsFunc(group, func(j *job) bool { return j.running != 0 }) {
			continue
		}
		q.last++
		p := Pass{ID: q.last}
		for _, j := range group {
			cause := ByCascade
			if j.due {
				cause = j.cause
			}
			j.running, j.due, j.dirty = p.ID, false, false
			p.Targets = append(p.Targets, Target{j.ID, cause})
		}
		q.passes[p.ID] = p
		out = append(out, p)
	}
	return out
}

// Done says how a pass ended.
func (q *Queue) Done(now time.Time, pass uint64, outcomes []Outcome) {
	q.tell(now)
	p, ok := q.passes[pass]
	if !ok {
		return
	}
	delete(q.passes, pass)
	for _, t := range p.Targets {
		if j := q.jobs[t.ID]; j != nil && j.running == pass {
			j.running = 0
		}
	}
	for _, o := range outcomes {
		j := q.jobs[o.ID]
		if j == nil {
			continue
		}
		if o.Failed {
			if j.Rule.Automatic() {
				j.fails++
				j.retry = now.Add(q.backoff(j.fails))
			}
			continue
		}
		j.fails, j.retry = 0, time.Time{}
		if j.took = (3*j.took + o.Took) / 4; j.took < o.Took {
			j.took = o.Took
		}
	}
}

// Wake is when something comes in line next; zero: only when somebody says so.
func (q *Queue) Wake() (first time.Time) {
	for _, j := range q.jobs {
		if j.due || j.Paused {
			continue // waits for a pass to end
		}
		at, _ := q.comes(j)
		for _, t := range []time.Time{at, j.next} {
			if !t.IsZero() && (first.IsZero() || t.Before(first)) {
				first = t
			}
		}
	}
	return first
}

// Running is the number of passes that run.
func (q *Queue) Running() int { return len(q.passes) }

// State is what there is to say of a job.
type State struct {
	Running, Waiting, Paused bool
	Next                     time.Time // zero: not known
	Failures                 int       // in a row
	Skipped                  int64     // triggers that were dropped
}

// State is that of a job; false: there is none.
func (q *Queue) State(id uint64) (State, bool) {
	j, ok := q.jobs[id]
	if !ok {
		return State{}, false
	}
	at, _ := q.comes(j)
	return State{Running: j.running != 0, Waiting: j.due, Paused: j.Paused, Next: at, Failures: j.fails, Skipped: j.skipped}, true
}
