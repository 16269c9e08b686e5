package refresh

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Engine refreshes the views of one store. It is safe for concurrent use.
type Engine struct {
	store   *storage.Store
	planner Planner
	now     func() time.Time

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
}

// New returns the engine of a store. Views are opened when first touched.
func New(store *storage.Store, planner Planner) *Engine {
	return &Engine{store: store, planner: planner, now: time.Now, views: map[storage.ID]*entry{}}
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

func (en *entry) done() { <-en.turn }

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
	en.plans, en.view = plans, v
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
	if obj.ID == 0 {
		obj.ID = e.store.NewID()
	}
	start := e.now()
	en, err := e.entry(ctx, obj.ID)
	if err != nil {
		return nil, err
	}
	defer en.done()
	rep := &Report{ID: obj.ID, View: obj.Name, Requested: Complete, Executed: Complete}
	if err := e.create(ctx, en, &obj, build, rep); err != nil {
		e.Drop(obj.ID)
		return nil, err
	}
	rep.Duration = e.now().Sub(start)
	return rep, nil
}

func (e *Engine) create(ctx context.Context, en *entry, obj *storage.Object, build bool, rep *Report) error {
	if !build {
		tso, err := e.store.Commit(ctx, &storage.Commit{Catalog: []storage.CatalogChange{{Put: obj}}}, storage.CommitOptions{Sync: true})
		rep.Commit, rep.NoOp = tso, true
		return err
	}
	if err := e.open(en, obj); err != nil {
		return err
	}
	step, err := en.view.Build(ctx, true)
	if err != nil {
		return err
	}
	return e.commit(ctx, en, step, true, rep)
}

// commit commits a step and completes its report.
func (e *Engine) commit(ctx context.Context, en *entry, step *runtime.Step, sync bool, rep *Report) error {
	tso, err := step.Commit(ctx, sync)
	if err != nil {
		return err
	}
	en.advance(step.To())
	rep.Commit, rep.NoOp = tso, !step.Pending
	rep.RowsIn, rep.RowsOut = step.RowsIn, step.RowsOut
	rep.From, rep.To = step.From(), step.To()
	for _, o := range step.Operators() {
		rep.Operators = append(rep.Operators, OperatorTime{Name: string(o.Op), Rows: o.Rows, Time: o.Time})
	}
	return nil
}

// Drop forgets a view. The caller's own commit drops its catalog entry, and its
// rows, states and offsets with it.
func (e *Engine) Drop(id storage.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.views, id)
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
