package load

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/zset"
)

// TestParquetOfOthers reads files that pyarrow wrote: dictionaries that differ from
// row group to row group; and refuses by name what the library finds no rows in.
func TestParquetOfOthers(t *testing.T) {
	got, _, err := read(t, "testdata/dictionaries.parquet", Options{}, nil)
	if want := "1.5|a\n2.5|b\n~|a\n2.5|b\n~|a\n"; got != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, s, err := read(t, "testdata/no-rows.parquet", Options{}, nil); got != "" || err != nil || len(s) != 2 {
		t.Errorf("%q, %v, %v", got, s, err)
	}
	if got, _, err := read(t, "testdata/zone.parquet", Options{}, nil); got != "2024-07-01 12:00:00+00\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, name := range []string{"testdata/lz4-raw.parquet", "testdata/lz4-raw-2.parquet"} { // of the first and the second kind of pages
		a := strings.Repeat("a", 40)
		if got, _, err := read(t, name, Options{}, nil); got != "1.5|"+a+"|~\n2.5|~|~\n~|"+a+"|~\n" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	_, _, err = read(t, "testdata/int96-9999.parquet", Options{}, nil)
	var e *zset.Error
	if !errors.As(err, &e) || e.Code != "22008" {
		t.Errorf("%v: a time that comes back as another", err)
	}
	for name, want := range map[string]string{
		"testdata/byte-stream-split.parquet": `column "f" of the parquet file is written as BYTE_STREAM_SPLIT, which cannot be read`,
		"testdata/delta-fixed.parquet":       `column "f" of the parquet file is written as DELTA_BYTE_ARRAY, which cannot be read`,
	} {
		_, _, err := read(t, name, Options{}, nil)
		var e *zset.Error
		if !errors.As(err, &e) || e.Code != "0A000" || e.Msg != want || e.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestParquetPromises writes lengths over a file, everywhere: no memory is taken for
// what is not there, and no rows are lost in silence.
func TestParquetPromises(t *testing.T) {
	lengths := [][]byte{{0xff, 0xff, 0xff, 0xff, 0x07}, {0xfe, 0xff, 0xff, 0xff, 0x0f}, {0x80}, {0}}
	step := 3
	if testing.Short() {
		step = 17
	}
	dictionaries, err := os.ReadFile("testdata/dictionaries.parquet")
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := os.ReadFile("testdata/lz4-raw.parquet")
	if err != nil {
		t.Fatal(err)
	}
	for name, whole := range map[string][]byte{"t.parquet": sample(t, "t.parquet"), "d.parquet": dictionaries, "l.parquet": blocks} {
		rows := map[string]int{"t.parquet": 200, "d.parquet": 5, "l.parquet": 3}[name]
		path := t.TempDir() + "/" + name
		for i := 0; i < len(whole); i += step {
			for _, l := range lengths {
				if i+len(l) > len(whole) {
					continue
				}
				bad := bytes.Clone(whole)
				copy(bad[i:], l)
				if err := os.WriteFile(path, bad, 0o600); err != nil {
					t.Fatal(err)
				}
				got, _, err := read(t, path, Options{}, nil)
				var e *zset.Error
				if err != nil && (!errors.As(err, &e) || e.Code == "XX000") {
					t.Fatalf("%d %x: %v is no SQL error", i, l, err)
				}
				if n := bytes.Count([]byte(got), []byte{'\n'}); err == nil && n < rows {
					t.Errorf("%d %x: %d of %d rows were read without an error", i, l, n, rows)
				}
			}
		}
	}
}
