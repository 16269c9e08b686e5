package load

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	parquetschema "github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/ivmc/ivmc/zset"
)

// fieldOf is the Arrow field that has the SQL type of one of Parquet, and what makes
// its cells of those that the library reads, nil where they are the same. The library
// drops the names of types for bytes, and reads negative decimals of more than 38
// digits wrong.
func fieldOf(f pqarrow.SchemaField, s *parquetschema.Schema) (arrow.Field, func(arrow.Array) (arrow.Array, error), error) {
	out := *f.Field
	if len(f.Children) > 0 { // IsLeaf is true of lists too
		if _, ok := out.Type.(*arrow.ListType); ok && len(f.Children) == 1 {
			elem, as, err := fieldOf(f.Children[0], s)
			if err != nil {
				return out, nil, err
			}
			if as == nil {
				out.Type = arrow.ListOfField(elem)
			} else if elem.Type.ID() != arrow.STRING { // those are read as bytes
				return out, nil, zset.Errorf("0A000", -1, "column %q of the parquet file holds lists of %s, which cannot be read", out.Name, elem.Type)
			}
		}
		return out, nil, nil
	}
	c := s.Column(f.ColIndex)
	switch c.LogicalType().(type) {
	case parquetschema.JSONLogicalType, parquetschema.EnumLogicalType:
		out.Type = arrow.BinaryTypes.String
		return out, texts, nil
	case parquetschema.UUIDLogicalType:
		out.Metadata = arrow.NewMetadata([]string{extensionName}, []string{extensionUUID})
	case parquetschema.IntervalLogicalType:
		out.Type = arrow.FixedWidthTypes.MonthDayNanoInterval
		return out, intervals, nil
	case *parquetschema.DecimalLogicalType:
		if out.Type.ID() != arrow.DECIMAL256 {
			break
		}
		switch c.PhysicalType() { // read as what they are
		case parquet.Types.FixedLenByteArray:
			f.Field.Type = &arrow.FixedSizeBinaryType{ByteWidth: c.TypeLength()}
		case parquet.Types.ByteArray:
			f.Field.Type = arrow.BinaryTypes.Binary
		default:
			return out, nil, nil
		}
		return out, func(a arrow.Array) (arrow.Array, error) { return bigDecimals(a, out.Type) }, nil
	}
	return out, nil, nil
}

// texts is an array of bytes as one of texts: both are laid out alike.
func texts(a arrow.Array) (arrow.Array, error) {
	d := a.Data()
	return array.NewStringData(array.NewData(arrow.BinaryTypes.String, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset())), nil
}

// intervals reads months, days and milliseconds, the lowest byte first.
func intervals(a arrow.Array) (arrow.Array, error) {
	b := array.NewMonthDayNanoIntervalBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.Reserve(a.Len())
	cells := a.(*array.FixedSizeBinary)
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
			continue
		}
		part := func(k int) uint32 { return binary.LittleEndian.Uint32(cells.Value(i)[4*k:]) }
		if part(0) > math.MaxInt32 || part(1) > math.MaxInt32 {
			return nil, zset.Errorf(zset.CodeDatetimeRange, -1, "interval out of range")
		}
		b.Append(arrow.MonthDayNanoInterval{Months: int32(part(0)), Days: int32(part(1)), Nanoseconds: int64(part(2)) * 1e6})
	}
	return b.NewArray(), nil
}

// bigDecimals reads numbers of two's complement, the highest byte first.
func bigDecimals(a arrow.Array, t arrow.DataType) (arrow.Array, error) {
	b := array.NewDecimal256Builder(memory.DefaultAllocator, t.(*arrow.Decimal256Type))
	defer b.Release()
	b.Reserve(a.Len())
	cells := a.(interface{ Value(int) []byte })
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
			continue
		}
		cell, all := cells.Value(i), [32]byte{}
		if len(cell) == 0 || len(cell) > len(all) {
			return nil, badFile("damaged parquet file: a decimal of %d bytes", len(cell))
		}
		if cell[0]&0x80 != 0 {
			for k := range all {
				all[k] = 0xff
			}
		}
		copy(all[len(all)-len(cell):], cell)
		word := func(k int) uint64 { return binary.BigEndian.Uint64(all[8*k:]) }
		b.Append(decimal256.New(word(0), word(1), word(2), word(3)))
	}
	return b.NewArray(), nil
}
