package load

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDamagedPages: a byte of a page that is another one is an error, or the values
// are the same: where the page has a checksum, in its head or as gzip does. Brotli has
// none; what it has too much or too little of is an error.
func TestDamagedPages(t *testing.T) {
	var rows strings.Builder
	for i := range 300 {
		fmt.Fprintln(&rows, 1000+i)
	}
	want := rows.String()
	for _, name := range []string{"gzip-1", "gzip-2", "checksums", "brotli-1", "brotli-2"} {
		whole, err := os.ReadFile("testdata/" + name + ".parquet")
		if err != nil {
			t.Fatal(err)
		}
		try := func(b []byte) (string, error) {
			got, _, err := read(t, write(t, "t.parquet", string(b)), Options{}, schema("a big"))
			return got, err
		}
		if got, err := try(whole); got != want || err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		refused, other := 0, 0
		step := 1 + len(whole)/1500
		for k := range 2 * (len(whole) - 12) / step {
			i, mask := 4+k/2*step, []byte{0xff, 0x03}[k%2] // the latter is between true and false of a head
			b := bytes.Clone(whole)
			b[i] ^= mask
			got, err := try(b)
			switch {
			case err != nil:
				refused++
			case got != want:
				other++
				if mask == 0xff && !strings.HasPrefix(name, "brotli") {
					t.Errorf("%s: byte %d: other values were read: %.60q", name, i, got)
				} else if n := strings.Count(got, "\n"); n != 300 {
					t.Errorf("%s: byte %d: %d rows", name, i, n)
				}
			}
		}
		if !strings.HasPrefix(name, "brotli") && other > 2 { // what says that there are NULLs has no checksum
			t.Errorf("%s: %d times other values were read", name, other)
		}
		if refused == 0 {
			t.Errorf("%s: nothing was refused", name)
		}
		t.Logf("%s: %d refused, %d with other values", name, refused, other)
	}
}
