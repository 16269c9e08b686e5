package zset

import "slices"

// Column holds cells of one type in raw slices. Exactly one physical form is
// used, see [Type.Phys]. Kernels read and write these slices directly.
//
// A NULL cell has a defined content: 0, or no bytes. So a kernel may compute
// over NULL cells and mask afterwards.
type Column struct {
	Type Type
	I64  []int64
	F64  []float64
	Off  []uint32 // len = rows+1; cell i is Buf[Off[i]:Off[i+1]]; Off[0] need not be 0
	Buf  []byte
	Null []bool // true = NULL; nil = no cell is NULL
}

// NewColumn returns an empty column with room for n cells.
func NewColumn(t Type, n int) Column {
	c := Column{Type: t}
	switch t.Phys() {
	case PhysI64:
		c.I64 = make([]int64, 0, n)
	case PhysF64:
		c.F64 = make([]float64, 0, n)
	default:
		c.Off = append(make([]uint32, 0, n+1), 0)
	}
	return c
}

// Len is the number of cells.
func (c *Column) Len() int {
	switch c.Type.Phys() {
	case PhysI64:
		return len(c.I64)
	case PhysF64:
		return len(c.F64)
	}
	if len(c.Off) == 0 {
		return 0
	}
	return len(c.Off) - 1
}

// Reset empties c and keeps its memory.
func (c *Column) Reset() {
	c.I64, c.F64, c.Buf, c.Null = c.I64[:0], c.F64[:0], c.Buf[:0], nil
	if c.Type.Phys() == PhysBytes {
		c.Off = append(c.Off[:0], 0)
	}
}

// IsNull reports whether cell i is NULL.
func (c *Column) IsNull(i int) bool { return c.Null != nil && c.Null[i] }

// Bytes is cell i of a PhysBytes column; it aliases Buf.
func (c *Column) Bytes(i int) []byte { return c.Buf[c.Off[i]:c.Off[i+1]] }

// AppendI64 appends a cell to a PhysI64 column.
func (c *Column) AppendI64(v int64) {
	c.I64 = append(c.I64, v)
	if c.Null != nil {
		c.Null = append(c.Null, false)
	}
}

// AppendF64 appends a cell to a PhysF64 column.
func (c *Column) AppendF64(v float64) {
	c.F64 = append(c.F64, v)
	if c.Null != nil {
		c.Null = append(c.Null, false)
	}
}

// AppendBytes appends a cell to a PhysBytes column; b is copied.
func (c *Column) AppendBytes(b []byte) {
	if len(c.Off) == 0 {
		c.Off = append(c.Off, 0)
	}
	c.Buf = append(c.Buf, b...)
	c.Off = append(c.Off, uint32(len(c.Buf)))
	if c.Null != nil {
		c.Null = append(c.Null, false)
	}
}

// AppendNull appends a NULL cell.
func (c *Column) AppendNull() {
	n := c.Len()
	switch c.Type.Phys() {
	case PhysI64:
		c.I64 = append(c.I64, 0)
	case PhysF64:
		c.F64 = append(c.F64, 0)
	default:
		if len(c.Off) == 0 {
			c.Off = append(c.Off, 0)
		}
		c.Off = append(c.Off, uint32(len(c.Buf)))
	}
	c.markNull(n)
}

// markNull sets the NULL flag of the last cell, which is cell n.
func (c *Column) markNull(n int) {
	if c.Null == nil {
		c.Null = make([]bool, n, max(cap(c.I64), cap(c.F64), cap(c.Off), n+1))
	}
	c.Null = append(c.Null, true)
}

// AppendCell appends cell i of src, which has the same type.
func (c *Column) AppendCell(src *Column, i int) {
	if src.IsNull(i) {
		c.AppendNull()
		return
	}
	switch c.Type.Phys() {
	case PhysI64:
		c.AppendI64(src.I64[i])
	case PhysF64:
		c.AppendF64(src.F64[i])
	default:
		c.AppendBytes(src.Bytes(i))
	}
}

// AppendColumn appends all cells of src, which has the same type.
func (c *Column) AppendColumn(src *Column) {
	n, m := c.Len(), src.Len()
	switch c.Type.Phys() {
	case PhysI64:
		c.I64 = append(c.I64, src.I64...)
	case PhysF64:
		c.F64 = append(c.F64, src.F64...)
	default:
		if len(c.Off) == 0 {
			c.Off = append(c.Off, 0)
		}
		if m > 0 {
			shift := uint32(len(c.Buf)) - src.Off[0]
			c.Buf = append(c.Buf, src.Buf[src.Off[0]:src.Off[m]]...)
			for _, o := range src.Off[1:] {
				c.Off = append(c.Off, o+shift)
			}
		}
	}
	c.appendNulls(n, src.Null, m)
}

// AppendTake appends the cells of src at positions idx (gather).
func (c *Column) AppendTake(src *Column, idx []int32) {
	n := c.Len()
	switch c.Type.Phys() {
	case PhysI64:
		c.I64 = slices.Grow(c.I64, len(idx))
		for _, i := range idx {
			c.I64 = append(c.I64, src.I64[i])
		}
	case PhysF64:
		c.F64 = slices.Grow(c.F64, len(idx))
		for _, i := range idx {
			c.F64 = append(c.F64, src.F64[i])
		}
	default:
		if len(c.Off) == 0 {
			c.Off = append(c.Off, 0)
		}
		size := 0
		for _, i := range idx {
			size += int(src.Off[i+1] - src.Off[i])
		}
		c.Off, c.Buf = slices.Grow(c.Off, len(idx)), slices.Grow(c.Buf, size)
		for _, i := range idx {
			c.Buf = append(c.Buf, src.Buf[src.Off[i]:src.Off[i+1]]...)
			c.Off = append(c.Off, uint32(len(c.Buf)))
		}
	}
	if src.Null == nil {
		c.appendNulls(n, nil, len(idx))
		return
	}
	if c.Null == nil {
		c.Null = make([]bool, n, n+len(idx))
	}
	for _, i := range idx {
		c.Null = append(c.Null, src.Null[i])
	}
}

// appendNulls extends the NULL flags from n cells by m cells.
func (c *Column) appendNulls(n int, null []bool, m int) {
	switch {
	case c.Null == nil && null == nil:
	case null == nil:
		c.Null = append(c.Null, make([]bool, m)...)
	default:
		if c.Null == nil {
			c.Null = make([]bool, n, n+m)
		}
		c.Null = append(c.Null, null[:m]...)
	}
}

// Slice is the cells [i, j) of c; it shares memory with c.
func (c *Column) Slice(i, j int) Column {
	s := Column{Type: c.Type}
	switch c.Type.Phys() {
	case PhysI64:
		s.I64 = c.I64[i:j:j]
	case PhysF64:
		s.F64 = c.F64[i:j:j]
	default:
		s.Off, s.Buf = c.Off[i:j+1:j+1], c.Buf
	}
	if c.Null != nil {
		s.Null = c.Null[i:j:j]
	}
	return s
}

// MemBytes estimates the memory that c holds.
func (c *Column) MemBytes() int64 {
	return int64(8*cap(c.I64) + 8*cap(c.F64) + 4*cap(c.Off) + cap(c.Buf) + cap(c.Null))
}
