package zset

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/decimal256"
	"github.com/apache/arrow/go/v17/arrow/float16"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"pgregory.net/rapid"
)

// fitting makes v a value that every form of its type can hold.
func fitting(v Value) Value {
	switch {
	case v.Null:
	case v.Type.Kind == Int4:
		v.I = int64(int32(v.I))
	case v.Type.Kind == Date:
		v.I %= 1_000_000
	case v.Type.Kind == Timestamp || v.Type.Kind == TimestampTZ:
		v.I %= maxTimestamp / 2000
	case v.Type.Fixed():
		v.I %= int64(pow10s[v.Type.Prec][0])
	case v.Type.Kind == Numeric && v.Type.Prec > 0:
		d, err := v.Decimal().Fit(v.Type)
		if err != nil || d.IsNaN() {
			d, _ = FromFixed(7, 1).Fit(v.Type)
		}
		v.S = string(d.AppendTo(nil))
	case v.Type.Kind == Array:
		c := elementsOf(v.Type, []byte(v.S))
		v.S = ""
		for i := range c.Len() {
			e := NewColumn(c.Type, 1)
			e.AppendValue(fitting(c.Value(i)))
			v.S = string(AppendElement([]byte(v.S), &e, 0))
		}
	case v.Type.Kind == Char && v.Type.Prec > 0:
		v.S, _ = FitChar(strings.ToValidUTF8(strings.ReplaceAll(strings.TrimRight(v.S, " "), "\x00", "0"), "?"), int(v.Type.Prec))
	case kinds[v.Type.Kind].plain:
		v.S = strings.ToValidUTF8(strings.ReplaceAll(v.S, "\x00", "0"), "?")
	}
	return v
}

func TestArrowRoundTrip(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	rapid.Check(t, func(t *rapid.T) {
		ts := genTypes().Draw(t, "types")
		raw := genBatch(ts, 20).Draw(t, "b")
		in, s := NewBatch(ts, 0), make(Schema, len(ts))
		in.N, in.W = raw.N, raw.W
		for c := range ts {
			s[c] = Field{Name: string('a' + rune(c)), Type: ts[c]}
			for i := range raw.N {
				in.Cols[c].AppendValue(fitting(raw.Cols[c].Value(i)))
			}
		}
		if in.N > 1 && rapid.Bool().Draw(t, "sliced") {
			in = in.Slice(1, in.N)
		}
		rec, err := ToArrow(in, s, mem)
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Release()
		out, err := FromArrow(rec, s)
		if err != nil {
			t.Fatal(err)
		}
		k := 0
		for i := range in.N {
			for range max(in.Weight(i), 0) {
				for c := range ts {
					want, got := in.Cols[c].Value(i), out.Cols[c].Value(k)
					if !identical(got, want) {
						t.Fatalf("row %d: %s %q (null %t), want %q (null %t)", i, ts[c], got.Text(), got.Null, want.Text(), want.Null)
					}
					if got.Null && (got.I != 0 || got.F != 0 || got.S != "") {
						t.Fatalf("a NULL has content")
					}
				}
				k++
			}
		}
		if k != out.N {
			t.Fatalf("%d rows, want %d", out.N, k)
		}
		// A part of a record is read from its offset on.
		if n := rec.NumRows(); n > 2 {
			part := rec.NewSlice(1, n-1)
			defer part.Release()
			mid, err := FromArrow(part, s)
			if err != nil || mid.N != out.N-2 {
				t.Fatalf("slice: %v", err)
			}
			for c := range ts {
				for i := range mid.N {
					if got, want := mid.Cols[c].Value(i), out.Cols[c].Value(i+1); !identical(got, want) {
						t.Fatalf("slice row %d: %q, want %q", i, got.Text(), want.Text())
					}
				}
			}
		}
	})
}

// oneColumn is a record of one column, c.
func oneColumn(a arrow.Array) arrow.Record {
	f := []arrow.Field{{Name: "c", Type: a.DataType(), Nullable: true}}
	return array.NewRecord(arrow.NewSchema(f, nil), []arrow.Array{a}, int64(a.Len()))
}

func TestFromArrowConversions(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer mem.AssertSize(t, 0)
	num := func(p, s int16) Type { return Type{Kind: Numeric, Prec: p, Scale: s} }
	ts := func(u arrow.TimeUnit, zone string) *arrow.TimestampType {
		return &arrow.TimestampType{Unit: u, TimeZone: zone}
	}
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	cases := []struct {
		from arrow.DataType
		fill func(b array.Builder)
		to   Type
		want string // cells by comma, - for NULL; or ! and the code
	}{
		{arrow.PrimitiveTypes.Int8, func(b array.Builder) { b.(*array.Int8Builder).AppendValues([]int8{-128, 127}, nil) }, TInt8, "-128,127"},
		{arrow.PrimitiveTypes.Int16, func(b array.Builder) { b.(*array.Int16Builder).AppendValues([]int16{-3}, nil) }, TInt4, "-3"},
		{arrow.PrimitiveTypes.Int32, func(b array.Builder) { b.(*array.Int32Builder).AppendValues([]int32{-3, 9}, []bool{true, false}) }, TInt8, "-3,-"},
		{arrow.PrimitiveTypes.Int64, func(b array.Builder) { b.(*array.Int64Builder).AppendValues([]int64{1 << 31}, nil) }, TInt4, "!22003"},
		{arrow.PrimitiveTypes.Int64, func(b array.Builder) {
			b.(*array.Int64Builder).AppendValues([]int64{1 << 31, 5}, []bool{false, true})
		}, TInt4, "-,5"},
		{arrow.PrimitiveTypes.Uint8, func(b array.Builder) { b.(*array.Uint8Builder).AppendValues([]uint8{255}, nil) }, TInt4, "255"},
		{arrow.PrimitiveTypes.Uint16, func(b array.Builder) { b.(*array.Uint16Builder).AppendValues([]uint16{65535}, nil) }, TInt4, "65535"},
		{arrow.PrimitiveTypes.Uint32, func(b array.Builder) { b.(*array.Uint32Builder).AppendValues([]uint32{1 << 31}, nil) }, TInt8, "2147483648"},
		{arrow.PrimitiveTypes.Uint32, func(b array.Builder) { b.(*array.Uint32Builder).AppendValues([]uint32{1 << 31}, nil) }, TInt4, "!22003"},
		{arrow.PrimitiveTypes.Uint64, func(b array.Builder) { b.(*array.Uint64Builder).AppendValues([]uint64{1<<63 - 1}, nil) }, TInt8, "9223372036854775807"},
		{arrow.PrimitiveTypes.Uint64, func(b array.Builder) { b.(*array.Uint64Builder).AppendValues([]uint64{1 << 63}, nil) }, TInt8, "!22003"},
		{arrow.PrimitiveTypes.Uint64, func(b array.Builder) {
			b.(*array.Uint64Builder).AppendValues([]uint64{1 << 63}, []bool{false})
		}, TInt8, "-"},
		{arrow.PrimitiveTypes.Uint64, func(b array.Builder) { b.(*array.Uint64Builder).AppendValues([]uint64{1 << 63}, nil) }, TNumeric, "9223372036854775808"},
		{arrow.PrimitiveTypes.Int64, func(b array.Builder) { b.(*array.Int64Builder).AppendValues([]int64{3}, nil) }, TFloat8, "3"},
		{arrow.PrimitiveTypes.Uint64, func(b array.Builder) {
			b.(*array.Uint64Builder).AppendValues([]uint64{1 << 63, 1 << 63}, []bool{true, false})
		}, TFloat8, "9.223372036854776e+18,-"},
		{arrow.PrimitiveTypes.Float64, func(b array.Builder) { b.(*array.Float64Builder).AppendValues([]float64{3}, nil) }, TInt8, "!42804"},
		{arrow.PrimitiveTypes.Float32, func(b array.Builder) { b.(*array.Float32Builder).AppendValues([]float32{0.5}, nil) }, TFloat8, "0.5"},
		{arrow.FixedWidthTypes.Float16, func(b array.Builder) { b.(*array.Float16Builder).Append(float16.New(1.5)) }, TFloat8, "1.5"},
		{arrow.PrimitiveTypes.Float64, func(b array.Builder) { b.(*array.Float64Builder).AppendValues([]float64{0.1, math.NaN()}, nil) }, TNumeric, "0.1,NaN"},
		{arrow.FixedWidthTypes.Boolean, func(b array.Builder) {
			b.(*array.BooleanBuilder).AppendValues([]bool{true, false, true}, []bool{true, true, false})
		}, TBool, "t,f,-"},
		{arrow.PrimitiveTypes.Int8, func(b array.Builder) { b.(*array.Int8Builder).Append(1) }, TBool, "!42804"},
		{arrow.BinaryTypes.LargeString, func(b array.Builder) {
			b.(*array.LargeStringBuilder).AppendValues([]string{"x", "yz", ""}, []bool{true, true, false})
		}, TText, "x,yz,-"},
		{dict, func(b array.Builder) {
			d := b.(*array.BinaryDictionaryBuilder)
			for _, s := range []string{"x", "y", "x"} {
				_ = d.AppendString(s)
			}
			d.AppendNull()
		}, TText, "x,y,x,-"},
		{arrow.BinaryTypes.String, func(b array.Builder) { b.(*array.StringBuilder).Append("abc  ") }, Type{Kind: Varchar, Prec: 3}, "abc"},
		{arrow.BinaryTypes.String, func(b array.Builder) { b.(*array.StringBuilder).Append("abcd") }, Type{Kind: Varchar, Prec: 3}, "!22001"},
		{arrow.BinaryTypes.String, func(b array.Builder) { b.(*array.StringBuilder).Append("äöü") }, Type{Kind: Varchar, Prec: 3}, "äöü"},
		{arrow.BinaryTypes.String, func(b array.Builder) { b.(*array.StringBuilder).Append("a\x00") }, TText, "!22021"},
		{arrow.BinaryTypes.String, func(b array.Builder) {
			b.(*array.StringBuilder).AppendValues([]string{"\xc3", "\xa4"}, nil) // one letter across two cells
		}, TText, "!22021"},
		{arrow.BinaryTypes.String, func(b array.Builder) { b.(*array.StringBuilder).Append("1.50") }, TNumeric, "1.50"},
		{arrow.BinaryTypes.Binary, func(b array.Builder) { b.(*array.BinaryBuilder).Append([]byte("x")) }, TText, "!42804"},
		{arrow.FixedWidthTypes.Date32, func(b array.Builder) {
			b.(*array.Date32Builder).AppendValues([]arrow.Date32{-1, math.MaxInt32, math.MinInt32}, nil)
		}, TDate, "1969-12-31,infinity,-infinity"},
		{arrow.FixedWidthTypes.Date32, func(b array.Builder) { b.(*array.Date32Builder).Append(-2440589) }, TDate, "!22008"},
		{arrow.FixedWidthTypes.Date64, func(b array.Builder) { b.(*array.Date64Builder).Append(-1) }, TDate, "1969-12-31"},
		{arrow.FixedWidthTypes.Date32, func(b array.Builder) { b.(*array.Date32Builder).Append(1) }, TTimestamp, "1970-01-02 00:00:00"},
		{ts(arrow.Second, ""), func(b array.Builder) { b.(*array.TimestampBuilder).Append(-1) }, TTimestamp, "1969-12-31 23:59:59"},
		{ts(arrow.Second, ""), func(b array.Builder) { b.(*array.TimestampBuilder).Append(1 << 60) }, TTimestamp, "!22008"},
		{ts(arrow.Millisecond, "UTC"), func(b array.Builder) { b.(*array.TimestampBuilder).Append(1) }, TTimestamp, "1970-01-01 00:00:00.001"},
		{ts(arrow.Microsecond, "Europe/Berlin"), func(b array.Builder) { b.(*array.TimestampBuilder).Append(1) }, TTimestamp, "!42804"},
		{ts(arrow.Microsecond, ""), func(b array.Builder) { b.(*array.TimestampBuilder).Append(math.MaxInt64) }, TTimestamp, "infinity"},
		{ts(arrow.Microsecond, ""), func(b array.Builder) { b.(*array.TimestampBuilder).Append(math.MaxInt64 - 1) }, TTimestamp, "!22008"},
		{ts(arrow.Nanosecond, ""), func(b array.Builder) { b.(*array.TimestampBuilder).Append(-1) }, TTimestamp, "1969-12-31 23:59:59.999999"},
		{&arrow.Decimal128Type{Precision: 20, Scale: 3}, func(b array.Builder) {
			b.(*array.Decimal128Builder).AppendValues([]decimal128.Num{decimal128.FromI64(-12345), decimal128.FromI64(5)}, nil)
		}, num(10, 2), "-12.35,0.01"},
		{&arrow.Decimal128Type{Precision: 20, Scale: 3}, func(b array.Builder) {
			b.(*array.Decimal128Builder).Append(decimal128.FromI64(999995))
		}, num(5, 2), "!22003"},
		{&arrow.Decimal256Type{Precision: 70, Scale: 0}, func(b array.Builder) {
			b.(*array.Decimal256Builder).Append(decimal256.FromI64(-7))
		}, TNumeric, "-7"},
		{arrow.PrimitiveTypes.Int32, func(b array.Builder) { b.(*array.Int32Builder).Append(7) }, num(30, 2), "7.00"},
		{arrow.Null, func(b array.Builder) { b.AppendNull() }, TFloat8, "-"},
	}
	for _, c := range cases {
		b := array.NewBuilder(mem, c.from)
		c.fill(b)
		a := b.NewArray()
		rec := oneColumn(a)
		got, err := FromArrow(rec, Schema{{Name: "c", Type: c.to}})
		text := ""
		if err != nil {
			text = "!" + err.(*Error).Code
			if d := err.(*Error).Detail; d != `column "c"` {
				t.Errorf("the error does not name its column: %q", d)
			}
		} else {
			var cells []string
			for i := range got.N {
				v := got.Cols[0].Value(i)
				if v.Null {
					cells = append(cells, "-")
					if v.I != 0 || v.F != 0 || v.S != "" {
						t.Errorf("%s to %s: a NULL has content", c.from, c.to)
					}
					continue
				}
				cells = append(cells, v.Text())
			}
			text = strings.Join(cells, ",")
		}
		if text != c.want {
			t.Errorf("%s to %s: %s, want %s (%v)", c.from, c.to, text, c.want, err)
		}
		rec.Release()
		a.Release()
		b.Release()
	}
}

func TestFromArrowColumns(t *testing.T) {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	b.AppendValues([]int64{1, 2, 3}, nil)
	a := b.NewArray()
	rec := oneColumn(a)
	s := Schema{{Name: "t", Type: TText}, {Name: "c", Type: TInt8}}
	got, err := FromArrow(rec, s)
	if err != nil {
		t.Fatal(err)
	}
	if got.N != 3 || !got.Cols[0].IsNull(2) || got.Cols[0].Len() != 3 || got.Cols[1].I64[2] != 3 {
		t.Errorf("got %+v", got)
	}
	if unsafe.SliceData(got.Cols[1].I64) != unsafe.SliceData(a.(*array.Int64).Int64Values()) {
		t.Error("a bigint column without NULL is copied")
	}
	if _, err := FromArrow(rec, s[:1]); err == nil || err.(*Error).Code != CodeNoColumn {
		t.Errorf("unknown column: %v", err)
	}
	twice := array.NewRecord(arrow.NewSchema([]arrow.Field{rec.Schema().Field(0), rec.Schema().Field(0)}, nil), []arrow.Array{a, a}, 3)
	if _, err := FromArrow(twice, s); err == nil || err.(*Error).Code != "42701" {
		t.Errorf("column twice: %v", err)
	}
}

func TestFromArrowNullContent(t *testing.T) {
	// Arrow leaves the bytes under a NULL open: here they are 7 and "junk".
	valid := memory.NewBufferBytes([]byte{0b01})
	ints := array.NewData(arrow.PrimitiveTypes.Int64, 2, []*memory.Buffer{valid,
		memory.NewBufferBytes(arrow.Int64Traits.CastToBytes([]int64{5, 7}))}, nil, 1, 0)
	strs := array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{valid,
		memory.NewBufferBytes(arrow.Int32Traits.CastToBytes([]int32{0, 1, 5})), memory.NewBufferBytes([]byte("xjunk"))}, nil, 1, 0)
	for _, c := range []struct {
		d    *array.Data
		typ  Type
		want Value
	}{{ints, TInt8, IntValue(5)}, {strs, TText, TextValue("x")}} {
		a := array.MakeFromData(c.d)
		got, err := FromArrow(oneColumn(a), Schema{{Name: "c", Type: c.typ}})
		if err != nil {
			t.Fatal(err)
		}
		col := got.Cols[0]
		if col.Value(0) != c.want || !col.IsNull(1) || col.I64 != nil && col.I64[1] != 0 || col.Off != nil && len(col.Bytes(1)) != 0 {
			t.Errorf("%s: %+v", c.typ, col)
		}
		if x, ok := a.(*array.Int64); ok && x.Int64Values()[1] != 7 {
			t.Error("the caller's record was written to")
		}
	}
}

func BenchmarkArrow(b *testing.B) {
	const n = 100_000
	ts := []Type{TInt8, TTimestamp, TInt8, TFloat8, TText, TText}
	s := make(Schema, len(ts))
	for i := range s {
		s[i] = Field{Name: string('a' + rune(i)), Type: ts[i]}
	}
	in := &Batch{Cols: benchColumns(n, ts...), N: n}
	b.Run("to", func(b *testing.B) {
		measure(b, n, func() {
			if r, err := ToArrow(in, s, memory.DefaultAllocator); err == nil {
				r.Release()
			}
		})
	})
	rec, err := ToArrow(in, s, memory.DefaultAllocator)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("from", func(b *testing.B) {
		measure(b, n, func() {
			if _, err := FromArrow(rec, s); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// TestHalves: every binary16 is the number that it is, those below 2^-14 too.
func TestHalves(t *testing.T) {
	for bits := range 1 << 16 {
		got, exp, frac := halfOf(uint16(bits)), bits>>10&31, bits&1023
		want := float64(float16.FromBits(uint16(bits)).Float32())
		if exp == 0 {
			want = float64(frac) / (1 << 24)
			if bits>>15 != 0 {
				want = -want
			}
		}
		if got != want && !(got != got && want != want) || math.Signbit(got) != (bits>>15 != 0) && got == got {
			t.Fatalf("%04x: %v, want %v", bits, got, want)
		}
	}
}

// TestOffsetsBack: an array whose cells overlap is refused, for every cell of a column
// lies behind the one before it.
func TestOffsetsBack(t *testing.T) {
	buffer := func(v []int32) *memory.Buffer { return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(v)) }
	buffer64 := func(v []int64) *memory.Buffer { return memory.NewBufferBytes(arrow.Int64Traits.CastToBytes(v)) }
	text, ints := memory.NewBufferBytes([]byte("abcdefgh")), array.NewData(arrow.PrimitiveTypes.Int32, 4, []*memory.Buffer{nil, buffer([]int32{1, 2, 3, 4})}, nil, 0, 0)
	for _, c := range []struct {
		data arrow.ArrayData
		t    Type
	}{
		{array.NewData(arrow.BinaryTypes.String, 3, []*memory.Buffer{nil, buffer([]int32{0, 5, 3, 8}), text}, nil, 0, 0), TText},
		{array.NewData(arrow.BinaryTypes.LargeString, 3, []*memory.Buffer{nil, buffer64([]int64{0, 5, 3, 8}), text}, nil, 0, 0), TVarchar},
		{array.NewData(arrow.BinaryTypes.String, 3, []*memory.Buffer{nil, buffer([]int32{0, -1, 3, 8}), text}, nil, 0, 0), TText},
		{array.NewData(arrow.ListOf(arrow.PrimitiveTypes.Int32), 3, []*memory.Buffer{nil, buffer([]int32{0, 2, 1, 4})}, []arrow.ArrayData{ints}, 0, 0), ArrayOf(TInt4)},
		{array.NewData(arrow.ListOf(arrow.PrimitiveTypes.Int32), 1, []*memory.Buffer{nil, buffer([]int32{2, 9})}, []arrow.ArrayData{ints}, 0, 0), ArrayOf(TInt4)},
	} {
		_, err := fromArray(array.MakeFromData(c.data), c.t)
		if e, ok := err.(*Error); !ok || e.Code != "22P04" {
			t.Errorf("%s: %v", c.t, err)
		}
	}
}
