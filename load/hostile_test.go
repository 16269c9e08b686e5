package load

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ivmc/ivmc/zset"
)

// sample writes a file of some rows in a format, and gives its bytes.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	s := schema("a int", "b text", "f float", "d date", "o bool", "n dec")
	b := zset.NewBatch(s.Types(), 0)
	texts := [][]string{{"1", "x, \"y\"", "1.5", "2024-02-29", "t", "2.50"}, {"-7", "", "NaN", "infinity", "f", "-0.01"}, {"3", "ü\nz", "1e300", "0001-01-01", "t", "99999.99"}}
	for i := range 200 {
		for c := range b.Cols {
			if (i+c)%5 == 0 {
				b.Cols[c].AppendNull()
				continue
			}
			v, err := zset.ParseText(s[c].Type, texts[i%len(texts)][c])
			if err != nil {
				t.Fatal(err)
			}
			b.Cols[c].AppendValue(v)
		}
		b.N++
	}
	path := filepath.Join(t.TempDir(), name)
	k, err := Create(path, Options{}, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := k.Commit(); err != nil {
		t.Fatal(err)
	}
	out, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// reads reads bytes as a file, by its own columns and by others, and fails on
// anything but rows or an error of SQL.
func reads(t *testing.T, name string, b []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, want := range []zset.Schema{nil, schema("a int", "b text", "f float", "d date", "o bool", "n dec"), schema("a text", "zz int")} {
		_, _, err := read(t, path, Options{}, want)
		var e *zset.Error
		if err != nil && (!errors.As(err, &e) || e.Code == "XX000") {
			t.Fatalf("%s: %v is no SQL error", name, err)
		}
	}
}

// sampled are the files that are damaged.
var sampled = []string{"t.csv", "t.json", "t.jsonl", "t.parquet", "t.arrow", "t.csv.gz", "t.csv.zst", "t.json.gz"}

// TestDamaged cuts files off at every length, or many, and flips bits in them.
func TestDamaged(t *testing.T) {
	flips, cuts := 400, 100
	if testing.Short() {
		flips, cuts = 60, 20
	}
	for k, name := range sampled {
		t.Run(name, func(t *testing.T) {
			whole := sample(t, name)
			rng := rand.New(rand.NewPCG(uint64(k), 5))
			start := time.Now()
			for n := 0; n < len(whole); n += 1 + len(whole)/cuts {
				reads(t, name, whole[:n])
			}
			for range flips {
				bad := append([]byte{}, whole...)
				for range 1 + rng.IntN(3) {
					bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
				}
				reads(t, name, bad)
			}
			reads(t, name, append(whole, whole...))
			if took := time.Since(start); took > 2*time.Minute {
				t.Errorf("took %s", took)
			}
		})
	}
}

// FuzzFile: no bytes bring a reader down, whatever format they are taken for.
func FuzzFile(f *testing.F) {
	for k, name := range sampled {
		f.Add(uint8(k), sample(f, name))
		if name == "t.arrow" {
			f.Add(uint8(k), sample(f, name)[8:]) // behind the magic of the file stands a stream
		}
	}
	for _, name := range []string{"dictionaries.parquet", "kinds.parquet", "decimals.parquet", "stored-schema.parquet", "lz4-raw.parquet", "lz4-raw-2.parquet", "kinds.arrow", "views.arrow", "dictionaries.arrow"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(slices.Index(sampled, "t"+filepath.Ext(name))), b)
	}
	f.Fuzz(func(t *testing.T, k uint8, b []byte) {
		if len(b) > 1<<20 {
			t.Skip()
		}
		reads(t, sampled[int(k)%len(sampled)], b)
	})
}
