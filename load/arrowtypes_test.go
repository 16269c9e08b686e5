package load

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/ivmc/ivmc/zset"
)

// TestTypesOfOthers reads files that pyarrow wrote, of types that nothing here writes,
// into a table that is made for them.
func TestTypesOfOthers(t *testing.T) {
	for _, c := range []struct{ file, types, rows string }{
		{"views.arrow", "text bytea text text[]", `
a|\x01|one|{x}
~|~|~|~
a text of more than twelve bytes|\xffffffffffffffffffffffffffffffffffffffff|another of more than twelve|{"a text of more than twelve bytes",NULL}
|\x|one|{}
`},
		{"kinds.arrow", "bytea real numeric(50,2) interval interval interval interval integer[] uuid text text", `
\x6162|1.5|12345678901234567890123456789012345678901.25|24:00:00.000005|00:00:00|00:00:01|1 mon 2 days 00:00:00.000003|{1,2}|00000000-0000-0000-0000-000000000005|{"a":1}|x
~|~|~|~|~|~|~|~|~|~|~
\x00ff|-2|-0.01|-00:00:01|-00:00:00.000002|00:00:02|-1 days|{3,NULL}|00000000-0000-0000-0000-000000000007|[]|z
`},
		{"kinds.parquet", "text uuid bytea real numeric(50,2) integer[] bigint", `
{"a":1}|00000000-0000-0000-0000-000000000005|\x6162|1.5|12345678901234567890123456789012345678901.25|{1,2}|1
~|~|~|~|~|~|~
[]|00000000-0000-0000-0000-000000000007|\x00ff|-2|-0.01|{3,NULL}|-1001
`},
		{"stored-schema.parquet", "text uuid integer[] bigint text", `
{"a":1}|00000000-0000-0000-0000-000000000005|{1,2}|1|a
~|~|~|~|~
[]|00000000-0000-0000-0000-000000000007|{3,NULL}|-1001|b
`},
		{"dictionaries.arrow", "bigint double precision bytea date boolean bytea", `
7|1.5|\x01ff|2024-01-01|t|\x6162
~|~|~|~|~|~
9|~|\x|1969-12-31|f|\x0000
7|1.5|\x01ff|2024-01-01|t|\x6162
`},
		{"interval.parquet", "interval text text", `
1 mon 2 days 00:00:03.004|ok|{"a": 1}
~|~|~
`},
		{"polars-lz4.arrows", "bigint", `
1
-5
~
4611686018427387904
`},
		{"decimals.parquet", "numeric(39,0) numeric(45,0) numeric(50,0) numeric(56,0) numeric(76,0)", `
-1|-1|-1|-1|-1
-1000000000000000000000000000007|-1000000000000000000000000000007|-1000000000000000000000000000007|-1000000000000000000000000000007|-1000000000000000000000000000007
999999999999999999999999999999999999999|999999999999999999999999999999999999999999999|99999999999999999999999999999999999999999999999999|99999999999999999999999999999999999999999999999999999999|9999999999999999999999999999999999999999999999999999999999999999999999999999
-999999999999999999999999999999999999999|-999999999999999999999999999999999999999999999|-99999999999999999999999999999999999999999999999999|-99999999999999999999999999999999999999999999999999999999|-9999999999999999999999999999999999999999999999999999999999999999999999999999
~|~|~|~|~
18446744073709551616|18446744073709551616|18446744073709551616|18446744073709551616|18446744073709551616
`},
	} {
		got, s, err := read(t, "testdata/"+c.file, Options{}, nil)
		if want := strings.TrimPrefix(c.rows, "\n"); got != want || err != nil {
			t.Errorf("%s: %v\n%swant\n%s", c.file, err, got, want)
		}
		var types []string
		for _, f := range s {
			types = append(types, f.Type.String())
		}
		if got := strings.Join(types, " "); got != c.types {
			t.Errorf("%s: %s, want %s", c.file, got, c.types)
		}
	}
	for file, want := range map[string]string{
		"dec32.arrow":            "the arrow file has a type that cannot be read: invalid decimal bitwidth: 32",
		"decimal-lists.parquet":  `column "l" of the parquet file holds lists of decimal256(40, 0), which cannot be read`,
		"dictionary-lists.arrow": `column "l" is of Arrow type dictionary<values=list<item: int32, nullable>, indices=int8, ordered=false>, for which there is no SQL type`,
		"ree.arrow":              `column "l" is of Arrow type run_end_encoded<run_ends: int32, values: utf8>, for which there is no SQL type`,
	} {
		_, _, err := read(t, "testdata/"+file, Options{}, nil)
		var e *zset.Error
		if !errors.As(err, &e) || e.Code != "0A000" || e.Msg != want {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestViewsOfOne: views that show the same text again and again are written out a
// bounded part at a time.
func TestViewsOfOne(t *testing.T) {
	const rows, long = 200, 1 << 20
	heads := make([]arrow.ViewHeader, rows)
	text := bytes.Repeat([]byte("x"), long)
	for i := range heads {
		heads[i].SetBytes(text)
		heads[i].SetIndexOffset(0, 0)
	}
	views := func(n int) arrow.Array {
		return array.MakeFromData(array.NewData(arrow.BinaryTypes.StringView, n, []*memory.Buffer{nil,
			memory.NewBufferBytes(arrow.ViewHeaderTraits.CastToBytes(heads)), memory.NewBufferBytes(text)}, nil, 0, 0))
	}
	path := filepath.Join(t.TempDir(), "t.arrow")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	s := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.StringView}}, nil)
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(s))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(array.NewRecord(s, []arrow.Array{views(rows)}, rows)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	src, err := Open(context.Background(), path, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	seen := 0
	for {
		b, err := src.Next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			break
		}
		if n := len(b.Cols[0].Buf); n > 64<<20 || n != b.N*long {
			t.Errorf("%d bytes of %d rows at once", n, b.N)
		}
		seen += b.N
	}
	if seen != rows {
		t.Errorf("%d rows of %d", seen, rows)
	}
	if n := shown(views(rows).(lengthy), 0, rows, 100*long); n != 100 {
		t.Errorf("%d texts of a MiB fit 100 MiB", n)
	}
}

// TestListsOfMuch: what a list of booleans, of NULLs or of binaries of one length says
// to have behind it is not taken for what there is; and one of too many is refused.
func TestListsOfMuch(t *testing.T) {
	const n = 77_777
	for _, elem := range []arrow.DataType{arrow.FixedWidthTypes.Boolean, arrow.Null, &arrow.FixedSizeBinaryType{ByteWidth: 1}} {
		s := arrow.NewSchema([]arrow.Field{{Name: "l", Type: arrow.ListOf(elem)}}, nil)
		b := array.NewRecordBuilder(memory.DefaultAllocator, s)
		l := b.Field(0).(*array.ListBuilder)
		for _, many := range []int{2, n - 2} {
			l.Append(true)
			for range many {
				l.ValueBuilder().AppendEmptyValue()
			}
		}
		var out bytes.Buffer
		w := ipc.NewWriter(&out, ipc.WithSchema(s))
		if err := errors.Join(w.Write(b.NewRecord()), w.Close()); err != nil {
			t.Fatal(err)
		}
		whole := out.Bytes()
		path := filepath.Join(t.TempDir(), "t.arrows")
		try := func(b []byte) (string, error, uint64) {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			text, _, err := read(t, path, Options{}, zset.Schema{{Name: "l", Type: zset.ArrayOf(zset.TBool)}})
			if _, ok := elem.(*arrow.FixedSizeBinaryType); ok {
				text, _, err = read(t, path, Options{}, nil)
			}
			runtime.ReadMemStats(&after)
			return text, err, after.TotalAlloc - before.TotalAlloc
		}
		text, err, _ := try(whole)
		if got := strings.Count(text, ","); got != n-2 || err != nil {
			t.Fatalf("%s: %d commas, %v", elem, got, err)
		}
		changed := 0
		for i := 0; i+8 <= len(whole); i += 4 {
			if binary.LittleEndian.Uint64(whole[i:]) != n {
				continue
			}
			changed++
			bad := bytes.Clone(whole)
			binary.LittleEndian.PutUint64(bad[i:], 1<<36) // of the elements, or of those that are NULL
			if _, err, took := try(bad); took > 200<<20 {
				t.Errorf("%s: %d bytes were taken, %v", elem, took, err)
			}
		}
		if changed == 0 {
			t.Errorf("%s: no length in the file", elem)
		}
		refused := 0
		for i := 0; i+4 <= len(whole); i += 4 { // among them the end of the last list
			if binary.LittleEndian.Uint32(whole[i:]) != n {
				continue
			}
			bad := bytes.Clone(whole)
			binary.LittleEndian.PutUint32(bad[i:], 1<<31-1)
			_, err, took := try(bad)
			if err != nil {
				refused++
			}
			if took > 200<<20 {
				t.Errorf("%s: %d bytes were taken, %v", elem, took, err)
			}
		}
		if refused == 0 {
			t.Errorf("%s: nothing was refused", elem)
		}
	}
}

// TestLongValue: no value is longer than a row of a text file may be, however little of
// the file it takes.
func TestLongValue(t *testing.T) {
	text := strings.Repeat("x", maxRow)
	for _, typ := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}} {
		for _, more := range []int{0, 1} {
			s := arrow.NewSchema([]arrow.Field{{Name: "s", Type: typ}}, nil)
			b := array.NewRecordBuilder(memory.DefaultAllocator, s)
			for _, cell := range []string{"a", text + strings.Repeat("y", more)} {
				if err := b.Field(0).AppendValueFromString(cell); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(t.TempDir(), "t.arrow")
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			w, err := ipc.NewFileWriter(f, ipc.WithSchema(s), ipc.WithZstd())
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.Write(b.NewRecord()), w.Close(), f.Close()); err != nil {
				t.Fatal(err)
			}
			_, _, err = read(t, path, Options{}, nil)
			var e *zset.Error
			if refused := errors.As(err, &e) && e.Code == codeTooLong; refused != (more > 0) {
				t.Errorf("%s, %d: %v", typ, more, err)
			}
		}
	}
}
