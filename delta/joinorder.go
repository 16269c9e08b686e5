package delta

import (
	"slices"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// term is R1' ⋈ .. ⋈ ΔRi ⋈ .. ⋈ Rn as a chain of look-ups (from empty: of hash
// joins) that starts at input i and stays connected where it can.
type term struct {
	*join
	start  int
	node   *Node
	layout []int  // global column of each column of node; -1: of no further use
	bound  []bool // inputs that are in
	used   []bool // conjuncts that hold in node
}

func (j *join) term(i int) *Node {
	t := &term{join: j, start: i, node: j.ins[i].node, layout: j.ins[i].cols,
		bound: make([]bool, len(j.ins)), used: make([]bool, len(j.on))}
	t.bound[i] = true
	t.conditions()
	for range len(j.ins) - 1 {
		k, keys := t.next()
		t.add(k, keys)
		t.bound[k] = true
		t.conditions()
	}
	at := make([]int, len(j.out))
	for p, c := range j.out {
		at[p] = slices.Index(t.layout, c)
	}
	return pick(t.node, at)
}

// joinKey is one conjunct as a key: probe over what is bound, build over the
// next input, both in global columns.
type joinKey struct {
	conjunct     int
	probe, build *expr.Expr
}

// keys lists, for each input that is not bound, the conjuncts that connect it to
// what is bound.
func (j *join) keys(bound, used []bool) [][]joinKey {
	out := make([][]joinKey, len(j.ins))
	for ci, c := range j.on {
		if !c.eq || used[ci] {
			continue
		}
		for s := range 2 {
			to := c.side[1-s].reads
			if len(to) == 1 && !bound[to[0]] && within(c.side[s].reads, bound) {
				out[to[0]] = append(out[to[0]], joinKey{ci, c.side[s].e, c.side[1-s].e})
				break
			}
		}
	}
	return out
}

// within: reads nothing outside of bound.
func within(reads []int, bound []bool) bool {
	for _, i := range reads {
		if !bound[i] {
			return false
		}
	}
	return true
}

// next picks the input to add: by primary key before by other keys, before a
// cross product; the first in the order of the query among equals.
func (t *term) next() (int, []joinKey) {
	best, rank := -1, -1
	var with []joinKey
	for k, keys := range t.keys(t.bound, t.used) {
		if t.bound[k] {
			continue
		}
		r := min(len(keys), 1)
		if t.unique(k, keys) {
			r = 2
		}
		if r > rank {
			best, rank, with = k, r, keys
		}
	}
	return best, with
}

// unique reports whether keys pin the primary key of input k.
func (j *join) unique(k int, keys []joinKey) bool {
	l := j.ins[k].stored
	if l == nil || len(l.scan.Key) == 0 {
		return false
	}
	for _, rel := range l.scan.Key {
		if j.pinning(k, rel, keys) < 0 {
			return false
		}
	}
	return true
}

// pinning is which of keys is the relation's column rel itself; -1: none.
func (j *join) pinning(k, rel int, keys []joinKey) int {
	l := j.ins[k].stored
	for i, key := range keys {
		e := j.build(k, key.build)
		if e.Op == expr.OpCol && l.scan.Cols[e.Col] == rel {
			return i
		}
	}
	return -1
}

// build is e, in global columns and of input k alone, over the scan of its leaf.
func (j *join) build(k int, e *expr.Expr) *expr.Expr {
	return e.MapCols(func(c int) int { return c - j.off[k] }).Substitute(j.ins[k].stored.outs)
}

// conditions filters by every conjunct whose inputs are all in. Those that can
// raise wait for the end of all terms.
func (t *term) conditions() {
	for ci, c := range t.on {
		if t.used[ci] || c.raises || !within(c.reads, t.bound) {
			continue
		}
		t.used[ci] = true
		if !t.d.opts.Off["join condition"] {
			t.node = filtered(t.node, t.local(c.e))
		}
	}
}

// local is e over the columns of node.
func (t *term) local(e *expr.Expr) *expr.Expr {
	return e.MapCols(func(c int) int { return slices.Index(t.layout, c) })
}

// live tells which global columns are read after the conjuncts used so far.
func (t *term) live() []bool {
	m := make([]bool, t.width)
	for _, c := range t.out {
		m[c] = true
	}
	for ci, c := range t.on {
		if !t.used[ci] {
			mark(m, c.e)
		}
	}
	return m
}

func (t *term) add(k int, keys []joinKey) {
	probes := make([]*expr.Expr, len(keys))
	for i, key := range keys {
		probes[i] = t.local(key.probe)
		t.used[key.conjunct] = true
	}
	live := t.live()
	var keep, layout []int
	for p, c := range t.layout {
		if c >= 0 && live[c] {
			keep, layout = append(keep, p), append(layout, c)
		}
	}
	switch {
	case t.d.full:
		t.hashJoin(k, keys, probes, keep, layout, live)
	case t.ins[k].stored != nil:
		t.lookup(k, keys, probes, keep, layout, live)
	default:
		t.private(k, keys, probes, keep, layout)
	}
}

// side is which state of input k this term reads.
func (t *term) side(k int) Side {
	if (k < t.start) != t.d.opts.Off["join side"] {
		return Hi
	}
	return Lo
}

// lookup adds a stored relation: look up, filter what was gathered, compute.
func (t *term) lookup(k int, keys []joinKey, probes []*expr.Expr, keep, layout []int, live []bool) {
	in, l := &t.ins[k], t.ins[k].stored
	builds := make([]*expr.Expr, len(keys))
	for i, key := range keys {
		builds[i] = t.build(k, key.build)
	}
	var cols []int // live global columns of the input
	var outs []*expr.Expr
	for _, c := range in.cols {
		if live[c] {
			cols, outs = append(cols, c), append(outs, l.outs[c-t.off[k]])
		}
	}
	reads := marks(len(l.scan.Cols), l.preds...)
	mark(reads, outs...)
	gather := wanted(reads, len(reads)) // positions in the scan

	look := &Lookup{Side: t.side(k), Keys: probes, Keep: keep, Input: l.input, State: -1, Arranged: -1, Cols: []int{}}
	if t.unique(k, keys) {
		look.Keys = make([]*expr.Expr, len(l.scan.Key))
		spare := make([]bool, len(keys))
		for i := range spare {
			spare[i] = true
		}
		for i, rel := range l.scan.Key {
			p := t.pinning(k, rel, keys)
			look.Keys[i], spare[p] = probes[p], false
		}
		if slices.Contains(spare, true) { // more conditions than the key has columns
			look.Keys, look.Arranged = probes, t.d.arrange(l, builds)
		}
	} else {
		look.Arranged = t.d.arrange(l, builds)
	}
	types := make([]zset.Type, 0, len(keep)+len(gather))
	for _, p := range keep {
		types = append(types, t.node.Types[p])
	}
	at := make([]int, len(l.scan.Cols)) // scan column -> column of the node
	for g, s := range gather {
		at[s] = len(keep) + g
		look.Cols = append(look.Cols, l.scan.Cols[s])
		types = append(types, l.scan.Fields[s].Type)
	}
	t.node = &Node{Op: OpLookup, Class: ClassDelta, Types: types, Ins: []*Node{t.node}, Lookup: look}
	over := func(e *expr.Expr) *expr.Expr { return e.MapCols(func(c int) int { return at[c] }) }
	for _, p := range l.preds {
		t.node = filtered(t.node, over(p))
	}
	t.layout = layout
	plain := true
	for _, e := range outs {
		plain = plain && e.Op == expr.OpCol
	}
	if plain {
		for range gather {
			t.layout = append(t.layout, -1)
		}
		for i, e := range outs {
			if at := at[e.Col]; t.layout[at] < 0 {
				t.layout[at] = cols[i]
				continue
			}
			plain = false // one column under two names
			break
		}
	}
	if !plain {
		es := make([]*expr.Expr, 0, len(keep)+len(outs))
		for p := range keep {
			es = append(es, expr.Col(p, types[p]))
		}
		for _, e := range outs {
			es = append(es, over(e))
		}
		t.node = &Node{Op: OpProject, Class: ClassDelta, Types: typesOf(es), Ins: []*Node{t.node}, Project: &Project{Exprs: es}}
		t.layout = append(slices.Clone(layout), cols...)
	}
}

// arrange enters the requirement of an arrangement of l's relation by keys,
// which are over its scan.
func (d *deriver) arrange(l *leaf, keys []*expr.Expr) int {
	reads := marks(len(l.scan.Cols), keys...)
	scanned := wanted(reads, len(reads))
	cols := make([]int, len(scanned))
	at := positions(scanned, len(reads))
	for i, s := range scanned {
		cols[i] = l.scan.Cols[s]
	}
	overRel := make([]*expr.Expr, len(keys))
	over := make([]*expr.Expr, len(keys))
	for i, k := range keys {
		overRel[i] = k.MapCols(func(c int) int { return l.scan.Cols[c] })
		over[i] = k.MapCols(func(c int) int { return at[c] })
	}
	id := keyText(overRel)
	key := l.scan.Name + "/" + id
	if i, ok := d.arranged[key]; ok {
		return i
	}
	d.plan.Arranged = append(d.plan.Arranged, Arranged{ID: id, Rel: l.scan.Rel, Name: l.scan.Name, Cols: cols, Keys: over})
	d.arranged[key] = len(d.plan.Arranged) - 1
	return d.arranged[key]
}

// private adds an input that is no stored relation.
func (t *term) private(k int, keys []joinKey, probes []*expr.Expr, keep, layout []int) {
	in := &t.ins[k]
	by := make([]*expr.Expr, len(keys))
	for i, key := range keys {
		by[i] = key.build.MapCols(func(c int) int { return slices.Index(in.cols, c) })
	}
	role := "private " + keyText(by)
	look := &Lookup{Side: t.side(k), Keys: probes, Keep: keep, Input: -1, Arranged: -1,
		State: t.d.state(StatePrivate, child(t.path, k), role, holding(in.from, in.local, role))}
	if !slices.ContainsFunc(in.keep.By, func(b KeepBy) bool { return b.State == look.State }) {
		in.keep.By = append(in.keep.By, KeepBy{State: look.State, Keys: by})
	}
	types := make([]zset.Type, 0, len(keep)+len(in.cols))
	for _, p := range keep {
		types = append(types, t.node.Types[p])
	}
	types = append(types, in.node.Types...)
	t.node = &Node{Op: OpLookup, Class: ClassDelta, Types: types, Ins: []*Node{t.node}, Lookup: look}
	t.layout = append(slices.Clone(layout), in.cols...)
}

// hashJoin adds input k from empty.
func (t *term) hashJoin(k int, keys []joinKey, probes []*expr.Expr, keep, layout []int, live []bool) {
	in := &t.ins[k]
	h := &HashJoin{Probe: probes, Left: keep, Right: []int{}}
	for _, key := range keys {
		h.Build = append(h.Build, key.build.MapCols(func(c int) int { return slices.Index(in.cols, c) }))
	}
	types := make([]zset.Type, 0, len(keep)+len(in.cols))
	for _, p := range keep {
		types = append(types, t.node.Types[p])
	}
	t.layout = slices.Clone(layout)
	for p, c := range in.cols {
		if live[c] {
			h.Right = append(h.Right, p)
			types = append(types, in.node.Types[p])
			t.layout = append(t.layout, c)
		}
	}
	t.node = &Node{Op: OpHashJoin, Class: ClassDelta, Types: types, Ins: []*Node{t.node, in.node}, HashJoin: h}
}
