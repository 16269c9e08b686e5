package runtime

import (
	"context"
	"maps"
	"slices"

	"github.com/ivmc/ivmc/delta"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// heritage is what a build takes over of the view that it takes the place of: the
// states of operators that both plans have over the same rows.
//
// Law: a state is taken over at the base of the build, so that it is what the build
// would make; and only with all states below it, for nothing below it is run.
type heritage struct {
	from   *View
	of     map[int]int // state of the plan -> state of from's plan
	nodes  map[*delta.Node]bool
	writes map[int]storage.StateChange // by state of from: what took it to the base
	rowsIn int64                       // rows read for that
}

// nodeStates are the states of one operator.
func nodeStates(n *delta.Node) (out []int) {
	switch n.Op {
	case delta.OpAggregate:
		out = append(out, n.Aggregate.State)
		if n.Aggregate.Inexact {
			out = append(out, n.Aggregate.Least)
		}
		for _, s := range n.Aggregate.Ordered {
			if s >= 0 {
				out = append(out, s)
			}
		}
	case delta.OpKeep:
		for _, by := range n.Keep.By {
			out = append(out, by.State)
		}
	case delta.OpWindow:
		out = append(out, n.Window.State)
	case delta.OpSort:
		if n.Sort.Kept > 0 {
			out = append(out, n.Sort.Kept-1)
		}
	}
	return out
}

// common finds the states that v's plan has in common with that of another view.
func (v *View) common(from *View) *heritage {
	h := &heritage{from: from, of: map[int]int{}, nodes: map[*delta.Node]bool{}, writes: map[int]storage.StateChange{}}
	if v.inc == nil || from.inc == nil || v.full.Custom || from.full.Custom || !from.built || from.stale != "" {
		return h
	}
	free := map[delta.State][]int{} // each is taken over once
	for i, st := range from.full.States {
		if st.Of != "" {
			k := delta.State{Kind: st.Kind, Of: st.Of}
			free[k] = append(free[k], i)
		}
	}
	same := map[int]int{}
	for i, st := range v.full.States {
		if k := (delta.State{Kind: st.Kind, Of: st.Of}); len(free[k]) > 0 {
			same[i], free[k] = free[k][0], free[k][1:]
		}
	}
	makers := map[int]*delta.Node{}
	v.full.Root.Walk(func(n *delta.Node) {
		if n.Op == delta.OpShare && len(n.Ins) > 0 {
			makers[n.Share.ID] = n
		}
	})
	whole := map[*delta.Node]bool{}
	var visit func(n *delta.Node) bool
	visit = func(n *delta.Node) bool {
		if w, ok := whole[n]; ok {
			return w
		}
		w := true
		if m := makers[shareOf(n)]; m != nil && m != n {
			w = visit(m)
		}
		for _, in := range n.Ins {
			w = visit(in) && w
		}
		for _, s := range nodeStates(n) {
			_, ok := same[s]
			w = w && ok
		}
		whole[n] = w
		if own := nodeStates(n); w && len(own) > 0 {
			h.nodes[n] = true
			for _, s := range own {
				h.of[s] = same[s]
			}
		}
		return w
	}
	visit(v.full.Root)
	return h
}

// shareOf is the number of a share; -1: it is none.
func shareOf(n *delta.Node) int {
	if n.Op != delta.OpShare {
		return -1
	}
	return n.Share.ID
}

// Inherit lets the next build of v, which is to be to the same base, go on with the
// states of a view that it takes the place of; from is of no use afterwards. It gives
// the number of those states. 0: v has no state in common with it.
func (v *View) Inherit(ctx context.Context, from *View, base *Base) (n int, err error) {
	defer guard(&err)
	h := v.common(from)
	if len(h.of) == 0 {
		return 0, nil
	}
	step, err := from.Step(ctx, base)
	if err != nil {
		return 0, err
	}
	if from.states == nil {
		if from.states, err = loadStates(from.store, from.obj.ID, stateGen, from.inc, from.mem); err != nil {
			return 0, err
		}
	}
	if h.rowsIn = step.RowsIn; step.Pending {
		for _, c := range step.states {
			h.writes[c.ID.N-1] = c
		}
		step.root.walk(func(t *task) {
			if k, ok := t.op.(stateful); ok {
				k.install(from.states)
			}
		})
	}
	v.heir = h
	return len(h.of), nil
}

// hand gives the operators of a compiled plan of n states what they inherit.
func (h *heritage) hand(root *task, n int) {
	s := &states{groups: make([]*groups, n), ordered: make([]*zset.Ordered, n)}
	for to, from := range h.of {
		s.groups[to], s.ordered[to] = h.from.states.groups[from], h.from.states.ordered[from]
	}
	root.walk(func(t *task) {
		if o, ok := t.op.(heir); ok && h.nodes[t.node] {
			o.inherit(s)
		}
	})
}

// stateChanges are what the states that view inherits need to be stored: nothing
// for one that keeps its place and its rows.
func (h *heritage) stateChanges(view storage.ID, out []storage.StateChange) []storage.StateChange {
	for _, to := range slices.Sorted(maps.Keys(h.of)) {
		from := h.of[to]
		if to == from && view == h.from.obj.ID {
			if c, ok := h.writes[from]; ok {
				out = append(out, c)
			}
			continue
		}
		c := storage.StateChange{ID: stateID(view, to, stateGen), Replace: true}
		h.from.states.dump(from, &c)
		out = append(out, c)
	}
	return out
}
