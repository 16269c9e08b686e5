package zset

import (
	"bytes"
	"math"
	"testing"
)

func TestFixedForm(t *testing.T) {
	for _, coef := range []int64{0, 1, -1, 127, 128, 255, 256, -65536, 1e18, -1e18, math.MaxInt64, math.MinInt64} {
		for _, scale := range []int{0, 1, 2, 18, 127, 128, 1000} {
			d := DecimalFromScaled(coef, scale)
			want := d.AppendTo(nil)
			if got := AppendFixed([]byte("x"), coef, scale)[1:]; !bytes.Equal(got, want) {
				t.Errorf("%d scale %d: %x, want %x", coef, scale, got, want)
			}
			c, s, ok := DecodeFixed(want)
			if fits := coef != math.MinInt64 && scale < 128; ok != fits || ok && (c != coef || s != scale) {
				t.Errorf("%d scale %d: read as %d scale %d, %t", coef, scale, c, s, ok)
			}
		}
	}
	for _, d := range []Decimal{DecimalNaN, DecimalInf, DecimalNegInf} {
		if _, _, ok := DecodeFixed(d.AppendTo(nil)); ok {
			t.Errorf("%s read as a number", d)
		}
	}
	big, _ := ParseDecimal("123456789012345678901234567890")
	if _, _, ok := DecodeFixed(big.AppendTo(nil)); ok {
		t.Errorf("%s read as 63 bits", big)
	}
}
