package zset

import "math"

// Consolidate returns b with the weights of identical rows summed and rows of
// weight 0 dropped, rows in the order in which they were first seen. The result
// may be b itself or share its columns; b is not changed.
func Consolidate(b *Batch) *Batch {
	if b.Consolidated {
		return b
	}
	var x rowIndex
	x.reset(b.N)
	hash := x.hashRows(b.Cols, b.N)
	rows := make([]int32, 0, b.N) // first row of each distinct row
	w := make([]int64, 0, b.N)
	for i := range b.N {
		if i%warmStep == 0 {
			x.touch(hash[i:min(i+warmStep, b.N)])
		}
		id, found := x.find(hash[i], func(id uint32) bool { return sameRow(b.Cols, int(rows[id]), b.Cols, i) })
		if found {
			w[id] += b.Weight(i)
			continue
		}
		x.place(hash[i], uint32(len(rows)))
		rows = append(rows, int32(i))
		w = append(w, b.Weight(i))
	}
	return pick(b, rows, w)
}

// pick is the rows of b at positions rows with weights w, without weight 0.
func pick(b *Batch, rows []int32, w []int64) *Batch {
	k, one := 0, true
	for i, x := range w {
		if x == 0 {
			continue
		}
		one = one && x == 1
		rows[k], w[k] = rows[i], x
		k++
	}
	rows, w = rows[:k], w[:k]
	if one {
		w = nil
	}
	if k == b.N {
		return &Batch{Cols: b.Cols, W: w, N: k, Consolidated: true}
	}
	out := &Batch{Cols: make([]Column, len(b.Cols)), W: w, N: k, Consolidated: true}
	for i := range b.Cols {
		out.Cols[i] = NewColumn(b.Cols[i].Type, k)
		out.Cols[i].AppendTake(&b.Cols[i], rows)
	}
	return out
}

// Consolidator consolidates many batches of the same column types into one.
// The zero Consolidator is ready for use.
type Consolidator struct {
	index rowIndex
	rows  *Batch // the distinct rows so far, in the order first seen
	w     []int64
	fresh []int32
	alone bool // rows are one consolidated batch, which is not in the index yet
}

// Add adds the rows of b. It keeps nothing of b.
func (c *Consolidator) Add(b *Batch) {
	switch {
	case c.rows == nil && b.Consolidated: // nothing to find, unless more comes
		c.first(b)
		return
	case c.rows == nil:
		c.rows = NewBatch(b.Types(), b.N)
		c.index.reset(b.N)
	case c.alone:
		c.alone = false
		c.index.reset(c.rows.N)
		c.index.all = append(c.index.all, c.index.hashRows(c.rows.Cols, c.rows.N)...)
		for id, h := range c.index.all {
			c.index.place(h, uint32(id))
		}
	}
	c.index.grow(c.rows.N + b.N)
	hash := c.index.hashRows(b.Cols, b.N)
	c.fresh = c.fresh[:0]
	base := c.rows.N
	for i := range b.N {
		if i%warmStep == 0 {
			c.index.touch(hash[i:min(i+warmStep, b.N)])
		}
		id, found := c.index.find(hash[i], func(id uint32) bool {
			if int(id) < base {
				return sameRow(c.rows.Cols, int(id), b.Cols, i)
			}
			return sameRow(b.Cols, int(c.fresh[int(id)-base]), b.Cols, i)
		})
		if found {
			c.w[id] += b.Weight(i)
			continue
		}
		c.index.place(hash[i], uint32(len(c.w)))
		c.index.all = append(c.index.all, hash[i])
		c.fresh = append(c.fresh, int32(i))
		c.w = append(c.w, b.Weight(i))
	}
	for i := range b.Cols {
		c.rows.Cols[i].AppendTake(&b.Cols[i], c.fresh)
	}
	c.rows.N += len(c.fresh)
}

// first takes a copy of b, whose rows are distinct.
func (c *Consolidator) first(b *Batch) {
	c.rows, c.alone = &Batch{Cols: make([]Column, len(b.Cols)), N: b.N}, true
	for i := range b.Cols {
		c.rows.Cols[i] = Column{Type: b.Cols[i].Type}
		c.rows.Cols[i].AppendColumn(&b.Cols[i])
	}
	c.w = make([]int64, b.N)
	for i := range c.w {
		c.w[i] = b.Weight(i)
	}
}

// Len is the number of distinct rows so far, those of weight 0 included.
func (c *Consolidator) Len() int { return len(c.w) }

// MemBytes estimates the memory that c holds.
func (c *Consolidator) MemBytes() int64 {
	n := c.index.memBytes() + int64(8*cap(c.w)+4*cap(c.fresh))
	if c.rows != nil {
		for i := range c.rows.Cols {
			n += c.rows.Cols[i].MemBytes()
		}
	}
	return n
}

// Result is the consolidated sum of the batches added, nil if none was. The
// Consolidator is empty afterwards.
func (c *Consolidator) Result() *Batch {
	rows, w := c.rows, c.w
	*c = Consolidator{index: c.index}
	if rows == nil {
		return nil
	}
	idx := make([]int32, rows.N)
	for i := range idx {
		idx[i] = int32(i)
	}
	return pick(rows, idx, w)
}

// rowIndex places row numbers by the hashes of their cells. A cell's physical
// form is canonical (identical cells, equal forms) but for NaN, so rows are
// hashed and compared without being encoded.
type rowIndex struct {
	slots []uint64 // 0, or a tag of hash bits above row number + 1
	hash  []uint64 // of the batch at hand
	all   []uint64 // of the rows added, by number, for grow
	warm  uint64   // keeps the loads of touch
}

const (
	rowTag   = ^uint64(math.MaxUint32)
	warmStep = 64 // rows whose slots are loaded together
)

// touch loads the slots of some hashes, so that their misses overlap.
func (x *rowIndex) touch(hash []uint64) {
	mask := uint64(len(x.slots) - 1)
	sum := uint64(0)
	for _, h := range hash {
		sum += x.slots[h&mask]
	}
	x.warm = sum
}

func (x *rowIndex) memBytes() int64 {
	return int64(8 * (cap(x.slots) + cap(x.hash) + cap(x.all)))
}

// reset empties x and makes room for n rows.
func (x *rowIndex) reset(n int) {
	want := slotsFor(n)
	if len(x.slots) < want || len(x.slots) > 16*want {
		x.slots = make([]uint64, want)
	} else {
		clear(x.slots)
	}
	x.all = x.all[:0]
}

// grow makes room for n rows in all.
func (x *rowIndex) grow(n int) {
	want := slotsFor(n)
	if want <= len(x.slots) {
		return
	}
	x.slots = make([]uint64, max(want, 2*len(x.slots)))
	for id, h := range x.all {
		x.place(h, uint32(id))
	}
}

func (x *rowIndex) find(h uint64, same func(id uint32) bool) (id uint32, found bool) {
	mask := uint64(len(x.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		s := x.slots[i]
		if s == 0 {
			return 0, false
		}
		if (s^h)&rowTag == 0 && same(uint32(s)-1) {
			return uint32(s) - 1, true
		}
	}
}

// place notes row id. There is room.
func (x *rowIndex) place(h uint64, id uint32) {
	mask := uint64(len(x.slots) - 1)
	i := h & mask
	for x.slots[i] != 0 {
		i = (i + 1) & mask
	}
	x.slots[i] = h&rowTag | uint64(id) + 1
}

// hashRows hashes n rows, column by column.
func (x *rowIndex) hashRows(cols []Column, n int) []uint64 {
	x.hash = hashRows(x.hash, cols, n)
	return x.hash
}

func hashColumn(h []uint64, c *Column) {
	switch c.Type.Phys() {
	case PhysI64:
		for i, v := range c.I64[:len(h)] {
			h[i] = hashWord(h[i], uint64(v))
		}
	case PhysF64:
		for i, v := range c.F64[:len(h)] {
			h[i] = hashWord(h[i], floatRow(v))
		}
	default:
		if len(h) == 0 {
			return
		}
		off := c.Off[: len(h)+1 : len(h)+1]
		for i := range h {
			h[i] = hashWord(h[i], Hash(c.Buf[off[i]:off[i+1]]))
		}
	}
	if c.Null != nil {
		for i, null := range c.Null[:len(h)] {
			if null {
				h[i] = hashWord(h[i], hashD)
			}
		}
	}
}

// sameRow reports whether row i of a is identical to row j of b.
func sameRow(a []Column, i int, b []Column, j int) bool {
	for k := range a {
		x, y := &a[k], &b[k]
		if x.IsNull(i) != y.IsNull(j) {
			return false
		}
		switch {
		case x.I64 != nil:
			if x.I64[i] != y.I64[j] {
				return false
			}
		case x.F64 != nil:
			if floatRow(x.F64[i]) != floatRow(y.F64[j]) {
				return false
			}
		default:
			if string(x.Bytes(i)) != string(y.Bytes(j)) {
				return false
			}
		}
	}
	return true
}
