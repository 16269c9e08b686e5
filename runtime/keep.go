package runtime

import (
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/zset"
)

// keepOp hands its input on and counts it for the private relations it keeps.
// Once its input is at its end, look-ups at @hi read those counts on top of the
// state; look-ups at @lo read the state alone.
type keepOp struct {
	in   *task
	by   []*keepBy
	kept *keptRows // of a build: has what the input would give
}

type keepBy struct {
	*multi
	x       *exprs
	keys    zset.Keys
	settled bool
	types   []zset.Type // of the keys
}

func makeKeep(c *compiler, n *delta.Node, ins []*task) (operator, error) {
	o := &keepOp{in: ins[0]}
	for _, by := range n.Keep.By {
		x, err := c.exprs(by.Keys)
		if err != nil {
			return nil, err
		}
		o.by = append(o.by, &keepBy{x: x, types: typesOf(by.Keys), multi: &multi{state: by.State, tally: newTally(false)}})
		c.keeps[by.State] = o.by[len(o.by)-1]
	}
	return o, nil
}

func (o *keepOp) open(r *run) {
	for _, by := range o.by {
		by.tally.reset()
		by.main, by.settled = nil, false
		if r.states != nil && !r.states.fresh {
			by.main = r.states.ordered[by.state]
		}
		if o.kept != nil {
			by.main = o.kept.states.ordered[by.state]
		}
	}
}

func (o *keepOp) next(r *run) (*zset.Batch, error) {
	if o.kept != nil {
		return o.kept.next()
	}
	b, err := o.in.pull(r)
	if b == nil || err != nil || r.states == nil {
		return b, err
	}
	for _, by := range o.by {
		cols, err := by.x.eval(b)
		if err != nil {
			return nil, err
		}
		by.keys.EncodeKeys(cols, b.N)
		by.tally.add(&by.keys, b.Cols, b.N, b.W)
	}
	return b, r.hold("private relation of a join", o)
}

// settle makes the counts of the run readable, once its input is at its end.
func (k *keepBy) settle(r *run) error {
	if k.settled {
		return nil
	}
	k.settled = true
	return k.tally.settle(r, nil, k.main)
}

func (o *keepOp) finish(r *run) error {
	if r.states == nil {
		return nil
	}
	for _, by := range o.by {
		if err := by.settle(r); err != nil {
			return err
		}
	}
	return nil
}

func (o *keepOp) stateChanges(w *writeSet) {
	for _, by := range o.by {
		if o.kept != nil {
			break
		}
		w.tally(by.state, by.tally)
	}
}

func (o *keepOp) install(s *states) {
	for _, by := range o.by {
		if o.kept != nil {
			s.ordered[by.state] = by.main
			continue
		}
		by.tally.install(s.ordered[by.state])
		if s.fresh {
			by.multi.tally = newTally(false)
		}
	}
}
