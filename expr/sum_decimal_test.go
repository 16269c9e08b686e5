package expr

import (
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/zset"
)

// SUM over NUMERIC is the exact sum with the largest scale of its live inputs,
// or 22003 where that needs more than 76 digits; AVG divides it.
func TestDecimalSums(t *testing.T) {
	for _, ct := range []zset.Type{tFixed, tWide, zset.TNumeric} {
		sum, avg := call(t, "sum", ct), call(t, "avg", ct)
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(1, 12).Draw(t, "n")
			c := genColumn(t, ct, n)
			w := rapid.SliceOfN(rapid.OneOf(rapid.Just(int64(1)), rapid.Int64Range(0, 3)), n, n).Draw(t, "w")
			s, m := sum.New(), avg.New()
			s.Resize(1)
			m.Resize(1)
			// Others come and go.
			d := genColumn(t, ct, 3)
			for _, acc := range []Accumulator{s, m} {
				feed(t, acc, sum, &d, make([]uint32, 3), upTo(3), []int64{2, 1, 5})
				feed(t, acc, sum, &c, make([]uint32, n), upTo(n), w)
				feed(t, acc, sum, &d, make([]uint32, 3), []int32{2, 1, 0}, []int64{-2, -1, -5})
			}
			total, count, scale := new(big.Rat), int64(0), 0
			special := 0.0
			for i := range n {
				if c.IsNull(i) || w[i] == 0 {
					continue
				}
				x := cellDecimal(&c, i)
				count += w[i]
				if !x.IsFinite() {
					special += x.Float64()
					continue
				}
				scale = max(scale, x.Scale())
				r := bigDecimal(x)
				total.Add(total, r.Mul(r, new(big.Rat).SetInt64(w[i])))
			}
			v, err := result(s, sum, 0)
			a, aerr := result(m, avg, 0)
			if count == 0 {
				if err != nil || aerr != nil || !v.Null || !a.Null {
					t.Fatalf("of nothing: %v %v", err, aerr)
				}
				return
			}
			var e *zset.Error
			if errors.As(err, &e) && e.Code == "22003" && len(total.FloatString(scale)) > 76 {
				return
			}
			if err != nil || aerr != nil {
				t.Fatal(err, aerr)
			}
			got, mean := zset.DecodeDecimal([]byte(v.S)), zset.DecodeDecimal([]byte(a.S))
			if special != 0 {
				if !sameFloat(got.Float64(), special) || !sameFloat(mean.Float64(), special) {
					t.Fatalf("sum %s, avg %s, want %v", got, mean, special)
				}
				return
			}
			if got.String() != total.FloatString(scale) {
				t.Fatalf("sum %s, want %s", got, total.FloatString(scale))
			}
			want, err := got.Div(zset.DecimalFromInt64(count))
			if err != nil || mean.String() != want.String() {
				t.Fatalf("avg %s, want %s", mean, want)
			}
		})
	}
}

func cellDecimal(c *zset.Column, i int) zset.Decimal {
	if c.Type.Fixed() {
		return zset.FromFixed(c.I64[i], int(c.Type.Scale))
	}
	return zset.DecodeDecimal(c.Bytes(i))
}

// As PostgreSQL 15 prints them.
func TestDecimalAsPostgres(t *testing.T) {
	for _, c := range []struct {
		in       []string
		sum, avg string
	}{
		{[]string{"1", "1.000"}, "2.000", "1.00000000000000000000"},
		{[]string{"1", "2"}, "3", "1.5000000000000000"},
		{[]string{"100000", "2"}, "100002", "50001.000000000000"},
		{[]string{"1e-10", "2e-30"}, "0.000000000100000000000000000002", "0.000000000050000000000000000001"},
		{[]string{"nan", "inf"}, "NaN", "NaN"},
		{[]string{"-inf", "inf"}, "NaN", "NaN"},
		{[]string{"-inf", "1.50"}, "-Infinity", "-Infinity"},
		{[]string{"-0.50", "0.5"}, "0.00", "0.00000000000000000000"},
	} {
		col := zset.NewColumn(zset.TNumeric, len(c.in))
		for _, s := range c.in {
			d, err := zset.ParseDecimal(s)
			if err != nil {
				t.Fatal(err)
			}
			appendDecimal(&col, d)
		}
		for name, want := range map[string]string{"sum": c.sum, "avg": c.avg} {
			a := call(t, name, zset.TNumeric)
			acc := a.New()
			acc.Resize(1)
			acc.Add(make([]uint32, len(c.in)), &col, nil)
			v, err := result(acc, a, 0)
			if got := zset.DecodeDecimal([]byte(v.S)).String(); err != nil || got != want {
				t.Errorf("%s of %v is %s, want %s; %v", name, c.in, got, want, err)
			}
		}
	}
}

// 320 bits hold the largest coefficients at the largest weights, and come back.
func TestDecimalExtremes(t *testing.T) {
	nines := ""
	for range 76 {
		nines += "9"
	}
	d, err := zset.ParseDecimal("-" + nines)
	if err != nil {
		t.Fatal(err)
	}
	a := newSumNumeric(zset.TNumeric).(*decimalSum)
	a.Resize(1)
	const w = 1<<62 - 1
	a.add(0, d, w)
	want := bigDecimal(d).Num()
	want.Mul(want, big.NewInt(w))
	if got := bigOf(a.term[a.st[0].head-1].sum); got.Cmp(want) != 0 {
		t.Fatalf("%s, want %s", got, want)
	}
	var e *zset.Error
	if _, err := result(a, call(t, "sum", zset.TNumeric), 0); !errors.As(err, &e) || e.Code != "22003" {
		t.Fatal(err)
	}
	a.add(0, d, 1-w)
	v, err := result(a, call(t, "sum", zset.TNumeric), 0)
	if got := zset.DecodeDecimal([]byte(v.S)); err != nil || got.String() != "-"+nines {
		t.Fatalf("%s %v", got, err)
	}
}

// Terms that are gone give their place to others.
func TestTermsAreReused(t *testing.T) {
	a := newSumNumeric(zset.TNumeric).(*decimalSum)
	a.Resize(2)
	for i := range 100 {
		d := zset.FromFixed(5, i%7)
		a.add(0, d, 1)
		a.add(1, zset.FromFixed(5, i%3), 1)
		a.add(0, d, -1)
		a.Clear(1)
	}
	if len(a.term) > 2 {
		t.Fatalf("%d terms", len(a.term))
	}
}
