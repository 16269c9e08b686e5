package expr

import (
	"math"
	"strings"
	"testing"

	"github.com/ivmc/ivmc/zset"
)

// TestFloatComparisons: every comparison of all pairs of edges, column with
// column and with a constant on either side, against compareFloats.
func TestFloatComparisons(t *testing.T) {
	edges := []float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324}
	for name, op := range cmpOps {
		for _, x := range edges {
			for _, y := range edges {
				b := &zset.Batch{Cols: []zset.Column{{Type: zset.TFloat8, F64: []float64{x}}, {Type: zset.TFloat8, F64: []float64{y}}}, N: 1}
				l, r := Col(0, zset.TFloat8), Col(1, zset.TFloat8)
				for _, args := range [][]*Expr{{l, r}, {l, Const(zset.FloatValue(y))}, {Const(zset.FloatValue(x)), r}} {
					p, err := Compile([]*Expr{mustBind(Call(name, args, 0))})
					if err != nil {
						t.Fatal(err)
					}
					want := op.holds(compareFloats(x, y))
					cols, err := p.New().Eval(b)
					if err != nil || (cols[0].I64[0] == 1) != want {
						t.Errorf("%v %s %v: %v, want %t", x, name, y, cols[0].I64[0], want)
					}
					sel, err := p.New().Filter(b, nil)
					if err != nil || (len(sel) == 1) != want {
						t.Errorf("%v %s %v: selected %v, want %t", x, name, y, sel, want)
					}
				}
			}
		}
	}
}

// TestDecimalForms: sums and products held as int64 are what exact decimals
// say, up to the largest coefficients and over long chains.
func TestDecimalForms(t *testing.T) {
	nines := func(n int) string { return strings.Repeat("9", n) }
	for _, c := range []struct {
		typ  zset.Type
		cell string
		text string
	}{
		{zset.Type{Kind: zset.Numeric, Prec: 18}, nines(18), "x + x"},
		{zset.Type{Kind: zset.Numeric, Prec: 18}, "-" + nines(18), "x + x + x + x + x + x + x + x + x + x + x + x"},
		{zset.Type{Kind: zset.Numeric, Prec: 17}, nines(17), "((x + x) + (x + x)) + ((x + x) + (x + x)) + x * 2"},
		{zset.Type{Kind: zset.Numeric, Prec: 9, Scale: 9}, "-0." + nines(9), "x * x - x"},
		{zset.Type{Kind: zset.Numeric, Prec: 9}, nines(9), "x * x + x"},
		{zset.Type{Kind: zset.Numeric, Prec: 10, Scale: 5}, nines(5) + "." + nines(5), "x * x - 0.5"},
		{zset.Type{Kind: zset.Numeric, Prec: 18, Scale: 18}, "-0." + nines(18), "x + 1"},
		{zset.Type{Kind: zset.Numeric, Prec: 18, Scale: 18}, "-0." + nines(18), "x - 2147483648"},
		{zset.Type{Kind: zset.Numeric, Prec: 5, Scale: 2}, "123.45", "-x + abs(-x) * 3 - 1.5"},
	} {
		v, err := zset.ParseText(c.typ, c.cell)
		if err != nil {
			t.Fatal(err)
		}
		b := zset.NewBatch([]zset.Type{c.typ}, 1)
		b.Cols[0].AppendValue(v)
		b.N = 1
		e := mustRead(t, c.text, zset.Schema{{Name: "x", Type: c.typ}})
		p, err := Compile([]*Expr{e})
		if err != nil {
			t.Fatal(err)
		}
		cols, err := p.New().Eval(b)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		want, werr := interpret(e, b, 0)
		if werr != nil || !sameCell(&cols[0], 0, &want, 0) {
			t.Errorf("%s for %s: %s, want %s", c.text, c.cell, cols[0].Value(0).Text(), want.Value(0).Text())
		}
	}
}

// TestShortDecimals: the short forms of + - * and comparison agree with exact
// decimals for coefficients and scales around their bounds.
func TestShortDecimals(t *testing.T) {
	var cells []string
	for _, coef := range []string{"0", "1", "-1", "7", "922337203685477580", "9223372036854775807", "-9223372036854775807", "9223372036854775808"} {
		for _, scale := range []string{"", "e-1", "e-2", "e-18", "e-19", "e-40", "e-130"} {
			cells = append(cells, coef+scale)
		}
	}
	ops := map[string]func(a, b zset.Decimal) (zset.Decimal, error){"+": zset.Decimal.Add, "-": zset.Decimal.Sub, "*": zset.Decimal.Mul}
	cell := func(d zset.Decimal) vec {
		c := zset.NewColumn(zset.TNumeric, 1)
		c.AppendBytes(d.AppendTo(nil))
		return vec{&c, -1}
	}
	for _, x := range cells {
		for _, y := range cells {
			a, errA := zset.ParseDecimal(x)
			b, errB := zset.ParseDecimal(y)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			va, vb := cell(a), cell(b)
			if got, want := compareCells(&va, &vb, 0), a.Cmp(b); got != want {
				t.Errorf("%s compared with %s: %d, want %d", x, y, got, want)
			}
			for name, op := range ops {
				want, werr := op(a, b)
				f := funcs.bySig[name+"(numeric,numeric)"]
				out := zset.NewColumn(zset.TNumeric, 1)
				fail := failure{row: 1}
				f.row(&frame{n: 1, args: []vec{va, vb}, out: &out, err: &fail}, 0)
				if (werr != nil) != (fail.err != nil) {
					t.Errorf("%s %s %s: error %v, want %v", x, name, y, fail.err, werr)
				} else if werr == nil && string(out.Buf) != string(want.AppendTo(nil)) {
					t.Errorf("%s %s %s: %s, want %s", x, name, y, zset.DecodeDecimal(out.Buf), want)
				}
			}
		}
	}
}
