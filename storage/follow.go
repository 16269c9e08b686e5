package storage

import (
	"context"
	"slices"
	"sync/atomic"
)

// Following is what moves with a commit: in its turn, and in its batch. Whatever a
// follower reads must be loaded, for nothing can be loaded within a turn.
type Following struct {
	// Loads are the relations that Move reads or writes, but for those of the commit.
	Loads []ID
	// Move is called with the rows of the commit in memory, where only who asks for
	// its TSO sees them, and hands on what is to be committed with it, at the same
	// TSO. What a call of also wrote is there for what comes after. If Move fails,
	// nothing is committed. It may not commit by itself.
	Move func(tso TSO, also func(*Commit) error) error
}

// follow is one run of Following.Move.
type follow struct {
	ctx  context.Context
	s    *Store
	tso  TSO
	cat  *Catalog // after the commit; nil: it stays
	base *prepared
	more []*prepared
}

// moveWith lets followers move. When it fails, all is as before the turn.
func (s *Store) moveWith(ctx context.Context, p *prepared, tso TSO, cat *Catalog) (more []*prepared, err error) {
	if p.c.Follow == nil {
		return nil, nil
	}
	f := &follow{ctx: ctx, s: s, tso: tso, cat: cat, base: p}
	p.reveal(tso)
	done := false
	defer func() {
		if !done || err != nil { // a panic too
			f.conceal()
			more = nil
		}
	}()
	err = p.c.Follow.Move(tso, f.also)
	done = true
	return f.more, err
}

// also validates a commit of a follower as one that came right behind.
func (f *follow) also(c *Commit) error {
	s := f.s
	p := &prepared{c: c, puts: f.base.puts, made: f.base.made}
	err := s.prepare(f.ctx, p)
	if err == nil && (len(c.Catalog) > 0 || c.Follow != nil || c.Empty != 0 || c.Quiet.Rel != 0) {
		err = errorf(ErrChange, codeInternal, "a follower changes the catalog, or has followers")
	}
	if err == nil {
		err = s.owned(c, f.cat)
	}
	if err == nil {
		err = s.moved(c, f.tso)
	}
	for i := 0; err == nil && i < len(p.rels); i++ {
		if err = s.current(p.rels[i], f.cat); err == nil {
			err = p.rels[i].validate(p, f.tso)
		}
		if err != nil {
			undo(p.rels[:i+1])
		}
	}
	if err != nil {
		s.dropRuns(p)
		p.release(s)
		return err
	}
	p.reveal(f.tso)
	f.more = append(f.more, p)
	return nil
}

// conceal takes back what followers did, and the rows of the base.
func (f *follow) conceal() {
	defer f.base.conceal()
	for _, p := range slices.Backward(f.more) {
		p.conceal()
		f.s.dropRuns(p)
		p.release(f.s)
	}
}

// takeBack is for a turn that failed when all had moved.
func (s *Store) takeBack(p *prepared, more []*prepared) {
	if !p.revealed {
		undo(p.rels)
		return
	}
	f := &follow{s: s, base: p, more: more}
	f.conceal()
}

// reveal puts the versions of p in memory, before they are written.
func (p *prepared) reveal(tso TSO) {
	for _, rc := range p.rels {
		rc.install(tso)
	}
	p.revealed = true
}

// conceal takes the versions away again, and the marks of the dead. Who has seen the view that had them may
// go on: they are visible to nobody who is not asking for their TSO.
//
// What comes next must not be written where they were, for a reader may look at
// the stamps there; and arrangements may have them, under keys that are not those
// of the rows which will have their addresses.
func (p *prepared) conceal() {
	undo(p.rels)
	for _, rc := range p.rels {
		rc.r.view.Store(rc.v.clipped())
		rc.r.arrMu.Lock()
		clear(rc.r.arrs)
		rc.r.arrMu.Unlock()
	}
	p.revealed = false
}

// clipped is v, whose arrays move when something is added.
func (v *view) clipped() *view {
	w := *v
	w.full, w.slab.spare = slices.Clip(v.full), nil
	w.tail = v.tail.clipped()
	w.deaths, w.ops, w.commits = v.deaths.clipped(), v.ops.clipped(), v.commits.clipped()
	return &w
}

// clipped is p with arrays that move, and a count of deaths of its own.
func (p *page) clipped() *page {
	if p == nil {
		return nil
	}
	q := *p
	q.st = slices.Clip(p.st)
	q.cols = slices.Clone(p.cols)
	for i := range q.cols {
		c := &q.cols[i]
		c.I64, c.F64, c.Off, c.Buf, c.Null = slices.Clip(c.I64), slices.Clip(c.F64), slices.Clip(c.Off), slices.Clip(c.Buf), slices.Clip(c.Null)
	}
	q.dead = new(atomic.Int32)
	for i := range q.st {
		if TSO(atomic.LoadUint64(&q.st[i].died)) != Never {
			q.dead.Add(1)
		}
	}
	return &q
}

func (p *paged[T]) clipped() paged[T] {
	return paged[T]{full: slices.Clip(p.full), tail: slices.Clip(p.tail)}
}
