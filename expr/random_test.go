package expr

import (
	"math"
	"strings"

	"pgregory.net/rapid"

	"github.com/ivmc/ivmc/zset"
)

// randomSchema has every kind, and every form of NUMERIC.
var randomSchema = zset.Schema{
	{Name: "b", Type: zset.TBool}, {Name: "i", Type: zset.TInt4}, {Name: "i2", Type: zset.TInt4},
	{Name: "l", Type: zset.TInt8}, {Name: "f", Type: zset.TFloat8}, {Name: "f2", Type: zset.TFloat8},
	{Name: "n", Type: zset.TNumeric}, {Name: "d10", Type: zset.Type{Kind: zset.Numeric, Prec: 10, Scale: 2}},
	{Name: "d5", Type: zset.Type{Kind: zset.Numeric, Prec: 5, Scale: 4}}, {Name: "d30", Type: zset.Type{Kind: zset.Numeric, Prec: 30, Scale: 3}},
	{Name: "t", Type: zset.TText}, {Name: "v", Type: zset.Type{Kind: zset.Varchar, Prec: 5}},
	{Name: "d", Type: zset.TDate}, {Name: "ts", Type: zset.TTimestamp},
	{Name: "i16", Type: zset.TInt2}, {Name: "r", Type: zset.TFloat4}, {Name: "c", Type: zset.Type{Kind: zset.Char, Prec: 4}}, {Name: "c0", Type: zset.TChar},
	{Name: "by", Type: zset.TBytea}, {Name: "tm", Type: zset.TTime}, {Name: "iv", Type: zset.TInterval}, {Name: "u", Type: zset.TUUID},
	{Name: "tz", Type: zset.TTimestampTZ}, {Name: "ar", Type: zset.ArrayOf(zset.TNumeric)},
}

// edges are the values that random cells and constants are drawn from, as text.
var edges = map[zset.Kind][]string{
	zset.Bool:    {"t", "f"},
	zset.Int4:    {"0", "1", "-1", "2", "3", "7", "-7", "60", "2147483647", "-2147483648"},
	zset.Int8:    {"0", "1", "-1", "2", "5", "60", "1000000007", "9223372036854775807", "-9223372036854775808", "2147483648"},
	zset.Float8:  {"0", "-0", "1", "-1", "0.5", "2.5", "1e308", "-1e308", "1e-308", "5e-324", "NaN", "Infinity", "-Infinity", "3"},
	zset.Numeric: {"0", "0.00", "1", "1.0", "-1.50", "2.5", "7", "0.0001", "12.34", "-9.99", "3", "NaN"},
	zset.Text: {"", "a", "abc", "aXc", "%", "_", "a%", "%b_", "é", "日本", " x ", "month", "dow", "12", "1.5", "2020-02-29", "a\\", "ABC",
		"b.?", "^(a)(b)?", `\1-\&`, "i", "[[:alpha:]]+"},
	zset.Date: {"1970-01-01", "2024-02-29", "0001-01-01", "4714-11-24 BC", "5874897-12-31", "infinity", "-infinity", "2020-12-31"},
	zset.Timestamp: {"1970-01-01 00:00:00", "2024-02-29 13:14:15.123456", "1969-12-31 23:59:59.999999", "4714-11-24 00:00:00 BC",
		"294246-12-31 23:59:59", "infinity", "-infinity", "2021-01-03 00:00:01"},
	zset.TimestampTZ: {"1970-01-01 00:00:00+00", "2024-03-10 06:59:59+00", "2024-03-10 07:00:00+00", "2024-11-03 05:30:00+00", "4714-11-24 00:00:00+00 BC", "294246-12-31 23:59:59+00", "infinity", "-infinity"},
	zset.Int2:        {"0", "1", "-1", "2", "7", "300", "32767", "-32768"},
	zset.Float4:      {"0", "-0", "1", "-1", "0.1", "2.5", "3e38", "-3e38", "1e-45", "1.1754944e-38", "16777216", "NaN", "Infinity", "-Infinity"},
	zset.Char:        {"", " ", "a", "a ", "a  ", "ab", "é", "a%", "12", "A"},
	zset.Bytea:       {`\x`, `\x00`, `\x0001ff`, "abc", `\x61`},
	zset.Time:        {"00:00:00", "24:00:00", "12:34:56.789012", "23:59:59.999999", "00:00:00.000001"},
	zset.Interval:    {"0", "1 mon", "30 days", "29 days 24:00:00", "-1 mon", "1 day -00:00:01", "1 year 2 mons 3 days 04:05:06.789", "178956970 years", "-2147483648 days", "00:00:00.000001", "1000000:00:00"},
	zset.UUID:        {"00000000-0000-0000-0000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "ffffffff-ffff-ffff-ffff-ffffffffffff"},
	zset.Array:       {"{}", "{1}", "{1.0}", "{1,NULL}", "{1.00,2}", "{NULL}", "{NaN}"},
}

func randomValue(t *rapid.T, typ zset.Type) zset.Value {
	if rapid.IntRange(0, 5).Draw(t, "null") == 0 {
		return zset.NullOf(typ)
	}
	k := stringAsText(typ.Kind)
	s := rapid.SampledFrom(edges[k]).Draw(t, "value")
	if k == zset.Numeric && typ == zset.TNumeric && rapid.IntRange(0, 3).Draw(t, "special") == 0 {
		s = rapid.SampledFrom([]string{"NaN", "Infinity", "-Infinity", "1e70", "123456789012345678901234567890.5"}).Draw(t, "value")
	}
	if typ.Kind == zset.Varchar {
		s = s[:varcharEnd([]byte(s), int(typ.Prec))]
	}
	if typ.Prec == 5 && typ.Kind == zset.Numeric { // DECIMAL(5,4)
		s = rapid.SampledFrom([]string{"0", "1", "9.9999", "-9.9999", "0.0001", "NaN"}).Draw(t, "value")
	}
	if typ.Kind == zset.Array && typ.Elem == zset.Unknown {
		typ = zset.ArrayOf(zset.TNumeric)
	}
	v, err := zset.ParseText(typ, s)
	if err != nil {
		panic(err)
	}
	v.Type = typ
	return v
}

func randomBatch(t *rapid.T) *zset.Batch {
	n := rapid.IntRange(0, 40).Draw(t, "rows")
	b := zset.NewBatch(randomSchema.Types(), n)
	for c := range b.Cols {
		for range n {
			b.Cols[c].AppendValue(randomValue(t, b.Cols[c].Type))
		}
	}
	b.N = n
	return b
}

// randomExpr is an expression of kind k (Varchar counts as Text).
func randomExpr(t *rapid.T, k zset.Kind, depth int) *Expr {
	if depth > 0 {
		switch rapid.IntRange(0, 9).Draw(t, "form") {
		case 0, 1, 2, 3, 4:
			if e := randomCall(t, k, depth-1); e != nil {
				return e
			}
		case 5:
			conds := []*Expr{randomExpr(t, zset.Bool, depth-1), randomExpr(t, zset.Bool, depth-1)}
			thens := []*Expr{randomExpr(t, k, depth-1), randomExpr(t, k, depth-1)}
			return mustBind(Case(conds, thens, randomExpr(t, k, depth-1), 7))
		case 6:
			name := rapid.SampledFrom([]string{"coalesce", "greatest", "least", "nullif"}).Draw(t, "name")
			return mustBind(Call(name, []*Expr{randomExpr(t, k, depth-1), randomExpr(t, k, depth-1)}, 3))
		case 7, 8:
			if k == zset.Bool {
				return randomLogic(t, depth-1)
			}
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "leaf") == 0 {
		return Const(randomValue(t, plainType(k)))
	}
	var cols []int
	for i, f := range randomSchema {
		if stringAsText(f.Type.Kind) == k {
			cols = append(cols, i)
		}
	}
	i := rapid.SampledFrom(cols).Draw(t, "column")
	return mustBind(Cast(Col(i, randomSchema[i].Type), randomSchema[i].Type, Implicit, 0))
}

// plainType is the type of kind k without modifiers; arrays are those of NUMERIC.
func plainType(k zset.Kind) zset.Type {
	switch k {
	case Element:
		return zset.TNumeric
	case zset.Array:
		return zset.ArrayOf(zset.TNumeric)
	}
	return zset.Type{Kind: k}
}

func mustBind(e *Expr, err error) *Expr {
	if err != nil {
		panic(err)
	}
	return e
}

// lengthens are the functions whose number says how long the result is.
var lengthens = map[string]bool{"repeat": true, "space": true, "lpad": true, "rpad": true}

// randomCall draws from the function table, casts included; nil if the draw fits no row.
func randomCall(t *rapid.T, k zset.Kind, depth int) *Expr {
	var rows []string
	for _, f := range Functions() {
		if stringAsText(plainType(f.Result).Kind) == k && !f.Volatile && !f.Rows && f.Name != assignName {
			rows = append(rows, f.Signature())
		}
	}
	f := funcs.bySig[rapid.SampledFrom(rows).Draw(t, "function")]
	args := make([]*Expr, len(f.Args))
	for i, want := range f.Args {
		if f.Name == anyOf || f.Name == allOf {
			want = [...]zset.Kind{zset.Text, zset.Numeric, zset.Array}[i]
		}
		if want == Element {
			want = zset.Numeric
		}
		if want == Any || want == zset.Unknown {
			want = rapid.SampledFrom(comparable).Draw(t, "kind")
		}
		if isCastName(f.Name) {
			want = f.Args[0]
		}
		if want == zset.Unknown {
			return nil
		}
		args[i] = randomExpr(t, stringAsText(want), depth)
		if lengthens[f.Name] && want == zset.Int4 { // a computed length could be one of a gigabyte
			args[i] = Const(randomValue(t, zset.TInt4))
		}
		if want == zset.Varchar {
			args[i] = mustBind(Cast(args[i], zset.TVarchar, Implicit, 0))
		}
		if i == 0 && f.Args[0] == zset.Text && (strings.HasPrefix(f.Name, "date_") || f.Name == "extract") {
			unit := rapid.SampledFrom([]string{"second", "month", "week", "year", "epoch", "julian", "dow", "century", "hour", "quarter", "timezone", "nope"}).Draw(t, "unit")
			args[i] = Const(zset.TextValue(unit))
		}
	}
	if f.Name == "to_char" {
		form := rapid.SampledFrom([]string{"YYYY-MM-DD HH24:MI:SS.US", "FMDay, FMDDth Month IYYY", "Q WW AM", "", "TZ"}).Draw(t, "format")
		args[1] = Const(zset.TextValue(form))
	}
	if f.Name == anyOf || f.Name == allOf {
		args[0] = Const(zset.TextValue(rapid.SampledFrom([]string{"=", "<>", "<", ">="}).Draw(t, "operator")))
	}
	e := newCall(f, args, 5)
	if e.Typ.Kind == zset.Array && !isCastName(f.Name) {
		return mustBind(Cast(e, plainType(zset.Array), Explicit, 5))
	}
	if f.zoned {
		e.Args[len(args)] = Const(zset.TextValue(rapid.SampledFrom([]string{"UTC", "America/New_York", "Asia/Kathmandu"}).Draw(t, "zone")))
	}
	if isCastName(f.Name) {
		if f.Result == zset.Numeric {
			e.Typ = rapid.SampledFrom([]zset.Type{zset.TNumeric, randomSchema[7].Type, randomSchema[8].Type, randomSchema[9].Type}).Draw(t, "target")
		}
		if f.Result == zset.Varchar || f.Result == zset.Char {
			e.Typ = zset.Type{Kind: f.Result, Prec: int16(rapid.IntRange(0, 3).Draw(t, "length"))}
		}
		if f.Result == zset.Array {
			e.Typ = zset.ArrayOf(zset.TNumeric)
		}
		return e
	}
	return e
}

func randomLogic(t *rapid.T, depth int) *Expr {
	x := func() *Expr { return randomExpr(t, zset.Bool, depth) }
	switch rapid.IntRange(0, 5).Draw(t, "logic") {
	case 0:
		return mustBind(Call("and", []*Expr{x(), x(), x()}, 1))
	case 1:
		return mustBind(Call("or", []*Expr{x(), x(), x()}, 1))
	case 2:
		return mustBind(Call("not", []*Expr{x()}, 1))
	case 3:
		k := rapid.SampledFrom(comparable).Draw(t, "kind")
		name := rapid.SampledFrom([]string{"is null", "is not null"}).Draw(t, "name")
		return mustBind(Call(name, []*Expr{randomExpr(t, k, depth)}, 1))
	case 4:
		k := rapid.SampledFrom(comparable).Draw(t, "kind")
		args := []*Expr{randomExpr(t, k, depth)}
		for range rapid.IntRange(1, 20).Draw(t, "items") {
			args = append(args, Const(randomValue(t, plainType(k))))
		}
		return mustBind(Call("in", args, 1))
	}
	k := rapid.SampledFrom(comparable).Draw(t, "kind")
	name := rapid.SampledFrom([]string{"=", "<", "<>", ">=", "is distinct from"}).Draw(t, "name")
	return mustBind(Call(name, []*Expr{randomExpr(t, k, depth), randomExpr(t, k, depth)}, 1))
}

func sameCell(a *zset.Column, i int, b *zset.Column, j int) bool {
	if a.IsNull(i) || b.IsNull(j) {
		return a.IsNull(i) == b.IsNull(j)
	}
	switch a.Type.Phys() {
	case zset.PhysI64:
		return a.I64[i] == b.I64[j]
	case zset.PhysF64:
		x, y := a.F64[i], b.F64[j]
		return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
	}
	return string(a.Bytes(i)) == string(b.Bytes(j))
}
