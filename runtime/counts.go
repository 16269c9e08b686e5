package runtime

import (
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/storage"
)

// Counts are the sizes of what a refresh to a base would read, for both plans of
// the view, and how many rows were born and died in its inputs since it was
// refreshed. The rows of the inputs are loaded. The view is built.
func (v *View) Counts(base *Base) (step, full delta.Counts, pending int64, err error) {
	defer guard(&err)
	rd, _, unpin := v.reading(base)
	defer unpin()
	rows := 0.0
	if view, err := v.store.Relation(v.obj.ID); err == nil { // else it is about to be made
		rows = float64(view.Rows(v.store.Applied()))
	}
	of := func(p *delta.Plan, changes bool) (c delta.Counts, err error) {
		if p == nil {
			return c, nil
		}
		c.View = rows
		for i := range p.Inputs {
			rel, err := v.store.Relation(storage.ID(p.Inputs[i].Rel))
			if err != nil {
				return c, err
			}
			c.Rows = append(c.Rows, float64(rel.Rows(rd.at(rel.ID()))))
			if changes {
				c.Pending = append(c.Pending, float64(rel.ChangeCount(v.offsets.Inputs[rel.ID()], rd.at(rel.ID()))))
			}
		}
		for i := range p.Arranged {
			keys, _, _ := v.store.ArrangementStats(storage.ID(p.Arranged[i].Rel), p.Arranged[i].ID)
			c.Keys = append(c.Keys, float64(keys))
		}
		return c, nil
	}
	if step, err = of(v.inc, true); err != nil {
		return step, full, 0, err
	}
	if full, err = of(v.full, false); err != nil {
		return step, full, 0, err
	}
	sd := &sides{store: v.store, lo: v.offsets.Inputs, reads: rd}
	n, err := sd.pending(v.inputs())
	return step, full, int64(n), err
}

// Full is the plan of a complete refresh, Inc that of a step; nil: there is none.
func (v *View) Full() *delta.Plan { return v.full }

// Inc is the plan of a step.
func (v *View) Inc() *delta.Plan { return v.inc }

// Idle is the step of a built view whose inputs stand where it read them; nil:
// something is pending.
func (v *View) Idle(base *Base) (s *Step, err error) {
	defer guard(&err)
	r, unpin := reads{}, func() {}
	if base != nil {
		r = reads{hi: base.At, views: base.Views}
	}
	to := storage.Never // where it will stand; of sources that are views read before hi is fixed
	for i := range v.full.Inputs {
		in := storage.ID(v.full.Inputs[i].Rel)
		if _, moved := r.views[in]; v.full.Inputs[i].IsView && !moved {
			o, _ := v.store.Offsets(in)
			to = min(to, o.Frontier)
		}
	}
	if base == nil {
		r.hi, unpin = v.store.PinApplied()
	}
	defer unpin()
	to = min(to, r.hi) // the offsets stay: nothing changed behind them
	sd := &sides{store: v.store, lo: v.offsets.Inputs, reads: r}
	if n, err := sd.pending(v.ins); err != nil || n > 0 {
		return nil, err
	}
	return &Step{v: v, from: v.offsets, to: storage.Offsets{Frontier: to}}, nil
}
