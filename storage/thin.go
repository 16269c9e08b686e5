package storage

import (
	"slices"
	"sync/atomic"

	"github.com/ivmc/ivmc/zset"
)

// thinned is what becomes of a page when the versions that died at or before the
// horizon go.
type thinned struct {
	no   int
	old  *page
	page *page   // without its stamps; gonePage: nothing is left
	rows []int32 // of old, which stay
}

// thin finds the full pages of v of which half of the rows or more are dead at low,
// and copies what is left of them: copies are made when a page has halved, so a row
// is copied a few times in all. Stamps are left to take, for they still change.
func (v *view) thin(low TSO) (out []thinned) {
	for no, p := range v.full {
		if int(p.dead.Load())*2 < p.n || p.n == 0 {
			continue
		}
		rows := living(p.st, low, nil)
		if len(rows)*2 > p.n {
			continue
		}
		out = append(out, thinned{no, p, p.without(rows), rows})
	}
	return out
}

// living appends the rows that somebody who reads at low or above may see.
func living(st []stamp, low TSO, rows []int32) []int32 {
	for i := range st {
		if TSO(atomic.LoadUint64(&st[i].died)) > low {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// without is p with these rows alone, and no stamps.
func (p *page) without(rows []int32) *page {
	if len(rows) == 0 {
		return gonePage
	}
	q := &page{n: len(rows), cols: make([]zset.Column, len(p.cols)), dead: new(atomic.Int32), maxBorn: p.maxBorn}
	runs := runsOf(rows, nil)
	for c := range p.cols {
		q.cols[c] = takeRuns(&p.cols[c], runs, q.n)
	}
	if p.holes == nil {
		q.holes = holesOf(rows)
		return q
	}
	offs := p.offsets(0, p.n, nil)
	there := make([]int32, len(rows))
	for i, row := range rows {
		there[i] = offs[row]
	}
	q.holes = holesOf(there)
	return q
}

// take gives the pages their stamps. Under Store.mu: nobody dies meanwhile.
func (t *thinned) take() {
	if t.page == gonePage {
		return
	}
	st, dead := make([]stamp, len(t.rows)), int32(0)
	for i, row := range t.rows {
		if st[i] = t.old.st[row]; st[i].died != uint64(Never) {
			dead++
		}
	}
	t.page.st = st
	t.page.dead.Store(dead)
}

// above is v with horizon h: without the commits up to it, and with the thinned
// pages in their places. Under Store.mu.
func (v *view) above(h TSO, thin []thinned) *view {
	w := *v
	w.cut = v.commitAfter(h)
	death, op := v.deaths.len(), v.ops.len()
	if w.cut < v.commits.len() {
		c := v.commits.at(w.cut)
		death, op = int(c.death), int(c.op)
	}
	w.horizon = h
	w.commits, w.deaths, w.ops = v.commits.from(w.cut), v.deaths.from(death), v.ops.from(op)
	if len(thin) == 0 {
		return &w
	}
	w.gone = h
	w.full = slices.Clone(v.full)
	for i := range thin {
		t := &thin[i]
		t.take()
		w.full[t.no] = t.page
		if t.old.holes == nil {
			w.holed++
		}
		w.mem += t.page.memBytes() - t.old.memBytes()
	}
	return &w
}
