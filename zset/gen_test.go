package zset

import (
	"math"
	"math/big"
	"strings"

	"pgregory.net/rapid"
)

var allTypes = []Type{
	TBool, TInt4, TInt8, TFloat8, TNumeric, {Kind: Numeric, Prec: 10, Scale: 2}, {Kind: Numeric, Prec: 38, Scale: 5},
	TText, {Kind: Varchar, Prec: 20}, TDate, TTimestamp, TUnknown,
	TInt2, TFloat4, TChar, {Kind: Char, Prec: 4}, TBytea, TTime, TTimestampTZ, TInterval, TUUID,
	ArrayOf(TInt4), ArrayOf(TText), ArrayOf(TNumeric), ArrayOf(TFloat8), ArrayOf(TChar), ArrayOf(TInterval), ArrayOf(TTimestampTZ), ArrayOf(TBytea),
}

// small domains, so that equal cells are common.
var (
	someInts   = []int64{0, 1, -1, 2, 255, 256, -256, math.MaxInt32, math.MinInt32}
	someFloats = []float64{0, math.Copysign(0, -1), 1, -1, 1.5, math.NaN(), math.Float64frombits(0xfff8000000000001), math.Float64frombits(0x7ff4000000000123),
		math.Inf(1), math.Inf(-1), math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, math.MaxFloat64, 1e-300}
	someTexts = []string{"", "a", "ab", "b", "a\x00", "a\x01", "\x00", "\x00\x00", "\x01", "\x01\x02", "\x02", "\xff", "é", "aa\x00b"}
	someNums  = []string{"0", "0.00", "1", "1.0", "1.00", "-1", "-1.0", "10", "100", "0.1", "0.10", "NaN", "Infinity", "-Infinity",
		"123456789012345678", "1234567890123456789", "1234567890123456780.0", "123456789012345678900000000000000000000",
		"-123456789012345678", "-1234567890123456789", "0.000000000000000000000000000001", "1e75", "-1e75",
		"9999999999999999999999999999999999999999999999999999999999999999999999999999"}
)

func genDecimal() *rapid.Generator[Decimal] {
	return rapid.Custom(func(t *rapid.T) Decimal {
		if rapid.Bool().Draw(t, "known") {
			d, err := ParseDecimal(rapid.SampledFrom(someNums).Draw(t, "num"))
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		n := rapid.IntRange(1, 76).Draw(t, "digits")
		s := rapid.StringOfN(rapid.RuneFrom([]rune("0123456789")), n, n, n).Draw(t, "s")
		if rapid.Bool().Draw(t, "zeros") {
			k := rapid.IntRange(0, n).Draw(t, "k")
			s = s[:n-k] + strings.Repeat("0", k)
		}
		if rapid.Bool().Draw(t, "neg") {
			s = "-" + s
		}
		d, err := ParseDecimal(s)
		if err != nil {
			t.Fatal(err)
		}
		d.scale = int16(rapid.IntRange(0, 80).Draw(t, "scale"))
		return d
	})
}

// someSpans are near ties: a month is 30 days, a day 24 hours.
var someSpans = []IntervalValue{
	{}, {Months: 1}, {Days: 30}, {Days: 29, Micros: usPerDay}, {Months: 1, Micros: -1}, {Micros: 1}, {Days: -1, Micros: usPerDay}, {Months: -1}, {Days: -30},
	{math.MaxInt32, math.MaxInt32, math.MaxInt64}, {math.MinInt32, math.MinInt32, math.MinInt64}, {math.MaxInt32, math.MinInt32, math.MinInt64}, {Micros: math.MinInt64},
}

// genNew is the values of the kinds whose content is neither any number nor any text.
func genNew(typ Type, t *rapid.T) (Value, bool) {
	known := rapid.Bool().Draw(t, "known")
	switch typ.Kind {
	case Int2:
		return Value{Type: typ, I: int64(rapid.Int16().Draw(t, "i"))}, true
	case Time:
		return Value{Type: typ, I: rapid.Int64Range(0, usPerDay).Draw(t, "i")}, true
	case Float4:
		f := rapid.Float32().Draw(t, "f")
		if known {
			f = float32(rapid.SampledFrom(someFloats).Draw(t, "f"))
		}
		return Value{Type: typ, F: float64(f)}, true
	case Char:
		n := rapid.IntRange(0, 3).Draw(t, "blanks")
		v := Value{Type: typ, S: rapid.SampledFrom(someTexts).Draw(t, "s") + strings.Repeat(" ", n)}
		if typ.Prec > 0 {
			v.S, _ = FitChar(v.S, int(typ.Prec))
		}
		return v, true
	case Interval:
		if known {
			return rapid.SampledFrom(someSpans).Draw(t, "v").Value(), true
		}
		return IntervalValue{rapid.Int32().Draw(t, "m"), rapid.Int32().Draw(t, "d"), rapid.Int64().Draw(t, "us")}.Value(), true
	case UUID:
		return Value{Type: typ, S: string(rapid.SliceOfN(rapid.ByteRange(0, 2), 16, 16).Draw(t, "s"))}, true
	case Array:
		c := NewColumn(typ.Element(), 0)
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			c.AppendValue(genValue(typ.Element()).Draw(t, "e"))
		}
		var b []byte
		for i := range c.Len() {
			b = AppendElement(b, &c, i)
		}
		return Value{Type: typ, S: string(b)}, true
	}
	return Value{}, false
}

func genValue(typ Type) *rapid.Generator[Value] {
	return rapid.Custom(func(t *rapid.T) Value {
		if rapid.IntRange(0, 5).Draw(t, "null") == 0 {
			return NullOf(typ)
		}
		if v, ok := genNew(typ, t); ok {
			return v
		}
		known := rapid.Bool().Draw(t, "known")
		switch typ.Phys() {
		case PhysI64:
			if typ.Kind == Bool {
				return BoolValue(known)
			}
			if known {
				return Value{Type: typ, I: rapid.SampledFrom(someInts).Draw(t, "i")}
			}
			return Value{Type: typ, I: rapid.Int64().Draw(t, "i")}
		case PhysF64:
			if known {
				return FloatValue(rapid.SampledFrom(someFloats).Draw(t, "f"))
			}
			return FloatValue(rapid.Float64().Draw(t, "f"))
		}
		if typ.Kind == Numeric {
			return Value{Type: typ, S: string(genDecimal().Draw(t, "d").AppendTo(nil))}
		}
		if known {
			return Value{Type: typ, S: rapid.SampledFrom(someTexts).Draw(t, "s")}
		}
		return Value{Type: typ, S: string(rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "s"))}
	})
}

func genTypes() *rapid.Generator[[]Type] {
	return rapid.SliceOfN(rapid.SampledFrom(allTypes), 1, 4)
}

// genBatch makes rows from few values each, so that equal rows are common.
func genBatch(ts []Type, maxRows int) *rapid.Generator[*Batch] {
	return rapid.Custom(func(t *rapid.T) *Batch {
		b := NewBatch(ts, 0)
		n := rapid.IntRange(0, maxRows).Draw(t, "n")
		if rapid.Bool().Draw(t, "weighted") {
			b.W = []int64{}
		}
		for c := range ts {
			pool := rapid.SliceOfN(genValue(ts[c]), 1, 4).Draw(t, "pool")
			for range n {
				b.Cols[c].AppendValue(rapid.SampledFrom(pool).Draw(t, "v"))
			}
		}
		for range n {
			if b.W != nil {
				b.W = append(b.W, rapid.Int64Range(-2, 2).Draw(t, "w"))
			}
		}
		b.N = n
		return b
	})
}

// cmpValues is SQL's ascending order of two cells of one type, NULL last.
func cmpValues(a, b Value) int {
	switch {
	case a.Null || b.Null:
		return btoi(a.Null) - btoi(b.Null)
	case a.Type.Phys() == PhysI64:
		return cmpOrdered(a.I, b.I)
	case a.Type.Phys() == PhysF64:
		if a.F != a.F || b.F != b.F {
			return btoi(a.F != a.F) - btoi(b.F != b.F)
		}
		return cmpOrdered(a.F, b.F)
	case a.Type.Kind == Numeric:
		return sign(a.Decimal().Cmp(b.Decimal()))
	case a.Type.Kind == Char:
		return strings.Compare(strings.TrimRight(a.S, " "), strings.TrimRight(b.S, " "))
	case a.Type.Kind == Interval:
		return bigSpan(a).Cmp(bigSpan(b))
	case a.Type.Kind == Array:
		x, y := elementsOf(a.Type, []byte(a.S)), elementsOf(b.Type, []byte(b.S))
		for i := range min(x.Len(), y.Len()) {
			if c := cmpValues(x.Value(i), y.Value(i)); c != 0 {
				return c
			}
		}
		return sign(x.Len() - y.Len())
	}
	return strings.Compare(a.S, b.S)
}

// bigSpan is an interval in microseconds.
func bigSpan(v Value) *big.Int {
	x := IntervalOf([]byte(v.S))
	n := big.NewInt(int64(x.Months)*30 + int64(x.Days))
	n.Mul(n, big.NewInt(usPerDay))
	return n.Add(n, big.NewInt(x.Micros))
}

// identical: same bits, but NaNs are one; same digits and scale.
func identical(a, b Value) bool {
	if a.Null || b.Null {
		return a.Null == b.Null
	}
	if a.Type.Phys() == PhysF64 {
		return a.F != a.F && b.F != b.F || math.Float64bits(a.F) == math.Float64bits(b.F)
	}
	if a.Type.Kind == Numeric && !a.Type.Fixed() {
		return a.Decimal().String() == b.Decimal().String()
	}
	return a.I == b.I && a.S == b.S
}

func cmpOrdered[T int64 | float64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func sign(i int) int { return cmpOrdered(int64(i), 0) }
