package expr

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/zset"
)

// exactSum is the sum of w x v as a rational.
func exactSum(v []float64, w []int64) *big.Rat {
	sum := new(big.Rat)
	for i := range v {
		x := new(big.Rat).SetFloat64(v[i])
		sum.Add(sum, x.Mul(x, new(big.Rat).SetInt64(w[i])))
	}
	return sum
}

// sameFloat: the same bits, or NaN both, or zero both (a sum shows no -0.0).
func sameFloat(a, b float64) bool { return a == b || (a != a && b != b) }

// SUM and AVG are the exact value, rounded once by math/big.
func TestFloatSumsRoundOnce(t *testing.T) {
	sum, avg := call(t, "sum", zset.TFloat8), call(t, "avg", zset.TFloat8)
	check := func(t interface{ Fatalf(string, ...any) }, v []float64, w []int64) {
		s, m := sum.New(), avg.New()
		s.Resize(1)
		m.Resize(1)
		n := int64(0)
		c := zset.Column{Type: zset.TFloat8, F64: v}
		g := make([]uint32, len(v))
		ones := true
		for i := range w {
			n += w[i]
			ones = ones && w[i] == 1
		}
		if ones {
			s.Add(g, &c, nil)
		} else {
			s.Add(g, &c, w)
		}
		m.Add(g, &c, w)
		if n <= 0 {
			return
		}
		total := exactSum(v, w)
		want, _ := total.Float64()
		got, err := result(s, sum, 0)
		var e *zset.Error
		if math.IsInf(want, 0) {
			if !errors.As(err, &e) || e.Code != "22003" {
				t.Fatalf("sum of %v x %v: %v, %v, want overflow", w, v, got.F, err)
			}
		} else if err != nil || !sameFloat(got.F, want) || (got.F == 0 && math.Signbit(got.F)) {
			t.Fatalf("sum of %v x %v is %v, want %v; %v", w, v, got.F, want, err)
		}
		want, _ = new(big.Rat).Quo(total, new(big.Rat).SetInt64(n)).Float64()
		got, err = result(m, avg, 0)
		if math.IsInf(want, 0) { // weights below 0 can take it there
			if !errors.As(err, &e) || e.Code != "22003" {
				t.Fatalf("avg of %v x %v: %v, %v, want overflow", w, v, got.F, err)
			}
			return
		}
		if err != nil || !sameFloat(got.F, want) {
			t.Fatalf("avg of %v x %v is %v, want %v; %v", w, v, got.F, want, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(genFloat().Filter(func(f float64) bool { return f-f == 0 }), 1, 12).Draw(t, "v")
		// Cancellation: some values come again with the other sign.
		for i := range v {
			if rapid.IntRange(0, 3).Draw(t, "cancel") == 0 {
				v = append(v, -v[i])
			}
		}
		w := make([]int64, len(v))
		some := rapid.Bool().Draw(t, "weights")
		for i := range w {
			w[i] = 1
			if some {
				w[i] = rapid.OneOf(rapid.Int64Range(-2, 5), rapid.Int64Range(-1<<57, 1<<57)).Draw(t, "w")
			}
		}
		check(t, v, w)
	})
	huge, tiny := math.MaxFloat64, 5e-324
	half := math.Ldexp(1, 970) // half a unit in the last place of huge
	for _, v := range [][]float64{
		{huge, half}, {huge, half, -tiny}, {huge, -huge, tiny}, {huge, huge}, {huge, huge, -huge},
		{-huge, -half}, {-huge, -half, tiny},
		{1, 0x1p-53}, {1, 0x1p-53, tiny}, {1 + 0x1p-52, 0x1p-53}, {1, 0x1p-53, -tiny}, {-1, -0x1p-53, -tiny},
		{1e308, 1e308, -1e308, -1e308, 1}, {tiny, tiny, tiny}, {tiny, 0}, {tiny, 0, 0}, {-tiny, 0, 0},
		{0x1p-1022, -tiny}, {0x1p-1022, 0x1p-1022}, {1e16, 1, -1e16}, {0.1, 0.2, 0.3}, {0, 0}, {math.Copysign(0, -1)},
		{0x1p63, 0x1p-64, 0x1p127}, {1 << 53, 1}, {1 << 53, 1, 1}, {3, 1e-320}, {-0x1p-1, 0x1p-1, -0x1p64, 0x1p64},
	} {
		w := make([]int64, len(v))
		for i := range w {
			w[i] = 1
		}
		check(t, v, w)
		for i := range w {
			w[i] = int64(i + 1)
		}
		check(t, v, w)
		for i := range w {
			w[i] = 1 << 59
		}
		check(t, v, w)
	}
	// Averages that lie next to the middle of two doubles: 1.5 units of 2^-1074
	// less one part in 2^61, and 1/n, whose first bits behind the middle are 0
	// for longer than the limbs that the division appends.
	check(t, []float64{tiny, 3 * tiny}, []int64{1<<60 + 1 - 1<<58, 1 << 58})
	check(t, []float64{1<<52 + 1, -(1 << 52), 0}, []int64{1, 1, 20070736570384851 - 2})
}

// A window that is full to its top, as it comes back from Load, still adds up.
func TestFloatHeadRoom(t *testing.T) {
	a := call(t, "sum", zset.TFloat8)
	c := zset.Column{Type: zset.TFloat8, F64: []float64{math.Ldexp(1, 63)}}
	acc := a.New()
	acc.Resize(1)
	g := []uint32{0}
	const w = 1 << 60
	want := new(big.Rat)
	for i := range int64(6) {
		acc.Add(g, &c, []int64{w - i})
		want.Add(want, exactSum(c.F64, []int64{w - i}))
		b := acc.Append(nil, 0)
		if _, err := acc.Load(0, b); err != nil {
			t.Fatal(err)
		}
		got, err := result(acc, a, 0)
		if f, _ := want.Float64(); err != nil || got.F != f {
			t.Fatalf("after %d: %v, want %v; %v", i, got.F, f, err)
		}
	}
	if _, err := acc.Load(0, append([]byte{2, 4, numLimbs - 1}, make([]byte, 16)...)); err == nil {
		t.Fatal("limbs beyond the last load")
	}
}

func TestFloatSpecials(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		v    []float64
		w    []int64
		want float64
	}{
		{[]float64{nan, 1}, []int64{1, 1}, nan},
		{[]float64{inf, 1}, []int64{1, 1}, inf},
		{[]float64{-inf, 1e308, 1e308}, []int64{1, 1, 1}, -inf},
		{[]float64{inf, -inf}, []int64{1, 1}, nan},
		{[]float64{inf, nan}, []int64{2, 1}, nan},
		{[]float64{nan, nan, 7}, []int64{1, -1, 1}, 7}, // what came and went leaves nothing
		{[]float64{inf, -inf, -inf}, []int64{1, 1, -1}, inf},
	} {
		for _, name := range []string{"sum", "avg"} {
			a := call(t, name, zset.TFloat8)
			acc := a.New()
			acc.Resize(1)
			acc.Add(make([]uint32, len(c.v)), &zset.Column{Type: zset.TFloat8, F64: c.v}, c.w)
			if got, err := result(acc, a, 0); err != nil || !sameFloat(got.F, c.want) {
				t.Errorf("%s of %v x %v is %v, want %v; %v", name, c.w, c.v, got.F, c.want, err)
			}
		}
	}
}

// Windows that grow leave their place to others.
func TestLimbsAreReused(t *testing.T) {
	a := newSumFloat(zset.TFloat8).(*floatSum)
	a.Resize(1)
	c := zset.Column{Type: zset.TFloat8, F64: []float64{1, 1e300, 1e-300}}
	g := []uint32{0, 0, 0}
	a.Add(g, &c, nil)
	mem := len(a.limbs.mem)
	for range 100 {
		a.Clear(0)
		a.Add(g, &c, nil)
	}
	if len(a.limbs.mem) != mem {
		t.Fatalf("%d limbs, %d at first", len(a.limbs.mem), mem)
	}
}
