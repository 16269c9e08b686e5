package runtime

import (
	"encoding/binary"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// states is the operator state of a view in memory, by number in the plan. A
// run reads it and leaves it alone; what the run changes is kept by its
// operators and installed after the commit (I12).
type states struct {
	groups  []*groups
	ordered []*zset.Ordered
	fresh   bool // a run from empty: new states take the place of these
}

// groups is the state of a linear aggregate: group key to row count and
// accumulators, in columns.
type groups struct {
	table *zset.KeyTable
	count []int64
	accs  []expr.Accumulator // nil where the aggregate is ordered or a list
}

func newGroups(aggs []expr.AggCall, folds bool) *groups {
	g := &groups{table: zset.NewKeyTable(0), accs: make([]expr.Accumulator, len(aggs))}
	for i, a := range aggs {
		if c := a.Class(); c == expr.Linear || c == expr.Ordered && folds {
			g.accs[i] = a.New()
		}
	}
	return g
}

func (g *groups) reset() {
	g.table.Reset()
	g.count = g.count[:0]
	for _, a := range g.accs {
		if a != nil {
			a.Resize(0)
		}
	}
}

// grow makes room for every id of the table.
func (g *groups) grow() {
	n := g.table.Cap()
	if n <= len(g.count) {
		return
	}
	for len(g.count) < n {
		g.count = append(g.count, 0)
	}
	for _, a := range g.accs {
		if a != nil {
			a.Resize(n)
		}
	}
}

// appendValue appends the state of group id as it is stored: the row count, then
// the linear accumulators.
func (g *groups) appendValue(dst []byte, id uint32) []byte {
	dst = binary.AppendUvarint(dst, uint64(g.count[id]))
	for _, a := range g.accs {
		if a != nil {
			dst = a.Append(dst, id)
		}
	}
	return dst
}

func (g *groups) load(key, val []byte) error {
	if len(val) == 0 {
		if id := g.table.FindKey(key); id != zset.NoID {
			g.drop(id)
		}
		return nil
	}
	id, _ := g.table.AddKey(key)
	g.grow()
	n, k := binary.Uvarint(val)
	if k <= 0 || n == 0 || n > 1<<62 {
		return errState("row count")
	}
	g.count[id] = int64(n)
	val = val[k:]
	var err error
	for _, a := range g.accs {
		if a == nil {
			continue
		}
		if val, err = a.Load(id, val); err != nil {
			return err
		}
	}
	if len(val) != 0 {
		return errState("accumulators")
	}
	return nil
}

func (g *groups) drop(id uint32) {
	g.table.Delete(id)
	g.count[id] = 0
	for _, a := range g.accs {
		if a != nil {
			a.Clear(id)
		}
	}
}

func (g *groups) memBytes() int64 {
	n := g.table.MemBytes() + int64(8*cap(g.count))
	for _, a := range g.accs {
		if a != nil {
			n += a.MemBytes()
		}
	}
	return n
}

func errState(what string) error {
	return zset.Errorf(zset.CodeCorrupt, -1, "corrupt state of an aggregate: %s", what)
}

func loadOrdered(o *zset.Ordered, key, val []byte) error {
	was := o.Count(key)
	if len(val) == 0 {
		o.Add(key, -was)
		return nil
	}
	n, k := binary.Uvarint(val)
	if k != len(val) || n == 0 || n > 1<<62 {
		return zset.Errorf(zset.CodeCorrupt, -1, "corrupt state: count of a value")
	}
	o.Add(key, int64(n)-was)
	return nil
}

// emptyStates are the states of a plan before its first row.
func emptyStates(p *delta.Plan) *states {
	s := &states{groups: make([]*groups, len(p.States)), ordered: make([]*zset.Ordered, len(p.States))}
	for i, st := range p.States {
		if st.Kind != delta.StateGroups {
			s.ordered[i] = zset.NewOrdered()
		}
	}
	p.Root.Walk(func(n *delta.Node) {
		if n.Op == delta.OpAggregate && n.Aggregate.State >= 0 {
			s.groups[n.Aggregate.State] = newGroups(n.Aggregate.Aggs, false)
		}
	})
	return s
}

// loadStates reads the states of a plan.
func loadStates(store *storage.Store, view storage.ID, gen uint32, p *delta.Plan, mem *memory) (*states, error) {
	s := emptyStates(p)
	n := 0
	for i := range p.States {
		f := func(key, val []byte) error { return loadOrdered(s.ordered[i], key, val) }
		if s.groups[i] != nil {
			f = s.groups[i].load
		} else if s.ordered[i] == nil {
			return nil, zset.Errorf(zset.CodeCorrupt, -1, "plan has a state without an operator")
		}
		err := store.LoadState(stateID(view, i, gen), func(key, val []byte) error {
			if n++; n%batchRows == 0 {
				if err := mem.hold(stateMemory, s); err != nil {
					return err
				}
			}
			return f(key, val)
		})
		if err != nil {
			return nil, err
		}
	}
	return s, mem.hold(stateMemory, s)
}

// stateID is the durable name of state i of a plan; number 0 is the view's meta.
func stateID(view storage.ID, i int, gen uint32) storage.StateID {
	return storage.StateID{View: view, N: i + 1, Gen: gen}
}

// MemBytes estimates the memory of s.
func (s *states) memBytes() (n int64) {
	for i := range s.groups {
		if s.groups[i] != nil {
			n += s.groups[i].memBytes()
		}
		if s.ordered[i] != nil {
			n += s.ordered[i].MemBytes()
		}
	}
	return n
}

// stateful is an operator that changes states.
type stateful interface {
	// changes adds what the run changes in the states to the write set.
	stateChanges(w *writeSet)
	// install puts the changes into s, after the commit.
	install(s *states)
}

// writeSet collects state changes of a run.
type writeSet struct {
	view    storage.ID
	gen     uint32
	replace bool
	out     []storage.StateChange
	val     []byte
}

// begin starts the change of state i.
func (w *writeSet) begin(i int) *storage.StateChange {
	w.out = append(w.out, storage.StateChange{ID: stateID(w.view, i, w.gen), Replace: w.replace})
	return &w.out[len(w.out)-1]
}

// tally writes the change of an ordered state.
func (w *writeSet) tally(i int, t *tally) {
	c := w.begin(i)
	for _, p := range t.order {
		w.val = w.val[:0]
		if n := t.after[p]; n > 0 {
			w.val = binary.AppendUvarint(w.val, uint64(n))
		} else if w.replace {
			continue
		}
		c.Keys.Append(t.keys.Key(int(p)))
		c.Vals.Append(w.val)
	}
}

// dump appends all of state i to c.
func (s *states) dump(i int, c *storage.StateChange) {
	var val []byte
	if g := s.groups[i]; g != nil {
		for id := range uint32(g.table.Cap()) {
			if key := g.table.Key(id); key != nil && g.count[id] > 0 {
				val = g.appendValue(val[:0], id)
				c.Keys.Append(key)
				c.Vals.Append(val)
			}
		}
		return
	}
	for cur := s.ordered[i].First(); cur.Valid(); cur.Next() {
		val = binary.AppendUvarint(val[:0], uint64(cur.Count()))
		c.Keys.Append(cur.Key())
		c.Vals.Append(val)
	}
}
