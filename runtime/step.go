package runtime

import (
	"context"
	"errors"
	"math"
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
	s.cold = v.incTask == nil || v.states == nil
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
	root.open(r)
	for {
		b, err := root.pull(r)
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		sum.Add(b)
		if err := r.hold(rowsMemory, &sum); err != nil {
			return nil, err
		}
	}
	return sum.Result(), finish(r, root)
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

// Build computes the view from empty at a base, nil: at the applied TSO, and with
// it fresh states. If the view has rows, the change is the net difference, so that
// whoever reads its log sees what differs and no more. create puts it into the
// catalog in the same commit, in place of the definition it had, if it had one.
func (v *View) Build(ctx context.Context, base *Base, create bool) (s *Step, err error) {
	defer v.orFail(&err)
	defer guard(&err)
	v.begin()
	rd, to, unpin := v.reading(base)
	defer unpin()

	s = &Step{v: v, from: v.offsets, to: to, Pending: true, built: true}
	if v.fullTask, err = compile(v.full, v.now(rd.last)); err != nil {
		return nil, err
	}
	s.root = v.fullTask
	if v.heir != nil {
		s.cold = true
		v.heir.hand(s.root, len(v.full.States))
	}
	r := &run{ctx: ctx, clock: v.clock, source: &snapshot{v.store, rd.at}, object: v.obj.Name, creates: create, mem: v.mem}
	if v.inc != nil {
		s.fresh = emptyStates(v.full)
		s.fresh.fresh = true
		r.states = s.fresh
	}
	if create {
		s.catalog = []storage.CatalogChange{{Put: v.obj}}
	}
	rel, err := v.store.Relation(v.obj.ID)
	if err != nil && !(create && errors.Is(err, storage.ErrNoObject)) {
		return nil, err
	}
	if rel == nil || rel.Rows(v.store.Applied()) == 0 {
		err = v.fill(r, s)
	} else {
		err = v.replace(r, s, rel)
	}
	if err != nil {
		return nil, err
	}
	s.RowsIn = r.rowsIn
	if v.heir != nil {
		s.RowsIn += v.heir.rowsIn
	}
	if err := v.buildStates(s); err != nil {
		return nil, err
	}
	v.last = s
	return s, v.mem.hold(writeMemory, s)
}

func (v *View) buildStates(s *Step) error {
	m, err := v.meta()
	if err != nil {
		return err
	}
	s.states = append(s.states, m)
	n := 0
	if s.fresh != nil {
		s.stateChanges(true)
		n = len(v.full.States)
	}
	if v.heir != nil {
		s.states = v.heir.stateChanges(v.obj.ID, s.states)
		v.heir = nil
	}
	s.states = v.clearStates(n, s.states)
	return nil
}

// fill makes the change of a view that has no rows.
func (v *View) fill(r *run, s *Step) error {
	rows := zset.NewBatch(v.obj.Schema.Types(), 0)
	s.root.open(r)
	for {
		b, err := s.root.pull(r)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		expand(rows, b)
		if err := r.hold(rowsMemory, (*heldBatch)(rows)); err != nil {
			return err
		}
	}
	r.mem.drop((*heldBatch)(rows))
	if err := finish(r, s.root); err != nil {
		return err
	}
	s.insert(rows)
	return nil
}

// insert makes rows the change of a view that has none.
func (s *Step) insert(rows *zset.Batch) {
	s.RowsOut, s.change = int64(rows.N), nil
	if rows.N == 0 {
		return
	}
	ops := make([]storage.Op, rows.N)
	for i := range ops {
		ops[i] = storage.OpInsert
	}
	s.change = &storage.Change{Rel: s.v.obj.ID, SchemaVersion: s.v.obj.SchemaVersion, Ops: ops, Rows: rows}
}

// replace makes the change of a view that has rows: new less old.
func (v *View) replace(r *run, s *Step, rel *storage.Relation) error {
	var sum zset.Consolidator
	s.root.open(r)
	for {
		b, err := s.root.pull(r)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		sum.Add(b)
		if err := r.hold(rowsMemory, &sum); err != nil {
			return err
		}
	}
	defer r.mem.drop(&sum)
	if err := finish(r, s.root); err != nil {
		return err
	}
	if err := subtract(r, &sum, rel, v.store.Applied(), nil); err != nil {
		return err
	}
	s.out = sum.Result()
	return s.resolve(rel)
}

// resolve makes what changes in a view that has rows a change.
func (s *Step) resolve(rel *storage.Relation) (err error) {
	s.RowsOut, s.change = 0, nil
	if s.out == nil || s.out.N == 0 {
		return nil
	}
	if s.change, err = rel.Resolve(s.out, s.v.store.Applied()); err == nil {
		s.RowsOut = int64(len(s.change.Ops))
	}
	return err
}

// subtract takes the rows of rel at a TSO, or a part of them, from sum.
func subtract(r *run, sum *zset.Consolidator, rel *storage.Relation, at storage.TSO, part *Sample) error {
	var keys zset.Keys
	cur := rel.Scan(at, allColumns(rel), false)
	quiet := *r
	var minus []int64
	for {
		b, err := pullCursor(&quiet, cur)
		if err != nil || b == nil {
			return err
		}
		b = part.of(b, &keys)
		for len(minus) < b.N {
			minus = append(minus, -1)
		}
		sum.Add(&zset.Batch{Cols: b.Cols, N: b.N, W: minus[:b.N]})
		if err := r.hold(rowsMemory, sum); err != nil {
			return err
		}
	}
}

func allColumns(rel *storage.Relation) []int {
	cols := make([]int, len(rel.Schema()))
	for i := range cols {
		cols[i] = i
	}
	return cols
}

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
