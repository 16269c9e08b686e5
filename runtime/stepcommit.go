package runtime

import (
	"context"
	"math"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Drop lets the commit of the step drop an object.
func (s *Step) Drop(id storage.ID) {
	s.catalog = append(s.catalog, storage.CatalogChange{Drop: id})
}

// View is the view that the step moves.
func (s *Step) View() storage.ID { return s.v.obj.ID }

// Built reports whether the step computes the view anew.
func (s *Step) Built() bool { return s.built }

// Cold reports whether the step had to load or compile what the next one will not.
func (s *Step) Cold() bool { return s.cold }

// Loaded reports whether the states of the view came from the store.
func (s *Step) Loaded() bool { return s.loaded }

// Note lets the commit of the step write notes; of one that has nothing to commit
// they are not written.
func (s *Step) Note(notes []storage.Note) { s.notes = append(s.notes, notes...) }

// Commit makes the step readable: view rows, states, offsets, and for a new view
// its catalog entry, in one commit (I3). Only then is the state in memory
// changed. With sync it returns when the disk has it.
func (s *Step) Commit(ctx context.Context, sync bool) (tso storage.TSO, err error) {
	v := s.v
	defer func() {
		if err != nil && s.TSO != 0 { // committed, and then the memory was left half done: the store has it all
			v.Forget()
			v.offsets, v.built = v.store.Offsets(v.obj.ID)
		}
	}()
	defer v.orFail(&err)
	defer guard(&err)
	c, err := s.Writes()
	if err != nil {
		return 0, err
	}
	if c != nil {
		if s.TSO, err = v.store.Commit(ctx, c, storage.CommitOptions{Sync: sync}); err != nil {
			return 0, err
		}
	}
	s.settle()
	return s.TSO, nil
}

// Writes is what the step commits; nil: nothing. Whoever commits it as part of
// another commit calls [Step.Settle] behind it.
func (s *Step) Writes() (*storage.Commit, error) {
	if !s.Pending {
		return nil, nil
	}
	for i := range s.states {
		if st := &s.states[i]; len(st.Keys.Buf) > math.MaxUint32 || len(st.Vals.Buf) > math.MaxUint32 {
			return nil, zset.Errorf(zset.CodeOutOfMemory, -1, "a step writes more than 4 GiB of one state")
		}
	}
	c := &storage.Commit{States: s.states, Catalog: s.catalog, Notes: s.notes,
		Offsets: []storage.OffsetChange{{View: s.v.obj.ID, Set: s.to}}}
	if s.change != nil {
		c.Changes = []*storage.Change{s.change}
	}
	return c, nil
}

// Settle brings the memory of the view up to its commit, which was at tso. Where
// that cannot be done, it is read anew from the store.
func (s *Step) Settle(tso storage.TSO) {
	v, err := s.v, error(nil)
	defer func() {
		if err != nil {
			v.failed()
			v.Forget()
			v.offsets, v.built = v.store.Offsets(v.obj.ID)
		}
	}()
	defer guard(&err)
	s.TSO = tso
	s.settle()
}

func (s *Step) settle() {
	v := s.v
	if !s.Pending {
		v.offsets.Frontier = s.to.Frontier
		return
	}
	if s.later == nil {
		s.adopt()
	} else {
		v.install(s.later)
	}
	v.offsets, v.built = s.to, true
	v.settled(s)
}

// adopt makes the states of the run those of the view, in memory.
func (s *Step) adopt() {
	v := s.v
	if s.fresh != nil || v.inc == nil {
		v.mem.drop(v.states)
		v.states, v.stale, v.oldStates = s.fresh, "", len(v.full.States)
	}
	v.install(s.root)
}

func (v *View) install(root *task) {
	if v.states == nil {
		return
	}
	root.walk(func(t *task) {
		if k, ok := t.op.(stateful); ok {
			k.install(v.states)
		}
	})
	v.states.fresh = false
}
