package zset

import (
	"bytes"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func bigOf(limbs ...uint64) *big.Int {
	x := new(big.Int)
	for i := len(limbs) - 1; i >= 0; i-- {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(limbs[i]))
	}
	return x
}

// genLimb prefers the limbs at which long division goes wrong.
func genLimb() *rapid.Generator[uint64] {
	return rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, 1 << 63, math.MaxUint64, math.MaxUint64 - 1, 1<<63 - 1}))
}

func TestWideDivision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var u [8]uint64
		var v u256
		for i := range rapid.IntRange(0, 8).Draw(t, "nu") {
			u[i] = genLimb().Draw(t, "u")
		}
		for i := range rapid.IntRange(1, 4).Draw(t, "nv") {
			v[i] = genLimb().Draw(t, "v")
		}
		if v.isZero() {
			v[0] = 1
		}
		q, r := divWide(&u, &v)
		wantQ, wantR := new(big.Int).QuoRem(bigOf(u[:]...), bigOf(v[:]...), new(big.Int))
		if bigOf(q[:]...).Cmp(wantQ) != 0 || bigOf(r[:]...).Cmp(wantR) != 0 {
			t.Fatalf("%x / %x = %x rem %x", u, v, q, r)
		}
	})
}

// Dividends for which the guess of a quotient limb is one too large.
func TestWideDivisionAddsBack(t *testing.T) {
	const top = 1 << 63
	for _, c := range []struct {
		u [8]uint64
		v u256
	}{
		{[8]uint64{3, 0, top}, u256{1, 0, 1 << 61}},
		{[8]uint64{0, 0, top, top - 1}, u256{1, 0, top}},
		{[8]uint64{0, math.MaxUint64 - 1, top}, u256{math.MaxUint64, top}},
	} {
		q, r := divWide(&c.u, &c.v)
		wantQ, wantR := new(big.Int).QuoRem(bigOf(c.u[:]...), bigOf(c.v[:]...), new(big.Int))
		if bigOf(q[:]...).Cmp(wantQ) != 0 || bigOf(r[:]...).Cmp(wantR) != 0 {
			t.Errorf("%x / %x = %x rem %x", c.u, c.v, q, r)
		}
	}
}

func TestWideProduct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b u256
		for i := range 4 {
			a[i], b[i] = genLimb().Draw(t, "a"), genLimb().Draw(t, "b")
		}
		p := a.mul(&b)
		if want := new(big.Int).Mul(bigOf(a[:]...), bigOf(b[:]...)); bigOf(p[:]...).Cmp(want) != 0 {
			t.Fatalf("%x * %x = %x", a, b, p)
		}
		if got, want := a.bitLen(), bigOf(a[:]...).BitLen(); got != want {
			t.Fatalf("bitLen %d, want %d", got, want)
		}
		c := a
		c[3] >>= 6 // below 10^77
		if got, want := c.digits(), len(bigOf(c[:]...).String()); got != want && !c.isZero() {
			t.Fatalf("%x: digits %d, want %d", c, got, want)
		}
	})
}

// ratOf is the value of a finite d.
func ratOf(d Decimal) *big.Rat {
	_, limbs := d.Limbs()
	n := bigOf(limbs[:]...)
	if d.neg {
		n.Neg(n)
	}
	return new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.scale)), nil))
}

// unscaled is r * 10^scale, rounded half away from zero or cut.
func unscaled(r *big.Rat, scale int, round bool) *big.Int {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	num := new(big.Int).Mul(r.Num(), p)
	q, rem := new(big.Int).QuoRem(num, r.Denom(), new(big.Int))
	if round && new(big.Int).Abs(rem.Lsh(rem, 1)).Cmp(r.Denom()) >= 0 {
		q.Add(q, big.NewInt(int64(r.Sign())))
	}
	return q
}

var limit = new(big.Int).Exp(big.NewInt(10), big.NewInt(MaxPrecision), nil)

// check holds a result against the exact value at the scale it must have.
func check(t *rapid.T, what string, a, b, got Decimal, err error, want *big.Rat, scale int) {
	t.Helper()
	n := unscaled(want, scale, true)
	if new(big.Int).Abs(n).Cmp(limit) >= 0 {
		if err == nil {
			t.Fatalf("%s %s %s: %s, want an overflow", a, what, b, got)
		}
		return
	}
	if err != nil {
		// An operand brought to the scale of the other may not fit though the result would.
		if what == "+" || what == "-" {
			return
		}
		t.Fatalf("%s %s %s: %v", a, what, b, err)
	}
	if unscaled(ratOf(got), scale, false).Cmp(n) != 0 || got.Scale() != scale {
		t.Fatalf("%s %s %s = %s, want %s at scale %d", a, what, b, got, n, scale)
	}
}

func TestDecimalAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genDecimal().Draw(t, "a"), genDecimal().Draw(t, "b")
		if !a.IsFinite() || !b.IsFinite() {
			return
		}
		x, y := ratOf(a), ratOf(b)
		most := max(a.Scale(), b.Scale())
		got, err := a.Add(b)
		check(t, "+", a, b, got, err, new(big.Rat).Add(x, y), most)
		got, err = a.Sub(b)
		check(t, "-", a, b, got, err, new(big.Rat).Sub(x, y), most)
		got, err = a.Mul(b)
		check(t, "*", a, b, got, err, new(big.Rat).Mul(x, y), a.Scale()+b.Scale())
		if c := a.Cmp(b); c != x.Cmp(y) {
			t.Fatalf("%s cmp %s = %d", a, b, c)
		}
		s := rapid.IntRange(0, 90).Draw(t, "s")
		got, err = a.Round(s)
		check(t, "round", a, b, got, err, x, s)
		if b.Sign() == 0 {
			for _, f := range []func(Decimal) (Decimal, error){a.Div, a.Mod} {
				if _, err := f(b); err == nil || err.(*Error).Code != CodeDivisionByZero {
					t.Fatalf("by zero: %v", err)
				}
			}
			return
		}
		quo := new(big.Rat).Quo(x, y)
		got, err = a.DivScale(b, s)
		check(t, "/", a, b, got, err, quo, s)
		got, err = a.Mod(b)
		cut := new(big.Rat).SetInt(unscaled(quo, 0, false))
		check(t, "%", a, b, got, err, cut.Sub(x, cut.Mul(cut, y)), most)
	})
}

// No case of a scaled sum is refused but for want of digits.
func TestDecimalAddNeverRefusesEqualScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genDecimal().Draw(t, "a"), genDecimal().Draw(t, "b")
		b.scale = a.scale
		if !a.IsFinite() || !b.IsFinite() {
			return
		}
		sum := new(big.Rat).Add(ratOf(a), ratOf(b))
		n := unscaled(sum, a.Scale(), false)
		got, err := a.Add(b)
		if fits := n.CmpAbs(limit) < 0; fits != (err == nil) || fits && ratOf(got).Cmp(sum) != 0 {
			t.Fatalf("%s + %s = %s, %v", a, b, got, err)
		}
	})
}

func TestDecimalForms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genDecimal().Draw(t, "a"), genDecimal().Draw(t, "b")
		back, err := ParseDecimal(a.String())
		if err != nil || back != a && !(a.scale == 0) {
			t.Fatalf("%s reads back %s, %v", a, back, err)
		}
		pa, pb := a.AppendTo(nil), b.AppendTo(nil)
		if len(pa) > maxDecimalBytes {
			t.Fatalf("%d bytes", len(pa))
		}
		if DecodeDecimal(pa) != a {
			t.Fatalf("%s decodes as %s", a, DecodeDecimal(pa))
		}
		if bytes.Equal(pa, pb) != (a.String() == b.String()) {
			t.Fatalf("%s, %s: equal forms %t", a, b, bytes.Equal(pa, pb))
		}
		if f, _ := new(big.Float).SetString("0"); a.IsFinite() && f != nil {
			want, _ := ratOf(a).Float64()
			if got := a.Float64(); got != want {
				t.Fatalf("%s: float %v, want %v", a, got, want)
			}
			i, ok := a.ToInt64()
			n := unscaled(ratOf(a), 0, true)
			if ok != n.IsInt64() || ok && i != n.Int64() {
				t.Fatalf("%s: int %d, %t", a, i, ok)
			}
			c, ok := a.ToFixed(18, 3)
			n = unscaled(ratOf(a), 3, true)
			if ok != (n.CmpAbs(big.NewInt(e18)) < 0) || ok && c != n.Int64() {
				t.Fatalf("%s: fixed %d, %t", a, c, ok)
			}
		}
		if a.Neg().Neg() != a || a.IsFinite() && a.Neg().Cmp(a) != -a.Sign() && a.Sign() != 0 {
			t.Fatalf("-(-%s) = %s", a, a.Neg().Neg())
		}
	})
}

func TestDecodeDecimalGarbage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_ = DecodeDecimal(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "b")).String() // must not panic
	})
}

func TestDecimalRange(t *testing.T) {
	most := mustDecimal(t, "9999999999999999999999999999999999999999999999999999999999999999999999999999")
	if _, err := most.Add(DecimalFromInt64(1)); err == nil || err.(*Error).Code != CodeOutOfRange {
		t.Errorf("76 nines and 1: %v", err)
	}
	if d, err := most.Sub(DecimalFromInt64(1)); err != nil || d.Cmp(most) >= 0 {
		t.Errorf("76 nines less 1: %s, %v", d, err)
	}
	if _, err := ParseDecimal(most.String() + "0"); err == nil {
		t.Error("77 digits are read")
	}
	if d := DecimalFromInt64(math.MinInt64); d.String() != "-9223372036854775808" {
		t.Errorf("least bigint: %s", d)
	}
	if i, ok := DecimalFromInt64(math.MinInt64).ToInt64(); !ok || i != math.MinInt64 {
		t.Errorf("least bigint: %d, %t", i, ok)
	}
}

func BenchmarkDecimal(b *testing.B) {
	x, y := FromFixed(123456789, 4), FromFixed(98765, 2)
	third, _ := DecimalFromInt64(1).Div(DecimalFromInt64(3))
	big1 := mustDecimal(b, "12345678901234567890123456789.123456789")
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f()
			}
		})
	}
	var d Decimal
	var buf []byte
	run("add", func() { d, _ = x.Add(y) })
	run("mul", func() { d, _ = x.Mul(y) })
	run("div", func() { d, _ = x.Div(y) })
	run("divWide", func() { d, _ = big1.Div(third) })
	run("cmp", func() { _ = x.Cmp(y) })
	run("append", func() { buf = d.AppendTo(buf[:0]) })
	run("decode", func() { d = DecodeDecimal(buf) })
	run("key", func() { buf = appendDecimalKey(buf[:0], x, false) })
	run("string", func() { buf = x.AppendString(buf[:0]) })
	run("parse", func() { d, _ = ParseDecimal("12345.6789") })
}
