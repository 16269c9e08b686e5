package zset

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestHashRows: identical by SameRow is identical by row encoding, and identical
// rows have equal hashes, over every kind, NULLs, -0.0 and NaN, scales.
func TestHashRows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cell := rapid.SampledFrom([]func(c *Column){
			func(c *Column) { c.AppendNull() },
			func(c *Column) { c.AppendF64(0) },
			func(c *Column) { c.AppendF64(negZero()) },
			func(c *Column) { c.AppendF64(nan()) },
			func(c *Column) { c.AppendF64(-nan()) },
			func(c *Column) { c.AppendF64(1.5) },
		})
		num := rapid.SampledFrom([]string{"", "0", "1", "1.0", "1.00", "-1", "NaN", "Infinity"})
		text := rapid.SampledFrom([]string{"", "a", "ab", "\x00"})
		n := rapid.IntRange(1, 12).Draw(rt, "n")
		f, d, s := NewColumn(TFloat8, n), NewColumn(TNumeric, n), NewColumn(TText, n)
		for range n {
			cell.Draw(rt, "float")(&f)
			if x := num.Draw(rt, "numeric"); x == "" {
				d.AppendNull()
			} else {
				v, err := ParseText(TNumeric, x)
				if err != nil {
					rt.Fatal(err)
				}
				d.AppendValue(v)
			}
			s.AppendBytes([]byte(text.Draw(rt, "text")))
		}
		cols := []Column{f, d, s}
		var enc, hashed Keys
		enc.EncodeRows(cols, n)
		hashed.HashRows(cols, n)
		for i := range n {
			for j := range n {
				same := bytes.Equal(enc.Key(i), enc.Key(j))
				if SameRow(cols, i, hashed.Rows, j) != same {
					rt.Fatalf("rows %d and %d: SameRow says %v", i, j, !same)
				}
				if same && hashed.Hash[i] != hashed.Hash[j] {
					rt.Fatalf("identical rows %d and %d have different hashes", i, j)
				}
			}
		}
	})
}

func negZero() float64 { z := 0.0; return -z }

func nan() float64 { z := 0.0; return z / z }
