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
	r.seen = make([]bool, len(r.fields))
	r.out = zset.NewBatch(r.fields.Types(), batchRows)
	return r, nil
}

// peek is the first byte that is no blank; 0: there is none.
func (r *jsonReader) peek() (byte, error) {
	var b [1]byte
	for {
		n, err := r.left.r.Read(b[:])
		switch {
		case n == 1 && (b[0] == 0xef || b[0] == 0xbb || b[0] == 0xbf || bytes.IndexByte([]byte(" \t\r\n"), b[0]) >= 0):
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

// object reads the next one; nil at the end.
func (r *jsonReader) object() (map[string]json.RawMessage, error) {
	if r.end {
		return nil, nil
	}
	r.left.n = maxRow
	if !r.dec.More() {
		r.end = true
		_, err := r.dec.Token()
		switch {
		case r.array && err != nil:
			return nil, place(syntax(err), r.path, r.row+1, "")
		case r.array:
			if _, err = r.dec.Token(); err == nil {
				err = badFile("there is more behind the array of rows")
			}
		case err == nil: // a closing bracket
			err = badFile("a bracket closes nothing")
		}
		if !errors.Is(err, io.EOF) {
			return nil, place(syntax(err), r.path, r.row, "")
		}
		return nil, nil
	}
	r.row++
	var m map[string]json.RawMessage
	if err := r.dec.Decode(&r.raw); err != nil {
		return nil, place(syntax(err), r.path, r.row, "")
	}
	if err := json.Unmarshal(r.raw, &m); err != nil {
		return nil, place(syntax(err), r.path, r.row, "")
	}
	if m == nil {
		return nil, place(badFile("a row is an object, not null"), r.path, r.row, "")
	}
	return m, nil
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
		m, err := r.object()
		if err != nil {
			return nil, err
		}
		if m == nil {
			break
		}
		left := len(m)
		for i, f := range r.fields {
			raw, ok := m[f.Name]
			if ok {
				left--
				r.seen[i] = true
			}
			if !ok || string(raw) == "null" {
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
		if left > 0 {
			return nil, place(r.unknown(m), r.path, r.row, "")
		}
		r.out.N++
	}
	if r.out.N == 0 {
		return nil, nil
	}
	return r.out, nil
}

// unknown names the first key of m that is no column.
func (r *jsonReader) unknown(m map[string]json.RawMessage) error {
	var names []string
	for n := range m {
		if r.fields.Index(n) < 0 {
			names = append(names, n)
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
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, syntax(err)
		}
		return []byte(s), nil
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

func (r *jsonReader) guess() ([]string, []guess, error) {
	var names []string
	at := map[string]int{}
	var gs []guess
	for {
		m, err := r.object()
		if m == nil || err != nil {
			return names, gs, err
		}
		keys, err := r.newKeys(at)
		if err != nil {
			return nil, nil, place(err, r.path, r.row, "")
		}
		for _, k := range keys {
			if len(names) == maxColumns {
				return nil, nil, place(zset.Errorf(codeTooLong, -1, "the rows of the file have more than %d keys", maxColumns), r.path, r.row, "")
			}
			at[k] = len(names)
			names, gs = append(names, k), append(gs, guess{})
		}
		for k, raw := range m {
			if string(raw) == "null" {
				continue
			}
			text, err := jsonText(raw, zset.TText)
			if err != nil {
				return nil, nil, place(err, r.path, r.row, k)
			}
			if raw[0] == '[' || raw[0] == '{' {
				text = []byte("[")
			}
			gs[at[k]].see(string(text))
		}
	}
}

// newKeys lists the keys of the object at hand that are not in known, as they stand
// there.
func (r *jsonReader) newKeys(known map[string]int) (keys []string, err error) {
	dec := json.NewDecoder(bytes.NewReader(r.raw))
	if _, err := dec.Token(); err != nil {
		return nil, syntax(err)
	}
	var skip json.RawMessage
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, syntax(err)
		}
		if k, ok := t.(string); ok && !slices.Contains(keys, k) {
			if _, ok := known[k]; !ok {
				keys = append(keys, k)
			}
		}
		if err := dec.Decode(&skip); err != nil {
			return nil, syntax(err)
		}
	}
	return keys, nil
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
