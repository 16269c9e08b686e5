package refresh

import (
	"context"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/trace"
	"github.com/ivmc/ivmc/zset"
)

// Engine refreshes the views of one store. It is safe for concurrent use.
type Engine struct {
	store   *storage.Store
	planner Planner
	now     func() time.Time
	budget  *zset.Budget // nil: nothing is counted
	tracer  trace.Tracer // nil: nobody hears
	history history
	marks   marks
	sampled map[storage.ID]uint64 // parts of views that were verified
	helpers chan struct{}         // a place for each view that is refreshed beside another of its cascade

	mu    sync.Mutex
	views map[storage.ID]*entry
}

// entry is one view. Its turn is what serialises refreshes; waiting for it ends
// with the context.
type entry struct {
	turn     chan struct{}
	plans    Plans
	view     *runtime.View // nil until first touched
	frontier atomic.Uint64 // may be ahead of the stored one: a refresh that found nothing moves it
	past     past
	marked   *Mark // see [Engine.Marked]
	idle     idle
	stale    atomic.Pointer[string] // see [Engine.Stale]
	mem      atomic.Int64           // of its state, after its last step
	dropped  atomic.Bool            // the view is gone: whoever has the turn frees its memory
}

// New returns the engine of a store. Views are opened when first touched.
func New(store *storage.Store, planner Planner) *Engine {
	return &Engine{store: store, planner: planner, helpers: make(chan struct{}, max(goruntime.GOMAXPROCS(0)-1, 0)), now: time.Now, views: map[storage.ID]*entry{}, sampled: map[storage.ID]uint64{},
		history: history{keep: DefaultHistory, running: map[uint64]*Task{}, cancels: map[uint64]context.CancelFunc{}}}
}

// entry is that of a view, with its turn taken: the caller gives it back.
func (e *Engine) entry(ctx context.Context, id storage.ID) (*entry, error) {
	e.mu.Lock()
	en := e.views[id]
	if en == nil {
		en = &entry{turn: make(chan struct{}, 1)}
		e.views[id] = en
	}
	e.mu.Unlock()
	select {
	case en.turn <- struct{}{}:
		return en, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// done gives the turn back.
func (en *entry) done() {
	<-en.turn
	if en.dropped.Load() {
		en.free()
	}
}

// free gives back the memory of a view that has no turn running; its state is
// loaded again when needed. False: it had none, or is busy.
func (en *entry) free() bool {
	select {
	case en.turn <- struct{}{}:
	default:
		return false
	}
	defer func() { <-en.turn }()
	if en.view == nil {
		return false
	}
	held := en.view.MemBytes() > 0
	en.view.Forget()
	en.mem.Store(0)
	if en.dropped.Load() {
		en.view = nil
	}
	return held
}

// Account counts the memory of all views, while they compute and between their
// steps, against a budget (53200). When it runs short, views that nobody
// refreshes give theirs back first. Called before anything else, if at all.
func (e *Engine) Account(b *zset.Budget) {
	e.budget = b
	b.Reclaim(e.spare)
}

// spare frees the state of idle views. It waits for nobody: the caller may have
// a turn itself.
func (e *Engine) spare() bool {
	e.mu.Lock()
	all := make([]*entry, 0, len(e.views))
	for _, en := range e.views {
		all = append(all, en)
	}
	e.mu.Unlock()
	freed := false
	for _, en := range all {
		freed = en.free() || freed
	}
	return freed
}

// open makes the plans and opens the view of obj.
func (e *Engine) open(en *entry, obj *storage.Object) error {
	if en.view != nil {
		return nil
	}
	plans, err := e.planner.Plans(obj)
	if err != nil {
		return err
	}
	v, err := runtime.OpenView(e.store, obj, plans.Incremental, plans.Full)
	if err != nil {
		return err
	}
	v.Account(e.budget)
	en.plans, en.view, en.marked = plans, v, e.Marked(obj.ID)
	en.look()
	if o, built := v.Built(); built {
		en.advance(o.Frontier)
	}
	return nil
}

func (en *entry) advance(to storage.TSO) {
	if uint64(to) > en.frontier.Load() {
		en.frontier.Store(uint64(to))
	}
}

// hold opens a view by its id. Whoever has it calls done.
func (e *Engine) hold(ctx context.Context, id storage.ID) (*storage.Object, *entry, error) {
	obj, err := e.object(id)
	if err != nil {
		return nil, nil, err
	}
	en, err := e.opened(ctx, obj)
	return obj, en, err
}

// opened is the entry of an existing view, open and with its turn taken.
func (e *Engine) opened(ctx context.Context, obj *storage.Object) (*entry, error) {
	en, err := e.entry(ctx, obj.ID)
	if err != nil {
		return nil, err
	}
	if _, ok := e.store.Catalog().ByID(obj.ID); !ok { // dropped while we waited
		err = errGone(obj.Name)
		e.Drop(obj.ID)
	} else {
		err = e.open(en, obj)
	}
	if err != nil {
		en.done()
		return nil, err
	}
	return en, nil
}

// errGone is the error of a view that was dropped while it was refreshed.
func errGone(view string) error {
	return zset.Errorf("42P01", -1, "materialized view %q does not exist", view)
}

// object finds the catalog's entry of a view.
func (e *Engine) object(id storage.ID) (*storage.Object, error) {
	obj, ok := e.store.Catalog().ByID(id)
	if !ok || obj.Kind != storage.View {
		return nil, zset.Errorf("42P01", -1, "materialized view %d does not exist", id)
	}
	return obj, nil
}

// Create enters obj in the catalog and, with build, fills it, in one commit: of
// a view whose first build fails nothing is left. An obj.ID of 0 is given an id,
// see Report.ID. The commit is synced.
func (e *Engine) Create(ctx context.Context, obj storage.Object, build bool) (*Report, error) {
	return e.Replace(ctx, obj, build, 0, nil)
}

// Replace is [Engine.Create] that drops another object in the same commit; 0: none.
// Of a view that is dropped it takes over states, as [Engine.Redefine] does. With admit
// the view, which is built, moves with commits: it takes its place when it stands for all
// that was committed before, and the error is also that of what cannot be followed.
func (e *Engine) Replace(ctx context.Context, obj storage.Object, build bool, drop storage.ID, admit Admit) (*Report, error) {
	if obj.ID == 0 {
		obj.ID = e.store.NewID()
	}
	start := e.now()
	var of *predecessor
	if old, err := e.object(drop); err == nil && build {
		en, err := e.entry(ctx, drop)
		if err != nil {
			return nil, err
		}
		defer en.done()
		of = e.predecessor(en, old)
		defer of.forget()
	}
	en, err := e.entry(ctx, obj.ID)
	if err != nil {
		return nil, err
	}
	defer en.done()
	rep := e.creation(&obj, start)
	defer e.end(rep)
	if err := e.create(ctx, en, &obj, build, drop, rep, of, admit); err != nil {
		e.Drop(obj.ID) // frees its memory with the turn
		return nil, err
	}
	if drop != 0 {
		e.Drop(drop)
	}
	rep.Duration = e.now().Sub(start)
	return rep, nil
}

// Redefine gives a built view another definition with the same columns: its rows
// become those of the new one by their difference, in one commit with its entry,
// so that what reads the view goes on. If it fails, the view is as it was. States of
// operators that both definitions have over the same rows are taken over. For admit
// see [Engine.Replace].
func (e *Engine) Redefine(ctx context.Context, obj storage.Object, admit Admit) (*Report, error) {
	start := e.now()
	en, err := e.entry(ctx, obj.ID)
	if err != nil {
		return nil, err
	}
	defer en.done()
	old, err := e.object(obj.ID)
	if err != nil {
		return nil, err
	}
	of := e.predecessor(en, old)
	defer of.forget()
	rep := e.creation(&obj, start)
	defer e.end(rep)
	if err := e.create(ctx, en, &obj, true, 0, rep, of, admit); err != nil {
		if en.view != nil {
			en.view.Forget()
			en.view = nil // opened again by the definition that stands
		}
		return nil, err
	}
	rep.Duration = e.now().Sub(start)
	return rep, nil
}

// creation is the report of a first build.
func (e *Engine) creation(obj *storage.Object, start time.Time) *Report {
	rep := &Report{ID: obj.ID, View: obj.Name, Trigger: Creation, Configured: e.configured(obj), Requested: Complete, Planned: Complete, Executed: Complete,
		Started: start}
	e.begin(rep)
	return rep
}

// configured is the mode that a view was made for.
func (e *Engine) configured(obj *storage.Object) Mode {
	if c, ok := e.planner.(Configurer); ok {
		return c.Configured(obj)
	}
	return Auto
}

func (e *Engine) create(ctx context.Context, en *entry, obj *storage.Object, build bool, drop storage.ID, rep *Report, of *predecessor, admit Admit) error {
	if !build {
		c := &storage.Commit{Catalog: []storage.CatalogChange{{Put: obj}}}
		if drop != 0 {
			c.Catalog = append(c.Catalog, storage.CatalogChange{Drop: drop})
		}
		tso, err := e.store.Commit(ctx, c, storage.CommitOptions{Sync: true})
		rep.Commit, rep.NoOp = tso, true
		return err
	}
	if err := e.open(en, obj); err != nil {
		return err
	}
	base, unpin := e.inherit(ctx, en, of, rep)
	defer unpin()
	step, err := en.view.Build(ctx, base, true)
	if err != nil {
		return err
	}
	if drop != 0 {
		step.Drop(drop)
	}
	if admit != nil {
		return e.swap(ctx, en, step, admit, rep)
	}
	return e.commit(ctx, en, step, true, rep)
}

// commit commits a step with its record, and completes its report.
func (e *Engine) commit(ctx context.Context, en *entry, step *runtime.Step, sync bool, rep *Report) error {
	rep.ran(step)
	var notes []storage.Note
	if step.Pending {
		err := e.recall(rep.ID, &en.past)
		if err != nil {
			return err
		}
		now := e.now()
		t := rep.task(now)
		if notes, err = e.note(en, rep, &t, e.measured(en, rep, step, now)); err != nil {
			return err
		}
		if step.Built() && en.marked != nil {
			notes = append(notes, storage.Note{Object: rep.ID, Kind: noteMark})
		}
		step.Note(notes)
	}
	tso, err := step.Commit(ctx, sync)
	if err != nil {
		return err
	}
	rep.Commit = tso
	en.advance(step.To())
	if step.Built() && en.marked != nil {
		e.setMark(rep.ID, nil)
		en.marked = nil
	}
	if !rep.NoOp {
		en.look()
		en.mem.Store(en.view.MemBytes())
	}
	if en.past.noted(notes); rep.NoOp {
		en.idle.n.Add(1)
		en.idle.at.Store(micros(e.now()))
	}
	return nil
}

// ran takes in what a step did.
func (r *Report) ran(step *runtime.Step) {
	r.NoOp, r.Loaded = !step.Pending, step.Loaded()
	r.RowsIn, r.RowsOut = step.RowsIn, step.RowsOut
	r.From, r.To = step.From(), step.To()
	r.Plan = step.Plan()
	for _, o := range step.Operators() {
		r.Operators = append(r.Operators, OperatorTime{Name: string(o.Op), Rows: o.Rows, Time: o.Time})
	}
}

// Drop forgets a view. The caller's own commit drops its catalog entry, and its
// rows, states and offsets with it.
func (e *Engine) Drop(id storage.ID) {
	e.mu.Lock()
	en := e.views[id]
	delete(e.views, id)
	e.mu.Unlock()
	if en != nil {
		en.dropped.Store(true)
		en.free()
	}
}

// Frontier is the base TSO that a view stands for; false before its first build.
// It never waits for a refresh.
func (e *Engine) Frontier(id storage.ID) (storage.TSO, bool) {
	o, built := e.store.Offsets(id)
	if !built {
		return 0, false
	}
	e.mu.Lock()
	en := e.views[id]
	e.mu.Unlock()
	if en != nil {
		return max(o.Frontier, storage.TSO(en.frontier.Load())), true
	}
	return o.Frontier, true
}
