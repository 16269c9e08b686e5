package zset

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// maxArrowDecimal is the largest precision that decimal128 holds.
const maxArrowDecimal = 38

// arrowType is the Arrow type that columns of type t are handed out as: exact
// for every type; a NUMERIC beyond 38 digits, or without limit, or with a scale that
// is no number of its digits, goes as text, and so does an INTERVAL, whose microseconds Arrow would multiply into nanoseconds.
func arrowType(t Type) arrow.DataType {
	switch t.Kind {
	case Bool:
		return arrow.FixedWidthTypes.Boolean
	case Int2:
		return arrow.PrimitiveTypes.Int16
	case Int4:
		return arrow.PrimitiveTypes.Int32
	case Int8:
		return arrow.PrimitiveTypes.Int64
	case Float4:
		return arrow.PrimitiveTypes.Float32
	case Float8:
		return arrow.PrimitiveTypes.Float64
	case Date:
		return arrow.FixedWidthTypes.Date32
	case Timestamp:
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	case TimestampTZ:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	case Time:
		return arrow.FixedWidthTypes.Time64us
	case Bytea:
		return arrow.BinaryTypes.Binary
	case UUID:
		return &arrow.FixedSizeBinaryType{ByteWidth: uuidBytes}
	case Array:
		return arrow.ListOf(arrowType(t.Bounded()))
	case Numeric:
		if t.Prec >= 1 && t.Prec <= maxArrowDecimal && t.Scale >= 0 && t.Scale <= t.Prec {
			return &arrow.Decimal128Type{Precision: int32(t.Prec), Scale: int32(t.Scale)}
		}
	}
	return arrow.BinaryTypes.String
}

// ArrowSchema is the Arrow schema of records of s: bool, int16, int32, int64,
// float32, float64, decimal128(p,s), utf8, binary, fixed_size_binary(16) for UUID,
// date32, time64[us], timestamp[us] without zone and with UTC, list.
func ArrowSchema(s Schema) *arrow.Schema {
	fs := make([]arrow.Field, len(s))
	for i, f := range s {
		fs[i] = arrow.Field{Name: f.Name, Type: arrowType(f.Type), Nullable: !f.NotNull}
	}
	return arrow.NewSchema(fs, nil)
}

// ToArrow copies b into a record in memory of mem, a row of weight w as w rows
// and rows of weight 0 or less not at all. Infinite dates are the ends of int32.
// b's types are those of s, and a column holds less than 2 GiB of text. The
// caller releases the record. Error 22003 for a NaN in a column of decimals,
// which Arrow does not have.
func ToArrow(b *Batch, s Schema, mem memory.Allocator) (arrow.Record, error) {
	if b.W != nil {
		b = expand(b)
	}
	for i := range b.Cols {
		if arrowDecimal(s[i].Type) && hasNaN(&b.Cols[i], b.N) {
			err := Errorf(CodeOutOfRange, -1, "column %q holds NaN, which decimals of Arrow and Parquet do not have", s[i].Name)
			err.Hint = "Cast it to double precision, text, or numeric without a precision, which is handed out as text."
			return nil, err
		}
	}
	cols := make([]arrow.Array, len(b.Cols))
	for i := range b.Cols {
		cols[i] = toArray(&b.Cols[i], b.N, s[i].Type, mem)
	}
	rec := array.NewRecord(ArrowSchema(s), cols, int64(b.N))
	for _, c := range cols {
		c.Release()
	}
	return rec, nil
}

// arrowDecimal reports whether columns of type t, or their elements, are decimals of Arrow.
func arrowDecimal(t Type) bool {
	if t.Kind == Array {
		t = t.Bounded()
	}
	return t.Kind == Numeric && arrowType(t).ID() == arrow.DECIMAL128
}

// hasNaN looks for NaN in the first n cells, or their elements, of a column of decimals.
func hasNaN(c *Column, n int) bool {
	switch {
	case c.Type.Fixed():
		return slices.Contains(c.I64[:n], FixedNaN)
	case c.Type.Kind == Array:
		for i := range n {
			if e := elementsOf(c.Type, c.Bytes(i)); hasNaN(&e, e.Len()) {
				return true
			}
		}
	default:
		for i := range n {
			if b := c.Bytes(i); len(b) > 0 && b[0] == headNaN {
				return true
			}
		}
	}
	return false
}

// expand repeats every row of b by its weight.
func expand(b *Batch) *Batch {
	idx := make([]int32, 0, b.N)
	for i, w := range b.W {
		for ; w > 0; w-- {
			idx = append(idx, int32(i))
		}
	}
	plain := *b
	plain.W = nil
	return plain.Take(idx)
}

func toArray(c *Column, n int, t Type, mem memory.Allocator) arrow.Array {
	if t.Kind == Array {
		return toList(c, n, t, mem)
	}
	dt := arrowType(t)
	valid, nulls := validity(c.Null, n, mem)
	bufs := []*memory.Buffer{valid, nil}
	switch dt.ID() {
	case arrow.BOOL:
		bufs[1] = newBuffer(mem, (n+7)/8)
		bits := bufs[1].Bytes()
		clear(bits)
		for i, v := range c.I64[:n] {
			bits[i>>3] |= byte(v&1) << (i & 7)
		}
	case arrow.INT32, arrow.DATE32:
		bufs[1] = newBuffer(mem, 4*n)
		out := arrow.Int32Traits.CastFromBytes(bufs[1].Bytes())
		for i, v := range c.I64[:n] {
			out[i] = int32(min(max(v, math.MinInt32), math.MaxInt32))
		}
	case arrow.INT16:
		bufs[1] = newBuffer(mem, 2*n)
		out := arrow.Int16Traits.CastFromBytes(bufs[1].Bytes())
		for i, v := range c.I64[:n] {
			out[i] = int16(v)
		}
	case arrow.INT64, arrow.TIMESTAMP, arrow.TIME64:
		bufs[1] = newBuffer(mem, 8*n)
		copy(arrow.Int64Traits.CastFromBytes(bufs[1].Bytes()), c.I64[:n])
	case arrow.FLOAT64:
		bufs[1] = newBuffer(mem, 8*n)
		copy(arrow.Float64Traits.CastFromBytes(bufs[1].Bytes()), c.F64[:n])
	case arrow.FLOAT32:
		bufs[1] = newBuffer(mem, 4*n)
		out := arrow.Float32Traits.CastFromBytes(bufs[1].Bytes())
		for i, f := range c.F64[:n] {
			out[i] = float32(f)
		}
	case arrow.FIXED_SIZE_BINARY:
		bufs[1] = newBuffer(mem, uuidBytes*n)
		out := bufs[1].Bytes()
		clear(out)
		for i := range n {
			copy(out[uuidBytes*i:], c.Bytes(i))
		}
	case arrow.DECIMAL128:
		bufs[1] = newBuffer(mem, 16*n)
		fillDecimal128(bufs[1].Bytes(), c, n)
	default:
		if t.Kind == Numeric || t.Kind == Interval {
			c = cellTexts(c, n)
		}
		off, buf := textBuffers(c, n, mem)
		bufs = []*memory.Buffer{valid, off, buf}
	}
	data := array.NewData(dt, n, bufs, nil, nulls, 0)
	defer data.Release()
	for _, b := range bufs {
		if b != nil {
			b.Release() // data keeps its own reference
		}
	}
	return array.MakeFromData(data)
}

func newBuffer(mem memory.Allocator, n int) *memory.Buffer {
	b := memory.NewResizableBuffer(mem)
	b.Resize(n)
	return b
}

// validity is the Arrow bitmap of the first n flags, nil if none is set.
func validity(null []bool, n int, mem memory.Allocator) (*memory.Buffer, int) {
	if null == nil {
		return nil, 0
	}
	nulls := 0
	for _, x := range null[:n] {
		if x {
			nulls++
		}
	}
	if nulls == 0 {
		return nil, 0
	}
	b := newBuffer(mem, (n+7)/8)
	bits := b.Bytes()
	clear(bits)
	for i, x := range null[:n] {
		if !x {
			bits[i>>3] |= 1 << (i & 7)
		}
	}
	return b, nulls
}

func fillDecimal128(out []byte, c *Column, n int) {
	for i := range n {
		var lo, hi uint64
		if c.Type.Fixed() {
			lo, hi = uint64(c.I64[i]), uint64(c.I64[i]>>63)
		} else {
			d := DecodeDecimal(c.Bytes(i))
			lo, hi = d.coef[0], d.coef[1]
			if d.neg {
				lo, hi = -lo, ^hi
				if lo == 0 {
					hi++
				}
			}
		}
		binary.LittleEndian.PutUint64(out[16*i:], lo)
		binary.LittleEndian.PutUint64(out[16*i+8:], hi)
	}
}

// toList makes an Arrow list of an array column.
func toList(c *Column, n int, t Type, mem memory.Allocator) arrow.Array {
	valid, nulls := validity(c.Null, n, mem)
	off := newBuffer(mem, 4*(n+1))
	ends := arrow.Int32Traits.CastFromBytes(off.Bytes())
	cells := NewColumn(t.Element(), n)
	ends[0] = 0
	for i := range n {
		if !c.IsNull(i) {
			e := elementsOf(t, c.Bytes(i))
			cells.AppendColumn(&e)
		}
		ends[i+1] = int32(cells.Len())
	}
	child := toArray(&cells, cells.Len(), t.Bounded(), mem)
	defer child.Release()
	data := array.NewData(arrowType(t), n, []*memory.Buffer{valid, off}, []arrow.ArrayData{child.Data()}, nulls, 0)
	defer data.Release()
	if valid != nil {
		valid.Release()
	}
	off.Release()
	return array.MakeFromData(data)
}

// cellTexts is c as text.
func cellTexts(c *Column, n int) *Column {
	out := NewColumn(TText, n)
	out.Null = c.Null
	for i := range n {
		out.Buf = AppendText(out.Buf, c, i)
		out.Off = append(out.Off, uint32(len(out.Buf)))
	}
	return &out
}

func textBuffers(c *Column, n int, mem memory.Allocator) (off, buf *memory.Buffer) {
	off = newBuffer(mem, 4*(n+1))
	out := arrow.Int32Traits.CastFromBytes(off.Bytes())
	if n == 0 {
		out[0] = 0
		return off, newBuffer(mem, 0)
	}
	base := c.Off[0]
	if c.Off[n]-base > math.MaxInt32 {
		panic("zset: more than 2 GiB of text in one Arrow column")
	}
	for i, o := range c.Off[:n+1] {
		out[i] = int32(o - base)
	}
	buf = newBuffer(mem, int(c.Off[n]-base))
	copy(buf.Bytes(), c.Buf[base:c.Off[n]])
	return off, buf
}

// asSlice views the memory of s as elements of another type of the same size.
func asSlice[To, From any](s []From) []To {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*To)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
