package load

import (
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/ivmc/ivmc/zset"
)

// recordWriter writes Arrow records, as an Arrow file or as Parquet.
type recordWriter struct {
	schema zset.Schema
	format Format
	write  func(arrow.Record) error
	close  func() error
}

func newRecordWriter(f Format, out io.Writer, s zset.Schema) (w *recordWriter, err error) {
	defer guard(&err, f)
	w = &recordWriter{schema: s, format: f}
	if f == FormatArrow {
		named := named(s)
		a, err := ipc.NewFileWriter(&counter{w: out}, ipc.WithSchema(named))
		if err != nil {
			return nil, err
		}
		w.write = func(rec arrow.Record) error {
			as := array.NewRecord(named, rec.Columns(), rec.NumRows())
			defer as.Release()
			return a.Write(as)
		}
		w.close = a.Close
		return w, nil
	}
	p, err := newParquetWriter(&counter{w: out}, s)
	if err != nil {
		return nil, err
	}
	w.write, w.close = p.write, p.close
	return w, nil
}

// named is the Arrow schema of s that tells a UUID from other bytes.
func named(s zset.Schema) *arrow.Schema {
	fields := zset.ArrowSchema(s).Fields()
	for i, f := range s {
		if f.Type.Kind == zset.Array {
			list := fields[i].Type.(*arrow.ListType)
			fields[i].Type = arrow.ListOfField(namedAs(list.ElemField(), f.Type.Bounded()))
		} else {
			fields[i] = namedAs(fields[i], f.Type)
		}
	}
	return arrow.NewSchema(fields, nil)
}

func namedAs(f arrow.Field, t zset.Type) arrow.Field {
	if t.Kind == zset.UUID {
		f.Metadata = arrow.NewMetadata([]string{extensionName, extensionMetadata}, []string{extensionUUID, ""})
	}
	return f
}

// endOfDay is 24:00:00, in microseconds.
const endOfDay = 86_400_000_000

func (w *recordWriter) Write(b *zset.Batch) error {
	for i := range b.Cols {
		if c := &b.Cols[i]; c.Type.Kind == zset.Time {
			for row := range b.N {
				if !c.IsNull(row) && c.I64[row] == endOfDay { // readers take it for midnight before
					e := zset.Errorf("22008", -1, "time 24:00:00 of column %q is none in a file of format %s, where a day ends before it", w.schema[i].Name, w.format)
					e.Hint = "Cast the column to TEXT, or write CSV or JSON."
					return e
				}
			}
		}
	}
	rec, err := zset.ToArrow(b, w.schema, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	defer rec.Release()
	return w.write(rec)
}

func (w *recordWriter) finish() error { return w.close() }

// counter is an output that knows how far it is; the library asks by seeking.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Seek tells the position; it goes nowhere.
func (c *counter) Seek(int64, int) (int64, error) { return c.n, nil }
