package load

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/zset"
)

// FuzzText: no text brings the readers down, whatever the options; and a text that
// can be read with every column TEXT can be read by the types that are guessed for
// it, into the same rows and NULLs and, where they are numbers, the same numbers.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"a,b\n1,\"x\n", "a,b\n1,x\n,\"\"\n\"2\",\"y \"\"z\"\"\"\r\n", "\ufeffid;at;ok\n1;2024-02-29 12:30:00.5;true\n2;infinity;false\n", "a\tb\n\\N\tx\n",
		"n,f,z\n12345678901234567890,1e10,2024-01-01T00:00:00Z\n-0,NaN,2024-01-01 00:00:00+02\n007,.5,x\n", "a\n\n\"\"\n", "a,a\n1,2\n", "a,b\n1\n1,2,3\n",
		"d,m\n2024/1/31,$1\n0001-01-01,1.10\n",
	} {
		for k := range uint8(4) {
			f.Add(s, k)
		}
	}
	for _, s := range []string{
		`[{"a":1},{"b":"x"}]`, "{\"a\":1,\"b\":[1,null,{\"c\":\"\\u00fc\\ud83d\\ude00\"}]}\n{\"b\":true,\"a\":-0.0}\n", `[{"a":12345678901234567890.12},{"a":1e400}]`,
		`{"a":"2024-02-29"}{"a":null}`, `[]`, `[{"a":{"b":1}},{"a":"\u0000"}]`,
	} {
		f.Add(s, uint8(4))
	}
	f.Fuzz(func(t *testing.T, in string, k uint8) {
		name, o := "t.csv", Options{NoHeader: k&1 != 0}
		switch k % 6 {
		case 2:
			o.Delimiter, o.Null = ';', "NULL"
		case 3:
			o.Delimiter, o.Null, o.Quote, o.Escape = '\t', `\N`, '\'', '\\'
		case 4, 5:
			name = "t.json"
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(in), 0o600); err != nil {
			t.Fatal(err)
		}
		try := func(want zset.Schema) (string, zset.Schema, error) {
			out, s, err := read(t, path, o, want)
			var e *zset.Error
			if err != nil && (!errors.As(err, &e) || e.Code == "XX000") {
				t.Fatalf("%v is no SQL error", err)
			}
			return out, s, err
		}
		try(schema("a int", "b text"))
		typed, fields, err := try(nil)
		text := append(zset.Schema{}, fields...)
		for i := range text {
			text[i].Type = zset.TText
		}
		plain, _, errPlain := try(text)
		if len(fields) == 0 || errPlain != nil {
			return
		}
		if err != nil {
			t.Fatalf("as text it can be read, by %v not: %v", fields, err)
		}
		sameCells(t, fields, typed, plain)
	})
}

// sameCells holds the rows as they were guessed to what stands in the file.
func sameCells(t *testing.T, fields zset.Schema, typed, plain string) {
	for _, f := range fields {
		if f.Type.Kind == zset.Text {
			return // its bars and ends of lines are not told from those of read
		}
	}
	a, b := strings.Split(typed, "\n"), strings.Split(plain, "\n")
	if len(a) != len(b) {
		t.Fatalf("%d and %d rows", len(a), len(b))
	}
	for i := range a {
		x, y := strings.Split(a[i], "|"), strings.Split(b[i], "|")
		for c := range x {
			n, _, ok := readNumber(y[c])
			if m, _, _ := readNumber(x[c]); ok && m != n || (x[c] == "~") != (y[c] == "~") {
				t.Fatalf("row %d: %q was guessed to be %s %q", i, y[c], fields[c].Type, x[c])
			}
		}
	}
}
