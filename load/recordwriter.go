package load

import (
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

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
		a, err := ipc.NewFileWriter(&counter{w: out}, ipc.WithSchema(zset.ArrowSchema(s)))
		if err != nil {
			return nil, err
		}
		w.write, w.close = a.Write, a.Close
		return w, nil
	}
	// The library closes what it writes to.
	p, err := pqarrow.NewFileWriter(zset.ArrowSchema(s), &counter{w: out},
		parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd)), pqarrow.DefaultWriterProps())
	if err != nil {
		return nil, err
	}
	w.write, w.close = p.WriteBuffered, p.Close
	return w, nil
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
