package load

import (
	"bytes"
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

// TestArrowStream reads streams with a mark at the end and without, and refuses one
// that is cut off anywhere else, and lengths that nobody has.
func TestArrowStream(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}, {Name: "b", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}}}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(s))
	var ends []int // of the file behind each whole message
	for k := range int32(3) {
		b := array.NewRecordBuilder(memory.DefaultAllocator, s)
		b.Field(0).(*array.Int32Builder).AppendValues([]int32{k, k + 10}, nil)
		for _, text := range []string{"x", "y"} {
			if err := b.Field(1).(*array.BinaryDictionaryBuilder).AppendString(text); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Write(b.NewRecord()); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, out.Len())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.arrows")
	try := func(b []byte) (string, error) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		text, _, err := read(t, path, Options{}, schema("a int", "b text"))
		return text, err
	}
	whole := out.Bytes()
	const want = "0|x\n10|y\n1|x\n11|y\n2|x\n12|y\n"
	for _, b := range [][]byte{whole, whole[:ends[2]]} {
		if got, err := try(b); got != want || err != nil {
			t.Errorf("%d of %d bytes: %q, %v", len(b), len(whole), got, err)
		}
	}
	if got, err := try(append(bytes.Clone(whole), whole...)); err == nil {
		t.Errorf("two streams in a file: %q", got)
	}
	for n := ends[1] + 1; n < ends[2]; n++ {
		if got, err := try(whole[:n]); err == nil {
			t.Errorf("%d of %d bytes were read: %q", n, len(whole), got)
		}
	}
	for i := ends[0]; i < ends[1]; i++ { // of a dictionary and a record batch
		for _, mask := range []byte{0xff, 0x01, 0x80} {
			b := bytes.Clone(whole)
			b[i] ^= mask
			if got, err := try(b); err == nil && strings.Count(got, "\n") != 6 {
				t.Errorf("byte %d: %q was read", i-ends[0], got)
			}
		}
	}
	for i := ends[0]; i < ends[1]; i += 4 {
		b := bytes.Clone(whole)
		copy(b[i:], []byte{0, 0, 0, 0})
		if got, err := try(b); err == nil && strings.Count(got, "\n") != 6 {
			t.Errorf("zeros at %d: %q was read", i-ends[0], got)
		}
	}
	for _, bad := range []string{"000000", "\xff\xff\xff\xff\xff\xff\xff\x7f", "\xff\xff\xff\x7f", "\xff\xff\xff\xff\xff\xff\xff\xff"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := try([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
			t.Errorf("%q took %d bytes", bad, took)
		}
	}
}
