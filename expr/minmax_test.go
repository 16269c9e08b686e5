package expr

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/zset"
)

// The definition of MIN and MAX: least or largest by key encoding, of equals the
// least by row encoding.
func naiveExtreme(c *zset.Column, w []int64, idx []int32, largest bool) int {
	best := -1
	var bk, br []byte
	for _, i := range idx {
		if c.IsNull(int(i)) || w[i] == 0 {
			continue
		}
		k, r := zset.AppendKey(nil, c, int(i)), zset.AppendRow(nil, c, int(i))
		d := bytes.Compare(k, bk)
		if largest {
			d = -d
		}
		if best < 0 || d < 0 || (d == 0 && bytes.Compare(r, br) < 0) {
			best, bk, br = int(i), k, r
		}
	}
	return best
}

func TestFolds(t *testing.T) {
	for _, a := range calls(t) {
		if a.Class() != Ordered {
			continue
		}
		t.Run(a.Name+"/"+a.Arg.Typ.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(0, 30).Draw(t, "n")
				c := genColumn(t, a.Arg.Typ, n)
				w := rapid.SliceOfN(rapid.Int64Range(0, 2), n, n).Draw(t, "w")
				if rapid.Bool().Draw(t, "ones") {
					for i := range w {
						w[i] = 1
					}
				}
				cut := rapid.IntRange(0, n).Draw(t, "cut")
				one, two := a.New(), a.New()
				one.Resize(2)
				two.Resize(2)
				g := make([]uint32, n)
				for i := range g {
					g[i] = 1
				}
				perm := rapid.Permutation(upTo(n)).Draw(t, "perm")
				feed(t, one, a, &c, g, perm[:cut], w)
				feed(t, two, a, &c, g, perm[cut:], w)
				one = reload(t, a, one, 2)
				one.Merge(1, two, 1)
				v, err := result(one, a, 1)
				if err != nil {
					t.Fatal(err)
				}
				i := naiveExtreme(&c, w, upTo(n), a.Name == "max")
				if i < 0 {
					if !v.Null {
						t.Fatalf("%v of nothing", v)
					}
					return
				}
				got := zset.NewColumn(a.Typ, 1)
				got.AppendValue(v)
				if x, y := zset.AppendRow(nil, &got, 0), zset.AppendRow(nil, &c, i); !bytes.Equal(x, y) {
					t.Fatalf("%v, want %v", v, c.Value(i))
				}
				if v, _ := result(one, a, 0); !v.Null {
					t.Fatalf("group 0: %v", v)
				}
				one.Clear(1)
				if v, _ := result(one, a, 1); !v.Null {
					t.Fatalf("cleared: %v", v)
				}
			})
		})
	}
}

// Equal but not identical: which of them came first does not matter.
func TestFoldTies(t *testing.T) {
	for _, name := range []string{"min", "max"} {
		a := call(t, name, zset.TNumeric)
		for _, in := range [][]string{{"1.00", "1", "1.0"}, {"1", "1.0", "1.00"}, {"-1.0", "-1"}, {"0.00", "0"}} {
			acc := a.New()
			acc.Resize(1)
			for _, s := range in {
				d, _ := zset.ParseDecimal(s)
				c := zset.NewColumn(zset.TNumeric, 1)
				appendDecimal(&c, d)
				acc.Add([]uint32{0}, &c, nil)
			}
			v, err := result(acc, a, 0)
			if d := zset.DecodeDecimal([]byte(v.S)); err != nil || d.Scale() != 0 {
				t.Errorf("%s of %v is %s", name, in, d)
			}
		}
	}
}

// NaN is the largest double, and of the zeros -0.0 is shown, whatever came first.
func TestFoldOfDoubles(t *testing.T) {
	nan, minus := math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		v        []float64
		min, max float64
	}{
		{[]float64{1, nan}, 1, nan},
		{[]float64{nan, 1, nan, 2}, 1, nan},
		{[]float64{nan, nan}, nan, nan},
		{[]float64{math.Inf(1), nan}, math.Inf(1), nan},
		{[]float64{0, minus}, minus, minus},
		{[]float64{minus, 0}, minus, minus},
		{[]float64{0, 0}, 0, 0},
		{[]float64{-1, 0, minus}, -1, minus},
	} {
		for name, want := range map[string]float64{"min": c.min, "max": c.max} {
			a := call(t, name, zset.TFloat8)
			acc := a.New()
			acc.Resize(1)
			acc.Add(make([]uint32, len(c.v)), &zset.Column{Type: zset.TFloat8, F64: c.v}, nil)
			got, err := result(acc, a, 0)
			if err != nil || !sameFloat(got.F, want) || math.Signbit(got.F) != math.Signbit(want) {
				t.Errorf("%s of %v is %v, want %v; %v", name, c.v, got.F, want, err)
			}
		}
	}
}

func TestFoldOfNegativeWeight(t *testing.T) {
	a := call(t, "max", zset.TInt8)
	acc := a.New()
	acc.Resize(1)
	acc.Add([]uint32{0}, &zset.Column{Type: zset.TInt8, I64: []int64{4}}, []int64{-1})
	var e *zset.Error
	if _, err := result(acc, a, 0); !errors.As(err, &e) || e.Code != "XX000" {
		t.Fatal(err)
	}
}

// Values that grow are moved; the arena is packed and does not grow for ever.
func TestFoldBytesPacks(t *testing.T) {
	a := newMax(zset.TText).(*foldBytes)
	a.Resize(2)
	c := zset.NewColumn(zset.TText, 1)
	c.AppendBytes([]byte("zz"))
	a.Add([]uint32{1}, &c, nil)
	v := []byte{}
	for range 2000 {
		v = append(v, 'a')
		c := zset.NewColumn(zset.TText, 1)
		c.AppendBytes(v)
		a.Add([]uint32{0}, &c, nil)
	}
	if len(a.buf) > 1<<18 || !bytes.Equal(a.value(0), v) || string(a.value(1)) != "zz" {
		t.Fatalf("%d bytes; %q", len(a.buf), a.value(1))
	}
}
