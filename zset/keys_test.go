package zset

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// one is a column of the one cell v.
func one(v Value) *Column {
	c := NewColumn(v.Type, 1)
	c.AppendValue(v)
	return &c
}

func TestKeyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(allTypes).Draw(t, "type")
		a, b := genValue(typ).Draw(t, "a"), genValue(typ).Draw(t, "b")
		ka, kb := AppendKey(nil, one(a), 0), AppendKey(nil, one(b), 0)
		ra, rb := AppendRow(nil, one(a), 0), AppendRow(nil, one(b), 0)
		want := cmpValues(a, b)
		if got := bytes.Compare(ka, kb); got != want {
			t.Fatalf("%s %q, %q: keys compare %d, want %d", typ, a.Text(), b.Text(), got, want)
		}
		if want != 0 && bytes.Compare(ra, rb) != want {
			t.Fatalf("%s %q, %q: rows do not refine the order of keys", typ, a.Text(), b.Text())
		}
		if bytes.Equal(ra, rb) != identical(a, b) {
			t.Fatalf("%s %q, %q: row encodings equal: %t", typ, a.Text(), b.Text(), bytes.Equal(ra, rb))
		}
		if KeyExact(typ) && !bytes.Equal(ka, ra) {
			t.Fatalf("%s %q: key % x is not row % x", typ, a.Text(), ka, ra)
		}
		for _, p := range [][2][]byte{{ka, kb}, {ra, rb}} {
			if !bytes.Equal(p[0], p[1]) && bytes.HasPrefix(p[0], p[1]) {
				t.Fatalf("%s: % x is a prefix of % x", typ, p[1], p[0])
			}
		}
	})
}

func TestKeyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ts := genTypes().Draw(t, "types")
		b := genBatch(ts, 5).Draw(t, "b")
		var keys, rows []byte
		for i := range b.N {
			for c := range b.Cols {
				keys = AppendKey(keys, &b.Cols[c], i)
				rows = AppendRow(rows, &b.Cols[c], i)
			}
		}
		fromKeys, fromRows := NewBatch(ts, 0), NewBatch(ts, 0)
		var err error
		for i := range b.N {
			for c := range b.Cols {
				if keys, err = DecodeKey(keys, &fromKeys.Cols[c]); err != nil {
					t.Fatal(err)
				}
				if rows, err = DecodeRow(rows, &fromRows.Cols[c]); err != nil {
					t.Fatal(err)
				}
				want := b.Cols[c].Value(i)
				if got := fromRows.Cols[c].Value(i); !identical(got, want) {
					t.Fatalf("row: got %q, want %q", got.Text(), want.Text())
				}
				got := fromKeys.Cols[c].Value(i)
				if cmpValues(got, want) != 0 {
					t.Fatalf("key: got %q, want %q", got.Text(), want.Text())
				}
				if !bytes.Equal(AppendKey(nil, one(got), 0), AppendKey(nil, one(want), 0)) {
					t.Fatalf("the representative %q has another key than %q", got.Text(), want.Text())
				}
			}
		}
		if len(keys) != 0 || len(rows) != 0 {
			t.Fatal("bytes left")
		}
	})
}

// The batch encoders say the same as the cell encoders.
func TestKeysOfBatch(t *testing.T) {
	var k Keys // used over and over, as callers do
	rapid.Check(t, func(t *rapid.T) {
		ts := rapid.SliceOfN(rapid.SampledFrom(allTypes), 0, 4).Draw(t, "types")
		b := genBatch(ts, 20).Draw(t, "b")
		if b.N > 2 && rapid.Bool().Draw(t, "sliced") {
			b = b.Slice(1, b.N)
		}
		for _, row := range []bool{false, true} {
			if k.encode(b.Cols, b.N, row); k.Len() != b.N || len(k.Hash) != b.N {
				t.Fatalf("%d keys of %d rows", k.Len(), b.N)
			}
			for i := range b.N {
				var want []byte
				null := false
				for c := range b.Cols {
					want = appendCell(want, &b.Cols[c], i, row)
					null = null || b.Cols[c].IsNull(i)
				}
				if !bytes.Equal(k.Key(i), want) {
					t.Fatalf("row %d: % x, want % x", i, k.Key(i), want)
				}
				if k.Hash[i] != Hash(want) {
					t.Fatalf("row %d: hash", i)
				}
				if got := k.Null != nil && k.Null[i]; got != null {
					t.Fatalf("row %d: Null %t", i, got)
				}
			}
		}
	})
}

// Prefix-freeness carries the order over to keys of several columns.
func TestKeyOrderOfRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ts := genTypes().Draw(t, "types")
		b := genBatch(ts, 8).Draw(t, "b")
		var k Keys
		k.EncodeKeys(b.Cols, b.N)
		for i := range b.N {
			for j := range b.N {
				want := 0
				for c := 0; c < len(ts) && want == 0; c++ {
					want = cmpValues(b.Cols[c].Value(i), b.Cols[c].Value(j))
				}
				if got := bytes.Compare(k.Key(i), k.Key(j)); got != want {
					t.Fatalf("rows %d, %d compare %d, want %d", i, j, got, want)
				}
			}
		}
	})
}

func TestDecodeCorrupt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(allTypes).Draw(t, "type")
		b := rapid.SliceOfN(rapid.Byte(), 0, 30).Draw(t, "b")
		if rapid.Bool().Draw(t, "cut") {
			b = AppendRow(nil, one(genValue(typ).Draw(t, "v")), 0)
			b = b[:rapid.IntRange(0, len(b)-1).Draw(t, "len")]
			c := NewColumn(typ, 0)
			if _, err := DecodeRow(b, &c); err == nil {
				t.Fatalf("%s: % x decodes", typ, b)
			}
		}
		c := NewColumn(typ, 0) // must not panic
		if rest, err := DecodeRow(b, &c); err == nil && c.Len() != 1 {
			t.Fatalf("%d cells, rest % x", c.Len(), rest)
		}
		c = NewColumn(typ, 0)
		_, _ = DecodeKey(b, &c)
	})
}

func TestKeyExamples(t *testing.T) {
	negZero := math.Copysign(0, -1)
	if FloatKey(negZero) != FloatKey(0) {
		t.Error("-0.0 is another key than 0.0")
	}
	if floatRow(negZero) >= floatRow(0) {
		t.Error("-0.0 is not right before 0.0 in the row encoding")
	}
	for _, bits := range []uint64{0x7ff4000000000123, 0xfff8000000000000, 0x7fffffffffffffff} {
		f := math.Float64frombits(bits)
		if floatRow(f) != floatRow(math.NaN()) || FloatKey(f) <= FloatKey(math.Inf(1)) {
			t.Errorf("NaN %x has an encoding of its own", bits)
		}
	}
	c := NewColumn(TNumeric, 0)
	c.AppendDecimal(mustDecimal(t, "1.500"))
	out := NewColumn(TNumeric, 0)
	if _, err := DecodeKey(AppendKey(nil, &c, 0), &out); err != nil || out.Decimal(0).String() != "1.5" {
		t.Errorf("representative of 1.500: %s, %v", out.Decimal(0), err)
	}
	if n := len(AppendKey(nil, one(IntValue(5)), 0)); n != 9 {
		t.Errorf("a bigint key has %d bytes", n)
	}
}

func TestHashSpreads(t *testing.T) {
	low, high := map[uint64]int{}, map[uint64]int{}
	const n = 1 << 16
	for i := range n {
		h := Hash(AppendKey(nil, one(IntValue(int64(i))), 0))
		low[h&(n-1)]++
		high[h>>48]++
	}
	// 65536 balls in 65536 bins fill 63 percent of them.
	if len(low) < n*62/100 || len(high) < n*62/100 {
		t.Errorf("bins used: low %d, high %d", len(low), len(high))
	}
	seen := map[uint64]string{}
	for l := range 64 {
		for x := range 256 {
			s := string(bytes.Repeat([]byte{byte(x)}, l))
			if p, dup := seen[Hash([]byte(s))]; dup && p != s {
				t.Fatalf("%q and %q collide", p, s)
			}
			seen[Hash([]byte(s))] = s
		}
	}
}

func benchColumns(n int, ts ...Type) []Column {
	cols := make([]Column, len(ts))
	x := uint64(1)
	for j, typ := range ts {
		cols[j] = NewColumn(typ, n)
		for range n {
			x = mix(x^hashA, hashB) + 1
			switch {
			case typ.Kind == Text:
				cols[j].AppendBytes([]byte("airport" + string('A'+byte(x%26)) + string('A'+byte(x>>8%26))))
			case typ.Phys() == PhysF64:
				cols[j].AppendF64(float64(x % 1000))
			case typ.Phys() == PhysI64:
				cols[j].AppendI64(int64(x % 100000))
			default:
				cols[j].AppendDecimal(FromFixed(int64(x%100000), 2))
			}
		}
	}
	return cols
}

func BenchmarkEncode(b *testing.B) {
	const n = 4096
	for name, ts := range map[string][]Type{
		"1int": {TInt8}, "2int": {TInt8, TInt8}, "1text": {TText}, "2text": {TText, TText}, "float": {TFloat8},
		"numeric": {TNumeric}, "6mixed": {TInt8, TTimestamp, TInt8, TInt8, TText, TText},
	} {
		cols := benchColumns(n, ts...)
		b.Run(name, func(b *testing.B) {
			var k Keys
			measure(b, n, func() { k.EncodeKeys(cols, n) })
		})
	}
}
