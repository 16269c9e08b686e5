package load

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/ivmc/ivmc/zset"
)

// read is the rows of a file as text: cells by |, NULL as ~.
func read(t *testing.T, path string, o Options, want zset.Schema) (string, zset.Schema, error) {
	t.Helper()
	s, err := Open(context.Background(), path, o, want)
	if err != nil {
		return "", nil, err
	}
	defer s.Close()
	var out strings.Builder
	for {
		b, err := s.Next(context.Background())
		if err != nil {
			return out.String(), s.Fields(), err
		}
		if b == nil {
			return out.String(), s.Fields(), nil
		}
		for i := range b.N {
			for c := range b.Cols {
				if c > 0 {
					out.WriteByte('|')
				}
				if b.Cols[c].IsNull(i) {
					out.WriteByte('~')
				} else {
					out.Write(zset.AppendText(nil, &b.Cols[c], i))
				}
			}
			out.WriteByte('\n')
		}
	}
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func schema(fields ...string) (s zset.Schema) {
	types := map[string]zset.Type{"int": zset.TInt4, "big": zset.TInt8, "text": zset.TText, "date": zset.TDate, "float": zset.TFloat8, "bool": zset.TBool,
		"vc2": {Kind: zset.Varchar, Prec: 2}, "dec": {Kind: zset.Numeric, Prec: 10, Scale: 2}}
	for _, f := range fields {
		name, typ, _ := strings.Cut(f, " ")
		s = append(s, zset.Field{Name: name, Type: types[typ]})
	}
	return s
}

func TestText(t *testing.T) {
	ab := schema("a int", "b text")
	for _, c := range []struct {
		name, file, in string
		o              Options
		want           zset.Schema
		out            string
	}{
		{"by name", "t.csv", "b,a\nx,1\n", Options{}, ab, "x|1\n"},
		{"fewer columns", "t.csv", "a\n1\n", Options{}, ab, "1\n"},
		{"null and empty", "t.csv", "a,b\n,\"\"\n2,\n", Options{}, ab, "~|\n2|~\n"},
		{"null word", "t.csv", "a,b\nNA,NA\n1,\"NA\"\n", Options{Null: "NA"}, ab, "~|~\n1|NA\n"},
		{"quotes", "t.csv", "a,b\n1,\"a \"\"b\"\", c\nd\"\n", Options{}, ab, "1|a \"b\", c\nd\n"},
		{"quote inside", "t.csv", "a,b\n1,x\"y,z\"w\n", Options{}, ab, "1|xy,zw\n"},
		{"escape", "t.csv", "a,b\n1,\"x\\\"y\\\\\"\n", Options{Escape: '\\'}, ab, "1|x\"y\\\n"},
		{"crlf, no newline at the end", "t.csv", "a,b\r\n1,x\r\n2,y", Options{}, ab, "1|x\n2|y\n"},
		{"crlf and lf", "t.csv", "a,b\r\n1,x\n2,\"y\r\"\r\n", Options{}, ab, "1|x\n2|y\r\n"},
		{"pair of surrogates", "t.json", `{"b":"\\\ud83d\ude00"}`, Options{}, ab, "~|\\😀\n"},
		{"cr", "t.csv", "a,b\r1,x\r2,y\r", Options{}, ab, "1|x\n2|y\n"},
		{"crlf at the end", "t.csv", "a,b\r\n1,x\r\n", Options{}, ab, "1|x\n"},
		{"bom", "t.csv", "\xef\xbb\xbfa,b\n1,x\n", Options{}, ab, "1|x\n"},
		{"no header", "t.csv", "1,x\n2,y\n", Options{NoHeader: true}, ab, "1|x\n2|y\n"},
		{"delimiter", "t.csv", "a;b\n1;x,y\n", Options{Delimiter: ';'}, ab, "1|x,y\n"},
		{"tabs", "t.tsv", "a\tb\n1\tx,y\n", Options{}, ab, "1|x,y\n"},
		{"header in capitals", "t.csv", "A,B\n1,x\n", Options{}, ab, "1|x\n"},
		{"header alone", "t.csv", "a,b\n", Options{}, ab, ""},
		{"one column, an empty line is NULL", "t.csv", "a\n1\n\n2\n", Options{}, schema("a int"), "1\n~\n2\n"},
		{"array", "t.json", ` [{"a":1,"b":"x"},{"b":null},{"a":"3","b":"ü"}] `, Options{}, ab, "1|x\n~|~\n3|ü\n"},
		{"lines", "t.jsonl", "{\"a\":1,\"b\":\"x\"}\n{\"a\":2}\n", Options{}, ab, "1|x\n2|~\n"},
		{"object in text", "t.json", `{"b":{"k":[1, 2]}}`, Options{}, ab, `~|{"k":[1, 2]}` + "\n"},
		{"list", "t.json", `{"x":[1, "2", null]}`, Options{}, zset.Schema{{Name: "x", Type: zset.ArrayOf(zset.TInt4)}}, "{1,2,NULL}\n"},
		{"list as text", "t.csv", "x\n\"{1,2}\"\n", Options{}, zset.Schema{{Name: "x", Type: zset.ArrayOf(zset.TInt4)}}, "{1,2}\n"},
		{"large number", "t.json", `{"a":12345678901234567.89}`, Options{}, schema("a dec2", "b text"), ""},
		{"empty", "t.json", "", Options{}, ab, ""},
		{"empty array", "t.json", "[]", Options{}, ab, ""},
	} {
		if c.name == "large number" {
			c.want = zset.Schema{{Name: "a", Type: zset.TNumeric}}
			c.out = "12345678901234567.89\n"
		}
		got, _, err := read(t, write(t, c.file, c.in), c.o, c.want)
		if err != nil || got != c.out {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.out)
		}
	}
}

// TestCompressedUnnamed: what is compressed is known by how it begins, whatever its name.
func TestCompressedUnnamed(t *testing.T) {
	const text = "a,b\n1,x\n"
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, packed := range map[string]string{"gzip": gz.String(), "zstd": string(w.EncodeAll([]byte(text), nil))} {
		for _, want := range []zset.Schema{nil, schema("a int", "b text")} {
			if got, _, err := read(t, write(t, "t.csv", packed), Options{}, want); err != nil || got != "1|x\n" {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
		_, _, err := read(t, write(t, "t.parquet", packed), Options{}, nil)
		var e *zset.Error
		if !errors.As(err, &e) || e.Code != codeBadFile || !strings.Contains(e.Msg, "compressed inside") {
			t.Errorf("%s of Parquet: %v", name, err)
		}
	}
}

func TestErrors(t *testing.T) {
	ab := schema("a int", "b text")
	for _, c := range []struct {
		name, file, in string
		o              Options
		want           zset.Schema
		code, text     string
	}{
		{"unknown column", "t.csv", "a,c\n", Options{}, ab, "42703", `column "c"`},
		{"twice", "t.csv", "a,A\n", Options{}, ab, "42701", `"a"`},
		{"empty", "t.csv", "", Options{}, ab, "22P04", "empty"},
		{"short row", "t.csv", "a,b\n1,x\n2\n", Options{}, ab, "22P04", `row 2, column "b"`},
		{"long row", "t.csv", "a,b\n1,x,y\n", Options{}, ab, "22P04", "row 1"},
		{"no number", "t.csv", "a,b\n1,x\nzwei,y\n", Options{}, ab, "22P02", `row 2, column "a"`},
		{"quote", "t.csv", "a,b\n1,\"x\n", Options{}, ab, "22P04", "unterminated"},
		{"zero byte", "t.csv", "a,b\n1,x\x00\n", Options{}, ab, "22021", "row 1"},
		{"no utf8", "t.csv", "a,b\n1,\xff\n", Options{}, ab, "22021", "row 1"},
		{"too long", "t.csv", "b\nabc\n", Options{}, schema("b vc2"), "22001", "row 1"},
		{"json key", "t.json", `{"a":1,"z":2}`, Options{}, ab, "42703", `"z"`},
		{"json cut", "t.json", `[{"a":1},{"a`, Options{}, ab, "22P04", "row 2"},
		{"json list in a list", "t.json", `{"x":[[1]]}`, Options{}, zset.Schema{{Name: "x", Type: zset.ArrayOf(zset.TInt4)}}, "22P04", "array"},
		{"json array cut", "t.json", `[{"a":1}`, Options{}, ab, "22P04", "ends in the middle"},
		{"json tail", "t.json", `[{"a":1}] x`, Options{}, ab, "22P04", ""},
		{"json tail array", "t.json", `[{"a":1}] []`, Options{}, ab, "22P04", ""},
		{"json scalar", "t.json", `[1]`, Options{}, ab, "22P04", "object"},
		{"json null row", "t.json", `[null]`, Options{}, ab, "22P04", "null"},
		{"json no object", "t.json", `7`, Options{}, ab, "22P04", "array"},
		{"json nested", "t.json", `{"a":[1]}`, Options{}, ab, "22P04", `column "a"`},
		{"json range", "t.json", `{"a":99999999999}`, Options{}, ab, "22003", `row 1, column "a"`},
		{"gzip", "t.csv.gz", "no gzip", Options{}, ab, "22P04", "gzip"},
		{"zstd", "t.csv.zst", "no zstd", Options{}, ab, "22P04", ""},
		{"arrow", "t.arrow", "ARROW1 and no more", Options{}, ab, "22P04", "arrow"},
		{"arrow stream", "t.arrow", "x", Options{}, ab, "22P04", "arrow"},
		{"parquet", "t.parquet", "PAR1....PAR1", Options{}, ab, "22P04", "parquet"},
		{"ending", "t.xls", "", Options{}, ab, "22023", "format"},
		{"format", "t.csv", "", Options{Format: "xml"}, ab, "22023", "xml"},
		{"cr among lf", "t.csv", "a,b\n1,x\ry\n", Options{}, ab, "22P04", "row 1"},
		{"cr at the end", "t.csv", "a,b\n1,x\r", Options{}, ab, "22P04", "carriage return"},
		{"lf among cr", "t.csv", "a,b\r1,x\ny\r", Options{}, ab, "22P04", "unquoted newline"},
		{"latin 1 in json", "t.json", "[{\"b\":\"x\"},{\"a\":1,\"b\":\"Z\xfcrich\"}]", Options{}, ab, "22021", `row 2, column "b"`},
		{"in a list", "t.json", "{\"b\":[\"\xff\"]}", Options{}, ab, "22021", `column "b"`},
		{"in a key", "t.json", "{\"b\xff\":1}", Options{}, ab, "22021", "row 1"},
		{"in a key, types guessed", "t.json", "{\"b\xff\":1}", Options{}, nil, "22021", "row 1"},
		{"first half alone", "t.json", `{"b":"\ud83dx\ude00"}`, Options{}, ab, "22P04", `\ud83d`},
		{"first half at the end", "t.json", `{"b":"\ud83d"}`, Options{}, ab, "22P04", `\ud83d`},
		{"second half alone", "t.json", `{"b":["x\\\uDE00"]}`, Options{}, ab, "22P04", `\uDE00`},
		{"same", "t.csv", "", Options{Delimiter: '"'}, ab, "22023", "different"},
	} {
		_, _, err := read(t, write(t, c.file, c.in), c.o, c.want)
		var e *zset.Error
		if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Msg+e.Detail, c.text) {
			t.Errorf("%s: %v (%+v); want %s .. %q", c.name, err, e, c.code, c.text)
		}
	}
	for _, c := range []struct{ in, hint string }{{"a;b\n1;2\n", "';' parts"}, {"a\tb\n1\t2\n", "'\\t' parts"}, {"a,b\n1,M\xfcller\n", "iconv"}} {
		for _, want := range []zset.Schema{nil, ab} {
			_, _, err := read(t, write(t, "t.csv", c.in), Options{}, want)
			var e *zset.Error
			if !errors.As(err, &e) || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("%q: %v (%+v); want %s", c.in, err, e, c.hint)
			}
		}
	}
	if got, _, err := read(t, write(t, "t.csv", "a;b\nx\n"), Options{Delimiter: ','}, nil); got != "x\n" || err != nil {
		t.Errorf("a column of an odd name: %q, %v", got, err)
	}
	for path, code := range map[string]string{"/nowhere.csv": "58P01", t.TempDir() + "/../.": "22023", "/dev/zero": "22023", "a\x00.csv": "22023"} {
		_, _, err := read(t, path, Options{}, ab)
		var e *zset.Error
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("%q: %v; want %s", path, err, code)
		}
	}
	for _, path := range []string{"/dev/zero", t.TempDir()} {
		_, _, err := read(t, path, Options{Format: FormatCSV}, ab)
		var e *zset.Error
		if !errors.As(err, &e) || e.Code != codeNotFile {
			t.Errorf("%q: %v", path, err)
		}
	}
}

// A row without an end must not fill the memory.
func TestBomb(t *testing.T) {
	for name, head := range map[string]string{"t.csv.gz": "a,b\n1,\"", "t.json.gz": `[{"a":"`, "t.csv.zst": "a,b\n1,"} {
		path := filepath.Join(t.TempDir(), name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		chunk := []byte(strings.Repeat("x", 1<<20))
		if strings.HasSuffix(name, ".gz") {
			z := gzip.NewWriter(f)
			z.Write([]byte(head))
			for range 200 {
				z.Write(chunk)
			}
			z.Close()
		} else {
			z, _ := zstd.NewWriter(f)
			z.Write([]byte(head))
			for range 200 {
				z.Write(chunk)
			}
			z.Close()
		}
		f.Close()
		_, _, err = read(t, path, Options{}, schema("a int", "b text"))
		var e *zset.Error
		if !errors.As(err, &e) || e.Code != codeTooLong {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCompressed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv.gz")
	f, _ := os.Create(path)
	z := gzip.NewWriter(f)
	z.Write([]byte("a,b\n1,x\n"))
	z.Close()
	f.Close()
	if got, _, err := read(t, path, Options{}, schema("a int", "b text")); got != "1|x\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	whole, _ := os.ReadFile(path)
	os.WriteFile(path, whole[:len(whole)-10], 0o600)
	if _, _, err := read(t, path, Options{}, schema("a int", "b text")); err == nil {
		t.Error("a cut file was read")
	}
}

// ending is a context that ends when it was asked some times.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestOpenCancelled: the reading that finds the types of a text file hears of the end
// of its context on the way.
func TestOpenCancelled(t *testing.T) {
	for name, line := range map[string]string{"a.csv": "1,2\n", "a.json": "{\"a\": 1}\n"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(strings.Repeat(line, 1000)), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(&ending{context.Background(), 100}, path, Options{}, nil)
		if !errors.Is(err, context.Canceled) {
			if err == nil {
				s.Close()
			}
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEncodings: a mark of UTF-8 is passed over, UTF-16 is refused by name, and what
// is no UTF-8 in the names of columns too.
func TestEncodings(t *testing.T) {
	for _, c := range []struct{ name, text, want, code string }{
		{"t.csv", "\ufeffa,b\n1,x\n", "1|x\n", ""},
		{"t.json", "\ufeff[{\"a\": 1, \"b\": \"x\"}]", "1|x\n", ""},
		{"t.csv", "\xff\xfea\x00,\x00b\x00\n\x00", "", "22021"},
		{"t.json", "\xfe\xff\x00[", "", "22021"},
		{"t.csv", "a,b\xe9\n1,x\n", "", "22021"},
		{"t.csv", "\xef\xbb", "", "22021"},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, _, err := read(t, path, Options{}, nil)
		var e *zset.Error
		if errors.As(err, &e) != (c.code != "") || c.code != "" && e.Code != c.code || got != c.want {
			t.Errorf("%q: %q, %v", c.text, got, err)
		}
	}
}
