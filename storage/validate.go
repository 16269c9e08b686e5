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
	if rc.r.pk == nil {
		return nil
	}
	return rc.link(p)
}

// kill marks the dead of ch. A version that is dead already was killed by a
// commit that came first, or twice by this one.
func (rc *relCommit) kill(ch *Change, first int, tso TSO) error {
	for _, a := range ch.Dead {
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
		p := rc.v.page(int(a >> pageBits))
		st := &p.st[a&pageMask]
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

// link adds the rows to the primary key, and refuses a key that lives. Rows that
// die in this very commit are left out: nobody will ever see them.
func (rc *relCommit) link(p *prepared) error {
	key, t := rc.r.obj.Load().Key, rc.r.pk
	cols := make([]zset.Column, len(key))
	src := rowSource{v: rc.v}
	for _, ch := range rc.changes {
		if ch.Rows != nil {
			src.own = append(src.own, ch.Rows)
		}
	}
	rc.linked = make([]uint32, 0, rc.rows)
	t.mu.Lock()
	t.byRow.reserve(rc.rows) // undo relies on it that slots stay where they are
	t.mu.Unlock()
	first := 0
	for _, rows := range src.own {
		for at := 0; at < rows.N; at += pageRows {
			end := min(at+pageRows, rows.N)
			for i, c := range key {
				cols[i] = rows.Cols[c].Slice(at, end)
			}
			p.keys.EncodeKeys(cols, end-at)
			if bad, alive := rc.linkPage(&p.keys, &src, first+at); bad >= 0 {
				return rc.duplicate(p.c.Begin, alive, rows, at+bad)
			}
		}
		first += rows.N
	}
	return nil
}

// linkPage adds own rows from first on. If a key lives, bad is its place and
// alive the version.
func (rc *relCommit) linkPage(k *zset.Keys, src *rowSource, first int) (bad int, alive Addr) {
	t := rc.r.pk
	bad = -1
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byRow.add(k, src, func(i int) Addr {
		if rc.killed != nil && rc.killed[first+i] {
			return NoAddr
		}
		return Addr(rc.v.n) + Addr(first+i)
	}, func(i int, newest uint32) bool {
		if newest == 0 || !rc.alive(Addr(newest-1)) {
			return true
		}
		bad, alive = i, Addr(newest-1)
		return false
	}, func(slot uint32) { rc.linked = append(rc.linked, slot) })
	return bad, alive
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
func (rc *relCommit) duplicate(begin TSO, a Addr, rows *zset.Batch, i int) error {
	if uint64(a) < rc.v.n && begin != 0 && TSO(rc.v.stamp(a).born) > begin {
		return errConflict()
	}
	o := rc.r.obj.Load()
	e := errorf(ErrUnique, codeUnique, textUniqueFmt, o.Name+"_pkey")
	names, vals := make([]string, len(o.Key)), make([]string, len(o.Key))
	for k, c := range o.Key {
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
			p := rc.v.page(int(a >> pageBits))
			atomic.StoreUint64(&p.st[a&pageMask].died, uint64(Never))
			p.dead.Add(-1)
		}
		rc.marked = nil
		if len(rc.linked) == 0 {
			continue
		}
		t := rc.r.pk
		t.mu.Lock()
		for i := len(rc.linked) - 1; i >= 0; i-- {
			t.byRow.undo(rc.linked[i])
		}
		t.mu.Unlock()
		rc.linked = nil
	}
}

// install makes the new versions part of the relation.
func (rc *relCommit) install(tso TSO) {
	types := rc.r.obj.Load().Schema.Types()
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
	p := v.page(int(a >> pageBits))
	atomic.StoreUint64(&p.st[a&pageMask].died, uint64(tso))
	p.dead.Add(1)
}

// grow is s with length n; what was in it is lost.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
