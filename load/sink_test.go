package load

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/zset"
)

// What is written is read back, whatever the format.
func TestRoundTrip(t *testing.T) {
	s := schema("a int", "b text", "f float", "d date", "o bool", "n dec")
	s = append(s, zset.Field{Name: "Odd \"name\", 1", Type: zset.TTimestamp}, zset.Field{Name: "z", Type: zset.TTimestampTZ}, zset.Field{Name: "y", Type: zset.TBytea},
		zset.Field{Name: "u", Type: zset.TUUID}, zset.Field{Name: "t", Type: zset.TTime},
		zset.Field{Name: "k", Type: zset.TInt8, NotNull: true}, zset.Field{Name: "ak", Type: zset.ArrayBounded(zset.TInt8), NotNull: true})
	elements := map[zset.Kind][]string{
		zset.Text: {`{"a, \"b\"",null,"NULL","",ü}`, "{}"},
		zset.UUID: {"{}", "{NULL}", "{00000000-0000-0000-0000-000000000007,NULL}"},
		zset.Time: {"{}", "{NULL}", "{23:59:59.999999,NULL,00:00}"},
		zset.Int8: {"{}", "{NULL}", "{1}", "{2,NULL,1}", "{9223372036854775807}"},
	}
	arrays := []string{"{}", "{NULL}", "{1}", "{2,NULL,1}", "{1.50,-7}"}
	for name, elem := range map[string]zset.Type{"ai": zset.TText, "an": {Kind: zset.Numeric, Prec: 10, Scale: 2}, "af": zset.TFloat8, "az": zset.TInterval, "au": zset.TUUID, "at": zset.TTime} {
		s = append(s, zset.Field{Name: name, Type: zset.ArrayBounded(elem)})
	}
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		b := zset.NewBatch(s.Types(), 0)
		for range rapid.IntRange(0, 20).Draw(t, "rows") {
			for c := range b.Cols {
				col := &b.Cols[c]
				if !s[c].NotNull && rapid.IntRange(0, 4).Draw(t, "null") == 0 {
					col.AppendNull()
					continue
				}
				switch col.Type.Kind {
				case zset.Int8:
					col.AppendI64(rapid.Int64().Draw(t, "k"))
				case zset.UUID:
					col.AppendBytes(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "u"))
				case zset.Time:
					col.AppendI64(rapid.Int64Range(0, endOfDay-1).Draw(t, "t"))
				case zset.Int4:
					col.AppendI64(int64(rapid.Int32().Draw(t, "i")))
				case zset.Bool:
					col.AppendI64(rapid.Int64Range(0, 1).Draw(t, "o"))
				case zset.Date:
					col.AppendI64(rapid.Int64Range(-9999, 99999).Draw(t, "d"))
				case zset.Numeric:
					col.AppendI64(rapid.Int64Range(-9999999999, 9999999999).Draw(t, "n"))
				case zset.Timestamp, zset.TimestampTZ:
					col.AppendI64(rapid.Int64Range(-1<<50, 1<<50).Draw(t, "ts"))
				case zset.Float8:
					col.AppendF64(rapid.SampledFrom([]float64{0, 1.5, -2e300, math.Inf(1), math.Inf(-1), 0.1}).Draw(t, "f"))
				case zset.Bytea:
					col.AppendBytes(rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "y"))
				case zset.Array:
					of := elements[col.Type.Elem]
					if of == nil {
						of = arrays
					}
					text := rapid.SampledFrom(of).Draw(t, "array")
					v, err := zset.ParseText(col.Type, text)
					if err != nil {
						t.Fatal(err)
					}
					col.AppendValue(v)
				default:
					col.AppendBytes([]byte(rapid.StringOf(rapid.SampledFrom([]rune("a,\"'\n\r\\ü ;\tN"))).Draw(t, "s")))
				}
			}
			b.N++
		}
		name := rapid.SampledFrom([]string{"t.csv", "t.tsv", "t.csv.gz", "t.json", "t.jsonl.zst", "t.parquet", "t.arrow"}).Draw(t, "file")
		o := Options{}
		if strings.Contains(name, "csv") {
			o = rapid.SampledFrom([]Options{{}, {Null: "N"}, {Delimiter: ';', Escape: '\\'}, {Quote: '\'', NoHeader: true}}).Draw(t, "o")
		}
		path := filepath.Join(dir, name)
		k, err := Create(path, o, s)
		if err != nil {
			t.Fatal(err)
		}
		if b.N > 0 {
			if err := k.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := k.Commit(); err != nil {
			t.Fatal(err)
		}
		src, err := Open(context.Background(), path, o, s)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		got, err := src.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		if got != nil {
			n = got.N
		}
		if n != b.N {
			t.Fatalf("%s: %d rows of %d", name, n, b.N)
		}
		for i := range n {
			if !zset.SameRow(b.Cols, i, got.Cols, i) {
				t.Fatalf("%s: row %d differs", name, i)
			}
		}
	})
	left, _ := os.ReadDir(dir)
	for _, f := range left {
		if strings.HasPrefix(f.Name(), ".") {
			t.Errorf("%s is left behind", f.Name())
		}
	}
}

func TestAbandon(t *testing.T) {
	dir := t.TempDir()
	k, err := Create(filepath.Join(dir, "t.csv"), Options{}, schema("a int"))
	if err != nil {
		t.Fatal(err)
	}
	k.Abandon()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	if _, err := Create(filepath.Join(dir, "no", "t.csv"), Options{}, schema("a int")); err == nil {
		t.Error("a file in no directory was made")
	}
}

// TestMode: a new file has the mode of any, and one that is replaced keeps its own.
func TestMode(t *testing.T) {
	dir := t.TempDir()
	plain, path := filepath.Join(dir, "plain"), filepath.Join(dir, "t.csv")
	f, err := os.Create(plain)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	usual, err := os.Stat(plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []os.FileMode{usual.Mode(), 0o600} {
		k, err := Create(path, Options{}, schema("a int"))
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Commit(); err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(path); err != nil || st.Mode() != want {
			t.Errorf("%v %v, want %v", st.Mode(), err, want)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOwnTypes: a file of records has the types of what was written where its format
// has them, and row groups of a size that fits in memory hold all rows.
func TestOwnTypes(t *testing.T) {
	s := schema("a big", "n dec")
	for name, typ := range map[string]zset.Type{"u": zset.TUUID, "t": zset.TTime, "au": zset.ArrayBounded(zset.TUUID), "at": zset.ArrayBounded(zset.TTime)} {
		s = append(s, zset.Field{Name: name, Type: typ})
	}
	b := zset.NewBatch(s.Types(), 0)
	for i := range 1 << 14 {
		for c, f := range s {
			if f.Name == "a" {
				b.Cols[c].AppendI64(int64(i))
			} else {
				b.Cols[c].AppendNull()
			}
		}
		b.N++
	}
	const times = groupRows>>14 + 3
	for _, name := range []string{"t.parquet", "t.arrow"} {
		path := filepath.Join(t.TempDir(), name)
		k, err := Create(path, Options{}, s)
		if err != nil {
			t.Fatal(err)
		}
		for range times {
			if err := k.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := k.Commit(); err != nil {
			t.Fatal(err)
		}
		src, err := Open(t.Context(), path, Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range src.Fields() {
			if f.Name != s[i].Name || f.Type != s[i].Type {
				t.Errorf("%s: %s is %s, not %s", name, f.Name, f.Type, s[i].Type)
			}
		}
		n := int64(0)
		for {
			got, err := src.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got == nil {
				break
			}
			for i := range got.N {
				if got.Cols[0].I64[i] != n%(1<<14) {
					t.Fatalf("%s: row %d is %d", name, n, got.Cols[0].I64[i])
				}
				n++
			}
		}
		src.Close()
		if n != times<<14 {
			t.Errorf("%s: %d rows of %d", name, n, times<<14)
		}
	}
}

// TestEndOfDay: 24:00:00 is a time of ours, and in no file of records.
func TestEndOfDay(t *testing.T) {
	s := zset.Schema{{Name: "t", Type: zset.TTime}}
	for _, f := range []Format{FormatParquet, FormatArrow} {
		w, err := newRecordWriter(f, io.Discard, s)
		if err != nil {
			t.Fatal(err)
		}
		b := zset.NewBatch(s.Types(), 3)
		b.Cols[0].AppendNull()
		b.Cols[0].AppendI64(endOfDay - 1)
		b.N = 2
		if err := w.Write(b); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		b.Cols[0].AppendI64(endOfDay)
		b.N = 3
		var e *zset.Error
		if err := w.Write(b); !errors.As(err, &e) || e.Code != "22008" {
			t.Errorf("%s: %v", f, err)
		}
	}
}
