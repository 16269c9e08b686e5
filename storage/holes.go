package storage

import (
	"math"
	"math/bits"
	"sync/atomic"
)

// holes says which versions of a page of 4096 are still there: the others died
// below the horizon and were reclaimed. The page's columns and stamps have the rows
// that are there alone; readers translate the place of a version in the page, its
// offset, into the place of its row by counting bits.
type holes struct {
	bits [pageRows / 64]uint64
	rank [pageRows / 64]uint16 // rows before the word
}

// holesOf is the page with versions at the offsets there, ascending.
func holesOf(there []int32) *holes {
	h := &holes{}
	for _, o := range there {
		h.bits[o>>6] |= 1 << (o & 63)
	}
	n := 0
	for w, b := range h.bits {
		h.rank[w] = uint16(n)
		n += bits.OnesCount64(b)
	}
	return h
}

// row is the row of the version at offset o; false if it is not there.
func (h *holes) row(o int) (int, bool) {
	w, b := o>>6, uint64(1)<<(o&63)
	return int(h.rank[w]) + bits.OnesCount64(h.bits[w]&(b-1)), h.bits[w]&b != 0
}

// rows is the number of rows of the versions before offset o, which may be 4096.
func (h *holes) rows(o int) int {
	if o == pageRows {
		return int(h.rank[len(h.rank)-1]) + bits.OnesCount64(h.bits[len(h.bits)-1])
	}
	n, _ := h.row(o)
	return n
}

// offsets appends the offsets of rows [i, j) to dst.
func (h *holes) offsets(i, j int, dst []int32) []int32 {
	at := 0
	for w, b := range h.bits {
		if n := at + bits.OnesCount64(b); n <= i {
			at = n
			continue
		}
		for ; b != 0 && at < j; b &= b - 1 {
			if at >= i {
				dst = append(dst, int32(w<<6+bits.TrailingZeros64(b)))
			}
			at++
		}
		if at >= j {
			break
		}
	}
	return dst
}

// goneStamp is that of every version that was reclaimed: it is visible to nobody.
// Read-only.
var goneStamp = stamp{born: math.MaxUint64}

// gonePage stands for every page whose versions were all reclaimed. Read-only.
var gonePage = &page{holes: &holes{}, dead: new(atomic.Int32)}

// span is the number of versions of p, those that are not there too.
func (p *page) span() int {
	if p.holes != nil {
		return pageRows
	}
	return p.n
}

// rowsOf is the rows of the versions at offsets [i, j).
func (p *page) rowsOf(i, j int) (int, int) {
	if p.holes != nil {
		return p.holes.rows(i), p.holes.rows(j)
	}
	return i, j
}

// offsets appends the offsets of rows [i, j) to dst.
func (p *page) offsets(i, j int, dst []int32) []int32 {
	if p.holes != nil {
		return p.holes.offsets(i, j, dst)
	}
	for k := i; k < j; k++ {
		dst = append(dst, int32(k))
	}
	return dst
}

// holeStamp is the stamp of the version at offset o of a page with holes.
func (p *page) holeStamp(o int) *stamp {
	if k, ok := p.holes.row(o); ok {
		return &p.st[k]
	}
	return &goneStamp
}

// places translates addresses of versions that are there into where their rows
// are: row r of page p is p<<12 + r. A relation without holes has its rows where
// their addresses say. Nil: one of them was reclaimed, which is a fault of who
// asks, for it is visible to nobody.
func (v *view) places(addrs []Addr) []Addr {
	if v.holed == 0 {
		return addrs
	}
	out := make([]Addr, len(addrs))
	for i, a := range addrs {
		out[i] = a
		p := v.page(int(a >> pageBits))
		if p.holes == nil {
			continue
		}
		k, ok := p.holes.row(int(a & pageMask))
		if !ok {
			return nil
		}
		out[i] = a&^pageMask + Addr(k)
	}
	return out
}
