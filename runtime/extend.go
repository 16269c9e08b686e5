package runtime

import (
	"context"
	"errors"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Extend takes a build that is not committed on to a later base, so that what was
// computed aside takes its place in one commit, however much was written meanwhile.
// The view has an incremental plan. The caller pins the base of the build until then.
//
// Law: it is one change of the rows, from those that stand to those at the new base, and
// one of the states. When it fails, or the step is not committed after it, the memory of
// the view is of no use: the caller calls [View.Forget] and opens it again.
func (s *Step) Extend(ctx context.Context, base *Base) (err error) {
	v := s.v
	defer v.orFail(&err)
	defer guard(&err)
	rd, to, unpin := v.reading(base)
	defer unpin()
	sd := &sides{store: v.store, lo: s.to.Inputs, reads: rd}
	n, err := sd.pending(v.inputs())
	if err != nil || n == 0 {
		if err == nil {
			s.to = to
		}
		return err
	}
	s.adopt()
	if v.incTask, err = compile(v.inc, 0); err != nil {
		return err
	}
	next := &Step{v: v, root: v.incTask}
	if err := v.delta(ctx, next, sd); err != nil {
		return err
	}
	next.stateChanges(false)
	s.follow(next.states)
	s.later, s.to = next.root, to
	s.RowsIn += next.RowsIn
	if next.out == nil || next.out.N == 0 {
		return v.mem.hold(writeMemory, s)
	}
	var sum zset.Consolidator
	for _, b := range []*zset.Batch{s.Rows(), next.out} {
		if b != nil {
			sum.Add(b)
		}
	}
	s.out = sum.Result()
	rel, err := v.store.Relation(v.obj.ID)
	switch {
	case err != nil && !errors.Is(err, storage.ErrNoObject):
		return err
	case err == nil && rel.Rows(v.store.Applied()) > 0:
		if err := s.resolve(rel); err != nil {
			return err
		}
	default: // no rows, or no view yet
		rows := zset.NewBatch(v.obj.Schema.Types(), 0)
		if s.out != nil {
			expand(rows, s.out)
		}
		s.insert(rows)
	}
	return v.mem.hold(writeMemory, s)
}

// follow puts changes of states behind those of the step.
func (s *Step) follow(more []storage.StateChange) {
	at := map[storage.StateID]int{}
	for i := range s.states {
		at[s.states[i].ID] = i
	}
	for _, c := range more {
		i, ok := at[c.ID]
		if !ok {
			s.states = append(s.states, c)
			continue
		}
		for k := range c.Keys.Len() {
			s.states[i].Keys.Append(c.Keys.At(k))
			s.states[i].Vals.Append(c.Vals.At(k))
		}
	}
}
