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

	loading sync.Mutex
	loaded  atomic.Bool

	arrMu sync.Mutex
	arrs  map[string]*Arrangement

	// horizon is the TSO below which nobody may read any more, for rows may be
	// missing. It is raised under Store.pinMu, before they go.
	horizon atomic.Uint64
	shrink  sync.Mutex // one at a time makes the log or the rows less

	blocks []logBlock // small durable blocks at the end of the log; under Store.mu
	queued bool       // for the merger; under Store.mu
	look   uint64     // deaths when the last look for something to reclaim was taken; under Store.mu

	logBytes atomic.Int64 // of the log above the horizon, about
	freed    int64        // bytes that Pebble still has to give back, about; under shrink
}

// view is all of a relation up to some commit.
type view struct {
	full    []*page
	tail    *page // nil or not full
	n       uint64
	deaths  paged[Addr] // in the order of commits
	ops     paged[Op]   // of commits that mix operations
	commits paged[commitEnt]
	recs    uint64 // records, counted from some horizon
	mem     int64  // bytes of the full pages
	fills   fills
	slab    slab

	pk   *arrangement   // by primary key; nil for a bag
	uniq []*arrangement // by Object.Unique, without the rows that have a NULL there

	// What went with the rows that died at or before the horizon: commits before
	// cut, which are those up to the horizon, and their operations and deaths.
	horizon TSO // that of the last commit that is not there; 0: all are
	cut     int
	gone    TSO // the horizon when pages lost rows last
	holed   int // pages with holes
}

// commitEnt is where the records of a commit start.
type commitEnt struct {
	tso   TSO
	row   uint64
	death uint64
	op    uint64 // in view.ops, if mixed
	rec   uint64 // records before it
	same  Op     // of all its records; 0: mixed
}

func newRelation(s *Store, o *Object) *Relation {
	r := &Relation{s: s, id: o.ID, arrs: map[string]*Arrangement{}}
	r.obj.Store(o)
	r.view.Store((&view{}).keyed(o))
	return r
}

// keyed gives v empty keys.
func (v *view) keyed(o *Object) *view {
	v.pk, v.uniq = nil, nil
	if o.Key != nil {
		v.pk = keyArrangement(o, o.Key)
	}
	for _, u := range o.Unique {
		v.uniq = append(v.uniq, keyArrangement(o, u.Cols))
	}
	return v
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
	p := v.page(int(a >> pageBits))
	if p.holes != nil {
		return p.holeStamp(int(a & pageMask))
	}
	return &p.st[a&pageMask]
}

// flat is stamp where no page has holes; it is short enough to be inlined.
func (v *view) flat(a Addr) *stamp { return &v.page(int(a >> pageBits)).st[a&pageMask] }

// visible reports whether version a is visible at `at`; false for a version that
// v does not have.
func (v *view) visible(a Addr, at TSO) bool {
	if uint64(a) >= v.n {
		return false
	}
	return v.stamp(a).visible(at) // allVisible would be one more miss of memory
}

// commitAfter is the index of the first commit behind t, which is not below the
// horizon.
func (v *view) commitAfter(t TSO) int {
	return v.cut + sort.Search(v.commits.len()-v.cut, func(i int) bool { return v.commits.at(v.cut+i).tso > t })
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
		w.slab.held = w.mem
		w.tail = w.tail.extend(&w.slab, types, w.fills, b, i, j, tso)
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
	same, before := sameOp(ops), v.recs
	v.recs += uint64(len(ops))
	if k := v.commits.len(); k > v.cut {
		if last := v.commits.at(k - 1); last.tso == tso { // one more change, or chunk, of the same commit
			v.recordMore(last, rows, same, ops, dead)
			return
		}
	}
	v.commits.append(commitEnt{tso: tso, row: v.n - rows, death: uint64(v.deaths.len()), op: uint64(v.ops.len()), rec: before, same: same})
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

// Rows is the number of rows visible at `at`, which is not below the horizon.
func (r *Relation) Rows(at TSO) int64 {
	v := r.view.Load()
	return int64(v.rowsUpTo(at)) - int64(v.deathsUpTo(at))
}

// Versions is the number of row versions, dead and reclaimed ones too.
func (r *Relation) Versions() int64 { return int64(r.view.Load().n) }

// Last is the TSO of the last commit that wrote r; 0 if there is none.
func (r *Relation) Last() TSO {
	v := r.view.Load()
	if k := v.commits.len(); k > v.cut {
		return v.commits.at(k - 1).tso
	}
	return v.horizon
}

// Visible reports whether version a is visible at `at`.
func (r *Relation) Visible(a Addr, at TSO) bool { return r.view.Load().visible(a, at) }

// MemBytes estimates the memory of r, its arrangements included.
func (r *Relation) MemBytes() int64 {
	v := r.view.Load()
	n := v.mem + int64(8*v.deaths.held()) + int64(v.ops.held()) + int64(48*v.commits.held()) + int64(8*len(v.full))
	if v.tail != nil {
		n += v.tail.memBytes()
	}
	if v.pk != nil {
		n += v.pk.memBytes()
	}
	for _, t := range v.uniq {
		n += t.memBytes()
	}
	r.arrMu.Lock()
	defer r.arrMu.Unlock()
	for _, a := range r.arrs {
		n += a.MemBytes()
	}
	return n
}
