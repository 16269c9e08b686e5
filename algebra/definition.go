package algebra

import (
	"bytes"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// definitions is the meaning of each aggregate over the cells of one group that
// are not NULL, cell i counted w[i] > 0 times. There is at least one, but for
// count. The numbers are computed exactly and rounded once, by math/big.
var definitions = map[string]func(g expr.AggCall, arg *zset.Column, w []int64) (zset.Value, error){
	"count": defCount,
	"sum":   defSum,
	"avg":   defAvg,
	"min": func(g expr.AggCall, arg *zset.Column, w []int64) (zset.Value, error) {
		return extreme(arg, func(c int) bool { return c < 0 }), nil
	},
	"max": func(g expr.AggCall, arg *zset.Column, w []int64) (zset.Value, error) {
		return extreme(arg, func(c int) bool { return c > 0 }), nil
	},
	"any_value": func(g expr.AggCall, arg *zset.Column, w []int64) (zset.Value, error) {
		return extreme(arg, func(c int) bool { return c < 0 }), nil
	},
	"bool_and": func(g expr.AggCall, arg *zset.Column, w []int64) (zset.Value, error) {
		return zset.BoolValue(!slices.Contains(arg.I64, 0)), nil
	},
	"every": func(g expr.AggCall, arg *zset.Column, w []int64) (zset.Value, error) {
		return zset.BoolValue(!slices.Contains(arg.I64, 0)), nil
	},
	"bool_or": func(g expr.AggCall, arg *zset.Column, w []int64) (zset.Value, error) {
		return zset.BoolValue(slices.Contains(arg.I64, 1)), nil
	},
	"count_if": func(g expr.AggCall, arg *zset.Column, w []int64) (zset.Value, error) {
		n := int64(0)
		for i, yes := range arg.I64 {
			n += yes * w[i]
		}
		return zset.IntValue(n), nil
	},
	"var_pop":     defVariance,
	"var_samp":    defVariance,
	"variance":    defVariance,
	"stddev_pop":  defVariance,
	"stddev_samp": defVariance,
	"stddev":      defVariance,

	"bit_and": defBits, "bit_or": defBits, "bit_xor": defBits,
	"corr": defPairs, "covar_pop": defPairs, "covar_samp": defPairs, "regr_avgx": defPairs, "regr_avgy": defPairs,
	"regr_count": defPairs, "regr_intercept": defPairs, "regr_r2": defPairs, "regr_slope": defPairs, "regr_sxx": defPairs,
	"regr_sxy": defPairs, "regr_syy": defPairs,
}

// inputs is what one row gives to g: its argument, a cell that is never NULL
// for COUNT(*); for a list, the separator, the filter and the keys of the order
// too, TRUE where there is none.
func inputs(g expr.AggCall) []*expr.Expr {
	es := g.Exprs()
	for i := range es {
		if es[i] == nil {
			es[i] = expr.Const(zset.BoolValue(true))
		}
	}
	if g.Arg == nil || g.Class() != expr.List {
		return es[:1]
	}
	return es
}

// definition is the value of g over the rows of one group; cols are the cells
// of inputs(g).
func definition(g expr.AggCall, cols []zset.Column, w []int64) (zset.Value, error) {
	if len(cols) > 1 {
		return defList(g, cols, w)
	}
	arg := &cols[0]
	def := definitions[g.Name]
	if def == nil {
		return zset.Value{}, zset.Errorf("XX000", int(g.Pos), "aggregate %s has no definition", g.Name)
	}
	var keep []int32
	var weights []int64
	for i := range w {
		if !arg.IsNull(i) {
			keep = append(keep, int32(i))
			weights = append(weights, w[i])
		}
	}
	if g.Distinct {
		keep = distinctCells(arg, keep)
		weights = slices.Repeat([]int64{1}, len(keep))
	}
	if len(keep) == 0 && !strings.HasPrefix(g.Name, "count") && g.Name != "regr_count" {
		return zset.NullOf(g.Typ), nil
	}
	cells := zset.NewColumn(arg.Type, len(keep))
	cells.AppendTake(arg, keep)
	return def(g, &cells, weights)
}

// distinctCells is, of the cells keep of arg that are not distinct, the least by
// row encoding.
func distinctCells(arg *zset.Column, keep []int32) []int32 {
	best := map[string]int32{}
	for _, i := range keep {
		k := string(zset.AppendKey(nil, arg, int(i)))
		j, ok := best[k]
		if !ok || bytes.Compare(zset.AppendRow(nil, arg, int(i)), zset.AppendRow(nil, arg, int(j))) < 0 {
			best[k] = i
		}
	}
	return slices.Sorted(maps.Values(best))
}

func defCount(_ expr.AggCall, _ *zset.Column, w []int64) (zset.Value, error) {
	n := total(w)
	if !n.IsInt64() {
		return zset.Value{}, outOfRange("bigint")
	}
	return zset.IntValue(n.Int64()), nil
}

func defSum(g expr.AggCall, arg *zset.Column, w []int64) (zset.Value, error) {
	switch g.Typ.Kind {
	case zset.Int8:
		sum := new(big.Int)
		for i, v := range arg.I64 {
			sum.Add(sum, new(big.Int).Mul(big.NewInt(v), big.NewInt(w[i])))
		}
		if !sum.IsInt64() {
			return zset.Value{}, outOfRange("bigint")
		}
		return zset.IntValue(sum.Int64()), nil
	case zset.Float4:
		sum, special := floatSum(arg, w)
		if sum != nil {
			f, _ := sum.Float32()
			special = float64(f) + 0
			if math.IsInf(special, 0) {
				return zset.Value{}, outOfRange("real")
			}
		}
		return zset.Value{Type: zset.TFloat4, F: special}, nil
	case zset.Float8:
		sum, special := floatSum(arg, w)
		if sum == nil {
			return zset.FloatValue(special), nil
		}
		return nearest(sum)
	case zset.Interval:
		v, err := spanSum(arg, w)
		return v.Value(), err
	}
	d, err := numericSum(arg, w)
	if err != nil {
		return zset.Value{}, err
	}
	return numericValue(d), nil
}

func defAvg(g expr.AggCall, arg *zset.Column, w []int64) (zset.Value, error) {
	n := total(w)
	if g.Typ.Kind == zset.Float8 {
		sum, special := floatSum(arg, w)
		if sum == nil {
			return zset.FloatValue(special), nil
		}
		return nearest(sum.Quo(sum, new(big.Rat).SetInt(n)))
	}
	if g.Typ.Kind == zset.Interval {
		v, err := spanSum(arg, w)
		if err != nil {
			return zset.Value{}, err
		}
		return averageSpan(v, n)
	}
	sum, err := numericSum(arg, w)
	if err != nil {
		return zset.Value{}, err
	}
	count, err := zset.ParseDecimal(n.String())
	if err != nil {
		return zset.Value{}, err
	}
	d, err := sum.Div(count)
	if err != nil {
		return zset.Value{}, err
	}
	return numericValue(d), nil
}

// spanSum is the sum of intervals, part by part.
func spanSum(arg *zset.Column, w []int64) (zset.IntervalValue, error) {
	var sum [3]big.Int
	for i := range w {
		v := zset.IntervalOf(arg.Bytes(i))
		for k, x := range []int64{int64(v.Months), int64(v.Days), v.Micros} {
			sum[k].Add(&sum[k], new(big.Int).Mul(big.NewInt(x), big.NewInt(w[i])))
		}
	}
	m, d := sum[0].Int64(), sum[1].Int64()
	if !sum[0].IsInt64() || !sum[1].IsInt64() || !sum[2].IsInt64() || m != int64(int32(m)) || d != int64(int32(d)) {
		return zset.IntervalValue{}, zset.Errorf(zset.CodeDatetimeRange, -1, "interval out of range")
	}
	return zset.IntervalValue{Months: int32(m), Days: int32(d), Micros: sum[2].Int64()}, nil
}

// averageSpan is v / n by the operator of that name, which has its own roundings.
func averageSpan(v zset.IntervalValue, n *big.Int) (zset.Value, error) {
	f, _ := new(big.Float).SetInt(n).Float64()
	e, err := expr.Call("/", []*expr.Expr{expr.Const(v.Value()), expr.Const(zset.FloatValue(f))}, -1)
	if err != nil {
		return zset.Value{}, err
	}
	if e = expr.Fold(e); !e.IsConst() {
		return zset.Value{}, zset.Errorf(zset.CodeDatetimeRange, -1, "interval out of range")
	}
	return e.Val, nil
}

// extreme is the cell whose key encoding wins over all others, and of those
// that are not distinct the least by row encoding (I13).
func extreme(arg *zset.Column, wins func(cmp int) bool) zset.Value {
	best := 0
	for i := 1; i < arg.Len(); i++ {
		c := bytes.Compare(zset.AppendKey(nil, arg, i), zset.AppendKey(nil, arg, best))
		if wins(c) || c == 0 && bytes.Compare(zset.AppendRow(nil, arg, i), zset.AppendRow(nil, arg, best)) < 0 {
			best = i
		}
	}
	return arg.Value(best)
}

func total(w []int64) *big.Int {
	n := new(big.Int)
	for _, x := range w {
		n.Add(n, big.NewInt(x))
	}
	return n
}

// floatSum is the exact sum; nil, and what it is instead, if a cell is not finite.
func floatSum(arg *zset.Column, w []int64) (*big.Rat, float64) {
	var nan, pos, neg bool
	sum := new(big.Rat)
	for i, v := range arg.F64 {
		switch {
		case math.IsNaN(v):
			nan = true
		case math.IsInf(v, 1):
			pos = true
		case math.IsInf(v, -1):
			neg = true
		default:
			sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetFloat64(v), new(big.Rat).SetInt64(w[i])))
		}
	}
	switch {
	case nan || pos && neg:
		return nil, math.NaN()
	case pos:
		return nil, math.Inf(1)
	case neg:
		return nil, math.Inf(-1)
	}
	return sum, 0
}

// nearest rounds to the nearest double, ties to even. Zero is 0.0.
func nearest(x *big.Rat) (zset.Value, error) {
	f, _ := x.Float64()
	if math.IsInf(f, 0) {
		return zset.Value{}, outOfRange("double precision")
	}
	return zset.FloatValue(f + 0), nil
}

// numericSum is the exact sum of integers or decimals, with the largest scale
// among the cells.
func numericSum(arg *zset.Column, w []int64) (zset.Decimal, error) {
	var nan, pos, neg bool
	coef, scale := new(big.Int), 0
	for i := range w {
		s := cellText(arg, i)
		switch s {
		case "NaN":
			nan = true
			continue
		case "Infinity":
			pos = true
			continue
		case "-Infinity":
			neg = true
			continue
		}
		whole, frac, _ := strings.Cut(s, ".")
		c, _ := new(big.Int).SetString(whole+frac, 10)
		if d := len(frac) - scale; d > 0 {
			coef.Mul(coef, pow10(d))
			scale += d
		} else {
			c.Mul(c, pow10(-d))
		}
		coef.Add(coef, c.Mul(c, big.NewInt(w[i])))
	}
	switch {
	case nan || pos && neg:
		return zset.ParseDecimal("NaN")
	case pos:
		return zset.ParseDecimal("Infinity")
	case neg:
		return zset.ParseDecimal("-Infinity")
	}
	digits := new(big.Int).Abs(coef).String()
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	text := digits
	if scale > 0 {
		text = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if coef.Sign() < 0 {
		text = "-" + text
	}
	return zset.ParseDecimal(text)
}

func pow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// cellText is a number as plain digits.
func cellText(c *zset.Column, i int) string {
	switch {
	case c.Type.Kind != zset.Numeric:
		return big.NewInt(c.I64[i]).String()
	case c.Type.Fixed():
		return zset.FromFixed(c.I64[i], int(c.Type.Scale)).String()
	}
	return zset.DecodeDecimal(c.Bytes(i)).String()
}

func numericValue(d zset.Decimal) zset.Value {
	return zset.Value{Type: zset.TNumeric, S: string(d.AppendTo(nil))}
}

func outOfRange(typ string) error {
	return zset.Errorf(zset.CodeOutOfRange, -1, "%s out of range", typ)
}
