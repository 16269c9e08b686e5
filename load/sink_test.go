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
	s = append(s, zset.Field{Name: "Odd \"name\", 1", Type: zset.TTimestamp}, zset.Field{Name: "z", Type: zset.TTimestampTZ}, zset.Field{Name: "y", Type: zset.TBytea})
	arrays := []string{"{}", "{NULL}", "{1}", "{2,NULL,1}", "{1.50,-7}"}
	for name, elem := range map[string]zset.Type{"ai": zset.TText, "an": {Kind: zset.Numeric, Prec: 10, Scale: 2}, "af": zset.TFloat8, "az": zset.TInterval} {
		s = append(s, zset.Field{Name: name, Type: zset.ArrayBounded(elem)})
	}
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		b := zset.NewBatch(s.Types(), 0)
		for range rapid.IntRange(0, 20).Draw(t, "rows") {
			for c := range b.Cols {
				col := &b.Cols[c]
				if rapid.IntRange(0, 4).Draw(t, "null") == 0 {
					col.AppendNull()
					continue
				}
				switch col.Type.Kind {
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
					text := rapid.SampledFrom(arrays).Draw(t, "array")
					if col.Type.Elem == zset.Text {
						text = `{"a, \"b\"",null,"NULL","",ü}`
					}
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
