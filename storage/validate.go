package storage

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/ivmc/ivmc/zset"
)

// validate lets the commit take effect on stamps and keys as far as that is
// needed to judge it, in the order of the records' meaning: all deaths first,
// then no key may be born twice. Nobody reads at tso yet, so what it marks is
// seen by nobody, and undo takes it back.
func (rc *relCommit) validate(p *prepared, tso TSO) error {
	rc.v = rc.r.view.Load()
	first := 0 // own row of the change's first row
	for _, ch := range rc.changes {
		if err := rc.kill(ch, first, tso); err != nil {
			return err
		}
		if ch.Rows != nil {
			first += ch.Rows.N
		}
	}
	if rc.rows == 0 {
		return nil
	}
	if t := rc.v.pk; t != nil {
		if err := rc.link(p, t, rc.obj.Key, rc.obj.KeyConstraint()); err != nil {
			return err
		}
	}
	for i, t := range rc.v.uniq {
		if err := rc.link(p, t, rc.obj.Unique[i].Cols, rc.obj.Unique[i].Name); err != nil {
			return err
		}
	}
	return nil
}

// kill marks the dead of ch. A version that is dead already was killed by a
// commit that came first, or twice by this one.
func (rc *relCommit) kill(ch *Change, first int, tso TSO) error {
	if rc.marked == nil {
		rc.marked = make([]Addr, 0, len(ch.Dead))
	}
	for i, a := range ch.Dead {
		if i%seenSlots == 0 {
			for _, a := range ch.Dead[i:min(i+seenSlots, len(ch.Dead))] {
				rc.touch(a)
			}
		}
		if i, own := a.own(); own {
			if rc.killed == nil {
				rc.killed = make([]bool, rc.rows)
			}
			if ch.Rows == nil || i >= ch.Rows.N || rc.killed[first+i] {
				return errorf(ErrChange, codeInternal, "change of %q kills its row %d twice, or has none", rc.r.obj.Load().Name, i)
			}
			rc.killed[first+i] = true
			continue
		}
		if uint64(a) >= rc.v.n {
			return errorf(ErrChange, codeInternal, "change of %q kills row %d of %d", rc.r.obj.Load().Name, a, rc.v.n)
		}
		p, at := rc.v.page(int(a>>pageBits)), int(a&pageMask)
		st := (*stamp)(nil)
		if p.holes == nil {
			st = &p.st[at]
		} else {
			st = p.holeStamp(at)
		}
		switch TSO(atomic.LoadUint64(&st.died)) {
		case Never:
			atomic.StoreUint64(&st.died, uint64(tso))
			p.dead.Add(1)
			rc.marked = append(rc.marked, a)
		case tso:
			return errorf(ErrChange, codeInternal, "change of %q kills row %d twice", rc.r.obj.Load().Name, a)
		default:
			return errConflict()
		}
	}
	return nil
}

// touch loads the stamp of a, if it has one. An atomic store waits for all loads
// before it, and a decision on a stamp for that one, so without this the misses of
// memory would queue up.
func (rc *relCommit) touch(a Addr) {
	if uint64(a) < rc.v.n && rc.v.holed == 0 {
		rc.touched ^= atomic.LoadUint64(&rc.v.flat(a).died)
	} else if uint64(a) < rc.v.n {
		rc.touched ^= atomic.LoadUint64(&rc.v.stamp(a).died)
	}
}

// link adds the rows to a key, and refuses one that lives. Rows that die in this
// very commit are left out: nobody will ever see them. So are those with a NULL.
func (rc *relCommit) link(p *prepared, t *arrangement, key []int, name string) error {
	cols := make([]zset.Column, len(key))
	primary := t == rc.v.pk
	l := linking{rc: rc, keys: &p.keys}
	l.w.src.v = rc.v
	for _, ch := range rc.changes {
		if ch.Rows != nil {
			l.w.src.own = append(l.w.src.own, ch.Rows)
		}
	}
	l.w.addr, l.w.check, l.w.done = l.addr, l.check, l.done
	rc.linked = append(rc.linked, linked{t, make([]uint32, 0, rc.rows)})
	t.mu.Lock()
	t.byRow.reserve(rc.rows) // undo relies on it that slots stay where they are
	t.mu.Unlock()
	for _, ch := range rc.changes {
		rows := ch.Rows
		if rows == nil {
			continue
		}
		if l.before = nil; primary && len(ch.Dead) == rows.N && sameOp(ch.Ops) == OpUpdate {
			l.before = ch.Dead
		}
		l.same = l.before != nil && ch.SameKey
		for at := 0; at < rows.N; at += pageRows {
			end := min(at+pageRows, rows.N)
			for i, c := range key {
				cols[i] = rows.Cols[c].Slice(at, end)
			}
			p.keys.EncodeKeys(cols, end-at)
			l.at = at
			l.w.before, l.w.warm = nil, l.warm
			if l.same {
				l.w.before, l.w.warm = l.before[at:end], nil
			}
			t.mu.Lock()
			ok := t.byRow.add(&p.keys, &l.w)
			t.mu.Unlock()
			if !ok {
				return rc.duplicate(p.c.Begin, l.alive, rows, at+l.bad, key, name)
			}
		}
		l.first += rows.N
	}
	return nil
}

// linking is the state of a link: rows [at, ..) of a change whose row 0 is own
// row first.
type linking struct {
	rc        *relCommit
	keys      *zset.Keys
	w         adding
	first, at int
	before    []Addr // by row, what it updates: known to be dead
	same      bool   // and of the row's own key
	bad       int    // the row that was refused
	alive     Addr   // because of this version
}

func (l *linking) addr(i int) Addr {
	own := l.first + l.at + i
	if l.rc.killed != nil && l.rc.killed[own] {
		return NoAddr
	}
	if l.keys.Null != nil && l.keys.Null[i] {
		return NoAddr
	}
	return Addr(l.rc.v.n) + Addr(own)
}

func (l *linking) warm(newest []uint32) {
	for _, e := range newest {
		l.rc.touch(Addr(e) - 1) // of none: an address that no version has
	}
}

func (l *linking) check(i int, newest uint32) bool {
	a := Addr(newest - 1)
	if newest == 0 || (l.before != nil && l.before[l.at+i] == a) || !l.rc.alive(a) {
		return true
	}
	l.bad, l.alive = i, a
	return false
}

func (l *linking) done(slot uint32) {
	last := &l.rc.linked[len(l.rc.linked)-1]
	last.slots = append(last.slots, slot)
}

// alive reports whether version a is alive after the deaths of this commit.
func (rc *relCommit) alive(a Addr) bool {
	if uint64(a) < rc.v.n {
		return TSO(atomic.LoadUint64(&rc.v.stamp(a).died)) == Never
	}
	return rc.killed == nil || !rc.killed[uint64(a)-rc.v.n]
}

// duplicate is the error for a row whose key lives in version a: of the user, if
// he could see it, else of a race.
func (rc *relCommit) duplicate(begin TSO, a Addr, rows *zset.Batch, i int, key []int, name string) error {
	if uint64(a) < rc.v.n && begin != 0 && TSO(rc.v.stamp(a).born) > begin {
		return errConflict()
	}
	o := rc.obj
	e := errorf(ErrUnique, codeUnique, textUniqueFmt, name)
	names, vals := make([]string, len(key)), make([]string, len(key))
	for k, c := range key {
		names[k] = o.Schema[c].Name
		vals[k] = string(zset.AppendText(nil, &rows.Cols[c], i))
	}
	e.err.Detail = fmt.Sprintf("Key (%s)=(%s) already exists.", strings.Join(names, ", "), strings.Join(vals, ", "))
	e.err.Object = o.Name
	return e
}

// undo takes back what validate did.
func undo(rels []*relCommit) {
	for _, rc := range rels {
		for _, a := range rc.marked {
			atomic.StoreUint64(&rc.v.stamp(a).died, uint64(Never))
			rc.v.page(int(a >> pageBits)).dead.Add(-1)
		}
		rc.marked = nil
		for _, in := range rc.linked {
			in.t.mu.Lock()
			for i := len(in.slots) - 1; i >= 0; i-- {
				in.t.byRow.undo(in.slots[i])
			}
			in.t.mu.Unlock()
		}
		rc.linked = nil
	}
}

// install makes the new versions part of the relation.
func (rc *relCommit) install(tso TSO) {
	types := rc.obj.Schema.Types()
	v := rc.v
	for _, ch := range rc.changes {
		base := v.n
		v = v.grow(types, ch.Rows, tso)
		dead := ch.Dead
		for i, a := range ch.Dead {
			k, own := a.own()
			if !own {
				continue
			}
			if &dead[0] == &ch.Dead[0] {
				dead = append([]Addr(nil), ch.Dead...)
			}
			dead[i] = Addr(base) + Addr(k)
			v.die(dead[i], tso)
		}
		v.record(tso, v.n-base, ch.Ops, dead)
	}
	rc.r.view.Store(v)
}

// die stamps a version that is alive.
func (v *view) die(a Addr, tso TSO) {
	atomic.StoreUint64(&v.stamp(a).died, uint64(tso))
	v.page(int(a >> pageBits)).dead.Add(1)
}

// grow is s with length n; what was in it is lost.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
