package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/refresh"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/trace"
	"github.com/ivmc/ivmc/zset"
)

// Options of [Open]. The zero Options are those of a durable store.
type Options struct {
	InMemory    bool             // nothing survives Close; dir is not touched
	MustExist   bool             // do not create a store
	FS          vfs.FS           // nil: the operating system's
	Clock       func() time.Time // nil: time.Now
	NoSync      bool             // commits do not wait for the disk
	NoFiles     bool             // COPY is refused
	MemoryLimit int64            // bytes that statements, transactions and the states of views may hold; 0: no limit
	Logger      storage.Logger   // nil: silence
	Limits      ast.Limits       // of a statement's text; zero: the defaults
	History     int              // tasks that are kept of each view; 0: [refresh.DefaultHistory]
	Functions   *expr.Library    // beside our own; nil: none
	Tracer      trace.Tracer     // nil: nobody hears of what is done
}

// Engine is an open store and what its sessions share. It is safe for concurrent use.
type Engine struct {
	opts    Options
	store   *storage.Store
	views   *refresh.Engine
	budget  *zset.Budget
	ddl     chan struct{} // holds one while the catalog changes, first builds included
	life    *life
	handing sync.Mutex // of deliveries of streams, see handed
	facts   sync.Map   // of views, by storage.ID: *facts
	rules   sync.Map   // of tables, by storage.ID: *rules

	scheduler atomic.Pointer[scheduler] // nil: none runs
	onCommit  atomic.Pointer[onCommit]  // of some version of the catalog
}

// Open opens or creates the store in dir.
func Open(dir string, opts Options) (*Engine, error) {
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	if opts.Limits == (ast.Limits{}) {
		opts.Limits = ast.DefaultLimits()
	}
	if opts.InMemory {
		opts.FS, opts.NoSync, dir = vfs.NewMem(), true, "mem"
	}
	st, err := storage.Open(dir, &storage.Options{
		FS: opts.FS, Clock: opts.Clock, NoSync: opts.NoSync, Memory: opts.InMemory, MustExist: opts.MustExist, Logger: opts.Logger, Tracer: opts.Tracer,
	})
	if err != nil {
		return nil, err
	}
	e := &Engine{opts: opts, store: st, budget: zset.NewBudget(opts.MemoryLimit), ddl: make(chan struct{}, 1), life: newLife(st.Lost)}
	e.views = refresh.New(st, planner{e})
	e.views.Account(e.budget)
	e.views.Trace(opts.Tracer)
	e.views.Remember(opts.History)
	return e, nil
}

// Close ends the statements that run ([ErrClosed]), waits for them and closes
// the store. Rows that are open give ErrClosed from then on.
func (e *Engine) Close() error {
	if !e.life.close() {
		return ErrClosed
	}
	return e.store.Close()
}

// Session returns a new session with default settings.
func (e *Engine) Session() *Session { return &Session{engine: e, settings: defaultSettings()} }

// Store is the store below, for readers of the change log.
func (e *Engine) Store() *storage.Store { return e.store }

// Budget is the account of the memory limit.
func (e *Engine) Budget() *zset.Budget { return e.budget }

// reserve takes n bytes more for what then holds all (53200).
func (e *Engine) reserve(what string, n, all int64) error {
	err := e.budget.Reserve(n)
	var z *zset.Error
	if errors.As(err, &z) {
		z.Detail = fmt.Sprintf("The %s need %d bytes; everything else holds %d.", what, all, e.budget.Used()-(all-n))
	}
	return err
}

// commit is the one way to the store's door. Views that are refreshed ON COMMIT
// move with what they read.
func (e *Engine) commit(ctx context.Context, c *storage.Commit) (storage.TSO, error) {
	return e.commitWith(ctx, c, true)
}

// commitWith does not wait for the disk without sync.
func (e *Engine) commitWith(ctx context.Context, c *storage.Commit, sync bool) (storage.TSO, error) {
	o := storage.CommitOptions{Sync: sync && !e.opts.NoSync}
	if len(c.Changes) == 0 {
		return e.store.Commit(ctx, c, o)
	}
	for try := 0; ; try++ {
		cat := e.store.Catalog()
		with := *c
		with.Planned = cat.Version() + 1
		tso, err := e.views.Commit(ctx, &with, o, e.followers(cat, c.Changes))
		if !errors.Is(err, storage.ErrReplan) || try == conflictRetries {
			return tso, err
		}
	}
}

// Verify recomputes a view as of its own offsets and compares. One that differs is
// marked, see [refresh.Engine.Verify].
func (e *Engine) Verify(ctx context.Context, view string) (rep *refresh.VerifyReport, err error) {
	err = e.call(ctx, view, func(ctx context.Context, obj *storage.Object) error {
		rep, err = e.views.Verify(ctx, obj.ID)
		return err
	})
	return rep, err
}

// VerifySample verifies a part of the rows of a view, each call the next one.
func (e *Engine) VerifySample(ctx context.Context, view string, parts int) (rep *refresh.VerifyReport, err error) {
	err = e.call(ctx, view, func(ctx context.Context, obj *storage.Object) error {
		rep, err = e.views.VerifySample(ctx, obj.ID, parts)
		return err
	})
	return rep, err
}

// call runs f for a view by name, as a statement of its own.
func (e *Engine) call(ctx context.Context, view string, f func(ctx context.Context, obj *storage.Object) error) error {
	return e.within(ctx, func(ctx context.Context) error {
		obj, err := viewOf(e.store.Catalog(), view, -1)
		if err != nil {
			return err
		}
		return f(ctx, obj)
	})
}

// within runs f as a statement of its own.
func (e *Engine) within(ctx context.Context, f func(ctx context.Context) error) (err error) {
	defer e.guard(&err)
	if err := e.life.enter(); err != nil {
		return err
	}
	defer e.life.calls.Done()
	ctx, cancel := e.life.bind(ctx)
	defer cancel()
	if err = ctx.Err(); err == nil {
		err = f(ctx)
	}
	return worded(ctxErr(ctx, err))
}

// RefreshView refreshes a view by name.
func (e *Engine) RefreshView(ctx context.Context, view string, word ast.RefreshMode) (rep *refresh.Report, err error) {
	err = e.call(ctx, view, func(ctx context.Context, obj *storage.Object) error {
		rep, err = e.Refresh(ctx, obj, word)
		return err
	})
	return rep, err
}

// RefreshCascade refreshes what a view reads and then the view.
func (e *Engine) RefreshCascade(ctx context.Context, view string, word ast.RefreshMode) (reps []*refresh.Report, err error) {
	err = e.call(ctx, view, func(ctx context.Context, obj *storage.Object) error {
		reps, err = e.cascade(ctx, obj, word)
		return err
	})
	return reps, err
}

// RefreshViews refreshes views from one base, with below also what they read; no
// names are all views. A view that fails has its error in its report.
func (e *Engine) RefreshViews(ctx context.Context, names []string, word ast.RefreshMode, below bool) (reps []*refresh.Report, err error) {
	err = e.within(ctx, func(ctx context.Context) error {
		reps = e.together(ctx, names, word, below)
		return nil
	})
	return reps, err
}

// Views lists the materialized views, sources before the views that read them.
func (e *Engine) Views() []string {
	var out []string
	cat := e.store.Catalog()
	seen := map[storage.ID]bool{}
	var visit func(obj *storage.Object)
	visit = func(obj *storage.Object) {
		if seen[obj.ID] || obj.Kind != storage.View && obj.Kind != storage.Query {
			return
		}
		seen[obj.ID] = true
		for _, id := range slices.Sorted(maps.Values(e.refsOf(obj))) {
			if in, ok := cat.ByID(id); ok {
				visit(in)
			}
		}
		if obj.Kind == storage.View {
			out = append(out, obj.Name)
		}
	}
	for _, obj := range cat.Objects() {
		visit(obj)
	}
	return out
}

// Sources lists the materialized views below one, sources first.
func (e *Engine) Sources(view string) []string {
	cat := e.store.Catalog()
	obj, ok := cat.ByName(view)
	if !ok || obj.Kind != storage.View && obj.Kind != storage.Query {
		return nil
	}
	ids := map[storage.ID]bool{}
	e.below(cat, obj, ids)
	if len(ids) == 0 {
		return nil
	}
	var out []string
	for _, name := range e.Views() {
		if in, ok := cat.ByName(name); ok && ids[in.ID] {
			out = append(out, name)
		}
	}
	return out
}

// below adds to seen the views, plain ones too, that obj reads, directly or not.
func (e *Engine) below(cat *storage.Catalog, obj *storage.Object, seen map[storage.ID]bool) {
	for _, id := range e.refsOf(obj) {
		in, ok := cat.ByID(id)
		if ok && !seen[id] && (in.Kind == storage.View || in.Kind == storage.Query) {
			seen[id] = true
			e.below(cat, in, seen)
		}
	}
}
