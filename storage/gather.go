package storage

import (
	"encoding/binary"

	"github.com/ivmc/ivmc/zset"
)

// Gather appends the cells of the rows at addrs, which exist, to out: column
// cols[i] (nil: all) to out[i]. Dead rows can be read too, if they died after the
// horizon.
func (r *Relation) Gather(addrs []Addr, cols []int, out []zset.Column) {
	r.view.Load().gather(addrs, cols, r.obj.Load().Schema.Types(), out)
}

func (v *view) gather(addrs []Addr, cols []int, types []zset.Type, out []zset.Column) {
	if len(addrs) == 0 {
		return
	}
	if cols == nil {
		cols = make([]int, len(types))
		for i := range cols {
			cols[i] = i
		}
	}
	g := gatherer{v: v, addrs: v.places(addrs)}
	if g.addrs == nil {
		v.takeGone(addrs, cols, out)
		return
	}
	for i, c := range cols {
		g.column(c, types[c], &out[i])
	}
}

// gatherer reads scattered cells. For many of them it makes a directory of the
// pages' arrays first, so that a cell is one miss of memory.
type gatherer struct {
	v     *view
	addrs []Addr // places, see view.places
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
		g.v.takeCells(g.addrs, c, out)
		return
	}
	for i := range pages {
		if p := g.v.page(i); p.n > 0 && (c >= len(p.cols) || p.cols[c].Null != nil) {
			g.v.takeCells(g.addrs, c, out)
			return
		}
	}
	switch t.Phys() {
	case zset.PhysI64:
		g.ints = grow(g.ints, pages)
		for i := range pages {
			if p := g.v.page(i); p.n > 0 {
				g.ints[i] = p.cols[c].I64
			}
		}
		out.I64 = appendCells(out.I64, g.ints, g.addrs)
	case zset.PhysF64:
		g.flts = grow(g.flts, pages)
		for i := range pages {
			if p := g.v.page(i); p.n > 0 {
				g.flts[i] = p.cols[c].F64
			}
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
		if p := g.v.page(i); p.n > 0 {
			g.text[i] = textPage{p.cols[c].Off, p.cols[c].Buf}
		}
	}
	if len(out.Off) == 0 {
		out.Off = append(out.Off, 0)
	}
	off, buf := out.Off, out.Buf
	var from, to [seenSlots]uint32
	for lo := 0; lo < len(g.addrs); lo += seenSlots {
		group := g.addrs[lo:min(lo+seenSlots, len(g.addrs))]
		for k, a := range group { // all offsets before all bytes: the misses overlap
			o := g.text[a>>pageBits].off[a&pageMask:]
			from[k], to[k] = o[0], o[1]
		}
		for k, a := range group {
			buf = appendText(buf, g.text[a>>pageBits].buf, from[k], to[k])
			off = append(off, uint32(len(buf)))
		}
	}
	out.Off, out.Buf = off, buf
}

// appendText appends src[i:j] to dst; a short text is one word that is copied
// whole, which spares a call.
func appendText(dst, src []byte, i, j uint32) []byte {
	n := len(dst)
	if j-i <= 8 && int(i)+8 <= len(src) && n+8 <= cap(dst) {
		binary.LittleEndian.PutUint64(dst[n:n+8:n+8], binary.LittleEndian.Uint64(src[i:]))
		return dst[:n+int(j-i)]
	}
	return append(dst, src[i:j]...)
}

// gatherSorted is gather for ascending addresses, which needs no directory: rows
// of one page follow each other.
func (v *view) gatherSorted(addrs []Addr, cols []int, out []zset.Column) {
	at := v.places(addrs)
	if at == nil && len(addrs) > 0 {
		v.takeGone(addrs, cols, out)
		return
	}
	addrs = at
	for lo := 0; lo < len(addrs); lo += seenSlots {
		group := addrs[lo:min(lo+seenSlots, len(addrs))]
		for i, c := range cols {
			v.takeSorted(group, c, &out[i])
		}
	}
}

// takeSorted appends column c of at most seenSlots rows.
func (v *view) takeSorted(addrs []Addr, c int, out *zset.Column) {
	var src [seenSlots]*zset.Column
	page := ^Addr(0)
	var col *zset.Column
	for k, a := range addrs {
		if a>>pageBits != page {
			page = a >> pageBits
			p := v.page(int(page))
			if c >= len(p.cols) || p.cols[c].Null != nil || out.Null != nil {
				v.takeCells(addrs, c, out)
				return
			}
			col = &p.cols[c]
		}
		src[k] = col
	}
	switch out.Type.Phys() {
	case zset.PhysI64:
		out.I64 = append(out.I64, make([]int64, len(addrs))...)
		dst := out.I64[len(out.I64)-len(addrs):]
		for k, a := range addrs {
			dst[k] = src[k].I64[a&pageMask]
		}
	case zset.PhysF64:
		out.F64 = append(out.F64, make([]float64, len(addrs))...)
		dst := out.F64[len(out.F64)-len(addrs):]
		for k, a := range addrs {
			dst[k] = src[k].F64[a&pageMask]
		}
	default:
		takeTexts(addrs, &src, out)
	}
}

// takeTexts loads all offsets before all bytes: the misses of memory overlap.
func takeTexts(addrs []Addr, src *[seenSlots]*zset.Column, out *zset.Column) {
	var from, to [seenSlots]uint32
	for k, a := range addrs {
		o := src[k].Off[a&pageMask:]
		from[k], to[k] = o[0], o[1]
	}
	off, buf := out.Off, out.Buf
	if cap(buf)-len(buf) < 8*len(addrs) {
		buf = append(make([]byte, 0, 2*len(buf)+16*len(addrs)), buf...)
	}
	for k := range addrs {
		buf = appendText(buf, src[k].Buf, from[k], to[k])
		off = append(off, uint32(len(buf)))
	}
	out.Off, out.Buf = off, buf
}

// takeCells appends one cell after the other: for a few, where NULLs are, or for
// columns younger than their rows.
func (v *view) takeCells(addrs []Addr, c int, out *zset.Column) {
	for _, a := range addrs {
		if p := v.page(int(a >> pageBits)); c < len(p.cols) {
			out.AppendCell(&p.cols[c], int(a&pageMask))
		} else {
			v.fills.append(c, out)
		}
	}
}

// takeGone is gather where a version that was asked for was reclaimed: it reads as
// NULL. Whoever pins what he reads does not come here.
func (v *view) takeGone(addrs []Addr, cols []int, out []zset.Column) {
	zset.Invariant(false, "a version below the horizon was read")
	for _, a := range addrs {
		place := v.places([]Addr{a})
		for i, c := range cols {
			if place == nil {
				out[i].AppendNull()
			} else {
				v.takeCells(place, c, &out[i])
			}
		}
	}
}
