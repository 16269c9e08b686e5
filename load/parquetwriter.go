package load

import (
	"context"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
	parquetschema "github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/ivmc/ivmc/zset"
)

// A row group lies in memory until it ends: at as many rows, or bytes.
const (
	groupRows  = 1 << 20
	groupBytes = 64 << 20
)

// parquetWriter writes a file of row groups.
type parquetWriter struct {
	file  *file.Writer
	group file.BufferedRowGroupWriter // nil: between two
	rows  int64                       // of group
}

func newParquetWriter(out io.Writer, s zset.Schema) (*parquetWriter, error) {
	var nodes parquetschema.FieldList
	for _, f := range s {
		n, err := parquetNode(f)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	root, err := parquetschema.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		return nil, err
	}
	props := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd))
	return &parquetWriter{file: file.NewParquetWriter(out, root, file.WithWriterProps(props))}, nil
}

func repetition(notNull bool) parquet.Repetition {
	if notNull {
		return parquet.Repetitions.Required
	}
	return parquet.Repetitions.Optional
}

// parquetNode is what the schema of a file says of a column.
func parquetNode(f zset.Field) (parquetschema.Node, error) {
	if f.Type.Kind != zset.Array {
		return parquetLeaf(f.Name, f.Type, f.NotNull)
	}
	element, err := parquetLeaf("element", f.Type.Bounded(), false)
	if err != nil {
		return nil, err
	}
	return parquetschema.ListOfWithName(f.Name, element, repetition(f.NotNull), -1)
}

// parquetLeaf is that of one which is no list. Left to itself, the library says of
// a UUID no more than how long it is, and of a TIME that it is one of UTC.
func parquetLeaf(name string, t zset.Type, notNull bool) (parquetschema.Node, error) {
	rep := repetition(notNull)
	switch t.Kind {
	case zset.UUID:
		return parquetschema.NewPrimitiveNodeLogical(name, rep, parquetschema.UUIDLogicalType{}, parquet.Types.FixedLenByteArray, 16, -1)
	case zset.Time:
		return parquetschema.NewPrimitiveNodeLogical(name, rep, parquetschema.NewTimeLogicalType(false, parquetschema.TimeUnitMicros), parquet.Types.Int64, -1, -1)
	}
	s, err := pqarrow.ToParquet(zset.ArrowSchema(zset.Schema{{Name: name, Type: t, NotNull: notNull}}), nil, pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	return s.Root().Field(0), nil
}

func (w *parquetWriter) write(rec arrow.Record) error {
	if w.group == nil {
		w.group = w.file.AppendBufferedRowGroup()
	}
	for i, c := range rec.Columns() {
		cw, err := w.group.Column(i)
		if err != nil {
			return err
		}
		nullable := rec.Schema().Field(i).Nullable
		leaf, def, rep := levels(c, nullable)
		if err := pqarrow.WriteArrowToColumn(context.Background(), cw, leaf, def, rep, nullable || rep != nil); err != nil {
			return err
		}
	}
	w.rows += rec.NumRows()
	if w.rows >= groupRows || w.group.TotalCompressedBytes() >= groupBytes {
		return w.endGroup()
	}
	return nil
}

func (w *parquetWriter) endGroup() error {
	if w.group == nil {
		return nil
	}
	err := w.group.Close()
	w.group, w.rows = nil, 0
	return err
}

func (w *parquetWriter) close() error {
	if err := w.endGroup(); err != nil {
		return err
	}
	return w.file.Close()
}

// levels is how Parquet has a column: the values, for each how much of it is there
// (the definition level: from nothing of it to the value itself), and for lists whether
// it goes on the list before (the repetition level: 1).
func levels(c arrow.Array, nullable bool) (leaf arrow.Array, def, rep []int16) {
	there := int16(0) // the level of a list or value that is not NULL
	if nullable {
		there = 1
	}
	list, ok := c.(*array.List)
	if !ok {
		if !nullable {
			return c, nil, nil
		}
		def = make([]int16, c.Len())
		for i := range def {
			if c.IsValid(i) {
				def[i] = there
			}
		}
		return c, def, nil
	}
	first, end := int64(0), int64(0)
	values := list.ListValues()
	for i := range list.Len() {
		from, to := list.ValueOffsets(i)
		if i == 0 {
			first, end = from, from
		}
		end = to // toList gives a NULL no elements
		switch {
		case list.IsNull(i):
			def, rep = append(def, 0), append(rep, 0)
		case from == to:
			def, rep = append(def, there), append(rep, 0)
		}
		for k := from; k < to; k++ {
			d, r := there+2, int16(1)
			if values.IsNull(int(k)) {
				d--
			}
			if k == from {
				r = 0
			}
			def, rep = append(def, d), append(rep, r)
		}
	}
	return array.NewSlice(values, first, end), def, rep
}
