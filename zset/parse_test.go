package zset

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Any string is read or refused with one of the codes of input, and what is
// read prints as something that reads back the same.
func TestParseTextTotal(t *testing.T) {
	codes := "22P02 22003 22007 22008 22009 22015 22001 22021 22023"
	soup := []string{"1", "2", "9", "0", "-", "+", ".", "e", "E", ":", "/", " ", ",", "T", "Z", "jan", "BC", "am", "pm", "inf", "nan", "2001", "12", "99999999", "t", "\t", "é", "day", "mon", "{", "}", "NULL", "\"", "\\", "x", "P"}
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(allTypes).Draw(t, "type")
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(soup), 0, 9).Draw(t, "s"), "")
		v, err := ParseText(typ, s)
		if err != nil {
			if e := err.(*Error); !strings.Contains(codes, e.Code) {
				t.Fatalf("%s %q: %s %s", typ, s, e.Code, e.Msg)
			}
			return
		}
		back, err := ParseText(typ, v.Text())
		if err != nil || !identical(v, back) {
			t.Fatalf("%s %q prints %q, which reads %q, %v", typ, s, v.Text(), back.Text(), err)
		}
	})
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(allTypes).Draw(t, "type")
		v := fitting(genValue(typ).Draw(t, "v"))
		if typ.Kind == Varchar && !v.Null {
			v.S = v.S[:PrefixLen(v.S, int(typ.Prec))]
		}
		text := string(AppendText([]byte(">"), one(v), 0))
		if text != ">"+v.Text() {
			t.Fatalf("cell prints %q, value %q", text, v.Text())
		}
		if v.Null {
			return
		}
		back, err := ParseText(typ, v.Text())
		if err != nil || !identical(back, v) {
			t.Fatalf("%s %q reads back %q, %v", typ, v.Text(), back.Text(), err)
		}
	})
}

func TestCivilRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.Int64Range(minDate, maxDate).Draw(t, "days")
		y, m, d := Civil(days)
		if Days(y, m, d) != days || d < 1 || d > DaysIn(y, m) {
			t.Fatalf("%d is %d-%d-%d", days, y, m, d)
		}
		if y2, m2, d2 := Civil(days + 1); d2 == 1 != (d == DaysIn(y, m)) || y2 < y || y2 == y && m2 < m {
			t.Fatalf("%d-%d-%d is followed by %d-%d-%d", y, m, d, y2, m2, d2)
		}
	})
}

func TestFitFixed(t *testing.T) {
	typ := Type{Kind: Numeric, Prec: 5, Scale: 2}
	for in, want := range map[string]string{
		"1.005": "1.01", "-1.005": "-1.01", "999.994": "999.99", "0": "0.00",
		"999.995": "!22003 numeric field overflow", "NaN": "NaN", "-Infinity": "!22003 numeric field overflow",
	} {
		v, err := DecimalValue(mustDecimal(t, in), typ)
		if got := answer(text(v.Text()), err); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	_, err := DecimalValue(mustDecimal(t, "1000"), typ)
	if d := err.(*Error).Detail; d != "A field with precision 5, scale 2 must round to an absolute value less than 10^3." {
		t.Error(d)
	}
	if d, err := mustDecimal(t, "NaN").Fit(Type{Kind: Numeric, Prec: 40, Scale: 2}); err != nil || !d.IsNaN() {
		t.Errorf("NaN in numeric(40,2): %s, %v", d, err)
	}
}

func TestBudget(t *testing.T) {
	b := NewBudget(100)
	if err := b.Reserve(60); err != nil {
		t.Fatal(err)
	}
	err := b.Reserve(41)
	if err == nil || err.(*Error).SQLState() != "53200" || b.Used() != 60 {
		t.Fatalf("%v, used %d", err, b.Used())
	}
	if err := b.Reserve(40); err != nil {
		t.Fatal(err)
	}
	b.Release(100)
	if b.Used() != 0 || b.Peak() != 100 || b.Limit() != 100 {
		t.Errorf("used %d, peak %d", b.Used(), b.Peak())
	}
	var none Budget
	if err := none.Reserve(math.MaxInt64); err != nil {
		t.Errorf("no limit: %v", err)
	}
}
