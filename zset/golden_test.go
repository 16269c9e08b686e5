package zset

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// golden reads the lines of a file of answers taken from PostgreSQL 15.
func golden(t *testing.T, name string, fields int) [][]string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for _, line := range strings.Split(string(b), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "|")
		if len(f) != fields {
			t.Fatalf("%s: bad line %q", name, line)
		}
		out = append(out, f)
	}
	return out
}

func answer(s fmt.Stringer, err error) string {
	if err != nil {
		e := err.(*Error)
		return "!" + e.Code + " " + e.Msg
	}
	return s.String()
}

type text string

func (t text) String() string { return string(t) }

func mustDecimal(t testing.TB, s string) Decimal {
	d, err := ParseDecimal(s)
	if err != nil {
		t.Fatalf("ParseDecimal(%q): %v", s, err)
	}
	return d
}

func TestNumericAsPostgres(t *testing.T) {
	wide := 0
	for _, f := range golden(t, "numeric.txt", 4) {
		op, want := f[0], f[3]
		var got string
		switch op {
		case "fromfloat", "floattext":
			v, err := ParseText(TFloat8, f[1])
			if err != nil {
				t.Fatal(err)
			}
			if op == "floattext" {
				got = v.Text()
				break
			}
			d, err := FromFloat64(v.F)
			got = answer(d, err)
		case "float8":
			got = string(AppendFloat(nil, mustDecimal(t, f[1]).Float64()))
		case "int8":
			i, ok := mustDecimal(t, f[1]).ToInt64()
			if got = strconv.FormatInt(i, 10); !ok {
				got = "!"
			}
			if strings.HasPrefix(want, "!") {
				want = "!"
			}
		case "floor":
			d, err := mustDecimal(t, f[1]).Floor()
			got = answer(d, err)
		case "ceil":
			d, err := mustDecimal(t, f[1]).Ceil()
			got = answer(d, err)
		case "round", "trunc":
			n, _ := strconv.Atoi(f[2])
			d, err := mustDecimal(t, f[1]).Round(n)
			if op == "trunc" {
				d, err = mustDecimal(t, f[1]).Trunc(n)
			}
			got = answer(d, err)
		default:
			got = dyadic(op, mustDecimal(t, f[1]), mustDecimal(t, f[2]))
		}
		if got == want {
			continue
		}
		if digits := strings.Trim(want, "-"); len(strings.Replace(digits, ".", "", 1)) > MaxPrecision && strings.HasPrefix(got, "!22003") {
			wide++
			continue
		}
		t.Errorf("%s: got %s", strings.Join(f, "|"), got)
	}
	if wide > 20 {
		t.Errorf("%d results too wide for a coefficient: more than the file should hold", wide)
	}
}

func dyadic(op string, a, b Decimal) string {
	var d Decimal
	var err error
	switch op {
	case "+":
		d, err = a.Add(b)
	case "-":
		d, err = a.Sub(b)
	case "*":
		d, err = a.Mul(b)
	case "/":
		d, err = a.Div(b)
	case "%":
		d, err = a.Mod(b)
	case "cmp":
		d = DecimalFromInt64(int64(min(max(a.Cmp(b), -1), 1)))
	}
	return answer(d, err)
}

var typeNames = map[string]Type{
	"boolean": TBool, "integer": TInt4, "bigint": TInt8, "double precision": TFloat8,
	"numeric": TNumeric, "numeric(5,2)": {Kind: Numeric, Prec: 5, Scale: 2},
	"smallint": TInt2, "real": TFloat4, "character(3)": {Kind: Char, Prec: 3}, "bytea": TBytea, "uuid": TUUID,
	"time": TTime, "timestamptz": TTimestampTZ, "interval": TInterval,
	"integer[]": ArrayOf(TInt4), "text[]": ArrayOf(TText),
	"numeric(30,5)": {Kind: Numeric, Prec: 30, Scale: 5}, "date": TDate, "timestamp": TTimestamp,
}

// differs lists inputs on which we differ from PostgreSQL, and what we answer.
var differs = map[string]string{
	"character(3)|abcd":                      "!22001 value too long for type character(3)", // the cast cuts, input does not
	"timestamp|294276-12-31 23:59:59.999999": "!22008 timestamp out of range: \"294276-12-31 23:59:59.999999\"",
	"date|Sat 2001-01-06":                    "2001-01-06",
	"date|2001--01-02":                       "!22007 invalid input syntax for type date: \"2001--01-02\"",
}

func TestInputAsPostgres(t *testing.T) {
	for _, f := range append(golden(t, "input.txt", 3), golden(t, "types.txt", 3)...) {
		typ, want := typeNames[f[0]], f[2]
		v, err := ParseText(typ, f[1])
		got := answer(text(v.Text()), err)
		if typ == TBool && err == nil {
			got = map[string]string{"t": "true", "f": "false"}[got]
		}
		if d, ok := differs[f[0]+"|"+f[1]]; ok {
			want = d
		}
		if got != want {
			t.Errorf("%s: got %s", strings.Join(f, "|"), got)
		}
	}
}

func TestCalendarAsPostgres(t *testing.T) {
	for _, f := range golden(t, "calendar.txt", 3) {
		x, _ := strconv.ParseInt(f[1], 10, 64)
		typ := typeNames[f[0]]
		v := Value{Type: typ, I: x}
		if got := v.Text(); got != f[2] {
			t.Errorf("%s: printed %s", strings.Join(f, "|"), got)
		}
		back, err := ParseText(typ, f[2])
		if err != nil || back.I != x {
			t.Errorf("%s: read back %d, %v", strings.Join(f, "|"), back.I, err)
		}
	}
}

func TestVarcharInput(t *testing.T) {
	typ := Type{Kind: Varchar, Prec: 3}
	for in, want := range map[string]string{
		"abc": "abc", "abc   ": "abc", "äöü": "äöü", "ab ": "ab ", "äöü ": "äöü", "": "",
		"abcd":  "!22001 value too long for type character varying(3)",
		"äöüß":  "!22001 value too long for type character varying(3)",
		"a\x00": "!22021 invalid byte sequence for encoding \"UTF8\": 0x00",
		"a\xff": "!22021 invalid byte sequence for encoding \"UTF8\": 0xff",
	} {
		v, err := ParseText(typ, in)
		if got := answer(text(v.Text()), err); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
