package load

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ivmc/ivmc/zset"
)

func TestInfer(t *testing.T) {
	for in, want := range map[string]string{
		"a,b\n1,x\n-2,y\n":                          "a bigint, b text",
		"a,b\n1,2001-01-31\n2.5,2001-02-01\n":       "a double precision, b date",
		"a,b\n007,2001-01-31\n1,2001-02-01 10:00\n": "a text, b timestamp without time zone",
		"a,b\n,true\n,false\n":                      "a text, b boolean",
		"a\n1\n2001-01-31\n":                        "a text",
		"a\n2001-01-31\n1\n":                        "a text",
		"a\n1\ntrue\n":                              "a text",
	} {
		_, s, err := read(t, write(t, "t.csv", in), Options{}, nil)
		var got []string
		for _, f := range s {
			got = append(got, f.Name+" "+f.Type.String())
		}
		if g := strings.Join(got, ", "); g != want || err != nil {
			t.Errorf("%q: %s, %v; want %s", in, g, err, want)
		}
	}
	_, s, err := read(t, write(t, "t.json", `[{"z":1,"a":"2001/01/01 00:47"},{"m":[1],"z":2}]`), Options{}, nil)
	if err != nil || len(s) != 3 || s[0].Name != "z" || s[1].Type != zset.TTimestamp || s[2].Type != zset.TText {
		t.Errorf("%v, %v", s, err)
	}
}

// TestGuess: one column, its values between blanks; what each type must not swallow.
func TestGuess(t *testing.T) {
	nines := strings.Repeat("9", 77)
	for in, want := range map[string]string{
		"9223372036854775807 -9223372036854775808": "bigint",
		"9223372036854775808":                      "numeric",
		"99999999999999999999":                     "numeric",
		"1 99999999999999999999":                   "numeric",
		nines[1:]:                                  "numeric",
		nines:                                      "text",
		"0." + nines:                               "text",
		"0.1 2.5 -3 0":                             "double precision",
		"31.95376472 -104.5698933":                 "double precision",
		"12.50":                                    "numeric",
		"12.5 12.50":                               "numeric",
		"1.0 2.5":                                  "numeric",
		"5. 6":                                     "numeric",
		"0.12345678901234567890":                   "numeric",
		"9007199254740993":                         "bigint",
		"9007199254740993 0.5":                     "numeric",
		"9007199254740993.5":                       "numeric",
		"1000000000000000 0.5":                     "numeric",
		"0.00001":                                  "numeric",
		"1e5 1.0 12.50":                            "double precision",
		"1E-7":                                     "double precision",
		"1e5 0.12345678901234567890":               "numeric",
		"1e400":                                    "text",
		"1e-400 x":                                 "text",
		"-0":                                       "double precision",
		"-0.0 12.50":                               "double precision",
		"-0 9007199254740993":                      "text",
		"1.5 nan inf -Infinity":                    "double precision",
		"nan 12.50":                                "double precision",
		"NaN 0.12345678901234567890":               "numeric",
		"nan nan":                                  "text",
		"inf":                                      "text",
		"+1":                                       "text",
		".5":                                       "text",
		"00.5":                                     "text",
		"-007":                                     "text",
		"1e":                                       "text",
		"1.2.3":                                    "text",
		"1-2":                                      "text",
		"0x10":                                     "text",
		"2024-01-01_00:00:00Z":                     "timestamp with time zone",
		"2024-01-01T00:00:00Z 2024-01-01T00:00:00+02:00":  "timestamp with time zone",
		"2024-01-01T00:00:00.123456-0330":                 "timestamp with time zone",
		"2024-01-01_00:00:00_UTC 2024-01-01_00:00:00_+02": "timestamp with time zone",
		"2024-01-01T00:00:00Z 2024-01-01T00:00:00":        "text",
		"2024-01-01T00:00:00Z 2024-01-01":                 "text",
		"2024-01-01T00:00:00 2024-01-01":                  "timestamp without time zone",
		"2024-01-01T00:00:00.123456":                      "timestamp without time zone",
		"2024-01-01T00:00:00.123456000":                   "timestamp without time zone",
		"2024-01-01T00:00:00.123456789":                   "text",
		"2024-01-01T00:00:00.1234567Z":                    "text",
		"2024-01-01_24:00:00":                             "text",
		"2024-01-01_23:59:60":                             "text",
		"2024-01-01_00:00:00_Europe/Berlin":               "text",
		"2024-01-01_00:00:00_BC":                          "text",
		"2024-01-01T00:00:00+99:00":                       "text",
		"2024-001":                                        "text",
		"2024-02-30":                                      "text",
		"2024/1/5":                                        "date",
		"2024-1/5":                                        "text",
		"2024-01-01_10:00_PM":                             "timestamp without time zone",
	} {
		var g guess
		for _, s := range strings.Fields(in) {
			g.see(strings.ReplaceAll(s, "_", " "))
		}
		if got := g.typ().String(); got != want {
			t.Errorf("%s: %s; want %s", in, got, want)
		}
	}
}

// TestGuessJSON: a number without quotes by the same rule, as its text.
func TestGuessJSON(t *testing.T) {
	got, s, err := read(t, write(t, "t.json", `{"a":12.50,"b":99999999999999999999,"c":0.5,"d":1e3,"e":"2024-01-01T00:00:00+02:00"}`), Options{}, nil)
	if got != "12.50|99999999999999999999|0.5|1000|2023-12-31 22:00:00+00\n" || err != nil {
		t.Errorf("%s, %v, %v", got, s, err)
	}
}

// TestGuessFiles: the values of later files count, by name; the columns are the first's.
func TestGuessFiles(t *testing.T) {
	a := write(t, "a.csv", "x,y,z\n0.5,2024-01-01T00:00:00,\n")
	b := write(t, "b.json", `{"X":0.12345678901234567890,"y":"2024-01-01T00:00:00Z","z":1,"w":1}`)
	for want, files := range map[string][]string{
		"[{x double precision} {y timestamp without time zone} {z text}]": {a},
		"[{x numeric} {y text} {z bigint}]":                               {a, b},
	} {
		s, err := Infer(context.Background(), Options{}, files...)
		var got []string
		for _, f := range s {
			got = append(got, fmt.Sprintf("{%s %s}", f.Name, f.Type))
		}
		if g := "[" + strings.Join(got, " ") + "]"; g != want || err != nil {
			t.Errorf("%s, %v; want %s", g, err, want)
		}
	}
	if _, err := Infer(context.Background(), Options{}, a, a+".gone.csv"); err == nil {
		t.Error("a file that is not there")
	}
}

// TestGuessKeeps: whatever type a column of random texts gets, each text is there: the
// same text, or the same number in a column of floating point, or the same moment.
func TestGuessKeeps(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	run := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte("0001234567899"[r.IntN(13)])
		}
		return b.String()
	}
	value := map[string]func() string{
		"number": func() string {
			s := []string{"", "-"}[r.IntN(2)] + []string{"0", "1" + run(r.IntN(6)), "9" + run(r.IntN(30)), "5" + run(70+r.IntN(8)), run(3)}[r.IntN(5)]
			if r.IntN(2) == 0 {
				s += "." + run(r.IntN(20))
			}
			if r.IntN(6) == 0 {
				s += []string{"e", "E", "e+", "e-"}[r.IntN(4)] + run(1+r.IntN(3))
			}
			return s
		},
		"moment": func() string {
			s := fmt.Sprintf("20%02d-%02d-%02d", r.IntN(100), 1+r.IntN(12), 1+r.IntN(30))
			if r.IntN(8) == 0 {
				return s
			}
			s += []string{" ", "T"}[r.IntN(2)] + fmt.Sprintf("%02d:%02d:%02d", r.IntN(25), r.IntN(60), r.IntN(61))
			if r.IntN(2) == 0 {
				s += "." + run(1+r.IntN(9))
			}
			return s + []string{"", "Z", "+02:00", "-0330", "-00:30"}[r.IntN(5)]
		},
	}
	taken := map[zset.Kind]int{}
	for i := range 20000 {
		kind := []string{"number", "moment"}[i%2]
		var g guess
		var texts []string
		for range 1 + r.IntN(3) {
			texts = append(texts, value[kind]())
			g.see(texts[len(texts)-1])
		}
		typ := g.typ()
		taken[typ.Kind]++
		for _, s := range texts {
			v, err := zset.ParseText(typ, s)
			if err != nil || !keeps(v, s) {
				t.Fatalf("%q in %q as %s is %s, %v", s, texts, typ, v.Text(), err)
			}
		}
	}
	for _, k := range []zset.Kind{zset.Int8, zset.Float8, zset.Numeric, zset.Date, zset.Timestamp, zset.TimestampTZ, zset.Text} {
		if taken[k] < 50 {
			t.Errorf("%v was taken %d times", k, taken[k])
		}
	}
}

// keeps compares by other means than the guess does.
func keeps(v zset.Value, s string) bool {
	got := v.Text()
	moment := func(s string) (time.Time, bool) {
		for _, day := range []string{"2006-01-02", "2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05-0700", "2006-01-02 15:04:05-07"} {
			if m, err := time.Parse(day, strings.Replace(s, "T", " ", 1)); err == nil {
				return m, true
			}
		}
		return time.Time{}, false
	}
	switch v.Type.Kind {
	case zset.Timestamp, zset.TimestampTZ:
		a, ok := moment(got)
		b, too := moment(s)
		return ok && too && a.Equal(b)
	case zset.Float8, zset.Numeric:
		a, ok := new(big.Rat).SetString(got)
		b, too := new(big.Rat).SetString(s)
		if !ok || !too || a.Cmp(b) != 0 {
			return false
		}
		return strings.ContainsAny(s, "eE") || v.Type.Kind == zset.Float8 || got == strings.TrimSuffix(s, ".")
	}
	return got == s
}
