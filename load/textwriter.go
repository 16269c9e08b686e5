package load

import (
	"bytes"
	"encoding/json"
	"io"
	"math"

	"github.com/ivmc/ivmc/zset"
)

// csvWriter writes what csvReader reads back: a field is quoted where it has to
// be, and where its text is that of NULL.
type csvWriter struct {
	out       io.Writer
	o         Options
	line, tmp []byte
}

func newCSVWriter(out io.Writer, o Options, s zset.Schema) (*csvWriter, error) {
	w := &csvWriter{out: out, o: o}
	if o.NoHeader {
		return w, nil
	}
	for i, f := range s {
		w.separate(i)
		w.field([]byte(f.Name))
	}
	w.line = append(w.line, '\n')
	_, err := out.Write(w.line)
	return w, err
}

func (w *csvWriter) separate(i int) {
	if i > 0 {
		w.line = append(w.line, w.o.Delimiter)
	}
}

func (w *csvWriter) field(text []byte) {
	if string(text) != w.o.Null && bytes.IndexByte(text, w.o.Delimiter) < 0 && bytes.IndexByte(text, w.o.Quote) < 0 &&
		!bytes.ContainsAny(text, "\r\n") {
		w.line = append(w.line, text...)
		return
	}
	w.line = append(w.line, w.o.Quote)
	for _, c := range text {
		if c == w.o.Quote || c == w.o.Escape {
			w.line = append(w.line, w.o.Escape)
		}
		w.line = append(w.line, c)
	}
	w.line = append(w.line, w.o.Quote)
}

func (w *csvWriter) Write(b *zset.Batch) error {
	for i := range b.N {
		w.line = w.line[:0]
		for c := range b.Cols {
			w.separate(c)
			if b.Cols[c].IsNull(i) {
				w.line = append(w.line, w.o.Null...)
				continue
			}
			w.tmp = zset.AppendTextIn(w.tmp[:0], &b.Cols[c], i, w.o.Zone)
			w.field(w.tmp)
		}
		w.line = append(w.line, '\n')
		for range b.Weight(i) {
			if _, err := w.out.Write(w.line); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *csvWriter) finish() error { return nil }

// jsonWriter writes one object a line. Numbers and booleans are such, where JSON
// has them; everything else is its SQL text.
type jsonWriter struct {
	out       io.Writer
	o         Options
	names     [][]byte // with quotes and colon
	line, tmp []byte
}

func newJSONWriter(out io.Writer, o Options, s zset.Schema) *jsonWriter {
	w := &jsonWriter{out: out, o: o}
	for _, f := range s {
		w.names = append(w.names, append(jsonString(nil, f.Name), ':'))
	}
	return w
}

func (w *jsonWriter) Write(b *zset.Batch) error {
	for i := range b.N {
		w.line = append(w.line[:0], '{')
		for c := range b.Cols {
			if c > 0 {
				w.line = append(w.line, ',')
			}
			w.line = append(w.line, w.names[c]...)
			w.cell(&b.Cols[c], i)
		}
		w.line = append(w.line, '}', '\n')
		for range b.Weight(i) {
			if _, err := w.out.Write(w.line); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *jsonWriter) cell(c *zset.Column, i int) {
	if c.IsNull(i) {
		w.line = append(w.line, "null"...)
		return
	}
	if c.Type.Kind == zset.Array {
		w.array(c.Type, c.Bytes(i))
		return
	}
	w.tmp = zset.AppendTextIn(w.tmp[:0], c, i, w.o.Zone)
	switch c.Type.Kind {
	case zset.Bool:
		w.line = append(w.line, map[bool]string{true: "true", false: "false"}[c.I64[i] != 0]...)
	case zset.Int2, zset.Int4, zset.Int8:
		w.line = append(w.line, w.tmp...)
	case zset.Float4, zset.Float8:
		if f := c.F64[i]; math.IsNaN(f) || math.IsInf(f, 0) {
			w.line = jsonString(w.line, string(w.tmp))
		} else {
			w.line = append(w.line, w.tmp...)
		}
	case zset.Numeric:
		if last := w.tmp[len(w.tmp)-1]; last < '0' || last > '9' { // NaN, Infinity
			w.line = jsonString(w.line, string(w.tmp))
		} else {
			w.line = append(w.line, w.tmp...)
		}
	default:
		w.line = jsonString(w.line, string(w.tmp))
	}
}

func (w *jsonWriter) array(t zset.Type, b []byte) {
	cells := zset.NewColumn(t.Element(), 0)
	if zset.Elements(b, &cells) != nil {
		return // no cell holds what cannot be read
	}
	w.line = append(w.line, '[')
	for k := range cells.Len() {
		if k > 0 {
			w.line = append(w.line, ',')
		}
		w.cell(&cells, k)
	}
	w.line = append(w.line, ']')
}

func (w *jsonWriter) finish() error { return nil }

func jsonString(dst []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.Encode(s) // of a string, to memory: no error
	return append(dst, bytes.TrimRight(buf.Bytes(), "\n")...)
}
