package runtime

import (
	"context"
	"time"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// Step is the private write set of one advance of a view. Nothing is changed,
// in the store or in memory, before Commit; a step that is dropped leaves
// nothing (I12).
type Step struct {
	v       *View
	root    *task
	from    storage.Offsets
	to      storage.Offsets
	change  *storage.Change
	states  []storage.StateChange
	catalog []storage.CatalogChange
	notes   []storage.Note
	built   bool        // the view is computed anew
	later   *task       // of a build: what ran in [Step.Extend]; nil: nothing
	cold    bool        // something was loaded or compiled for it
	loaded  bool        // the states were
	fresh   *states     // of a build: take the place of the view's
	out     *zset.Batch // of a step: what changes, consolidated
	release func()

	// Pending is false if nothing changed: there is nothing to commit.
	Pending bool
	RowsIn  int64
	RowsOut int64
	TSO     storage.TSO // of the commit
}

// Operator is the share of one operator in a run.
type Operator struct {
	Op   delta.Op
	Rows int64
	Time time.Duration
}

// Operators lists the operators of the run, inputs first.
func (s *Step) Operators() []Operator {
	var out []Operator
	if s.root != nil {
		s.root.walk(func(t *task) { out = append(out, Operator{t.node.Op, t.rows, t.self()}) })
	}
	return out
}

// From and To are the frontiers before and after.
func (s *Step) From() storage.TSO { return s.from.Frontier }

// Rows is what changes in the view, consolidated, with weights; nil for nothing.
// Of a build it is all its rows, and only of a view that has none.
func (s *Step) Rows() *zset.Batch {
	if s.out == nil && s.change != nil {
		return zset.Consolidate(s.change.Rows)
	}
	return s.out
}

// To is the frontier that the step leads to.
func (s *Step) To() storage.TSO { return s.to.Frontier }

// Step computes the advance from where the view stands to a base; nil: to the
// applied TSO. The view is built, not stale, and has an incremental plan.
func (v *View) Step(ctx context.Context, base *Base) (s *Step, err error) {
	defer v.orFail(&err)
	defer guard(&err)
	v.begin()
	rd, to, unpin := v.reading(base)
	defer unpin()
	lo := rd.hi
	for _, at := range v.offsets.Inputs {
		lo = min(lo, at)
	}
	defer v.store.Pin(lo)() // a table may let its history go that views have not read

	s = &Step{v: v, from: v.offsets, to: to}
	sd := &sides{store: v.store, lo: v.offsets.Inputs, reads: rd}
	n, err := sd.pending(v.inputs())
	if err != nil || n == 0 {
		return s, err
	}
	s.Pending = true
	s.loaded = v.states == nil
	s.cold = v.incTask == nil || s.loaded
	if v.incTask == nil {
		if v.incTask, err = compile(v.inc, 0); err != nil {
			return nil, err
		}
	}
	if v.states == nil {
		if v.states, err = loadStates(v.store, v.obj.ID, stateGen, v.inc, v.mem); err != nil {
			return nil, err
		}
	}
	s.root = v.incTask
	if err := v.advance(ctx, s, sd); err != nil {
		return nil, err
	}
	s.stateChanges(false)
	s.rewrite()
	v.last = s
	return s, v.mem.hold(writeMemory, s)
}

// writeMemory is what errors call the write set of a step.
const writeMemory = "write set of the view"

func (v *View) orFail(err *error) {
	if *err != nil {
		v.failed()
	}
}

// advance runs the plan of the step. Rows that came and went add up to nothing
// wherever they cancel, except that an expression may raise for one that the
// definition never sees (I4). So only a run that failed is run again with every delta
// consolidated before such an expression, and that run's word counts.
func (v *View) advance(ctx context.Context, s *Step, sd *sides) error {
	if err := v.delta(ctx, s, sd); err != nil || s.out == nil || s.out.N == 0 {
		return err
	}
	rel, err := v.store.Relation(v.obj.ID)
	if err != nil {
		return err
	}
	return s.resolve(rel)
}

// delta is what changes in the rows of the view.
func (v *View) delta(ctx context.Context, s *Step, sd *sides) error {
	r := &run{ctx: ctx, clock: v.clock, sides: sd, states: v.states, object: v.obj.Name, mem: v.mem}
	out, err := v.collect(r, s.root)
	if err != nil && ctx.Err() == nil && s.root.has(delta.OpConsolidate) {
		again := *r
		again.rowsIn, again.settle = 0, true
		r = &again
		out, err = v.collect(r, s.root)
	}
	if err != nil {
		return err
	}
	s.RowsIn, s.out = r.rowsIn, out
	return nil
}

// collect runs a plan and consolidates its output.
func (v *View) collect(r *run, root *task) (*zset.Batch, error) {
	var sum zset.Consolidator
	defer r.mem.drop(&sum)
	if err := gather(r, root, &sum); err != nil {
		return nil, err
	}
	return sum.Result(), nil
}

// gather runs a plan to its end and adds its output to sum.
func gather(r *run, root *task, sum *zset.Consolidator) error {
	root.open(r)
	for {
		b, err := root.pull(r)
		if err != nil {
			return err
		}
		if b == nil {
			return finish(r, root)
		}
		sum.Add(b)
		if err := r.hold(rowsMemory, sum); err != nil {
			return err
		}
	}
}

// rowsMemory is what errors call the rows of a view that a run has made.
const rowsMemory = "output for the view"

// finish lets operators that keep state work out what they keep.
func finish(r *run, root *task) (err error) {
	root.walk(func(t *task) {
		if k, ok := t.op.(*keepOp); ok && err == nil {
			err = k.finish(r)
		}
	})
	return err
}

// stateChanges collects what the run changed in the states.
func (s *Step) stateChanges(replace bool) {
	w := &writeSet{view: s.v.obj.ID, gen: stateGen, replace: replace}
	s.root.walk(func(t *task) {
		if k, ok := t.op.(stateful); ok {
			k.stateChanges(w)
		}
	})
	s.states = append(s.states, w.out...)
}

// rewriteSlack is how many bytes of log a small state may gather.
const rewriteSlack = 64 << 10

// rewrite replaces the log of a state that has grown beyond twice the state: all
// of the state as it was goes before the changes of the step.
func (s *Step) rewrite() {
	for i := range s.states {
		c := &s.states[i]
		base, log := s.v.store.StateBytes(c.ID)
		if log <= 2*base+rewriteSlack {
			continue
		}
		all := storage.StateChange{ID: c.ID, Replace: true}
		s.v.states.dump(c.ID.N-1, &all)
		for k := range c.Keys.Len() {
			all.Keys.Append(c.Keys.At(k))
			all.Vals.Append(c.Vals.At(k))
		}
		*c = all
	}
}
