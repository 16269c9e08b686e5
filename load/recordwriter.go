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
	write  func(arrow.Record) error
	close  func() error
}

func newRecordWriter(f Format, out io.Writer, s zset.Schema) (w *recordWriter, err error) {
	defer guard(&err, f)
	w = &recordWriter{schema: s}
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

func (w *recordWriter) Write(b *zset.Batch) error {
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
