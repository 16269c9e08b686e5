package expr

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/zset"
)

// The types that arguments are drawn from.
var (
	tFixed = zset.Type{Kind: zset.Numeric, Prec: 12, Scale: 2}
	tWide  = zset.Type{Kind: zset.Numeric, Prec: 38, Scale: 4}
)

func call(t testing.TB, name string, arg zset.Type) AggCall {
	t.Helper()
	a := AggCall{Name: name, Arg: Col(0, arg)}
	r := find(name, arg.Kind)
	if r == nil {
		t.Fatalf("no %s of %s", name, arg)
	}
	a.Typ = r.typ
	return a
}

// calls is every row of the table, with the forms of its argument.
func calls(t testing.TB) []AggCall {
	cs := []AggCall{{Name: "count", Typ: zset.TInt8}, call(t, "count", zset.TText)}
	for i := range aggregates {
		r := &aggregates[i]
		switch {
		case r.arg == zset.Unknown, r.class == List:
		case r.arg == Pair:
			cs = append(cs, AggCall{Name: r.name, Arg: Col(0, zset.ArrayOf(zset.TFloat8)), Typ: r.typ})
		case r.arg == zset.Numeric && r.class == Linear:
			cs = append(cs, call(t, r.name, tFixed), call(t, r.name, tWide), call(t, r.name, zset.TNumeric))
		default:
			cs = append(cs, call(t, r.name, zset.Type{Kind: r.arg}))
		}
	}
	return cs
}

func genInt() *rapid.Generator[int64] {
	return rapid.OneOf(rapid.Int64Range(-5, 5), rapid.Int64(),
		rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, math.MinInt64 + 1}))
}

func genFloat() *rapid.Generator[float64] {
	return rapid.OneOf(
		rapid.Float64(),
		rapid.Float64Range(-1000, 1000),
		rapid.Map(rapid.Uint64(), math.Float64frombits),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e308, -1e308, math.MaxFloat64, -math.MaxFloat64,
			5e-324, -5e-324, 1e-310, 0x1p-1022, 1e16, 1 << 53, 0x1p63, 0x1p-64, 1e300, -1e300}),
	)
}

func genDecimal() *rapid.Generator[zset.Decimal] {
	digits := func(n int) *rapid.Generator[string] {
		return rapid.StringOfN(rapid.SampledFrom([]rune("0123456789")), 1, n, -1)
	}
	return rapid.Custom(func(t *rapid.T) zset.Decimal {
		s := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		switch rapid.IntRange(0, 19).Draw(t, "form") {
		case 0:
			s = rapid.SampledFrom([]string{"NaN", "Infinity", "-Infinity"}).Draw(t, "special")
		case 1:
			s += digits(30).Draw(t, "int") + "." + digits(40).Draw(t, "frac")
		default:
			s += digits(4).Draw(t, "int") + "." + digits(3).Draw(t, "frac")
		}
		d, err := zset.ParseDecimal(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	})
}

// genColumn is a column of n cells of type ct, some of them NULL. Special floats
// and decimals come only now and then: they would hide everything else.
func genColumn(t *rapid.T, ct zset.Type, n int) zset.Column {
	c := zset.NewColumn(ct, n)
	finite := rapid.IntRange(0, 3).Draw(t, "finite") > 0
	nulls := rapid.Bool().Draw(t, "nulls")
	for range n {
		switch {
		case nulls && rapid.IntRange(0, 4).Draw(t, "null") == 0:
			c.AppendNull()
		case ct.Fixed():
			coef := rapid.Int64Range(-999999999999, 999999999999).Draw(t, "coef")
			if !finite && rapid.IntRange(0, 3).Draw(t, "nan") == 0 {
				coef = zset.FixedNaN
			}
			c.AppendI64(coef)
		case ct.Kind == zset.Bool:
			c.AppendI64(rapid.Int64Range(0, 1).Draw(t, "bool"))
		case ct.Kind == zset.Int4:
			c.AppendI64(int64(rapid.Int32().Draw(t, "int4")))
		case ct.Phys() == zset.PhysI64:
			c.AppendI64(genInt().Draw(t, "int8"))
		case ct.Phys() == zset.PhysF64:
			f := genFloat().Draw(t, "float8")
			if finite && (f != f || math.IsInf(f, 0)) {
				f = 1
			}
			c.AppendF64(f)
		case ct.Kind == zset.Numeric:
			d := genDecimal().Draw(t, "numeric")
			if finite && !d.IsFinite() {
				d = zset.DecimalFromInt64(1)
			}
			if ct.Prec > 0 && d.IsFinite() {
				if r, err := d.Round(int(ct.Scale)); err == nil {
					d = r
				}
			}
			appendDecimal(&c, d)
		case ct == zset.ArrayOf(zset.TFloat8): // a pair
			pair := zset.NewColumn(zset.TFloat8, 2)
			for range 2 {
				f := genFloat().Draw(t, "float8")
				if finite && (f != f || math.IsInf(f, 0)) {
					f = 1
				}
				pair.AppendF64(f)
			}
			c.AppendBytes(zset.AppendElement(zset.AppendElement(nil, &pair, 0), &pair, 1))
		default:
			c.AppendBytes([]byte(rapid.StringN(0, 3, -1).Draw(t, "text")))
		}
	}
	return c
}

// feed adds the cells idx of c, with weights, to one of groups each; in one
// call, or split at random.
func feed(t *rapid.T, acc Accumulator, a AggCall, c *zset.Column, groups []uint32, idx []int32, w []int64) {
	for len(idx) > 0 {
		n := rapid.IntRange(1, len(idx)).Draw(t, "split")
		part := zset.NewColumn(c.Type, n)
		part.AppendTake(c, idx[:n])
		if part.Null != nil && !slices.Contains(part.Null, true) {
			part.Null = nil
		}
		gs := make([]uint32, n)
		ws := make([]int64, n)
		ones := true
		for i, j := range idx[:n] {
			gs[i], ws[i] = groups[j], w[j]
			ones = ones && w[j] == 1
		}
		if ones {
			ws = nil
		}
		arg := &part
		if a.Arg == nil {
			arg = nil
		}
		acc.Add(gs, arg, ws)
		idx = idx[n:]
	}
}

func upTo(n int) []int32 {
	idx := make([]int32, n)
	for i := range idx {
		idx[i] = int32(i)
	}
	return idx
}

// argType is the type of the column to feed a with.
func (a AggCall) argType() zset.Type {
	if a.Arg == nil {
		return zset.TInt8
	}
	return a.Arg.Typ
}

// Any order, any split, and whatever came and went in between, give the same
// bytes; what is taken back leaves zero; Load undoes Append; Merge is addition.
func TestStatesAreAGroup(t *testing.T) {
	for _, a := range calls(t) {
		if a.Class() != Linear {
			continue
		}
		t.Run(a.Name+"/"+a.argType().String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				const groups = 3
				n := rapid.IntRange(0, 30).Draw(t, "n")
				c := genColumn(t, a.argType(), n)
				w := rapid.SliceOfN(rapid.Int64Range(-3, 3), n, n).Draw(t, "w")
				if rapid.Bool().Draw(t, "big weights") {
					for i := range w {
						w[i] *= 1 << 54
					}
				} else if rapid.Bool().Draw(t, "ones") {
					for i := range w {
						w[i] = 1
					}
				}
				g := make([]uint32, n)
				for i := range g {
					g[i] = uint32(rapid.IntRange(0, groups-1).Draw(t, "g"))
				}
				one := a.New()
				one.Resize(groups)
				zero := one.Append(nil, 0)
				feed(t, one, a, &c, g, upTo(n), w)

				// Shuffled, with a detour over other rows, half of it in another accumulator.
				perm := rapid.Permutation(upTo(n)).Draw(t, "perm")
				two, half := a.New(), a.New()
				two.Resize(groups)
				half.Resize(groups)
				m := rapid.IntRange(0, 10).Draw(t, "m")
				d := genColumn(t, a.argType(), m)
				dg, dw, undo := make([]uint32, m), make([]int64, m), make([]int64, m)
				for i := range dg {
					dg[i], dw[i], undo[i] = uint32(i%groups), int64(i%5)-2, 2-int64(i%5)
				}
				cut := rapid.IntRange(0, n).Draw(t, "cut")
				feed(t, two, a, &d, dg, upTo(m), dw)
				feed(t, two, a, &c, g, perm[:cut], w)
				feed(t, half, a, &c, g, perm[cut:], w)
				if rapid.Bool().Draw(t, "reload") {
					two = reload(t, a, two, groups)
				}
				feed(t, two, a, &d, dg, rapid.Permutation(upTo(m)).Draw(t, "undo"), undo)
				for i := range uint32(groups) {
					two.Merge(i, half, i)
				}
				minus := make([]int64, n)
				for i := range w {
					minus[i] = -w[i]
				}
				for i := range uint32(groups) {
					x, y := one.Append(nil, i), two.Append(nil, i)
					if !bytes.Equal(x, y) {
						t.Fatalf("group %d: %x and %x", i, x, y)
					}
				}
				back := reload(t, a, two, groups)
				feed(t, back, a, &c, g, rapid.Permutation(upTo(n)).Draw(t, "back"), minus)
				for i := range uint32(groups) {
					if x := back.Append(nil, i); !bytes.Equal(x, zero) {
						t.Fatalf("group %d: %x is left", i, x)
					}
				}
				// Twice by Merge with itself is twice by weight.
				double := slices.Clone(w)
				for i := range double {
					double[i] *= 2
				}
				two.Merge(0, two, 0)
				twice := a.New()
				twice.Resize(groups)
				feed(t, twice, a, &c, g, upTo(n), double)
				if x, y := two.Append(nil, 0), twice.Append(nil, 0); !bytes.Equal(x, y) {
					t.Fatalf("doubled: %x and %x", x, y)
				}
				two.Clear(0)
				if x := two.Append(nil, 0); !bytes.Equal(x, zero) {
					t.Fatalf("cleared: %x", x)
				}
				two.Resize(0)
				two.Resize(groups)
				for i := range uint32(groups) {
					if x := two.Append(nil, i); !bytes.Equal(x, zero) {
						t.Fatalf("dropped and made again: %x", x)
					}
				}
			})
		})
	}
}

// reload is acc written out, all groups behind one another, and read back.
func reload(t *rapid.T, a AggCall, acc Accumulator, n int) Accumulator {
	var b []byte
	for g := range uint32(n) {
		b = acc.Append(b, g)
	}
	back := a.New()
	back.Resize(n)
	all := b
	for g := range uint32(n) {
		var err error
		if b, err = back.Load(g, b); err != nil {
			t.Fatal(err)
		}
	}
	if len(b) > 0 {
		t.Fatalf("%d bytes left", len(b))
	}
	var again []byte
	for g := range uint32(n) {
		again = back.Append(again, g)
	}
	if !bytes.Equal(all, again) {
		t.Fatalf("written %x, read %x", all, again)
	}
	return back
}

// A state cut short, or any bytes, are an error or a state, never a panic.
func TestLoadOfBadBytes(t *testing.T) {
	for _, a := range calls(t) {
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.IntRange(0, 5).Draw(t, "n")
			c := genColumn(t, a.argType(), n)
			acc := a.New()
			acc.Resize(1)
			w := make([]int64, n)
			for i := range w {
				w[i] = 1
			}
			feed(t, acc, a, &c, make([]uint32, n), upTo(n), w)
			b := acc.Append(nil, 0)
			for i := range b {
				var e *zset.Error
				if _, err := acc.Load(0, b[:i]); !errors.As(err, &e) || e.Code != "XX001" {
					t.Fatalf("%s: %d of %d bytes load: %v", a, i, len(b), err)
				}
			}
			for i := range b {
				bad := slices.Clone(b)
				bad[i] ^= byte(rapid.IntRange(1, 255).Draw(t, "flip"))
				acc.Clear(0)
				if _, err := acc.Load(0, bad); err == nil {
					out := zset.NewColumn(a.Typ, 1)
					_ = acc.Result([]uint32{0}, &out)
					acc.Append(nil, 0)
				}
			}
		})
	}
}

// result is the value of group g.
func result(acc Accumulator, a AggCall, g uint32) (zset.Value, error) {
	out := zset.NewColumn(a.Typ, 1)
	if err := acc.Result([]uint32{g}, &out); err != nil {
		return zset.Value{}, err
	}
	return out.Value(0), nil
}

// bigDecimal is a finite decimal as a rational.
func bigDecimal(d zset.Decimal) *big.Rat {
	r, ok := new(big.Rat).SetString(d.String())
	if !ok {
		panic(d.String())
	}
	return r
}

// No inputs, or NULLs alone: NULL, but COUNT is 0.
func TestNoInputs(t *testing.T) {
	for _, a := range calls(t) {
		acc := a.New()
		acc.Resize(2)
		if a.Arg != nil {
			c := zset.NewColumn(a.Arg.Typ, 2)
			c.AppendNull()
			c.AppendNull()
			acc.Add([]uint32{1, 1}, &c, nil)
			acc.Add([]uint32{1, 1}, &c, []int64{5, -2})
		}
		for g := range uint32(2) {
			v, err := result(acc, a, g)
			if err != nil || v.Null != !strings.Contains(a.Name, "count") || v.I != 0 {
				t.Errorf("%s: %v, %v", a, v, err)
			}
		}
	}
}

// A group with less than no inputs is corrupt, and one with no inputs of which
// something is left (I5). The error names the place of the group.
func TestCorruptGroups(t *testing.T) {
	for _, a := range calls(t) {
		if a.Class() != Linear {
			continue
		}
		var arg *zset.Column
		if a.Arg != nil {
			c := zset.NewColumn(a.Arg.Typ, 2)
			for i := range 2 {
				switch {
				case c.Type.Kind == zset.Bool:
					c.AppendI64(int64(i))
				case c.Type.Phys() == zset.PhysI64:
					c.AppendI64(int64(i + 1))
				case c.Type.Phys() == zset.PhysF64:
					c.AppendF64(float64(i + 1))
				case c.Type.Kind == zset.Array:
					pair := zset.NewColumn(zset.TFloat8, 1)
					pair.AppendF64(float64(i + 1))
					c.AppendBytes(zset.AppendElement(zset.AppendElement(nil, &pair, 0), &pair, 0))
				case c.Type.Kind == zset.Interval:
					c.AppendValue(zset.IntervalValue{Days: int32(i + 1)}.Value())
				default:
					appendDecimal(&c, zset.DecimalFromInt64(int64(i+1)))
				}
			}
			arg = &c
		}
		for _, w := range [][]int64{{-1, 0}, {-1, 1}} {
			if a.Name == "count" && w[1] == 1 {
				continue
			}
			acc := a.New()
			acc.Resize(2)
			acc.Add([]uint32{1, 1}, arg, w)
			out := zset.NewColumn(a.Typ, 1)
			err := acc.Result([]uint32{0, 1}, &out)
			var e *RowError
			if !errors.As(err, &e) || e.Row != 1 || e.Err.Code != "XX001" {
				t.Errorf("%s of weights %d: %v", a, w, err)
			}
		}
	}
}

func TestResolveAggregate(t *testing.T) {
	args := func(ts ...zset.Type) []*Expr {
		var es []*Expr
		for i, ct := range ts {
			es = append(es, Col(i, ct))
		}
		return es
	}
	varchar := zset.Type{Kind: zset.Varchar, Prec: 3}
	for _, c := range []struct {
		name string
		args []*Expr
		star bool
		want string // the result's type, or code and message
	}{
		{"count", nil, true, "bigint"},
		{"count", args(zset.TBool), false, "bigint"},
		{"count", args(zset.TUnknown), false, "bigint"},
		{"count", nil, false, "42809 count(*) must be used to call a parameterless aggregate function"},
		{"count", args(zset.TInt4, zset.TInt4), false, "42883 function count(integer, integer) does not exist"},
		{"sum", args(zset.TInt4), false, "bigint"},
		{"sum", args(zset.TInt8), false, "numeric"},
		{"sum", args(tFixed), false, "numeric"},
		{"sum", args(tWide), false, "numeric"},
		{"sum", args(zset.TFloat8), false, "double precision"},
		{"avg", args(zset.TInt4), false, "numeric"},
		{"avg", args(zset.TInt8), false, "numeric"},
		{"avg", args(zset.TNumeric), false, "numeric"},
		{"avg", args(zset.TFloat8), false, "double precision"},
		{"sum", nil, true, "42883 function sum() does not exist"},
		{"sum", args(zset.TBool), false, "42883 function sum(boolean) does not exist"},
		{"avg", args(varchar), false, "42883 function avg(character varying) does not exist"},
		{"sum", args(zset.TUnknown), false, "42725 function sum(unknown) is not unique"},
		{"min", args(zset.TUnknown), false, "text"},
		{"stddev", args(zset.TUnknown), false, "double precision"},
		{"var_pop", args(tFixed), false, "numeric"},
		{"variance", args(zset.TFloat4), false, "double precision"},
		{"bool_or", args(zset.TUnknown), false, "boolean"},
		{"any_value", args(zset.TBool), false, "boolean"},
		{"string_agg", args(zset.TText, zset.TText), false, "text"},
		{"string_agg", args(zset.TBytea, zset.TUnknown), false, "bytea"},
		{"string_agg", args(zset.TUnknown, zset.TBytea), false, "bytea"},
		{"string_agg", args(zset.TBytea, zset.TText), false, "42883 function string_agg(bytea, text) does not exist"},
		{"bit_and", args(zset.TInt2), false, "smallint"},
		{"bit_or", args(zset.TNumeric), false, "42883 function bit_or(numeric) does not exist"},
		{"corr", args(zset.TInt4, zset.TNumeric), false, "double precision"},
		{"corr", args(zset.TUnknown, zset.TFloat8), false, "double precision"},
		{"regr_count", args(zset.TFloat8, zset.TFloat8), false, "bigint"},
		{"corr", args(zset.TFloat8), false, "42883 function corr(double precision) does not exist"},
		{"corr", args(zset.ArrayOf(zset.TFloat8)), false, "42883 function corr(double precision[]) does not exist"},
		{"corr", args(zset.TFloat8, zset.TText), false, "42883 function corr(double precision, text) does not exist"},
		{"sum", args(zset.TTime), false, "interval"},
		{"avg", args(zset.TTime), false, "interval"},
		{"max", args(zset.TTime), false, "time without time zone"},
		{"stddev", args(zset.TTime), false, "42883 function stddev(time without time zone) does not exist"},
		{"string_agg", args(zset.TText), false, "42883 function string_agg(text) does not exist"},
		{"min", args(varchar), false, "text"},
		{"max", args(tFixed), false, "numeric"},
		{"max", args(zset.TDate), false, "date"},
		{"max", args(zset.TTimestamp), false, "timestamp without time zone"},
		{"min", args(zset.TBool), false, "42883 function min(boolean) does not exist"},
		{"min", args(zset.TInt4, zset.TInt4), false, "42883 function min(integer, integer) does not exist"},
	} {
		a, err := ResolveAggregate(c.name, c.args, c.star, 7)
		if err != nil {
			var e *zset.Error
			if !errors.As(err, &e) || e.Code+" "+e.Msg != c.want || e.Pos != 7 {
				t.Errorf("%s%v: %v, want %s", c.name, c.args, err, c.want)
			}
			continue
		}
		if a.Typ.String() != c.want || a.Check() != nil {
			t.Errorf("%s is %s, want %s; %v", a, a.Typ, c.want, a.Check())
		}
		if a.Class() == Ordered && a.Arg.Typ != a.Typ {
			t.Errorf("%s is %s of %s", a, a.Typ, a.Arg.Typ)
		}
		if a.Class() != List {
			a.New()
		}
	}
	for name, want := range map[string]bool{"count": true, "max": true, "lower": false, "SUM": false} {
		if IsAggregate(name) != want {
			t.Errorf("IsAggregate(%s)", name)
		}
	}
	if err := (AggCall{Name: "lower", Arg: Col(0, zset.TText), Typ: zset.TText}).Check(); err == nil {
		t.Error("lower passes Check")
	}
	if err := (AggCall{Name: "sum", Typ: zset.TInt8}).Check(); err == nil {
		t.Error("sum without argument passes Check")
	}
}

// Every row of the table makes an accumulator that appends cells of its type.
func TestTableIsTotal(t *testing.T) {
	seen := map[string]bool{}
	for i := range aggregates {
		r := &aggregates[i]
		key := fmt.Sprint(r.name, r.arg)
		if seen[key] {
			t.Errorf("%s stands twice", key)
		}
		seen[key] = true
		if r.version == 0 || (r.class == Ordered) != (r.name == "min" || r.name == "max" || r.name == "any_value") {
			t.Errorf("row %s of kind %d", r.name, r.arg)
		}
	}
	for _, a := range calls(t) {
		rapid.Check(t, func(t *rapid.T) {
			c := genColumn(t, a.argType(), 3)
			acc := a.New()
			acc.Resize(1)
			feed(t, acc, a, &c, make([]uint32, 3), upTo(3), []int64{1, 1, 2})
			out := zset.NewColumn(a.Typ, 1)
			if err := acc.Result([]uint32{0}, &out); err == nil && out.Len() != 1 {
				t.Fatalf("%s appends %d cells", a, out.Len())
			}
			if acc.MemBytes() <= 0 {
				t.Fatalf("%s holds no memory", a)
			}
		})
	}
}
