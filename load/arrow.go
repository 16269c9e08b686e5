package load

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/ivmc/ivmc/zset"
)

// recordReader reads a file of Arrow records: an Arrow file or stream, or Parquet.
// Names and types are the file's; values are widened and checked.
type recordReader struct {
	s      *Source
	format Format
	next   func() (arrow.Record, error) // io.EOF at the end
	mem    *claims
	fields zset.Schema
	rec    arrow.Record // what the batch at hand is of
	at     int64        // the next row of rec
	row    int64
	as     []func(arrow.Array) (arrow.Array, error) // what the cells are made by; nil: nothing is to be made
}

func newArrowReader(s *Source, want zset.Schema) (r *recordReader, err error) {
	defer guard(&err, FormatArrow)
	r = &recordReader{s: s, format: FormatArrow}
	magic := make([]byte, 6)
	if _, err := s.file.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	mem := &claims{Allocator: memory.DefaultAllocator, most: maxClaim}
	r.mem = mem
	if string(magic) == "ARROW1" {
		if err := checkFooter(s.file, s.size); err != nil {
			return nil, err
		}
		f, err := ipc.NewFileReader(s.file, ipc.WithAllocator(mem))
		if err != nil {
			return nil, mem.says(unread(err), FormatArrow)
		}
		n := 0
		r.next = func() (arrow.Record, error) {
			if n == f.NumRecords() {
				return nil, io.EOF
			}
			n++
			mem.taken = 0
			s.done.Store(s.size * int64(n) / int64(f.NumRecords()))
			rec, err := f.Record(n - 1)
			if errors.Is(err, io.EOF) { // of the file, not of its records
				err = io.ErrUnexpectedEOF
			}
			return rec, err
		}
		return r, r.columns(f.Schema(), want)
	}
	m := &messages{r: counted{s.file, &s.done}, left: s.size}
	f, err := ipc.NewReaderFromMessageReader(m, ipc.WithAllocator(mem))
	if err != nil {
		return nil, mem.says(unread(err), FormatArrow)
	}
	r.next = func() (arrow.Record, error) {
		mem.taken = 0
		rec, err := f.Read()
		if errors.Is(err, io.EOF) && !m.over { // of a buffer that lies outside of its message
			err = io.ErrUnexpectedEOF
		}
		return rec, err
	}
	return r, r.columns(f.Schema(), want)
}

// unread is why the head of an Arrow file is not read: one of a type that the library
// does not know is not damaged.
func unread(err error) error {
	if _, what, ok := strings.Cut(err.Error(), "could not convert field type: "); ok {
		return zset.Errorf("0A000", -1, "the arrow file has a type that cannot be read: %s", strings.TrimPrefix(what, "arrow/ipc: "))
	}
	return badFile("damaged arrow file: %s", wordsOf(err))
}

// columns matches those of the file.
func (r *recordReader) columns(s *arrow.Schema, want zset.Schema) error {
	names := make([]string, s.NumFields())
	own := want == nil
	for i, f := range s.Fields() {
		names[i] = f.Name
		if own {
			t, err := typeOf(f)
			if err != nil {
				return err
			}
			want = append(want, zset.Field{Name: f.Name, Type: t})
		}
	}
	at, err := match(names, want)
	if err != nil {
		return err
	}
	r.fields = pick(want, at)
	return nil
}

func (r *recordReader) Fields() zset.Schema { return r.fields }

func (r *recordReader) Next(ctx context.Context) (*zset.Batch, error) {
	b, err := r.batch(ctx)
	var e *zset.Error
	if errors.As(err, &e) && e.Detail == "" {
		err = place(r.mem.says(err, r.format), r.s.path, r.row+1, "")
	}
	return b, err
}

func (r *recordReader) batch(ctx context.Context) (b *zset.Batch, err error) {
	defer guard(&err, r.format)
	for r.rec == nil || r.at == r.rec.NumRows() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, badFile("damaged %s file: %s", r.format, wordsOf(err))
		}
		if int(rec.NumCols()) != len(r.fields) {
			return nil, badFile("damaged %s file: %d columns instead of %d", r.format, rec.NumCols(), len(r.fields))
		}
		if err := roomFor(rec); err != nil {
			return nil, err
		}
		r.rec, r.at = rec, 0
	}
	to, err := fit(r.rec, r.at)
	if err != nil {
		return nil, err
	}
	part := r.rec.NewSlice(r.at, to)
	defer part.Release()
	cols := slices.Clone(part.Columns())
	for i, as := range r.as {
		if as == nil {
			continue
		}
		if cols[i], err = as(cols[i]); err != nil {
			return nil, err
		}
	}
	fields := make([]arrow.Field, len(cols))
	for i, c := range cols { // under the names of the table
		fields[i] = arrow.Field{Name: r.fields[i].Name, Type: c.DataType(), Nullable: true}
	}
	b, err = zset.FromArrow(array.NewRecord(arrow.NewSchema(fields, nil), cols, to-r.at), r.fields)
	if err != nil {
		column := ""
		var e *zset.Error
		if errors.As(err, &e) {
			column = e.Object
		}
		return nil, place(err, r.s.path, r.row+1, column)
	}
	r.row += to - r.at
	r.at = to
	return b, nil
}

// typeOf is the SQL type that takes all values of an Arrow type.
func typeOf(f arrow.Field) (zset.Type, error) {
	if name, _ := f.Metadata.GetValue(extensionName); name == extensionUUID && f.Type.ID() == arrow.FIXED_SIZE_BINARY {
		return zset.TUUID, nil
	}
	switch t := f.Type.(type) {
	case *arrow.TimestampType:
		if t.TimeZone != "" {
			return zset.TTimestampTZ, nil
		}
		return zset.TTimestamp, nil
	case *arrow.Decimal128Type:
		return zset.Type{Kind: zset.Numeric, Prec: int16(t.Precision), Scale: int16(t.Scale)}, nil
	case *arrow.Decimal256Type:
		return zset.Type{Kind: zset.Numeric, Prec: int16(t.Precision), Scale: int16(t.Scale)}, nil
	case arrow.ListLikeType:
		if _, ok := t.(*arrow.MapType); ok {
			break
		}
		elem, err := typeOf(t.ElemField())
		if err != nil || elem.Kind == zset.Array {
			break
		}
		return zset.ArrayBounded(elem), nil
	case *arrow.DictionaryType:
		if arrow.IsNested(t.ValueType.ID()) {
			break
		}
		return typeOf(arrow.Field{Name: f.Name, Type: t.ValueType})
	}
	if t, ok := typesOf[f.Type.ID()]; ok {
		return t, nil
	}
	return zset.Type{}, zset.Errorf("0A000", -1, "column %q is of Arrow type %s, for which there is no SQL type", f.Name, f.Type)
}

var typesOf = map[arrow.Type]zset.Type{
	arrow.NULL: zset.TText, arrow.BOOL: zset.TBool,
	arrow.INT8: zset.TInt2, arrow.UINT8: zset.TInt2, arrow.INT16: zset.TInt2,
	arrow.UINT16: zset.TInt4, arrow.INT32: zset.TInt4, arrow.UINT32: zset.TInt8, arrow.INT64: zset.TInt8,
	arrow.UINT64:  {Kind: zset.Numeric, Prec: 20},
	arrow.FLOAT16: zset.TFloat4, arrow.FLOAT32: zset.TFloat4, arrow.FLOAT64: zset.TFloat8,
	arrow.STRING: zset.TText, arrow.LARGE_STRING: zset.TText, arrow.STRING_VIEW: zset.TText,
	arrow.BINARY: zset.TBytea, arrow.LARGE_BINARY: zset.TBytea, arrow.BINARY_VIEW: zset.TBytea, arrow.FIXED_SIZE_BINARY: zset.TBytea,
	arrow.DATE32: zset.TDate, arrow.DATE64: zset.TDate, arrow.TIME32: zset.TTime, arrow.TIME64: zset.TTime,
	arrow.DURATION: zset.TInterval, arrow.INTERVAL_MONTH_DAY_NANO: zset.TInterval,
}

// What names the type that a field has over the one that it is stored as.
// https://arrow.apache.org/docs/format/CanonicalExtensions.html
const (
	extensionName     = "ARROW:extension:name"
	extensionMetadata = "ARROW:extension:metadata"
	extensionUUID     = "arrow.uuid"
)
