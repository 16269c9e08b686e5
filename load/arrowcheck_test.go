package load

import (
	"bytes"
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
)

// refused reads b as a file and holds that it is an error which says want, and that
// less than a few MiB were asked for.
func refused(t *testing.T, name string, b []byte, want string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := read(t, path, Options{}, nil)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, wanted %s", err, want)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
		t.Errorf("%d bytes were asked for", took)
	}
}

// TestArrowBlocks: a block of the footer that lies outside of the file is refused
// before memory is taken for it.
func TestArrowBlocks(t *testing.T) {
	whole := sample(t, "t.arrow")
	n := int(binary.LittleEndian.Uint32(whole[len(whole)-footerTail:]))
	footer := len(whole) - footerTail - n
	body := uint64(0)
	at := 0 // of the block of the rows, the longest that fits
	for i := footer; i+blockBytes <= footer+n; i += 4 {
		from, head, b := binary.LittleEndian.Uint64(whole[i:]), binary.LittleEndian.Uint32(whole[i+8:]), binary.LittleEndian.Uint64(whole[i+16:])
		if from > 8 && from < uint64(footer) && head > 8 && uint64(head)+b+from <= uint64(footer) && b > body {
			at, body = i, b
		}
	}
	if at == 0 {
		t.Fatal("no block in the footer")
	}
	for _, c := range []struct {
		off   int
		value uint64
	}{{0, 1 << 40}, {0, 1 << 63}, {16, 1 << 29}, {16, 1<<63 - 1}, {16, 1 << 63}} {
		bad := bytes.Clone(whole)
		binary.LittleEndian.PutUint64(bad[at+c.off:], c.value)
		refused(t, "t.arrow", bad, "lies outside")
	}
	bad := bytes.Clone(whole)
	binary.LittleEndian.PutUint32(bad[at+8:], 1<<30)
	refused(t, "t.arrow", bad, "lies outside")
	lengths := []uint32{1<<31 - 1, 1<<32 - 1, 1 << 24, 1 << 16, 0, 7}
	for i := 0; i+4 <= n; i += 4 { // whatever else is wrong in it
		for _, l := range lengths {
			bad := bytes.Clone(whole)
			binary.LittleEndian.PutUint32(bad[footer+i:], l)
			reads(t, "t.arrow", bad)
		}
	}
	stream := whole[8:]
	head := 8 + int(binary.LittleEndian.Uint32(stream[4:]))
	for i := 4; i+4 <= head+200; i += 4 {
		for _, l := range lengths {
			bad := bytes.Clone(stream)
			binary.LittleEndian.PutUint32(bad[i:], l)
			reads(t, "t.arrow", bad)
		}
	}
}

// TestArrowClaims: what is packed in a message counts, in all its columns, and one
// message after another does not.
func TestArrowClaims(t *testing.T) {
	c := &claims{Allocator: memory.DefaultAllocator, most: maxClaim}
	c.taken = maxClaim - 1000
	func() {
		defer func() {
			if recover() == nil {
				t.Error("more was given than a message may have")
			}
		}()
		c.Reallocate(600, c.Allocate(500))
		c.Allocate(401)
	}()
	s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.BinaryTypes.String}}, nil)
	for _, stream := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "t.arrow")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		b := array.NewRecordBuilder(memory.DefaultAllocator, s)
		for range 16 {
			b.Field(0).(*array.StringBuilder).Append(strings.Repeat("x", 1<<20))
		}
		rec := b.NewRecord()
		write := func(w interface {
			Write(arrow.Record) error
			Close() error
		}) {
			for range 60 { // 960 MiB unpacked
				if err := w.Write(rec); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if stream {
			write(ipc.NewWriter(f, ipc.WithSchema(s), ipc.WithZstd()))
		} else {
			w, err := ipc.NewFileWriter(f, ipc.WithSchema(s), ipc.WithZstd())
			if err != nil {
				t.Fatal(err)
			}
			write(w)
		}
		f.Close()
		src, err := Open(t.Context(), path, Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		for {
			got, err := src.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got == nil {
				break
			}
			rows += got.N
		}
		src.Close()
		if rows != 60*16 {
			t.Errorf("%d rows", rows)
		}
	}
}

// TestRowsOfNothing: rows that take no bytes of a file are no more than some, and none
// without a column.
func TestRowsOfNothing(t *testing.T) {
	nulls := func(n int) []arrow.Array { return []arrow.Array{array.NewNull(n)} }
	for _, c := range []struct {
		cols []arrow.Array
		rows int64
		want string
	}{
		{nil, 5, "5 rows without a column"},
		{nulls(1 << 40), 1 << 40, "a record batch of 1099511627776 rows in 0 bytes"},
		{nulls(70_000), 70_000, ""},
	} {
		var fields []arrow.Field
		for range c.cols {
			fields = append(fields, arrow.Field{Name: "a", Type: arrow.Null, Nullable: true})
		}
		var out bytes.Buffer
		s := arrow.NewSchema(fields, nil)
		w := ipc.NewWriter(&out, ipc.WithSchema(s))
		if err := errors.Join(w.Write(array.NewRecord(s, c.cols, c.rows)), w.Close()); err != nil {
			t.Fatal(err)
		}
		got, _, err := read(t, write(t, "t.arrows", out.String()), Options{}, schema("b int", "a text"))
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) || c.want == "" && err != nil {
			t.Errorf("%v, wanted %q", err, c.want)
		}
		if n := strings.Count(got, "\n"); c.want == "" && int64(n) != c.rows {
			t.Errorf("%d rows", n)
		}
	}
	if got, _, err := read(t, "testdata/no-columns.parquet", Options{}, schema("a text")); got != "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
