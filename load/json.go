package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// jsonReader reads one array of objects, or objects one after the other. A key
// that an object lacks is NULL there; one that all lack is a column that the file
// does not have. A string is read as SQL text; a number or a
// boolean as it is written; an array or an object goes into a text column only.
type jsonReader struct {
	dec    *json.Decoder
	left   *limited
	path   string
	o      Options
	names  []string // nil: any
	fields zset.Schema
	seen   []bool // of fields: some object has it
	out    *zset.Batch
	array  bool
	end    bool
	row    int64
	raw    json.RawMessage // the object at hand
	in     members         // of it
	at     map[string]int  // column of a key
	cells  []json.RawMessage
}

func newJSONReader(in io.Reader, path string, o Options, want zset.Schema) (*jsonReader, error) {
	left := &limited{r: in, n: maxRow}
	r := &jsonReader{dec: json.NewDecoder(left), left: left, path: path, o: o}
	first, err := r.peek()
	if err != nil {
		return nil, err
	}
	switch first {
	case '[':
		r.array = true
		if _, err := r.dec.Token(); err != nil {
			return nil, syntax(err)
		}
	case '{':
	case 0:
		r.end = true
	default:
		return nil, badFile("a JSON file is one array of objects, or one object after the other")
	}
	r.fields = pick(want, all(len(want)))
	r.seen, r.cells, r.at = make([]bool, len(r.fields)), make([]json.RawMessage, len(r.fields)), make(map[string]int, len(r.fields))
	for i, f := range r.fields {
		r.at[f.Name] = i
	}
	r.out = zset.NewBatch(r.fields.Types(), batchRows)
	return r, nil
}

// peek is the first byte that is no blank; 0: there is none.
func (r *jsonReader) peek() (byte, error) {
	var b [1]byte
	for {
		n, err := r.left.r.Read(b[:])
		switch {
		case n == 1 && bytes.IndexByte([]byte(" \t\r\n"), b[0]) >= 0:
		case n == 1:
			r.left.r = io.MultiReader(bytes.NewReader(b[:]), r.left.r)
			return b[0], nil
		case errors.Is(err, io.EOF):
			return 0, nil
		case err != nil:
			return 0, err
		}
	}
}

func (r *jsonReader) Fields() zset.Schema { return r.fields }

func (r *jsonReader) has(i int) bool { return r.seen[i] }

// object reads the next one; false at the end.
func (r *jsonReader) object() (bool, error) {
	if r.end {
		return false, nil
	}
	r.left.n = maxRow
	if !r.dec.More() {
		r.end = true
		_, err := r.dec.Token()
		switch {
		case r.array && err != nil:
			return false, place(syntax(err), r.path, r.row+1, "")
		case r.array:
			if _, err = r.dec.Token(); err == nil {
				err = badFile("there is more behind the array of rows")
			}
		case err == nil: // a closing bracket
			err = badFile("a bracket closes nothing")
		}
		if !errors.Is(err, io.EOF) {
			return false, place(syntax(err), r.path, r.row, "")
		}
		return false, nil
	}
	r.row++
	if err := r.dec.Decode(&r.raw); err != nil {
		return false, place(syntax(err), r.path, r.row, "")
	}
	var err error
	switch r.raw[0] {
	case '{':
		if err = r.in.cut(r.raw); err == nil {
			if bad := wellEncoded(r.raw); bad != nil {
				return false, place(bad, r.path, r.row, r.in.wrong())
			}
		}
	case 'n':
		err = badFile("a row is an object, not null")
	default:
		var m map[string]json.RawMessage
		err = syntax(json.Unmarshal(r.raw, &m)) // says what it is instead
	}
	if err != nil {
		return false, place(err, r.path, r.row, "")
	}
	return true, nil
}

// syntax words the errors of the decoder.
func syntax(err error) error {
	var e *zset.Error
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &wrong):
		return badFile("a row is an object, not a JSON %s", wrong.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return badFile("the file ends in the middle of a row")
	}
	return badFile("not JSON: %v", err)
}

func (r *jsonReader) Next(ctx context.Context) (*zset.Batch, error) {
	r.out.Reset()
	for start := r.dec.InputOffset(); r.out.N < batchRows && r.dec.InputOffset()-start < maxRow; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		more, err := r.object()
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		clear(r.cells)
		known := true
		for _, m := range r.in.list { // of a key that stands twice the last one counts
			i, ok := r.at[m.key]
			if known = known && ok; ok {
				r.cells[i], r.seen[i] = m.raw, true
			}
		}
		for i, f := range r.fields {
			raw := r.cells[i]
			if raw == nil || string(raw) == "null" {
				r.out.Cols[i].AppendNull()
				continue
			}
			text, err := jsonText(raw, f.Type)
			if err == nil {
				err = appendText(&r.out.Cols[i], text, r.o.Zone)
			}
			if err != nil {
				return nil, place(err, r.path, r.row, f.Name)
			}
		}
		if !known {
			return nil, place(r.unknown(), r.path, r.row, "")
		}
		r.out.N++
	}
	if r.out.N == 0 {
		return nil, nil
	}
	return r.out, nil
}

// unknown names the first key of the object at hand that is no column.
func (r *jsonReader) unknown() error {
	var names []string
	for _, m := range r.in.list {
		if _, ok := r.at[m.key]; !ok {
			names = append(names, m.key)
		}
	}
	slices.Sort(names)
	_, err := match(names, nil)
	return err
}

// jsonText is the SQL text of a value that is not null.
func jsonText(raw json.RawMessage, t zset.Type) ([]byte, error) {
	switch raw[0] {
	case '"':
		return unquoted(raw)
	case '[', '{':
		if t.Kind == zset.Array && raw[0] == '[' {
			return jsonArray(raw, t)
		}
		if t.Kind != zset.Text {
			return nil, badFile("an array or an object does not go into a column of type %s", t)
		}
	}
	return raw, nil
}

// jsonArray is the SQL text of an array of one dimension.
func jsonArray(raw json.RawMessage, t zset.Type) ([]byte, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, syntax(err)
	}
	out := []byte{'{'}
	for i, it := range items {
		if i > 0 {
			out = append(out, ',')
		}
		if string(it) == "null" {
			out = append(out, "NULL"...)
			continue
		}
		text, err := jsonText(it, t.Element())
		if err != nil {
			return nil, err
		}
		out = zset.AppendQuoted(out, string(text))
	}
	return append(out, '}'), nil
}

func (r *jsonReader) guess(ctx context.Context) ([]string, []guess, error) {
	var names []string
	at := map[string]int{}
	var gs []guess
	var last []int // member of a key, in the object at hand
	for {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		more, err := r.object()
		if !more || err != nil {
			return names, gs, err
		}
		for i, m := range r.in.list {
			k, ok := at[m.key]
			if !ok {
				if len(names) == maxColumns {
					return nil, nil, place(zset.Errorf(codeTooLong, -1, "the rows of the file have more than %d keys", maxColumns), r.path, r.row, "")
				}
				k = len(names)
				at[m.key] = k
				names, gs, last = append(names, m.key), append(gs, guess{}), append(last, 0)
			}
			last[k] = i
		}
		for i, m := range r.in.list {
			k := at[m.key]
			if last[k] != i || string(m.raw) == "null" {
				continue
			}
			text, err := jsonText(m.raw, zset.TText)
			if err != nil {
				return nil, nil, place(err, r.path, r.row, m.key)
			}
			if m.raw[0] == '[' || m.raw[0] == '{' {
				text = []byte("[")
			}
			gs[k].see(string(text))
		}
	}
}

// limited is an input of which only n more bytes may be read: the decoder reads a
// value to its end, however long it is.
type limited struct {
	r io.Reader
	n int
}

func (l *limited) Read(p []byte) (int, error) {
	if l.n <= 0 {
		return 0, zset.Errorf(codeTooLong, -1, "a row of the file is longer than %d bytes", maxRow)
	}
	n, err := l.r.Read(p[:min(len(p), l.n)])
	l.n -= n
	return n, err
}
