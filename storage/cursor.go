package storage

import (
	"context"
	"io"
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// Cursor streams rows of a relation in batches of at most 4096. A batch shares
// memory with the relation where all rows of a page qualify; it stays valid. One
// goroutine.
type Cursor struct {
	v        *view
	lo, hi   TSO
	types    []zset.Type
	cols     []int
	withAddr bool
	unique   bool // no two rows of the result are identical

	page     int    // the next one
	a, end   uint64 // versions [a, end) come
	deaths   bool   // then rows that died
	first    Addr   // the first version born after lo
	d, dEnd  uint64 // entries [d, dEnd) of v.deaths come
	late     []int  // see Late
	keep     func(*zset.Batch, []int32) ([]int32, error)
	err      error // of the first Next
	sel      []int32
	runs     []rowRun
	addrs    []Addr // deaths still to come, in order of address
	order    []Addr // memory of addrs
	spare    []Addr
	minusOne []int64
}

// Scan gives the rows visible at `at`: the columns cols (nil: all; ColumnTSO is that
// of the commit that wrote the row) and, with
// withAddr, their addresses as a last BIGINT column. Next gives ErrBelowHorizon
// where `at` is below the horizon.
func (r *Relation) Scan(at TSO, cols []int, withAddr bool) *Cursor {
	c := r.cursor(cols, withAddr)
	if c.err = r.Readable(at); c.err != nil {
		return c
	}
	c.hi, c.end = at, c.v.rowsUpTo(at)
	c.unique = withAddr || covers(cols, r.obj.Load().Key)
	return c
}

// Changes gives what must be added to the rows at lo to have those at hi: rows
// born in (lo, hi] that live at hi with weight 1, and rows that lived at lo and
// died in (lo, hi] with weight -1. What came and went in between is not there.
// Not consolidated: a row may go and an identical one come. Next gives
// ErrBelowHorizon where lo is below the horizon.
func (r *Relation) Changes(lo, hi TSO, cols []int) *Cursor {
	c := r.cursor(cols, false)
	if hi <= lo {
		return c
	}
	if c.err = r.Readable(lo); c.err != nil {
		return c
	}
	c.lo, c.hi, c.deaths = lo, hi, true
	c.a, c.end = c.v.rowsUpTo(lo), c.v.rowsUpTo(hi)
	c.first = Addr(c.a)
	c.d, c.dEnd = c.v.deathsUpTo(lo), c.v.deathsUpTo(hi)
	return c
}

// ChangeCount is the number of rows born and of rows that died in (lo, hi]: an
// upper bound of the rows of Changes, reached unless rows came and went. Below the
// horizon it is a lower bound, which is 0 only if there was no change.
func (r *Relation) ChangeCount(lo, hi TSO) int {
	v := r.view.Load()
	if hi <= lo {
		return 0
	}
	if lo < v.horizon {
		return 1 + r.ChangeCount(v.horizon, hi)
	}
	return int(v.rowsUpTo(hi) - v.rowsUpTo(lo) + v.deathsUpTo(hi) - v.deathsUpTo(lo))
}

func (r *Relation) cursor(cols []int, withAddr bool) *Cursor {
	types := r.obj.Load().Schema.Types() // before the view, which has the fills of all of them then
	c := &Cursor{v: r.view.Load(), types: types, cols: cols, withAddr: withAddr}
	if cols == nil {
		c.cols = make([]int, len(c.types))
		for i := range c.cols {
			c.cols[i] = i
		}
	}
	return c
}

// covers reports whether cols (nil: all) has all of key, which is not empty.
func covers(cols, key []int) bool {
	if len(key) == 0 {
		return false
	}
	for _, k := range key {
		if cols != nil && !isKey(cols, k) {
			return false
		}
	}
	return true
}

// Next gives the next batch; io.EOF after the last.
func (c *Cursor) Next(ctx context.Context) (*zset.Batch, error) {
	if c.err != nil {
		return nil, c.err
	}
	for c.a < c.end {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := c.nextPage()
		if b == nil {
			continue
		}
		b, err := c.kept(b)
		if err != nil {
			return nil, err
		}
		if b.N > 0 {
			return b, nil
		}
	}
	for c.deaths && (c.d < c.dEnd || len(c.addrs) > 0) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b, err := c.nextDeaths()
		if err != nil {
			return nil, err
		}
		if b.N > 0 {
			return b, nil
		}
	}
	return nil, io.EOF
}

// kept is the rows of b that Late keeps.
func (c *Cursor) kept(b *zset.Batch) (*zset.Batch, error) {
	if c.keep == nil || b.N == 0 {
		return b, nil
	}
	sel, err := c.keep(b, c.sel[:0])
	if err != nil {
		return nil, err
	}
	c.sel = sel
	if len(sel) == b.N {
		return b, nil
	}
	return b.Take(sel), nil
}

// nextPage is the visible rows of the page of version a; nil if there are none.
func (c *Cursor) nextPage() *zset.Batch {
	p := c.v.page(int(c.a >> pageBits))
	first := c.a &^ pageMask
	i, j := int(c.a-first), int(min(c.end-first, uint64(p.span())))
	c.a = first + uint64(j)
	if i, j = p.rowsOf(i, j); i == j {
		return nil
	}
	b := &zset.Batch{N: j - i, Consolidated: c.unique, Cols: make([]zset.Column, 0, len(c.cols)+1)}
	all := p.allVisible(c.hi)
	if !all {
		c.sel = p.visible(c.hi, i, j, c.sel[:0])
		all = len(c.sel) == j-i
		b.N = len(c.sel)
	}
	if b.N == 0 {
		return nil
	}
	if !all {
		c.runs = runsOf(c.sel, c.runs[:0])
	}
	for _, k := range c.cols {
		if k == ColumnTSO {
			b.Cols = append(b.Cols, c.births(p, i, all, b.N))
			continue
		}
		col := p.column(k, c.types[k], c.v.fills)
		if all {
			col = col.Slice(i, j)
		} else {
			col = takeRuns(&col, c.runs, b.N)
		}
		b.Cols = append(b.Cols, col)
	}
	if c.withAddr {
		b.Cols = append(b.Cols, c.addresses(p, first, i, all, b.N))
	}
	return b
}

// births is the column of the TSOs at which n rows of p were written: those of
// c.sel, or all from row i on.
func (c *Cursor) births(p *page, i int, all bool, n int) zset.Column {
	out := zset.NewColumn(zset.TInt8, n)
	for k := range n {
		row := i + k
		if !all {
			row = int(c.sel[k])
		}
		out.I64 = append(out.I64, int64(p.st[row].born))
	}
	return out
}

// addresses is the column of the addresses of n rows of p: those of c.sel, or all
// from row i on. first is the address of the page.
func (c *Cursor) addresses(p *page, first uint64, i int, all bool, n int) zset.Column {
	addr := zset.NewColumn(zset.TInt8, n)
	var at []int32
	if p.holes != nil {
		at = p.offsets(0, p.n, nil)
	}
	for k := range n {
		row := i + k
		if !all {
			row = int(c.sel[k])
		}
		if at != nil {
			row = int(at[row])
		}
		addr.I64 = append(addr.I64, int64(first)+int64(row))
	}
	return addr
}

// Late makes the cursor choose rows before it reads all of their columns: it
// reads the columns at (positions in its own; the others of the batch are empty)
// and asks keep for the positions of the rows to go on with, ascending. For rows
// that died, whose cells lie scattered, this spares most reads of memory where
// few rows are kept. Only before the first Next.
func (c *Cursor) Late(at []int, keep func(b *zset.Batch, sel []int32) ([]int32, error)) {
	c.late, c.keep = at, keep
}

// chosen is the rows of the next deaths to go on with.
func (c *Cursor) chosen(addrs []Addr) ([]Addr, error) {
	b := &zset.Batch{N: len(addrs), Cols: make([]zset.Column, len(c.cols))}
	cols, out := make([]int, len(c.late)), make([]zset.Column, len(c.late))
	for i, at := range c.late {
		cols[i] = c.cols[at]
		out[i] = zset.NewColumn(c.types[cols[i]], b.N)
	}
	c.v.gatherSorted(addrs, cols, out)
	for i, k := range c.cols {
		b.Cols[i].Type = c.types[k]
	}
	for i, at := range c.late {
		b.Cols[at] = out[i]
	}
	sel, err := c.keep(b, c.sel[:0])
	if err != nil {
		return nil, err
	}
	c.sel = sel
	for i, s := range sel {
		addrs[i] = addrs[s]
	}
	return addrs[:len(sel)], nil
}

// nextDeaths is the next 4096 rows that lived at lo and died in (lo, hi].
//
// Deaths are read in order of address, not of time: rows that lie together are
// read together, which is three times as fast as going to and fro.
func (c *Cursor) nextDeaths() (*zset.Batch, error) {
	if len(c.addrs) == 0 {
		c.sortDeaths()
	}
	n := min(len(c.addrs), pageRows)
	rows := c.addrs[:n]
	c.addrs = c.addrs[n:]
	if c.keep != nil {
		var err error
		if rows, err = c.chosen(rows); err != nil {
			return nil, err
		}
	}
	b := &zset.Batch{N: len(rows), Cols: make([]zset.Column, len(c.cols))}
	for i, k := range c.cols {
		b.Cols[i] = zset.NewColumn(c.types[k], b.N)
	}
	c.v.gatherSorted(rows, c.cols, b.Cols)
	if c.minusOne == nil {
		c.minusOne = make([]int64, pageRows)
		for i := range c.minusOne {
			c.minusOne[i] = -1
		}
	}
	b.W = c.minusOne[:b.N:b.N]
	return b, nil
}

// sortedDeaths is how many deaths are put in order at once.
const sortedDeaths = 1 << 17

// sortDeaths fills c.addrs with the next deaths of rows that lived at lo: those
// whose address is below the first row born after lo, since addresses are dealt
// out in the order of commits.
func (c *Cursor) sortDeaths() {
	end := min(c.d+sortedDeaths, c.dEnd)
	c.order = c.order[:0]
	for c.d < end {
		part := c.v.deaths.run(int(c.d), int(end))
		c.order = append(c.order, part...)
		c.d += uint64(len(part))
	}
	c.order, c.spare = sortAddrs(c.order, c.spare)
	old, _ := slices.BinarySearch(c.order, c.first)
	c.addrs = c.order[:old]
}
