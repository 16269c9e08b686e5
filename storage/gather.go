package storage

import "github.com/ivmc/ivmc/zset"

// Gather appends the cells of the rows at addrs, which exist, to out: column
// cols[i] (nil: all) to out[i]. Dead rows can be read too.
func (r *Relation) Gather(addrs []Addr, cols []int, out []zset.Column) {
	types := r.obj.Load().Schema.Types()
	if cols == nil {
		cols = make([]int, len(types))
		for i := range cols {
			cols[i] = i
		}
	}
	r.view.Load().gather(addrs, cols, types, out)
}

func (v *view) gather(addrs []Addr, cols []int, types []zset.Type, out []zset.Column) {
	if len(addrs) == 0 {
		return
	}
	g := gatherer{v: v, addrs: addrs}
	for i, c := range cols {
		g.column(c, types[c], &out[i])
	}
}

// gatherer reads scattered cells. For many of them it makes a directory of the
// pages' arrays first, so that a cell is one miss of memory.
type gatherer struct {
	v     *view
	addrs []Addr
	ints  [][]int64
	flts  [][]float64
	text  []textPage
}

type textPage struct {
	off []uint32
	buf []byte
}

func (g *gatherer) column(c int, t zset.Type, out *zset.Column) {
	pages := g.v.pages()
	if len(g.addrs)*4 < pages || out.Null != nil {
		g.cells(c, out)
		return
	}
	for i := range pages {
		if p := g.v.page(i); c >= len(p.cols) || p.cols[c].Null != nil {
			g.cells(c, out)
			return
		}
	}
	switch t.Phys() {
	case zset.PhysI64:
		g.ints = grow(g.ints, pages)
		for i := range pages {
			g.ints[i] = g.v.page(i).cols[c].I64
		}
		out.I64 = appendCells(out.I64, g.ints, g.addrs)
	case zset.PhysF64:
		g.flts = grow(g.flts, pages)
		for i := range pages {
			g.flts[i] = g.v.page(i).cols[c].F64
		}
		out.F64 = appendCells(out.F64, g.flts, g.addrs)
	default:
		g.texts(c, out)
	}
}

func appendCells[T any](dst []T, dir [][]T, addrs []Addr) []T {
	at := len(dst)
	if cap(dst)-at < len(addrs) {
		dst = append(make([]T, 0, at+len(addrs)), dst...)
	}
	dst = dst[:at+len(addrs)]
	for i, a := range addrs {
		dst[at+i] = dir[a>>pageBits][a&pageMask]
	}
	return dst
}

func (g *gatherer) texts(c int, out *zset.Column) {
	g.text = grow(g.text, g.v.pages())
	for i := range g.text {
		col := &g.v.page(i).cols[c]
		g.text[i] = textPage{col.Off, col.Buf}
	}
	if len(out.Off) == 0 {
		out.Off = append(out.Off, 0)
	}
	off, buf := out.Off, out.Buf
	for _, a := range g.addrs {
		p, i := &g.text[a>>pageBits], a&pageMask
		buf = append(buf, p.buf[p.off[i]:p.off[i+1]]...)
		off = append(off, uint32(len(buf)))
	}
	out.Off, out.Buf = off, buf
}

// cells appends one cell after the other: for a few, or where NULLs are.
func (g *gatherer) cells(c int, out *zset.Column) {
	for _, a := range g.addrs {
		p := g.v.page(int(a >> pageBits))
		if c >= len(p.cols) {
			out.AppendNull()
		} else {
			out.AppendCell(&p.cols[c], int(a&pageMask))
		}
	}
}
