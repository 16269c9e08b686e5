package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/schedule"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// ScheduleOptions of [Engine.Schedule].
type ScheduleOptions struct {
	schedule.Options
	// Grace is how long refreshes that run may go on when the scheduler ends;
	// then they are cancelled.
	Grace time.Duration
	// Timer gives a channel that receives when the clock shows a time, and what
	// stops it; nil: by the time that is left until then.
	Timer func(at time.Time) (<-chan time.Time, func() bool)
	// Done hears of each refresh: its report, with Err of one that failed. It is
	// called by one goroutine at a time.
	Done func(*refresh.Report)
	// Verified hears of each verification, of a part of the rows of a view, and of the
	// error of one that could not be made. It is called as Done is.
	Verified func(*refresh.VerifyReport, error)
}

// patience bounds a wait: whoever sets the clock of the machine forward is noticed
// by then.
const patience = 20 * time.Second

// scheduler refreshes the views of one engine by their rules. All but the
// refreshes themselves happens in the goroutine of loop.
type scheduler struct {
	e    *Engine
	opts ScheduleOptions

	mu      sync.Mutex // of queue, which others look at
	queue   *schedule.Queue
	version uint64 // of the catalog that queue knows; 0: none
	jobs    map[storage.ID]*scheduled
	watched []storage.ID // whose rules look at commits

	done chan pass

	verify    map[storage.ID]*verifyJob
	verifying bool // one runs
	checked   chan verified
}

// scheduled is a view as read from its entry in the catalog.
type scheduled struct {
	obj  *storage.Object
	job  schedule.Job
	mode refresh.Mode
	refs map[string]storage.ID
	idle map[storage.ID]bool // tables whose changes alone trigger nothing

	verify verifyRule
}

// pass is one that has ended.
type pass struct {
	id      uint64
	start   time.Time
	reports []*refresh.Report
}

// Schedule refreshes views by the rules of their definitions until ctx ends, and
// then gives nil: nothing new starts, what runs may end within the grace. Views
// that are made, altered or dropped meanwhile are taken notice of. Errors: 55006,
// if a scheduler runs already; [ErrClosed].
func (e *Engine) Schedule(ctx context.Context, opts ScheduleOptions) (err error) {
	defer e.guard(&err)
	if err := e.life.enter(); err != nil {
		return err
	}
	defer e.life.calls.Done()
	if ctx.Err() != nil {
		return worded(ctxErr(ctx, ctx.Err()))
	}
	if opts.Timer == nil {
		opts.Timer = func(at time.Time) (<-chan time.Time, func() bool) {
			t := time.NewTimer(at.Sub(e.opts.Clock()))
			return t.C, t.Stop
		}
	}
	s := &scheduler{e: e, opts: opts, queue: schedule.NewQueue(opts.Options), jobs: map[storage.ID]*scheduled{}, done: make(chan pass), checked: make(chan verified)}
	if !e.scheduler.CompareAndSwap(nil, s) {
		return worded(zset.Errorf("55006", -1, "a scheduler is running on this database already"))
	}
	defer e.scheduler.Store(nil)
	ctx, cancel := e.life.bind(ctx)
	defer cancel()
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx)) // refreshes outlive ctx by the grace
	defer stop(nil)
	err = s.loop(ctx, work)
	s.drain(ctx, stop)
	return err
}

func (s *scheduler) loop(ctx, work context.Context) error {
	news := make(chan struct{})
	go s.listen(ctx, s.e.store.Applied(), news)
	quiet := false // nothing happened that would let something start
	for {
		now := s.e.opts.Clock()
		s.mu.Lock()
		quiet = !s.look(now) && quiet
		var passes []schedule.Pass
		if !quiet {
			passes = s.queue.Start(now)
		}
		wake := s.queue.Wake()
		if at := s.startVerify(work, now); wake.IsZero() || !at.IsZero() && at.Before(wake) {
			wake = at
		}
		s.mu.Unlock()
		for _, p := range passes {
			targets := s.targets(p)
			go func() { s.done <- s.run(work, p.ID, targets) }()
		}
		if late := now.Add(patience); wake.IsZero() || wake.After(late) {
			wake = late
		}
		timer, stop := s.opts.Timer(wake)
		quiet = false
		select {
		case <-ctx.Done():
			stop()
			if errors.Is(context.Cause(ctx), ErrClosed) {
				return ErrClosed
			}
			return nil
		case p := <-s.done:
			s.ended(p)
		case v := <-s.checked:
			s.endVerify(v)
		case <-news:
			quiet = true
		case <-timer:
		}
		stop()
	}
}

// listen says when something was committed behind at. Law: what it waits for next
// was read before the word is given, so who looks when it has the word sees all
// that is not waited for.
func (s *scheduler) listen(ctx context.Context, at storage.TSO, news chan<- struct{}) {
	for {
		if s.e.store.Wait(ctx, at) != nil {
			return
		}
		at = s.e.store.Applied()
		select {
		case news <- struct{}{}:
		case <-ctx.Done():
			return
		}
	}
}

// drain waits for the passes that run.
func (s *scheduler) drain(ctx context.Context, stop context.CancelCauseFunc) {
	if errors.Is(context.Cause(ctx), ErrClosed) {
		stop(ErrClosed)
	}
	timer, end := s.opts.Timer(s.e.opts.Clock().Add(s.opts.Grace))
	defer end()
	closed := s.e.life.ctx.Done()
	for s.queue.Running() > 0 || s.verifying {
		select {
		case p := <-s.done:
			s.ended(p)
		case v := <-s.checked:
			s.endVerify(v)
		case <-timer:
			stop(context.Canceled)
			timer = nil
		case <-closed:
			stop(ErrClosed)
			closed = nil
		}
	}
}

// look takes notice of the catalog and of commits; false: there is nothing new.
func (s *scheduler) look(now time.Time) bool {
	changed := false
	if cat := s.e.store.Catalog(); cat.Version()+1 != s.version {
		s.version = cat.Version() + 1
		s.read(cat, now)
		changed = true
	}
	at := s.e.store.Applied()
	for _, id := range s.watched {
		if !s.queue.Clean(uint64(id)) {
			continue
		}
		v := s.jobs[id]
		_, built := s.e.views.Frontier(id)
		deferred := !built && v.obj.Created <= at // its definition is there, and its rows are not
		if _, behind := s.e.views.BehindBut(id, at, v.idle); behind || deferred {
			s.queue.Touch(now, now, uint64(id))
			changed = true
		}
	}
	return changed
}

// read brings the jobs up to date with a catalog.
func (s *scheduler) read(cat *storage.Catalog, now time.Time) {
	old := s.jobs
	s.jobs, s.watched = map[storage.ID]*scheduled{}, nil
	var jobs []schedule.Job
	for _, obj := range cat.Objects() {
		if obj.Kind != storage.View {
			continue
		}
		v := old[obj.ID]
		if v == nil || v.obj != obj {
			var err error
			if v, err = scheduledOf(obj); err != nil {
				continue // whoever touches the view is told
			}
		}
		s.jobs[obj.ID] = v
		v.job.Reads = viewsRead(cat, v.refs)
		v.job.Last = obj.Created.Time()
		if f, built := s.e.views.Frontier(obj.ID); built {
			v.job.Last = f.Time()
		}
		jobs = append(jobs, v.job)
		if v.job.Rule.Follows() {
			s.watched = append(s.watched, obj.ID)
		}
	}
	s.queue.Set(now, jobs)
	s.readVerify(now)
}

// scheduledOf reads what of a definition matters here.
func scheduledOf(obj *storage.Object) (*scheduled, error) {
	var p struct {
		Refs    map[string]storage.ID `json:"refs"`
		Mode    refresh.Mode          `json:"mode"`
		Rule    schedule.Rule         `json:"rule"`
		Paused  bool                  `json:"paused"`
		Clauses viewClauses           `json:"clauses"`
	}
	if err := json.Unmarshal(obj.Payload, &p); err != nil {
		return nil, fmt.Errorf("definition of view %q: %w", obj.Name, err)
	}
	v := &scheduled{obj: obj, mode: p.Mode, refs: p.Refs, job: schedule.Job{ID: uint64(obj.ID), Rule: p.Rule, Paused: p.Paused},
		verify: p.Clauses.Verify}
	if p.Clauses.Excluded != nil {
		v.idle = map[storage.ID]bool{}
		for _, id := range p.Clauses.Excluded {
			v.idle[id] = true
		}
	}
	return v, nil
}

func (s *scheduler) targets(p schedule.Pass) []refresh.Target {
	out := make([]refresh.Target, 0, len(p.Targets))
	for _, t := range p.Targets {
		v := s.jobs[storage.ID(t.ID)]
		if v == nil { // dropped
			continue
		}
		to := refresh.Target{ID: v.obj.ID, Mode: v.mode, Trigger: refresh.Cascaded}
		if t.Cause != schedule.ByCascade {
			to.Trigger = triggerOf(v.job.Rule)
		}
		out = append(out, to)
	}
	return out
}

// run refreshes the views of a pass.
func (s *scheduler) run(ctx context.Context, id uint64, targets []refresh.Target) (p pass) {
	p = pass{id: id, start: time.Now()}
	err := s.e.work(ctx, func(ctx context.Context) error {
		p.reports = s.e.views.Cascade(ctx, targets)
		return nil
	})
	if err != nil { // closed, or a panic
		p.reports = nil
		for _, t := range targets {
			rep := &refresh.Report{ID: t.ID, Trigger: t.Trigger, Requested: t.Mode, Started: p.start, Err: err}
			if obj, ok := s.e.store.Catalog().ByID(t.ID); ok {
				rep.View = obj.Name
			}
			p.reports = append(p.reports, rep)
		}
	}
	return p
}

// ended notes the end of a pass.
func (s *scheduler) ended(p pass) {
	outcomes := make([]schedule.Outcome, 0, len(p.reports))
	for _, r := range p.reports {
		if r.Err != nil {
			r.Err = worded(r.Err)
		}
		outcomes = append(outcomes, schedule.Outcome{ID: uint64(r.ID), Failed: r.Err != nil, Took: r.Started.Add(r.Duration).Sub(p.start)})
		if s.opts.Done != nil {
			s.opts.Done(r)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue.Done(s.e.opts.Clock(), p.id, outcomes)
}

// JobState is what the scheduler knows of a view; false: none runs, or it does not
// know the view yet.
func (e *Engine) JobState(id storage.ID) (schedule.State, bool) {
	s := e.scheduler.Load()
	if s == nil {
		return schedule.State{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queue.State(uint64(id))
}
