package runtime

import (
	"context"
	"errors"

	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

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
	defer r.mem.drop(&sum)
	if err := gather(r, s.root, &sum); err != nil {
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
