package load

import (
	"encoding/binary"

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
			} else if elem.Type.ID() == arrow.DECIMAL256 {
				return out, nil, zset.Errorf("0A000", -1, "column %q of the parquet file holds lists of decimals of more than 38 digits, which cannot be read", out.Name)
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
	case parquetschema.IntervalLogicalType: // in milliseconds, which is no type of Arrow
		out.Type = arrow.FixedWidthTypes.DayTimeInterval
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
