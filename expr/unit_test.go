package expr

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/zset"
)

// TestIntegerEdges: + - * / % of all pairs of edges, row by row and dense, as
// column with column and with a constant, against math/big.
func TestIntegerEdges(t *testing.T) {
	for _, typ := range []zset.Type{zset.TInt4, zset.TInt8} {
		w := widths[typ.Kind]
		edges := []int64{0, 1, -1, 2, -2, 46341, -46341, 3037000500, w.max, w.min, w.max - 1, w.min + 1, w.max / 2, w.min / 2}
		for _, name := range []string{"+", "-", "*", "/", "%"} {
			for _, x := range edges {
				for _, y := range edges {
					if x < w.min || x > w.max || y < w.min || y > w.max {
						continue
					}
					want, code := bigInt(name, x, y, w)
					for form := range 3 {
						args := []*Expr{Col(0, typ), Col(1, typ)}
						if form > 0 {
							args[form-1] = Const(zset.Value{Type: typ, I: []int64{x, y}[form-1]})
						}
						checkInt(t, mustBind(Call(name, args, 0)), x, y, want, code)
					}
				}
			}
		}
	}
}

func bigInt(name string, x, y int64, w *width) (int64, string) {
	if (name == "/" || name == "%") && y == 0 {
		return 0, zset.CodeDivisionByZero
	}
	a, b, r := big.NewInt(x), big.NewInt(y), new(big.Int)
	map[string]func(x, y *big.Int) *big.Int{"+": r.Add, "-": r.Sub, "*": r.Mul, "/": r.Quo, "%": r.Rem}[name](a, b)
	if !r.IsInt64() || r.Int64() < w.min || r.Int64() > w.max {
		return 0, zset.CodeOutOfRange
	}
	return r.Int64(), ""
}

// checkInt evaluates e on a batch whose middle row is x, y.
func checkInt(t *testing.T, e *Expr, x, y, want int64, code string) {
	t.Helper()
	typ := e.Typ
	b := &zset.Batch{Cols: []zset.Column{{Type: typ, I64: []int64{1, x, 2}}, {Type: typ, I64: []int64{1, y, 1}}}, N: 3}
	if e.Args[0].IsConst() || e.Args[1].IsConst() { // the constant must not fail elsewhere
		b = b.Slice(1, 2)
	}
	p, err := Compile([]*Expr{e})
	if err != nil {
		t.Fatal(err)
	}
	cols, err := p.New().Eval(b)
	var re *RowError
	switch {
	case code == "" && err != nil:
		t.Errorf("%s of %d, %d (%s): %v", e, x, y, typ, err)
	case code == "" && cols[0].I64[b.N/2] != want:
		t.Errorf("%s of %d, %d (%s): %d, want %d", e, x, y, typ, cols[0].I64[b.N/2], want)
	case code != "" && (!errors.As(err, &re) || re.Err.Code != code || re.Row != b.N/2):
		t.Errorf("%s of %d, %d (%s): %v, want %s", e, x, y, typ, err, code)
	}
}

// TestSparedRows: errors of rows that a condition spares do not surface; others
// do, with the least row. Column i is 0 in rows 1 and 3.
func TestSparedRows(t *testing.T) {
	schema := zset.Schema{{Name: "i", Type: zset.TInt4}, {Name: "c", Type: zset.TBool}, {Name: "t", Type: zset.TText}}
	b := zset.NewBatch(schema.Types(), 5)
	for row, v := range []int64{5, 0, 2, 0, -1} {
		b.Cols[0].AppendI64(v)
		if row == 2 {
			b.Cols[1].AppendNull()
		} else {
			b.Cols[1].AppendValue(zset.BoolValue(v != 0))
		}
		b.Cols[2].AppendBytes([]byte{'x', byte('0' + row)})
	}
	b.N = 5
	for _, c := range []struct{ text, want string }{
		{"case when i = 0 then -1 else 10 / i end", "2 -1 5 -1 -10"},
		{"case when i <> 0 then 10 / i end", "2 NULL 5 NULL -10"},
		{"case when c then 10 / i when i = 0 then 7 else 10 / i end", "2 7 5 7 -10"},
		{"i <> 0 and 10 / i > 1", "t f t f f"},
		{"i = 0 or 10 / i > 1", "t t t t f"},
		{"c and 10 / i > 1", "t f NULL f f"},
		{"c is null or i = 0 or 10 / i > 1", "t t t t f"},
		{"coalesce(nullif(i, 0), 99) * 2", "10 198 4 198 -2"},
		{"coalesce(case when i = 0 then 1 end, 10 / i)", "2 1 5 1 -10"},
		{"case when i > 0 then t || '!' when i < 0 then t end", "x0! NULL x2! NULL x4"},
		{"10 / i", "row 1: 22012"},
		{"c or 10 / i > 1", "row 1: 22012"},
		{"case when i < 0 then t::int else 10 / i end", "row 1: 22012"},
		{"case when i = 0 then 1 else substring(t, 2)::date - date '2020-01-01' end", "row 0: 22008"},
		{"(10 / nullif(i, 0)) + 2147483645", "row 2: 22003"},
		{"case when i = 2 then 1 / (i - 2) when i < 1 then 2147483647 + 1 + i else 0 end", "row 1: 22003"},
	} {
		t.Run(c.text, func(t *testing.T) {
			p, err := Compile([]*Expr{mustRead(t, c.text, schema)})
			if err != nil {
				t.Fatal(err)
			}
			cols, err := p.New().Eval(b)
			got := ""
			var re *RowError
			if errors.As(err, &re) {
				got = "row " + string(rune('0'+re.Row)) + ": " + re.Err.Code
			} else {
				var cells []string
				for row := range b.N {
					if cols[0].IsNull(row) {
						cells = append(cells, "NULL")
					} else {
						cells = append(cells, cols[0].Value(row).Text())
					}
				}
				got = strings.Join(cells, " ")
			}
			if got != c.want {
				t.Errorf("have %s, want %s", got, c.want)
			}
		})
	}
}

// TestLikeIsRegexp: a pattern matches what its regular expression does.
func TestLikeIsRegexp(t *testing.T) {
	letters := rapid.StringOfN(rapid.SampledFrom([]rune{'a', 'b', 'é', '%', '_'}), 0, 9, -1)
	rapid.Check(t, func(t *rapid.T) {
		text, pat := letters.Draw(t, "text"), letters.Draw(t, "pattern")
		re := "(?s)^"
		for _, c := range pat {
			switch c {
			case '%':
				re += ".*"
			case '_':
				re += "."
			default:
				re += regexp.QuoteMeta(string(c))
			}
		}
		p, err := parsePattern([]byte(pat), nil, false)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.match(&frame{}, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if want := regexp.MustCompile(re + "$").MatchString(text); got != want {
			t.Fatalf("%q like %q: %t, want %t", text, pat, got, want)
		}
	})
}

// TestLikeIsLinear: a pattern that makes backtracking matchers exponential.
func TestLikeIsLinear(t *testing.T) {
	text := []byte(strings.Repeat("a", 100_000))
	p, _ := parsePattern([]byte(strings.Repeat("%a", 5000)+"%b"), nil, false)
	if ok, _ := p.match(&frame{}, text); ok {
		t.Error("matched")
	}
}

// TestCivilTable: the table of months agrees with the calendar on every day.
func TestCivilTable(t *testing.T) {
	for day := firstDay - 400; day < firstDay+int64(numDays)+400; day++ {
		y, m, d := civil(day)
		if wy, wm, wd := zset.Civil(day); y != wy || m != wm || d != wd {
			t.Fatalf("day %d: %d-%d-%d, want %d-%d-%d", day, y, m, d, wy, wm, wd)
		}
	}
}

// TestDenseTrunc: the dense forms of date_trunc agree with the units' definition.
func TestDenseTrunc(t *testing.T) {
	for unit := range denseUnits {
		d := bindDenseTrunc([]*zset.Value{{S: unit}, nil})
		rapid.Check(t, func(t *rapid.T) {
			in := rapid.SliceOfN(rapid.Int64Range(firstDay*usDay, (firstDay+int64(numDays))*usDay-1), 1, 50).Draw(t, "timestamps")
			out := zset.Column{Type: zset.TTimestamp, I64: make([]int64, len(in))}
			f := frame{n: len(in), args: []vec{{}, {&zset.Column{Type: zset.TTimestamp, I64: in}, -1}}, out: &out}
			if !d(&f) {
				t.Fatal("declined")
			}
			for i, ts := range in {
				if want := truncUnits[unit](ts); out.I64[i] != want {
					t.Fatalf("%s of %d: %d, want %d", unit, ts, out.I64[i], want)
				}
			}
		})
	}
}

// TestRaises: what can fail, and what cannot.
func TestRaises(t *testing.T) {
	for text, want := range map[string]bool{
		"i": false, "i + 1": true, "i / 2": false, "i / -1": true, "i / 0": true, "i % 7": false, "i % i": true,
		"l::int": true, "i::bigint": false, "d10 + d10": false, "d10 * d5": false, "d10 * d10 * d10": true, "n + 1": true, "d10 / 2": true,
		"d10 > 5": false, "i = 2.5": false, "i > l": false, "t like 'a%'": false, "t like 'a\\'": true, "t like t": true,
		"t::int": true, "i::text": false, "d::timestamp": true, "d = ts": false, "date_trunc('month', ts)": true,
		"extract(month from d)": false, "extract(hour from d)": true, "substring(t, 1, 2)": false, "substring(t, 1, i)": true,
		"case when i = 0 then 1 else 1 / i end": true, "f + 1": true, "f > 1": false, "i::numeric(12,2)": false, "i::numeric(11,2)": true,
		"d10::numeric(5,1)": true, "v::varchar(5)": false, "abs(i)": true, "not c": false, "i in (1, 2)": false,
	} {
		schema := append(zset.Schema{{Name: "c", Type: zset.TBool}}, randomSchema...)
		if got := mustRead(t, text, schema).Raises(); got != want {
			t.Errorf("%s raises: %t, want %t", text, got, want)
		}
	}
}

// TestComparisonForms: both sides get one type, a fixed one where it holds both.
func TestComparisonForms(t *testing.T) {
	for _, c := range []struct{ l, r, want string }{
		{"i", "l", "bigint"}, {"i", "f", "double precision"}, {"i", "'5'", "integer"}, {"d10", "1", "numeric(10,2)"},
		{"d10", "d5", "numeric(12,4)"}, {"d10", "l", "numeric"}, {"d10", "i", "numeric(12,2)"}, {"d10", "12.345", "numeric(11,3)"},
		{"d10", "d30", "numeric"}, {"d10", "n", "numeric"}, {"v", "t", "text"}, {"v", "'x'", "text"}, {"d", "ts", "timestamp without time zone"},
		{"d", "'2020-01-01'", "date"}, {"n", "f", "double precision"}, {"'a'", "'b'", "text"}, {"d10", "'1.5'", "numeric(10,2)"},
	} {
		l, r, err := Comparison(mustRead(t, c.l, randomSchema), mustRead(t, c.r, randomSchema), 0)
		if err != nil {
			t.Errorf("%s = %s: %v", c.l, c.r, err)
			continue
		}
		if l.Typ != r.Typ || l.Typ.String() != c.want {
			t.Errorf("%s = %s: compared as %s and %s, want %s", c.l, c.r, l.Typ, r.Typ, c.want)
		}
	}
}

// TestKeysOfEquals: cells that compare equal have equal keys after Comparison (I8).
func TestKeysOfEquals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := randomBatch(t)
		i := rapid.IntRange(0, len(randomSchema)-1).Draw(t, "left")
		j := rapid.IntRange(0, len(randomSchema)-1).Draw(t, "right")
		l, r, err := Comparison(Col(i, randomSchema[i].Type), Col(j, randomSchema[j].Type), 0)
		if err != nil {
			return
		}
		const zone = "America/New_York"
		p, err := Compile([]*Expr{l.InZone(zone), r.InZone(zone), mustBind(Call("=", []*Expr{l, r}, 0)).InZone(zone)})
		if err != nil {
			t.Fatal(err)
		}
		cols, err := p.New().Eval(b)
		if err != nil {
			t.Fatal(err)
		}
		for row := range b.N {
			if cols[2].IsNull(row) {
				continue
			}
			same := string(zset.AppendKey(nil, &cols[0], row)) == string(zset.AppendKey(nil, &cols[1], row))
			if same != (cols[2].I64[row] == 1) {
				t.Fatalf("%v = %v is %d, keys equal: %t", b.Cols[i].Value(row), b.Cols[j].Value(row), cols[2].I64[row], same)
			}
		}
	})
}

// TestFormat: printed expressions are SQL with no more parentheses than needed.
func TestFormat(t *testing.T) {
	name := func(i int) string { return randomSchema[i].Name }
	for text, want := range map[string]string{
		"i + 1 * i2":                             "i + 1 * i2",
		"(i + 1) * i2":                           "(i + 1) * i2",
		"i - (i2 - 1)":                           "i - (i2 - 1)",
		"i > 5 and (l < 3 or not b)":             "i > 5 AND (l < 3::bigint OR NOT b)",
		"i is null or b is not true":             "i IS NULL OR b IS NOT TRUE",
		"case when i > 0 then t else 'a''b' end": "CASE WHEN i > 0 THEN t ELSE 'a''b' END",
		"d = '2020-01-01'":                       "d = '2020-01-01'::date",
		"i in (1, 2)":                            "i IN (1, 2)",
		"t like 'a%' escape '!'":                 "t LIKE 'a%' ESCAPE '!'",
		"-(-i)":                                  "-(-i)",
		"i - -5":                                 "i - -5",
		"extract(month from d)":                  "extract(month FROM d)",
		"coalesce(i, 0)":                         "coalesce(i, 0)",
		"l::int::text || 'x'":                    "l::integer::text || 'x'",
		"i::numeric(10,2)":                       "i::numeric(10,2)",
	} {
		e := mustRead(t, text, randomSchema)
		if got := e.Format(name); got != strings.ReplaceAll(want, "3::bigint", "3") {
			t.Errorf("%s printed as %s, want %s", text, got, want)
		}
	}
}

// TestMapCols: column maps and substitution reach every column, and leave the original alone.
func TestMapCols(t *testing.T) {
	e := mustRead(t, "case when i > 0 then l + i2 else 0 end", randomSchema)
	before := e.String()
	m := e.MapCols(func(i int) int { return i + 10 })
	if got := m.Cols(); len(got) != 3 || got[0] != 11 || got[1] != 12 || got[2] != 13 {
		t.Errorf("columns %v", got)
	}
	if e.String() != before {
		t.Errorf("changed to %s", e)
	}
	if back := m.MapCols(func(i int) int { return i - 10 }); !back.Equal(e) || back.Equal(m) {
		t.Errorf("mapped back to %s", back)
	}
	if same := e.MapCols(func(i int) int { return i }); same != e {
		t.Error("the identity copies")
	}
}

// TestFreeze: the clock is read nowhere else.
func TestFreeze(t *testing.T) {
	e := mustRead(t, "ts < now() and d = current_date()", randomSchema)
	if !e.Volatile() {
		t.Error("not volatile")
	}
	if _, err := Compile([]*Expr{e}); err == nil {
		t.Error("compiled without a time")
	}
	f := e.Freeze(-1).InZone("UTC")
	if f.Volatile() || f.String() != "#13::timestamp with time zone < '1969-12-31 23:59:59.999999+00'::timestamp with time zone AND #12 = '1969-12-31'::date" {
		t.Errorf("frozen: %s", f)
	}
}

// TestWrongBatch: a batch of other columns is refused, not read.
func TestWrongBatch(t *testing.T) {
	p, _ := Compile([]*Expr{mustRead(t, "d10 > 5", randomSchema)})
	for _, cols := range [][]zset.Column{nil, make([]zset.Column, 8)} {
		if len(cols) == 8 {
			cols[7].Type = zset.Type{Kind: zset.Numeric, Prec: 10, Scale: 3}
		}
		var ze *zset.Error
		if _, err := p.New().Eval(&zset.Batch{Cols: cols}); !errors.As(err, &ze) || ze.Code != "XX000" {
			t.Errorf("%d columns: %v", len(cols), err)
		}
	}
}

// TestNoAllocation: evaluation allocates nothing once its scratch has grown.
func TestNoAllocation(t *testing.T) {
	b := benchBatch(true)
	for _, text := range []string{"a + b * 2", "date_trunc('month', ts)", "upper(origin) like 'A1%'", "price + tax > 100", "n + n",
		"case when b = 0 then null else a % 7 end", "a in (1, 2, 3)", "coalesce(a, b, 0)", "origin || 'x'", "a::text"} {
		p, err := Compile([]*Expr{mustRead(t, text, benchSchema)})
		if err != nil {
			t.Fatal(err)
		}
		v := p.New()
		if allocs := testing.AllocsPerRun(5, func() {
			if _, err := v.Eval(b); err != nil {
				t.Fatal(err)
			}
		}); allocs > 0 {
			t.Errorf("%s: %.0f allocations", text, allocs)
		}
	}
}

// TestStoredFormChecks: a damaged stored expression is an error, never a panic later.
func TestStoredFormChecks(t *testing.T) {
	for _, s := range []string{`{}`, `{"op":"col","type":"nope"}`, `{"op":"call","type":"integer","fn":"+(integer,integer)","args":[]}`,
		`{"op":"call","type":"integer","fn":"nope()"}`, `{"op":"case","type":"integer","args":[]}`, `{"op":"not","type":"boolean","args":[null]}`,
		`{"op":"const","type":"integer"`, `{"op":"col","type":"integer","col":-1}`} {
		var e Expr
		if err := e.UnmarshalJSON([]byte(s)); err == nil {
			t.Errorf("%s was read as %s", s, &e)
		}
	}
}

// TestFloatBounds: what the dense forms call odd is looked at again.
func TestFloatBounds(t *testing.T) {
	b := &zset.Batch{Cols: []zset.Column{
		{Type: zset.TFloat8, F64: []float64{1, math.Inf(1), math.NaN(), 0, 1e308}},
		{Type: zset.TFloat8, F64: []float64{2, 1, 1, 1e-300, 1e308}}}, N: 5}
	x, y := Col(0, zset.TFloat8), Col(1, zset.TFloat8)
	for name, row := range map[string]int{"+": 4, "*": 4, "-": -1} {
		p, _ := Compile([]*Expr{mustBind(Call(name, []*Expr{x, y}, 0))})
		_, err := p.New().Eval(b)
		var re *RowError
		if errors.As(err, &re) != (row >= 0) || row >= 0 && re.Row != row {
			t.Errorf("%s: %v, want an error in row %d", name, err, row)
		}
	}
}
