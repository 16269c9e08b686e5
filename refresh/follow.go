package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Commit commits c, and with it, in the same commit and at its TSO, moves the
// targets, given sources first: whoever sees the one sees the other. If a view
// cannot be moved, nothing is committed. Views that were never built stay so.
func (e *Engine) Commit(ctx context.Context, c *storage.Commit, o storage.CommitOptions, targets []Target) (storage.TSO, error) {
	f := &followers{e: e, ctx: ctx, targets: targets, entries: map[storage.ID]*entry{}}
	defer f.done()
	if err := f.turns(); err != nil {
		return 0, err
	}
	if len(f.entries) == 0 {
		return e.store.Commit(ctx, c, o)
	}
	return f.commit(c, o)
}

// Move moves views that move with commits, given sources first, in one commit of
// their own: nobody sees one without the others. There is a report for each that was
// ever built, in the order given. Mode Complete computes a view anew. If one cannot be
// moved, none is.
func (e *Engine) Move(ctx context.Context, c *storage.Commit, o storage.CommitOptions, targets []Target) ([]*Report, error) {
	f := &followers{e: e, ctx: ctx, targets: targets, entries: map[storage.ID]*entry{}}
	defer f.done()
	if err := f.turns(); err != nil || len(f.entries) == 0 {
		return nil, err
	}
	tso, err := f.commit(c, o)
	if err != nil {
		return nil, err
	}
	for _, rep := range f.reports {
		if rep.Duration = e.now().Sub(rep.Started); !rep.NoOp {
			rep.Commit = tso
		}
	}
	return f.reports, nil
}

func (f *followers) commit(c *storage.Commit, o storage.CommitOptions) (storage.TSO, error) {
	with := *c
	with.Follow = &storage.Following{Loads: f.loads(), Move: f.move}
	o.OnInstall = f.settle
	return f.e.store.Commit(f.ctx, &with, o)
}

// followers is one run of [Engine.Commit].
type followers struct {
	e       *Engine
	ctx     context.Context
	targets []Target
	entries map[storage.ID]*entry // whose turns it has
	steps   []followed
	reports []*Report
}

type followed struct {
	en    *entry
	step  *runtime.Step
	notes []storage.Note
}

// record adds the task of a view that moves to what is committed. One that cannot be
// moved leaves none: its commit is not made, and the writer has the error.
func (f *followers) record(en *entry, rep *Report, step *runtime.Step) ([]storage.Note, error) {
	if !step.Pending {
		return nil, nil
	}
	if step.Built() {
		rep.Planned, rep.Executed = Complete, Complete
		if rep.Requested != Complete {
			rep.Reason, rep.Detail = en.obstacle()
		}
	}
	f.e.begin(rep)
	f.e.end(rep)
	rep.RowsIn, rep.RowsOut, rep.From, rep.To = step.RowsIn, step.RowsOut, step.From(), step.To()
	task := rep.task(f.e.now())
	notes, err := f.e.note(en, rep, &task, false)
	if err != nil {
		return nil, err
	}
	if step.Built() && en.marked != nil {
		notes = append(notes, storage.Note{Object: rep.ID, Kind: noteMark})
	}
	step.Note(notes)
	return notes, nil
}

// turns takes the turns of the views by their ids, as a cascade does.
func (f *followers) turns() error {
	byID := slices.Clone(f.targets)
	slices.SortFunc(byID, func(a, b Target) int { return cmp.Compare(a.ID, b.ID) })
	for _, t := range byID {
		obj, err := f.e.object(t.ID)
		if err != nil { // dropped: the commit is planned anew
			return storage.ErrReplan
		}
		if _, built := f.e.store.Offsets(t.ID); !built {
			continue
		}
		en, err := f.e.opened(f.ctx, obj)
		if _, there := f.e.store.Catalog().ByID(t.ID); !there {
			if err == nil {
				en.done()
			}
			return storage.ErrReplan
		}
		if err != nil {
			return naming(obj.Name, err)
		}
		f.entries[t.ID] = en
		if err := f.e.recall(t.ID, &en.past); err != nil { // nothing is read within the turn
			return naming(obj.Name, err)
		}
	}
	return nil
}

func (f *followers) loads() (out []storage.ID) {
	for id, en := range f.entries {
		out = append(append(out, id), en.view.Inputs()...)
	}
	return out
}

// move is [storage.Following.Move].
func (f *followers) move(tso storage.TSO, also func(*storage.Commit) error) error {
	base := &runtime.Base{At: tso, Views: map[storage.ID]storage.TSO{}}
	f.steps, f.reports = nil, nil
	for _, t := range f.targets {
		en := f.entries[t.ID]
		if en == nil {
			continue
		}
		if err := f.moveOne(en, t, base, also); err != nil {
			obj, _ := f.e.object(t.ID)
			if obj == nil {
				return err
			}
			return naming(obj.Name, err)
		}
		base.Views[t.ID] = tso
	}
	return nil
}

func (f *followers) moveOne(en *entry, t Target, base *runtime.Base, also func(*storage.Commit) error) error {
	rep := &Report{ID: t.ID, Trigger: t.Trigger, Requested: t.Mode, Planned: Incremental, Executed: Incremental, Started: f.e.now()}
	if obj, err := f.e.object(t.ID); err == nil {
		rep.View, rep.Configured = obj.Name, f.e.configured(obj)
	}
	step, err := f.step(en, t, base)
	if err != nil {
		return err
	}
	notes, err := f.record(en, rep, step)
	if err != nil {
		return err
	}
	rep.ran(step)
	f.steps, f.reports = append(f.steps, followed{en, step, notes}), append(f.reports, rep)
	c, err := step.Writes()
	if err != nil || c == nil {
		return err
	}
	return also(c)
}

// step is one by the rule of every refresh: see [Engine.Refresh].
func (f *followers) step(en *entry, t Target, base *runtime.Base) (*runtime.Step, error) {
	reason, detail := en.obstacle()
	if reason != "" && t.Mode == Incremental {
		obj, err := f.e.object(t.ID)
		if err != nil {
			return nil, err
		}
		return nil, en.refusal(obj.Name, reason, detail)
	}
	if reason == "" && t.Mode != Complete {
		step, err := en.view.Step(f.ctx, base)
		if t.Mode == Incremental || !isCorrupt(err) {
			return step, err
		}
		en.view.Forget()
	}
	return en.view.Build(f.ctx, base, false)
}

// settle is called in the turn, when all of it is readable. Others may move the
// views from here on, before the disk has the commit.
func (f *followers) settle(tso storage.TSO) {
	for _, s := range f.steps {
		s.step.Settle(tso)
		s.en.advance(s.step.To())
		s.en.past.noted(s.notes)
		if s.step.Built() && s.en.marked != nil {
			f.e.setMark(s.step.View(), nil)
			s.en.marked = nil
		}
		s.en.mem.Store(s.en.view.MemBytes())
	}
	f.done()
}

func (f *followers) done() {
	for id, en := range f.entries {
		en.done()
		delete(f.entries, id)
	}
}

// naming says which view kept a commit from being made.
func naming(view string, err error) error {
	var z *zset.Error
	if !errors.As(err, &z) {
		return err
	}
	for _, kind := range []error{context.Canceled, context.DeadlineExceeded, storage.ErrConflict, storage.ErrFailed, storage.ErrClosed} {
		if errors.Is(err, kind) { // callers look for these
			return err
		}
	}
	named := *z
	named.Msg = fmt.Sprintf("materialized view %q, which is refreshed ON COMMIT: %s", view, z.Msg)
	if named.Object == "" {
		named.Object = view
	}
	named.Pos = -1 // of the definition, not of the statement that runs
	return &named
}
