package storage

import (
	"sort"
	"sync"
	"sync/atomic"

	"github.com/ivmc/ivmc/zset"
)

// Relation is the row versions of one table, view or private relation: columns
// in pages, a stamp a version, and the order of the records. All reads take an
// immutable view of it and a TSO, so they wait for nobody.
//
// Read at a TSO that is pinned, or that is the applied one.
type Relation struct {
	s    *Store
	id   ID
	obj  atomic.Pointer[Object]
	view atomic.Pointer[view]
	pk   *arrangement   // by primary key; nil for a bag
	uniq []*arrangement // by Object.Unique, without the rows that have a NULL there

	loading sync.Mutex
	loaded  atomic.Bool

	arrMu sync.Mutex
	arrs  map[string]*Arrangement

	blocks []logBlock // small durable blocks at the end of the log; under Store.mu
	merge  bool       // queued for the merger; under Store.mu
}

// view is all of a relation up to some commit.
type view struct {
	full    []*page
	tail    *page // nil or not full
	n       uint64
	deaths  paged[Addr] // in the order of commits
	ops     paged[Op]   // of commits that mix operations
	commits paged[commitEnt]
	mem     int64 // bytes of the full pages
	fills   fills
}

// commitEnt is where the records of a commit start.
type commitEnt struct {
	tso   TSO
	row   uint64
	death uint64
	op    uint64 // in view.ops, if mixed
	same  Op     // of all its records; 0: mixed
}

func newRelation(s *Store, o *Object) *Relation {
	r := &Relation{s: s, id: o.ID, arrs: map[string]*Arrangement{}}
	r.obj.Store(o)
	r.view.Store(&view{})
	if o.Key != nil {
		r.pk = keyArrangement(o, o.Key)
	}
	for _, u := range o.Unique {
		r.uniq = append(r.uniq, keyArrangement(o, u.Cols))
	}
	return r
}

// keyArrangement is an empty index by columns of o.
func keyArrangement(o *Object, cols []int) *arrangement {
	types := make([]zset.Type, len(cols))
	for i, c := range cols {
		types[i] = o.Schema[c].Type
	}
	return &arrangement{byRow: newIndex(cols, types, false)}
}

// ID is the id of r.
func (r *Relation) ID() ID { return r.id }

// Object is the catalog's entry of r, as of the last commit that changed it.
func (r *Relation) Object() *Object { return r.obj.Load() }

// Schema is the columns of r.
func (r *Relation) Schema() zset.Schema { return r.obj.Load().Schema }

func (v *view) pages() int {
	if v.tail != nil {
		return len(v.full) + 1
	}
	return len(v.full)
}

func (v *view) page(i int) *page {
	if i < len(v.full) {
		return v.full[i]
	}
	return v.tail
}

// stamp is that of version a, which exists.
func (v *view) stamp(a Addr) *stamp {
	return &v.page(int(a >> pageBits)).st[a&pageMask]
}

// visible reports whether version a is visible at `at`; false for a version that
// v does not have.
func (v *view) visible(a Addr, at TSO) bool {
	if uint64(a) >= v.n {
		return false
	}
	return v.stamp(a).visible(at) // allVisible would be one more miss of memory
}

// commitAfter is the index of the first commit behind t.
func (v *view) commitAfter(t TSO) int {
	return sort.Search(v.commits.len(), func(i int) bool { return v.commits.at(i).tso > t })
}

// rowsUpTo is the number of versions born at or before t.
func (v *view) rowsUpTo(t TSO) uint64 {
	if i := v.commitAfter(t); i < v.commits.len() {
		return v.commits.at(i).row
	}
	return v.n
}

// deathsUpTo is the number of deaths at or before t.
func (v *view) deathsUpTo(t TSO) uint64 {
	if i := v.commitAfter(t); i < v.commits.len() {
		return v.commits.at(i).death
	}
	return uint64(v.deaths.len())
}

// grow is a copy of v with the rows of b behind its own, born at tso.
func (v *view) grow(types []zset.Type, b *zset.Batch, tso TSO) *view {
	w := *v
	if b == nil {
		return &w
	}
	for i := 0; i < b.N; {
		have := 0
		if w.tail != nil {
			have = w.tail.n
		}
		j := min(b.N, i+pageRows-have)
		w.tail = w.tail.extend(types, w.fills, b, i, j, tso)
		w.n += uint64(j - i)
		if w.tail.n == pageRows {
			w.mem += w.tail.memBytes()
			w.full = append(w.full, w.tail)
			w.tail = nil
		}
		i = j
	}
	return &w
}

// record notes the records of a commit at tso whose rows are already in v. dead
// are absolute addresses. Called on a view that is not published.
func (v *view) record(tso TSO, rows uint64, ops []Op, dead []Addr) {
	if len(ops) == 0 {
		return
	}
	same := sameOp(ops)
	if k := v.commits.len(); k > 0 {
		if last := v.commits.at(k - 1); last.tso == tso { // one more change, or chunk, of the same commit
			v.recordMore(last, rows, same, ops, dead)
			return
		}
	}
	v.commits.append(commitEnt{tso: tso, row: v.n - rows, death: uint64(v.deaths.len()), op: uint64(v.ops.len()), same: same})
	v.deaths.appendAll(dead)
	if same == 0 {
		v.ops.appendAll(ops)
	}
}

// recordMore adds records to the last commit, whose entry may turn from a
// uniform one into a mixed one. No published view has that entry yet.
func (v *view) recordMore(last commitEnt, rows uint64, same Op, ops []Op, dead []Addr) {
	if last.same != 0 && last.same != same {
		before := v.n - rows - last.row
		if !last.same.bears() {
			before = uint64(v.deaths.len()) - last.death
		}
		for range before {
			v.ops.append(last.same)
		}
		last.same = 0
		v.commits.setLast(last)
	}
	v.deaths.appendAll(dead)
	if last.same == 0 {
		v.ops.appendAll(ops)
	}
}

func sameOp(ops []Op) Op {
	for _, o := range ops[1:] {
		if o != ops[0] {
			return 0
		}
	}
	return ops[0]
}

// Rows is the number of rows visible at `at`.
func (r *Relation) Rows(at TSO) int64 {
	v := r.view.Load()
	return int64(v.rowsUpTo(at)) - int64(v.deathsUpTo(at))
}

// Versions is the number of row versions, dead ones too.
func (r *Relation) Versions() int64 { return int64(r.view.Load().n) }

// Last is the TSO of the last commit that wrote r; 0 if there is none.
func (r *Relation) Last() TSO {
	v := r.view.Load()
	if k := v.commits.len(); k > 0 {
		return v.commits.at(k - 1).tso
	}
	return 0
}

// Visible reports whether version a is visible at `at`.
func (r *Relation) Visible(a Addr, at TSO) bool { return r.view.Load().visible(a, at) }

// MemBytes estimates the memory of r, its arrangements included.
func (r *Relation) MemBytes() int64 {
	v := r.view.Load()
	n := v.mem + int64(8*v.deaths.len()) + int64(v.ops.len()) + int64(40*v.commits.len())
	if v.tail != nil {
		n += v.tail.memBytes()
	}
	if r.pk != nil {
		n += r.pk.memBytes()
	}
	for _, t := range r.uniq {
		n += t.memBytes()
	}
	r.arrMu.Lock()
	defer r.arrMu.Unlock()
	for _, a := range r.arrs {
		n += a.MemBytes()
	}
	return n
}
