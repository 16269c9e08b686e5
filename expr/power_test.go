package expr

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/ivmc/ivmc/zset"
)

// TestPowExact compares with 500 bits: the nearest number every time.
func TestPowExact(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	check := func(a, b float64) {
		t.Helper()
		x := lnBig(newBig(a))
		x.Mul(x, newBig(b))
		if v, _ := x.Float64(); math.Abs(v) > 700 {
			return
		}
		want, _ := expBig(x, mathBits).Float64()
		if got := pow(a, b); got != want {
			t.Errorf("%v ^ %v = %v, want %v", a, b, got, want)
		}
	}
	for range 1500 {
		a := math.Ldexp(1+rnd.Float64(), rnd.Intn(200)-100)
		switch rnd.Intn(4) {
		case 0:
			a = float64(rnd.Intn(1000) + 1)
		case 1:
			a = 1 + (rnd.Float64()-0.5)*math.Ldexp(1, -rnd.Intn(50))
		}
		b := (rnd.Float64() - 0.5) * math.Ldexp(1, rnd.Intn(12))
		if rnd.Intn(3) == 0 {
			b = float64(rnd.Intn(80)-40) / 2
		}
		if a != 1 && b != 0 && b != 2 {
			check(a, b)
		}
	}
	check(math.Nextafter(1, 2), 1e18)
	check(math.Nextafter(1, 0), 3e18)
	check(5e-324, 0.3)
	check(math.MaxFloat64, -0.7)
}

// TestPowPostgres is what PostgreSQL answers.
func TestPowPostgres(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ a, b, want float64 }{
		{1e16, 1.5, 1e24}, {1e15, 1.5, 3.1622776601683792e22}, {9223372036854775807, -2.5, 3.870576744493647e-48},
		{-2, 3, -8}, {-2, 4, 16}, {-2, -3, -0.125}, {-inf, 3, -inf}, {-inf, -3, 0}, {-inf, inf, inf}, {0, 0, 1}, {2, 0.5, math.Sqrt2}, {3, 2, 9},
		{-1, 1e300, 1}, {2, -1074, 5e-324}, {2, 1023, 0x1p1023},
	} {
		if got, err := powFloat(c.a, c.b); err != nil || got != c.want {
			t.Errorf("%v ^ %v = %v %v, want %v", c.a, c.b, got, err, c.want)
		}
	}
	for _, c := range []struct {
		a, b float64
		code string
	}{{-inf, 1e-300, "2201F"}, {-2, 0.5, "2201F"}, {0, -1, "2201F"}, {10, 400, zset.CodeOutOfRange}, {10, -400, zset.CodeOutOfRange}} {
		if got, err := powFloat(c.a, c.b); err == nil || err.Code != c.code {
			t.Errorf("%v ^ %v = %v %v, want %s", c.a, c.b, got, err, c.code)
		}
	}
}

// TestPowNumericInfinity: the parity of an exponent that no float and no
// integer of the machine holds.
func TestPowNumericInfinity(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"-Infinity", "99999999999999999999", "-Infinity"}, {"-Infinity", "99999999999999999998", "Infinity"},
		{"-Infinity", "3", "-Infinity"}, {"-Infinity", "2", "Infinity"}, {"-Infinity", "0", "1"},
		{"-Infinity", "-99999999999999999999", "0"}, {"-Infinity", "-2", "0"}, {"Infinity", "99999999999999999999", "Infinity"},
	} {
		a, _ := zset.ParseDecimal(c.a)
		b, _ := zset.ParseDecimal(c.b)
		if r, err := powDecimal(a, b); err != nil || r.String() != c.want {
			t.Errorf("%s ^ %s = %s %v, want %s", c.a, c.b, r, err, c.want)
		}
	}
}

// TestPowNumericScale: of a whole exponent the digits behind its point do not count.
func TestPowNumericScale(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"2", "3.00000000000000000000", "8.0000000000000000"}, {"2", "-3.00000000000000000000", "0.1250000000000000"},
		{"1.50000000000000000000", "-2.0000000000000000000000000", "0.44444444444444444444"},
		{"0.000", "1.00000000000000000000", "0.0000000000000000"}, {"2", "0.00000000000000000000", "1.0000000000000000"},
		{"12345.6", "5.00000000000000000000", "286788021686344976443.6377600000000000"},
	} {
		a, _ := zset.ParseDecimal(c.a)
		b, _ := zset.ParseDecimal(c.b)
		if r, err := powDecimal(a, b); err != nil || r.String() != c.want {
			t.Errorf("%s ^ %s = %s %v, want %s", c.a, c.b, r, err, c.want)
		}
	}
}

func BenchmarkPow(b *testing.B) {
	s := 0.0
	for i := range b.N {
		s += pow(float64(i+2), 1.5)
	}
	if s < 0 {
		b.Fatal(new(big.Float).SetFloat64(s))
	}
}
