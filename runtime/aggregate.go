package runtime

import (
	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// aggregateOp adds its whole input to local accumulators, one a touched group;
// then adds the state of the touched groups to those, once a group; then yields
// the groups that differ, as they were and as they are.
type aggregateOp struct {
	in   *task
	a    *delta.Aggregate
	x    *exprs // keys, then the arguments
	argX []int  // per aggregate: position of its argument in x; -1: COUNT(*)
	late []bool // per aggregate: its multiset feeds it, see entrants

	local  *groups // the run's groups
	folded bool    // ordered aggregates have accumulators there
	keys   zset.Keys
	ids    []uint32
	zero   []uint32 // all zeros: the ids of a global aggregate

	multis []*multi
	multi  []int // per aggregate: position in multis; -1: an accumulator has it
	least  *multi

	ran   bool
	kept  *states  // of a build: has what this run would make of its input
	old   []uint32 // per local group: its id in the state
	main  *groups
	empty *groups // one group without rows: a global aggregate before its first
	at    uint32
	out   zset.Batch
	emit  emission
}

// multi is an ordered multiset of the state and what this run does to it.
type multi struct {
	state int // in the plan; -1: not kept
	cols  []int
	*tally
	main *zset.Ordered

	list     *listing // the values are behind sort keys
	always   bool     // a run that keeps nothing fills it too
	entrants entrants // of the aggregates with DISTINCT
}

func makeAggregate(c *compiler, n *delta.Node, ins []*task) (operator, error) {
	a := n.Aggregate
	o := &aggregateOp{in: ins[0], a: a}
	es := append([]*expr.Expr(nil), a.Keys...)
	byState := map[int]int{}
	o.late = make([]bool, len(a.Aggs))
	for i, g := range a.Aggs {
		if err := g.Check(); err != nil {
			return nil, err
		}
		o.argX = append(o.argX, -1)
		if g.Arg != nil {
			o.argX[i] = len(es)
			es = append(es, g.Arg)
		}
		o.multi = append(o.multi, -1)
		s, needed := a.Ordered[i], g.Distinct || g.Class() == expr.List
		if s < 0 && needed { // nothing is kept, so nothing is shared either
			s = -2 - i
		}
		if s != -1 {
			if _, ok := byState[s]; !ok {
				byState[s] = len(o.multis)
				o.multis = append(o.multis, &multi{state: max(s, -1), cols: []int{o.argX[i]}, tally: newTally(true)})
			}
			o.multi[i] = byState[s]
		}
		if needed {
			m := o.multis[o.multi[i]]
			m.always = true
			if g.Class() == expr.List {
				m.list = newListing(g, o.argX[i], &es)
			} else {
				o.late[i] = true
				m.entrants.t = g.Arg.Typ
				m.entrants.aggs = append(m.entrants.aggs, i)
			}
		}
	}
	if a.Inexact {
		o.least = &multi{state: a.Least, tally: newTally(true)}
		for i := range a.Keys {
			o.least.cols = append(o.least.cols, i)
		}
	}
	x, err := c.exprs(es)
	o.x = x
	o.emit.init(n.Types)
	return o, err
}

func (o *aggregateOp) open(r *run) {
	if o.kept != nil {
		o.openKept()
		return
	}
	keep := r.states != nil
	if o.local == nil || o.folded == keep {
		// A fold serves a run that keeps nothing; multisets serve the others.
		o.local, o.folded = newGroups(o.a.Aggs, !keep), !keep
	}
	o.local.reset()
	o.main, o.ran, o.at = nil, false, 0
	for _, m := range o.all() {
		m.tally.reset()
		m.main = nil
	}
	if keep && !r.states.fresh {
		o.main = r.states.groups[o.a.State]
		for _, m := range o.all() {
			m.main = r.states.ordered[m.state]
		}
	}
}

func (o *aggregateOp) all() []*multi {
	if o.least == nil {
		return o.multis
	}
	return append(o.multis[:len(o.multis):len(o.multis)], o.least)
}

func (o *aggregateOp) next(r *run) (*zset.Batch, error) {
	if !o.ran && o.kept == nil {
		for {
			b, err := o.in.pull(r)
			if err != nil {
				return nil, err
			}
			if b == nil {
				break
			}
			if err := o.add(r, b); err != nil {
				return nil, err
			}
		}
		if err := o.settle(r); err != nil {
			return nil, err
		}
		o.ran = true
	}
	if !o.ran {
		if err := o.settleKept(r); err != nil {
			return nil, err
		}
		o.ran = true
	}
	for int(o.at) < o.local.table.Cap() {
		to := min(o.at+batchRows/2, uint32(o.local.table.Cap()))
		err := o.emitGroups(o.at, to)
		o.at = to
		if err != nil {
			return nil, r.dataError(err, nil, nil, nil, 0)
		}
		if o.out.N > 0 {
			return &o.out, nil
		}
	}
	return nil, nil
}

// add adds a batch of the input to the local groups.
func (o *aggregateOp) add(r *run, b *zset.Batch) error {
	cols, err := o.x.eval(b)
	if err != nil {
		return r.leastError(err, o.x.es, b, o.in, func(one *zset.Batch) error {
			_, err := o.x.eval(one)
			return err
		})
	}
	ids := o.group(cols[:len(o.a.Keys)], b.N)
	l := o.local
	if b.W == nil {
		for _, id := range ids {
			l.count[id]++
		}
	} else {
		for i, id := range ids {
			l.count[id] += b.W[i]
		}
	}
	for j, acc := range l.accs {
		if acc == nil || o.late[j] {
			continue
		}
		var arg *zset.Column
		if o.argX[j] >= 0 {
			arg = &cols[o.argX[j]]
		}
		acc.Add(ids, arg, b.W)
	}
	for _, m := range o.multis {
		switch {
		case m.list != nil:
			m.list.add(m.tally, ids[:b.N], cols, b.W)
		case m.always || r.states != nil:
			m.addGrouped(ids, cols[m.cols[0]:m.cols[0]+1], b.N, b.W, true)
		}
	}
	if o.least != nil {
		o.least.addGrouped(ids, cols[:len(o.a.Keys)], b.N, b.W, false)
	}
	return r.hold("aggregation", o)
}

// group is the local group of each row.
func (o *aggregateOp) group(keys []zset.Column, n int) []uint32 {
	l := o.local
	if len(keys) == 0 {
		if l.table.Len() == 0 {
			l.table.AddKey(nil)
			l.grow()
		}
		for len(o.zero) < n {
			o.zero = append(o.zero, 0)
		}
		return o.zero[:n]
	}
	o.keys.EncodeKeys(keys, n)
	o.ids = sized(o.ids, n)
	l.table.FindOrAdd(&o.keys, o.ids)
	l.grow()
	return o.ids
}

// settle adds the state to the local groups: they are then as they will be.
func (o *aggregateOp) settle(r *run) error {
	l := o.local
	if o.a.Global {
		o.empty = newGroups(o.a.Aggs, r.states == nil)
		o.empty.table.AddKey(nil)
		o.empty.grow()
		if r.sides == nil && l.table.Len() == 0 { // from empty: the row over no rows
			l.table.AddKey(nil)
			l.grow()
		}
	}
	n := l.table.Cap()
	o.old = sized(o.old, n)
	for g := range n {
		o.old[g] = zset.NoID
		if o.main == nil {
			continue
		}
		id := o.main.table.FindKey(l.table.Key(uint32(g)))
		if o.old[g] = id; id == zset.NoID {
			continue
		}
		l.count[g] += o.main.count[id]
		for j, acc := range l.accs {
			if acc != nil {
				acc.Merge(uint32(g), o.main.accs[j], id)
			}
		}
	}
	for g := range n {
		if l.count[g] < 0 {
			return r.corrupt("a group would have %d rows", l.count[g])
		}
	}
	for _, m := range o.all() {
		if o.folded && m != o.least && !m.always {
			continue
		}
		if err := m.settle(r, l.table, m.main); err != nil {
			return err
		}
		if len(m.entrants.aggs) > 0 {
			if err := o.enter(m); err != nil {
				return err
			}
		}
	}
	return r.hold("aggregation", o)
}

func (o *aggregateOp) stateChanges(w *writeSet) {
	if o.a.State < 0 || o.kept != nil {
		return
	}
	l, c := o.local, w.begin(o.a.State)
	for g := range uint32(l.table.Cap()) {
		w.val = w.val[:0]
		if l.count[g] > 0 {
			w.val = l.appendValue(w.val, g)
		} else if w.replace || o.old[g] == zset.NoID {
			continue
		}
		c.Keys.Append(l.table.Key(g))
		c.Vals.Append(w.val)
	}
	for _, m := range o.all() {
		w.tally(m.state, m.tally)
	}
}

func (o *aggregateOp) install(s *states) {
	if o.a.State < 0 {
		return
	}
	if o.kept != nil {
		o.installKept(s)
		return
	}
	if s.fresh { // the local groups become the state
		for g := range uint32(o.local.table.Cap()) {
			if o.local.count[g] == 0 {
				o.local.drop(g)
			}
		}
		s.groups[o.a.State] = o.local
		o.local = nil
		for _, m := range o.all() {
			m.tally.install(s.ordered[m.state])
			m.tally = newTally(true)
		}
		return
	}
	main := s.groups[o.a.State]
	for g := range uint32(o.local.table.Cap()) {
		id := o.old[g]
		switch {
		case o.local.count[g] == 0 && id != zset.NoID:
			main.drop(id)
		case o.local.count[g] == 0:
		default:
			if id == zset.NoID {
				id, _ = main.table.AddKey(o.local.table.Key(g))
				main.grow()
			}
			main.count[id] = o.local.count[g]
			for j, acc := range main.accs {
				if acc != nil {
					acc.Clear(id)
					acc.Merge(id, o.local.accs[j], g)
				}
			}
		}
	}
	for _, m := range o.all() {
		m.tally.install(s.ordered[m.state])
	}
}
