package storage

import (
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/ivmc/ivmc/zset"
)

// imageLoader puts the pages of a relation together again.
type imageLoader struct {
	l     *loader
	m     horizonMark
	at    TSO // horizon of the page that is being read
	no    int // its number
	rows  *zset.Batch
	offs  []int32
	st    []stamp
	want  uint64 // its rows in all
	lives uint64 // rows of all pages so far
}

// loadImages loads what the relation was at its horizon, and notes images above it.
func (l *loader) loadImages() (err error) {
	key := idKey(secHorizon, uint64(l.r.id))
	val, err := l.s.getFrom(l.db, key)
	if err != nil {
		return err
	}
	x := imageLoader{l: l, no: -1}
	if val != nil {
		ok := false
		if x.m, ok = decodeMark(val); !ok {
			return l.corrupt(0, key, "horizon is damaged")
		}
	}
	l.v.horizon, l.v.gone = x.m.at, x.m.at
	l.v.deaths = pagedFrom[Addr](int(x.m.deaths))
	if err := x.read(); err != nil {
		return err
	}
	if err := x.end(int((x.m.rows + pageMask) >> pageBits)); err != nil {
		return err
	}
	if x.lives != x.m.rows-x.m.deaths {
		return l.corrupt(x.m.at, key, fmt.Sprintf("an image of a page is missing: %d rows of %d", x.lives, x.m.rows-x.m.deaths))
	}
	l.v.n = x.m.rows
	return nil
}

// read reads all images in order.
func (x *imageLoader) read() (err error) {
	l, n := x.l, uint64(x.l.r.id)
	it, err := l.db.NewIter(&pebble.IterOptions{LowerBound: idKey(secImage, n), UpperBound: idKey(secImage, n+1)})
	if err != nil {
		return l.s.readError(err)
	}
	defer func() { err = l.s.closeIter(it, err) }()
	for ok := it.First(); ok; ok = it.Next() {
		key := it.Key()
		if len(key) != imageKeyLen {
			return l.corrupt(x.m.at, key, "key has another length")
		}
		tso := TSO(keyU64(key, 17))
		if tso > x.m.at {
			l.stale = append(l.stale, append([]byte(nil), key...))
			continue
		}
		b, err := it.ValueAndErr()
		if err != nil {
			return l.readError(tso, key, err)
		}
		if err := x.block(key, keyU64(key, 9), tso, b); err != nil {
			return err
		}
	}
	if err := it.Error(); err != nil {
		return l.readError(x.m.at, nil, err)
	}
	return nil
}

// block adds the rows of a block to its page.
func (x *imageLoader) block(key []byte, no uint64, tso TSO, b []byte) error {
	h, body, fault := openBlock(b)
	p := &x.l.part
	if fault == "" && (h.flags != flagImage || h.tso != tso || no >= (x.m.rows+pageMask)>>pageBits) {
		fault = "block is none of this image"
	}
	if fault == "" && int(no) != x.no {
		if err := x.end(int(no)); err != nil {
			return err
		}
		x.begin(int(no), &h)
	}
	if fault == "" && (h.base != uint64(len(x.offs)) || h.deathBase != x.want || tso != x.at) {
		fault = "a block of the image is missing"
	}
	if fault == "" {
		fault = p.decode(&h, body, x.l.types, x.l.v.fills)
	}
	if fault != "" {
		return x.l.corrupt(tso, key, fault)
	}
	for i, o := range p.offs {
		if o < 0 || o >= pageRows || no<<pageBits+uint64(o) >= x.m.rows || len(x.offs) > 0 && int64(x.offs[len(x.offs)-1]) >= o {
			return x.l.corrupt(tso, key, "rows of the image are out of order")
		}
		x.offs = append(x.offs, int32(o))
		x.st = append(x.st, stamp{uint64(p.births[i]), uint64(Never)})
	}
	x.rows.Append(&p.rows)
	x.l.read++
	x.l.images += int64(len(b))
	return nil
}

func (x *imageLoader) begin(no int, h *head) {
	x.no, x.at, x.want = no, h.tso, h.deathBase
	x.rows, x.offs, x.st = zset.NewBatch(x.l.types, int(min(h.deathBase, pageRows))), x.offs[:0], nil
}

// end completes the page that was read, and puts empty ones behind it up to no.
func (x *imageLoader) end(no int) error {
	if x.no >= 0 {
		if uint64(len(x.offs)) != x.want {
			return x.l.corrupt(x.at, imageKey(x.l.r.id, x.no, x.at, 0), "a block of the image is missing")
		}
		x.put(x.no)
		x.lives += x.want
	}
	x.rows, x.offs, x.st = zset.NewBatch(x.l.types, 0), x.offs[:0], nil
	for x.no++; x.no < no; x.no++ {
		x.put(x.no)
	}
	return nil
}

// put makes page no of what was read.
func (x *imageLoader) put(no int) {
	v := x.l.v
	span := int(min(pageRows, x.m.rows-uint64(no)<<pageBits))
	p := &page{n: len(x.offs), cols: x.rows.Cols, st: x.st, dead: new(atomic.Int32), maxBorn: x.m.at}
	switch {
	case span == pageRows && p.n == 0:
		p = gonePage
	case span == pageRows && 2*p.n <= pageRows:
		p.holes = holesOf(x.offs)
	case p.n < span:
		p = p.filled(x.offs, span)
	}
	if p.holes != nil {
		v.holed++
	}
	if span < pageRows {
		v.tail = p
		return
	}
	if p.holes == nil {
		v.slab.held = v.mem
		p.settle(&v.slab)
	}
	v.full = append(v.full, p)
	v.mem += p.memBytes()
}

// filled is p with rows for all of the first n versions of the page; those that
// are not at the offsets there are visible to nobody.
func (p *page) filled(there []int32, n int) *page {
	q := &page{n: n, cols: make([]zset.Column, len(p.cols)), st: make([]stamp, n), dead: new(atomic.Int32), maxBorn: p.maxBorn}
	for i := range q.st {
		q.st[i] = goneStamp
	}
	for k, o := range there {
		q.st[o] = p.st[k]
	}
	q.dead.Store(int32(n - p.n))
	for c := range p.cols {
		q.cols[c] = spread(&p.cols[c], there, n)
	}
	return q
}

// spread is n cells, of which those at the offsets there are the cells of src.
func spread(src *zset.Column, there []int32, n int) zset.Column {
	out := zset.Column{Type: src.Type}
	switch src.Type.Phys() {
	case zset.PhysI64:
		out.I64 = spreadCells(src.I64, there, n)
	case zset.PhysF64:
		out.F64 = spreadCells(src.F64, there, n)
	default:
		out.Buf, out.Off = src.Buf, make([]uint32, n+1)
		k := 0
		for o := range n {
			if out.Off[o+1] = out.Off[o]; k < len(there) && int(there[k]) == o {
				k++
				out.Off[o+1] = src.Off[k]
			}
		}
	}
	if src.Null != nil {
		out.Null = spreadCells(src.Null, there, n)
	}
	return out
}

func spreadCells[T any](src []T, there []int32, n int) []T {
	out := make([]T, n)
	for k, o := range there {
		out[o] = src[k]
	}
	return out
}

func (s *Store) recoverHorizons() error {
	return s.each(secHorizon, func(key, val []byte) error {
		m, ok := decodeMark(val)
		if !ok || len(key) != 9 {
			return errorf(ErrCorrupt, codeCorrupt, "horizon %x is damaged", key)
		}
		s.marks[ID(keyU64(key, 1))] = m
		return nil
	})
}

// sweepImages removes images of relations that were dropped while they were made.
func (s *Store) sweepImages() error {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: section(secImage), UpperBound: section(secImage + 1)})
	if err != nil {
		return s.readError(err)
	}
	var lost []uint64
	for ok := it.First(); ok; {
		rel := keyU64(it.Key(), 1)
		if _, ok := s.Catalog().ByID(ID(rel)); !ok {
			lost = append(lost, rel)
		}
		ok = it.SeekGE(idKey(secImage, rel+1))
	}
	if err := s.closeIter(it, nil); err != nil {
		return err
	}
	for _, rel := range lost {
		if err := s.db.DeleteRange(idKey(secImage, rel), idKey(secImage, rel+1), pebble.NoSync); err != nil {
			return s.readError(err)
		}
	}
	return nil
}
