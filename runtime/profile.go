package runtime

import (
	"time"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/storage"
)

// Plan is the plan that the step ran; nil: nothing was pending.
func (s *Step) Plan() *delta.Plan {
	switch {
	case s.root == nil:
		return nil
	case s.v.inc != nil && s.root.node == s.v.inc.Root:
		return s.v.inc
	}
	return s.v.full
}

// Time lets every operator of the query be timed. Called before the first Next.
func (q *Rows) Time(clock func() time.Time) { q.run.clock = clock }

// Operators lists the operators of the query, inputs first. Called before Close.
func (q *Rows) Operators() (out []Operator) {
	if q.root != nil {
		q.root.walk(func(t *task) { out = append(out, Operator{t.node.Op, t.rows, t.self()}) })
	}
	return out
}

// StateBytes is the size on disk of state n, from 0, of a view; 0: not known.
func StateBytes(store *storage.Store, view storage.ID, n int) int64 {
	base, log := store.StateBytes(stateID(view, n, stateGen))
	return base + log
}
