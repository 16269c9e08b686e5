package conformance

import (
	"slices"
	"strings"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// edges are the values of each type where meanings part, as text of that type.
var edges = map[string][]string{
	"smallint": {"0", "1", "-1", "2", "7", "-7", "100", "32767", "-32768"},
	"integer":  {"0", "1", "-1", "2", "7", "-7", "100", "32768", "2147483647", "-2147483648"},
	"bigint":   {"0", "1", "-1", "3", "-7", "2147483648", "9223372036854775807", "-9223372036854775808"},
	"real":     {"0", "-0", "1", "1.5", "-2.5", "0.1", "3e38", "-3e38", "1e-45", "NaN", "Infinity", "-Infinity", "16777217", "1e6", "123456.7", "1e-5"},
	"double precision": {"0", "-0", "1", "1.5", "-2.5", "0.5", "-0.5", "1e308", "-1e308", "5e-324", "1e-300", "NaN", "Infinity", "-Infinity", "0.1",
		"123456789.123456789", "1e15", "1e16", "2147483647.5", "9223372036854775807", "1e-5", "0.0001"},
	"numeric": {"0", "1", "-1", "1.0", "1.00", "0.5", "-0.5", "2.5", "1.005", "123456789012345678901234567890.12345", "99999999999999999999",
		"9223372036854775807.5", "2147483647.4999", "32767.5", "0.000000001", "NaN", "Infinity", "-Infinity", "0.00", "-3.14159"},
	"numeric(9,2)": {"0", "1", "-1", "0.01", "-0.50", "2.5", "1234567.89", "-9999999.99", "NaN"},
	"text": {"", "a", " 1 ", "12", "-1.5", "1e5", "NaN", "true", "t", "2024-02-29", "2024-02-29 12:30:00.123456", "é", "日本語", "%", "_a",
		"a\\%", "ABC", "  ", "month", "day", "week", "quarter", "epoch", "hour", "infinity", "abcabc", "12:30", "1 day", "a b,c", "UTC"},
	"character":                   {"", "a", "a ", " a", "12", "é  ", "B", "true"},
	"bytea":                       {"", "\\x00", "\\xff", "\\x61", "\\x6162", "\\x6162ff00"},
	"date":                        {"2024-02-29", "0001-01-01", "infinity", "-infinity", "5874897-12-31", "4713-01-01 BC", "2000-01-01", "1999-12-31", "1969-12-31"},
	"time without time zone":      {"00:00:00", "12:30:00.5", "12:30:00.999950", "23:59:59.999999", "24:00:00", "01:02:03"},
	"timestamp without time zone": {"2024-02-29 12:30:00.5", "2000-01-01 00:00:00", "infinity", "-infinity", "290000-12-31 23:59:59.999999", "0044-03-15 12:00:00 BC", "1969-12-31 23:59:59.999999", "0001-01-01 00:00:01"},
	"timestamp with time zone":    {"2024-02-29 12:30:00.5+00", "2000-01-01 00:00:00-08", "infinity", "-infinity", "0044-03-15 12:00:00+00 BC", "1969-12-31 23:59:59.999999+05:30"},
	"interval":                    {"0", "1 day", "-1 day", "1 month", "30 days", "24 hours", "1 year 2 mons -3 days 04:05:06.7", "-00:00:00.000001", "1 mon -1 day", "178000000 years"},
	"uuid":                        {"00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "ffffffff-ffff-ffff-ffff-ffffffffffff"},
	"boolean":                     {"t", "f"},
}

// odd are texts to cast: right, nearly right, and wrong.
var odd = []string{"", " ", "0", "1", "-1", "+1", " 12 ", "1.5", "-0.0", ".5", "5.", "1e3", "1e-3", "1e400", "1_000", "nan", "NAN", "inf", "-inf", "+Infinity", "abc",
	"t", "tr", "TRUE", "yes", "y", "on", "off", "o", "2", "32768", "2147483648", "9223372036854775808", "99999999999999999999999999",
	"2024-02-29", "2023-02-29", "2024-2-9", "20240229", "29/02/2024", "02/29/2024", "Feb 29 2024", "29-Feb-2024", "2024-060", "2023-366", "2024-000", "2024_02_29", "12:30 2024-02-29", "13", "2-30", "today x", "infinity", "-infinity", "epoch",
	"{}", "{1,2}", " { 1 , NULL } ", "{1", "{1,}", "{a b,\"c d\"}", "{\\\"}", "{\"\"}", "{1}x", "{null,NuLl}", "{a\"b\"}",
	"2024-02-29 12:30", "2024-02-29T12:30:00Z", "2024-02-29 12:30:00+02", "2024-02-29 24:00:00", "2024-02-29 25:00", "2024-02-29 12:60", "2024-02-29 12:30:60", "0000-01-01", "0001-01-01 BC", "10000-01-01", "-2147483648", "+1600", "-99:00", "2024-02-29 12:30+16", "2024-02-29 12:30+1559",
	"12:30", "12:30:00.1234567", "24:00:01", "1 day", "1 month 2 days", "P1Y2M", "1:02", "1 fortnight", "-1 day 02:03", "\\x61", "\\x6", "\\xzz", "a\\000b",
	"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "{a0eebc999c0b4ef8bb6d6bb9bd380a11}", "a0eebc99", "é", "日本語"}

// arrayKinds are the kinds of elements of the arrays that are tried.
var arrayKinds = []zset.Kind{zset.Int4, zset.Text, zset.Numeric, zset.Float8, zset.Char, zset.Interval, zset.TimestampTZ, zset.Bool, zset.Bytea, zset.Varchar}

// types are the kinds of the function table, each as a type, and arrays of some.
func types() []zset.Type {
	var kinds []zset.Kind
	for _, f := range expr.Functions() {
		for _, k := range append(slices.Clone(f.Args), f.Result) {
			if k != expr.Any && k != expr.Element && k != zset.Unknown && k != zset.Array && !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	slices.Sort(kinds)
	var out []zset.Type
	for _, k := range kinds {
		out = append(out, typeOf(k))
	}
	out = append(out, boundedNumeric, zset.WithFraction(zset.Timestamp, 1))
	for _, k := range arrayKinds {
		out = append(out, zset.ArrayBounded(typeOf(k)))
	}
	return out
}

// boundedNumeric is held as an integer, where a NUMERIC is not.
var boundedNumeric = zset.Type{Kind: zset.Numeric, Prec: 9, Scale: 2}

// typeOf is the type that stands for a kind.
func typeOf(k zset.Kind) zset.Type {
	if k == zset.Char {
		return zset.Type{Kind: k, Prec: 4}
	}
	return zset.Type{Kind: k}
}

// edgesOf is the pool of a type.
func edgesOf(t zset.Type) []string {
	if t.Kind == zset.Varchar || t.Kind == zset.Unknown {
		t.Kind = zset.Text
	}
	switch t.Kind {
	case zset.Time, zset.Timestamp, zset.TimestampTZ, zset.Interval:
		t.Prec = 0
	case zset.Char:
		return edges["character"]
	case zset.Numeric:
		if t.Prec > 0 {
			return edges[boundedNumeric.String()]
		}
	case zset.Array:
		return arraysOf(edgesOf(typeOf(t.Elem)))
	}
	return edges[typeOf(t.Kind).String()]
}

// arraysOf is arrays of such elements: none, NULL, one, and those that begin or
// end alike.
func arraysOf(cells []string) []string {
	item := func(i int) string {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(cells[i%len(cells)]) + `"`
	}
	out := []string{"{}", "{NULL}"}
	for i := range cells {
		out = append(out, "{"+item(i)+"}", "{"+item(i)+","+item(i+1)+"}", "{"+item(i+1)+",NULL,"+item(i)+"}")
	}
	return out
}

// quote writes s as a literal.
func quote(s string) string {
	out := "'"
	for _, c := range s {
		if c == '\'' {
			out += "'"
		}
		out += string(c)
	}
	return out + "'"
}
