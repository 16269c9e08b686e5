package expr

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestCubeRoot holds cbrtFloat against cubes of arbitrary precision.
func TestCubeRoot(t *testing.T) {
	cube := func(x *big.Float) *big.Float {
		y := new(big.Float).SetPrec(400).Mul(x, x)
		return y.Mul(y, x)
	}
	middle := func(a, b float64) *big.Float {
		y := new(big.Float).SetPrec(400).SetFloat64(a)
		y.Add(y, new(big.Float).SetFloat64(b))
		return y.Mul(y, big.NewFloat(0.5))
	}
	check := func(x float64) {
		t.Helper()
		got := cbrtFloat(x)
		if math.Signbit(got) != math.Signbit(x) {
			t.Fatalf("cbrt(%g) = %g", x, got)
		}
		a, m := math.Abs(got), new(big.Float).SetFloat64(math.Abs(x))
		if cube(middle(a, math.Nextafter(a, 0))).Cmp(m) >= 0 || cube(middle(a, math.Nextafter(a, math.MaxFloat64))).Cmp(m) <= 0 {
			t.Fatalf("cbrt(%b) = %b is not the nearest", x, got)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		x := math.Float64frombits(r.Uint64())
		if x != x || math.IsInf(x, 0) || x == 0 {
			continue
		}
		check(x)
		check(1 + 7*r.Float64())
		check(math.Nextafter(math.Ldexp(1, r.IntN(2000)-1000), math.Inf(r.IntN(2)*2-1)))
	}
	for i := -1000; i <= 1000; i++ {
		n := float64(i)
		if got := cbrtFloat(n * n * n); got != n {
			t.Errorf("cbrt(%g) = %g, want %g", n*n*n, got, n)
		}
	}
	for _, x := range []float64{math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64, 0.1, 1e-310} {
		check(x)
	}
	for _, x := range []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1)} {
		if got := cbrtFloat(x); got != x || math.Signbit(got) != math.Signbit(x) {
			t.Errorf("cbrt(%g) = %g", x, got)
		}
	}
	if got := cbrtFloat(math.NaN()); got == got {
		t.Errorf("cbrt(NaN) = %g", got)
	}
}
