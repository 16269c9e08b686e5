package refresh

import (
	"context"
	"errors"

	"github.com/ivmc/ivmc/runtime"
	"github.com/ivmc/ivmc/storage"
)

// Admit says whether a view that is to move with commits still can, by the catalog of
// the moment in which its definition takes its place; nil: the view does not move.
type Admit func(*storage.Catalog) error

// swap commits a build in which a view takes the place of another definition and moves with
// commits from then on: what was written since the build began is followed in the very turn
// of the commit, so that the definition that takes its place is right or does not take it.
func (e *Engine) swap(ctx context.Context, en *entry, step *runtime.Step, admit Admit, rep *Report) error {
	if err := e.recall(rep.ID, &en.past); err != nil { // nothing is read within the turn
		return err
	}
	whole, err := step.Writes()
	if err != nil {
		return err
	}
	loads := en.view.Inputs()
	if _, err := e.store.Relation(rep.ID); err == nil {
		loads = append([]storage.ID{rep.ID}, loads...)
	}
	rep.ran(step)
	learned := e.measured(en, rep, step, e.now())
	var notes []storage.Note
	move := func(tso storage.TSO, also func(*storage.Commit) error) error {
		if err := admit(e.store.Catalog()); err != nil {
			return err
		}
		if err := step.Extend(ctx, &runtime.Base{At: tso}); err != nil {
			return err
		}
		rep.RowsIn, rep.RowsOut, rep.To = step.RowsIn, step.RowsOut, step.To()
		t := rep.task(e.now())
		if notes, err = e.note(en, rep, &t, learned); err != nil {
			return err
		}
		if en.marked != nil {
			notes = append(notes, storage.Note{Object: rep.ID, Kind: noteMark})
		}
		step.Note(notes)
		c, err := step.Writes()
		if err != nil {
			return err
		}
		c.Catalog = nil // it is of the commit
		return also(c)
	}
	c := &storage.Commit{Catalog: whole.Catalog, Follow: &storage.Following{Loads: loads, Move: move}}
	o := storage.CommitOptions{Sync: true, OnInstall: func(tso storage.TSO) {
		step.Settle(tso)
		en.past.noted(notes)
	}}
	tso, err := e.store.Commit(ctx, c, o)
	if errors.Is(err, storage.ErrReplan) { // what it reads was dropped
		err = storage.ErrConflict
	}
	if err != nil {
		return err
	}
	rep.Commit = tso
	en.advance(step.To())
	if en.marked != nil {
		e.setMark(rep.ID, nil)
		en.marked = nil
	}
	en.look()
	en.mem.Store(en.view.MemBytes())
	return nil
}

// fixedBase is the applied TSO as a base for builds of views, pinned.
func (e *Engine) fixedBase(views ...*runtime.View) (*runtime.Base, func()) {
	base := &runtime.Base{Views: map[storage.ID]storage.TSO{}, Below: map[storage.ID]storage.TSO{}}
	for _, v := range views {
		for _, in := range v.Inputs() {
			if o, view := e.store.Offsets(in); view {
				base.Below[in] = o.Frontier
			}
		}
	}
	at, unpin := e.store.PinApplied()
	base.At = at
	return base, unpin
}
