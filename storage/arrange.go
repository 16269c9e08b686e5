package storage

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/ivmc/ivmc/zset"
)

// Spec says what an arrangement is keyed by. ID names it: equal IDs of one
// relation share one arrangement, so an ID must say all of the rest.
type Spec struct {
	ID   string
	Cols []int // what Key reads, or the key itself
	// Key encodes the keys of the rows of b, whose columns are Cols. Nil: the
	// columns by key encoding. An error stops Advance where it is.
	Key func(b *zset.Batch, k *zset.Keys) error
	Row bool // identical rows; with Cols nil of all columns. Look up keys made by HashRows
}

// Arrangement is a shared index of a relation by key, in memory. It is brought
// forward by whoever needs it and never looks back: a death needs nothing, for
// visibility decides. Safe for concurrent use.
//
// The table is published with a view that has all of its versions: of those that
// a later view has reclaimed the table may still have entries, whose cells decide.
type Arrangement struct {
	r     *Relation
	spec  Spec
	types []zset.Type
	now   atomic.Pointer[arranged]

	advance  sync.Mutex
	frontier atomic.Uint64 // versions born at or before it are in
	next     uint64        // first version that is not in; under advance
	skipped  int64         // versions below next that are not in; under advance
	gone     TSO           // horizon of the last view that was used; under advance
	spent    []bool        // by page: full, and no row of it will ever be seen again; under advance
	keys     zset.Keys
}

// Arrange returns the arrangement that spec describes, and makes it if it is
// new; it is empty then until Advance.
func (r *Relation) Arrange(spec Spec) (*Arrangement, error) {
	o := r.obj.Load()
	if spec.Row && spec.Cols == nil {
		spec.Cols = make([]int, len(o.Schema))
		for i := range spec.Cols {
			spec.Cols[i] = i
		}
	}
	types := make([]zset.Type, len(spec.Cols))
	for i, c := range spec.Cols {
		if c < 0 || c >= len(o.Schema) {
			return nil, errorf(ErrChange, codeInternal, "arrangement %q of %q reads column %d of %d", spec.ID, o.Name, c, len(o.Schema))
		}
		types[i] = o.Schema[c].Type
	}
	r.arrMu.Lock()
	defer r.arrMu.Unlock()
	if a := r.arrs[spec.ID]; a != nil {
		return a, nil
	}
	a := &Arrangement{r: r, spec: spec, types: types}
	a.now.Store(&arranged{t: a.empty(), v: &view{}})
	r.arrs[spec.ID] = a
	return a, nil
}

// arranged is a table and a view to read it with. Versions that died at or before
// low may be missing.
type arranged struct {
	t   *arrangement
	v   *view
	low TSO
}

// Drop forgets the arrangement with that ID; who holds it may go on.
func (r *Relation) Drop(id string) {
	r.arrMu.Lock()
	defer r.arrMu.Unlock()
	delete(r.arrs, id)
}

// Arrangements lists the ids of the arrangements of r.
func (r *Relation) Arrangements() []string {
	r.arrMu.Lock()
	defer r.arrMu.Unlock()
	ids := make([]string, 0, len(r.arrs))
	for id := range r.arrs {
		ids = append(ids, id)
	}
	return ids
}

// Frontier is the TSO up to which a can be asked.
func (a *Arrangement) Frontier() TSO { return TSO(a.frontier.Load()) }

// Relation is what a arranges.
func (a *Arrangement) Relation() *Relation { return a.r }

// MemBytes estimates the memory of a.
func (a *Arrangement) MemBytes() int64 { return a.now.Load().t.memBytes() }

// Keys is the number of distinct keys, those of dead rows not yet dropped too.
func (a *Arrangement) Keys() int { return a.now.Load().t.keys() }

func (a *Arrangement) empty() *arrangement {
	if a.spec.Key != nil {
		return &arrangement{byKey: newKeyIndex()}
	}
	return &arrangement{byRow: newIndex(a.spec.Cols, a.types, a.spec.Row)}
}

// Advance brings a forward so that it can be asked at `to`, which is at most the
// applied TSO. The cost follows the versions born since. Errors are those of
// Spec.Key, and ctx's; a stays usable at its frontier.
func (a *Arrangement) Advance(ctx context.Context, to TSO) error {
	if a.Frontier() >= to {
		return nil
	}
	a.advance.Lock()
	defer a.advance.Unlock()
	if a.Frontier() >= to {
		return nil
	}
	v := a.r.view.Load()
	if err := a.rebuild(ctx, v); err != nil {
		return err
	}
	end := v.rowsUpTo(to)
	now := a.now.Load()
	n, err := a.fill(ctx, now.t, v, a.next, end, v.horizon, &a.next)
	a.skipped += n
	a.now.Store(&arranged{now.t, v, max(now.low, v.horizon)})
	if err != nil {
		return err
	}
	a.frontier.Store(uint64(to))
	return nil
}

// let makes a let go of what its relation has reclaimed.
func (a *Arrangement) let(ctx context.Context) error {
	a.advance.Lock()
	defer a.advance.Unlock()
	v := a.r.view.Load()
	if err := a.rebuild(ctx, v); err != nil {
		return err
	}
	now := a.now.Load()
	a.now.Store(&arranged{now.t, v, max(now.low, v.horizon)})
	return nil
}

// fill adds versions [from, end) to t, page by page, but for those that died at
// or before low or in their own commit; it counts those. done follows.
func (a *Arrangement) fill(ctx context.Context, t *arrangement, v *view, from, end uint64, low TSO, done *uint64) (skipped int64, err error) {
	b := zset.Batch{Cols: make([]zset.Column, len(a.spec.Cols))}
	var sel, offs []int32
	var runs []rowRun
	for at := from; at < end; {
		if err := ctx.Err(); err != nil {
			return skipped, err
		}
		no := int(at >> pageBits)
		p := v.page(no)
		first := at &^ pageMask
		i, j := int(at-first), int(min(end-first, uint64(p.span())))
		n := j - i
		at = first + uint64(j)
		if no < len(a.spent) && a.spent[no] {
			skipped += int64(n)
			*done = at
			continue
		}
		i, j = p.rowsOf(i, j)
		sel = wanted(p, i, j, low, sel[:0])
		if b.N = len(sel); b.N == 0 {
			a.spend(no, n)
			skipped += int64(n)
			*done = at
			continue
		}
		if b.N < j-i {
			runs = runsOf(sel, runs[:0])
		}
		for k, c := range a.spec.Cols {
			col := p.column(c, a.types[k], v.fills)
			if b.N == j-i {
				b.Cols[k] = col.Slice(i, j)
				continue
			}
			b.Cols[k] = takeRuns(&col, runs, b.N)
		}
		if err := a.encode(&b); err != nil {
			return skipped, err
		}
		if p.holes != nil {
			offs = p.offsets(0, p.n, offs[:0])
			for k, row := range sel {
				sel[k] = offs[row]
			}
		}
		t.add(&a.keys, v, func(k int) Addr { return Addr(first) + Addr(sel[k]) })
		skipped += int64(n - b.N)
		*done = at
	}
	return skipped, nil
}

// spend notes that nobody will see a row of page no any more, if n is all of it:
// a rebuild does not go through the history of a relation again and again.
func (a *Arrangement) spend(no, n int) {
	if n < pageRows {
		return
	}
	for len(a.spent) <= no {
		a.spent = append(a.spent, false)
	}
	a.spent[no] = true
}

// wanted appends to sel the rows in [i, j) that somebody may still see.
func wanted(p *page, i, j int, low TSO, sel []int32) []int32 {
	if p.dead.Load() == 0 {
		for k := i; k < j; k++ {
			sel = append(sel, int32(k))
		}
		return sel
	}
	for k := i; k < j; k++ {
		st := &p.st[k]
		if died := atomic.LoadUint64(&st.died); died > uint64(low) && died > st.born {
			sel = append(sel, int32(k))
		}
	}
	return sel
}

func (a *Arrangement) encode(b *zset.Batch) error {
	switch {
	case a.spec.Key != nil:
		return a.spec.Key(b, &a.keys)
	case a.spec.Row:
		a.keys.HashRows(b.Cols, b.N)
	default:
		a.keys.EncodeKeys(b.Cols, b.N)
	}
	return nil
}

// minRebuild is the number of entries below which a rebuild is not worth it.
const minRebuild = 1 << 14

// rebuild makes the arrangement anew without the entries that nobody can see,
// when they are more than half, or when v has reclaimed some of their versions.
// Look-ups under way keep the old one.
func (a *Arrangement) rebuild(ctx context.Context, v *view) error {
	entries := int64(a.next) - a.skipped
	low := max(a.r.floor(true), v.horizon)
	if entries < minRebuild || 2*(int64(v.deathsUpTo(low))-a.skipped) <= entries {
		if a.gone == v.gone {
			return nil
		}
		low = v.horizon
	}
	t, done := a.empty(), uint64(0)
	skipped, err := a.fill(ctx, t, v, 0, a.next, low, &done)
	if err != nil {
		return err
	}
	a.now.Store(&arranged{t, v, low})
	a.skipped, a.gone = skipped, v.gone
	return nil
}
