package expr

import (
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// aggregate is a row of the table of aggregates: one per name and kind of argument.
type aggregate struct {
	name    string
	arg     zset.Kind // Unknown: an argument of any type, or none
	typ     zset.Type // of the result
	class   AggClass
	version int // of the meaning and of the state layout
	new     func(arg zset.Type) Accumulator
}

// Pair is the kind of argument of the aggregates over two numbers, y and x.
const Pair zset.Kind = 253

// anyArray stands in the table for an array whose elements the argument tells.
var anyArray = zset.Type{Kind: zset.Array}

// result is the type of the result for an argument.
func (r *aggregate) result(arg *Expr) zset.Type {
	switch {
	case r.typ != anyArray:
		return r.typ
	case arg.Typ.Kind == zset.Array:
		return zset.ArrayOf(arg.Typ.Element())
	}
	return zset.ArrayOf(arg.Typ)
}

// aggregates is the table. What is not here is no aggregate.
var aggregates = []aggregate{
	{"count", zset.Unknown, zset.TInt8, Linear, 1, newCount},

	{"sum", zset.Int2, zset.TInt8, Linear, 1, newSumInt4},
	{"sum", zset.Int4, zset.TInt8, Linear, 1, newSumInt4},
	{"sum", zset.Int8, zset.TNumeric, Linear, 1, newSumInt},
	{"sum", zset.Numeric, zset.TNumeric, Linear, 1, newSumNumeric},
	{"sum", zset.Float4, zset.TFloat4, Linear, 1, newSumReal},
	{"sum", zset.Float8, zset.TFloat8, Linear, 1, newSumFloat},
	{"sum", zset.Interval, zset.TInterval, Linear, 1, newSumInterval},

	{"avg", zset.Int2, zset.TNumeric, Linear, 1, newAvgInt},
	{"avg", zset.Int4, zset.TNumeric, Linear, 1, newAvgInt},
	{"avg", zset.Int8, zset.TNumeric, Linear, 1, newAvgInt},
	{"avg", zset.Numeric, zset.TNumeric, Linear, 1, newAvgNumeric},
	{"avg", zset.Float4, zset.TFloat8, Linear, 1, newAvgFloat},
	{"avg", zset.Float8, zset.TFloat8, Linear, 1, newAvgFloat},
	{"avg", zset.Interval, zset.TInterval, Linear, 1, newAvgInterval},

	{"min", zset.Int4, zset.TInt4, Ordered, 1, newMin},
	{"min", zset.Int8, zset.TInt8, Ordered, 1, newMin},
	{"min", zset.Float8, zset.TFloat8, Ordered, 1, newMin},
	{"min", zset.Numeric, zset.TNumeric, Ordered, 1, newMin},
	{"min", zset.Text, zset.TText, Ordered, 1, newMin},
	{"min", zset.Date, zset.TDate, Ordered, 1, newMin},
	{"min", zset.Timestamp, zset.TTimestamp, Ordered, 1, newMin},
	{"min", zset.Int2, zset.TInt2, Ordered, 1, newMin},
	{"min", zset.Float4, zset.TFloat4, Ordered, 1, newMin},
	{"min", zset.Char, zset.TChar, Ordered, 1, newMin},
	{"min", zset.Time, zset.TTime, Ordered, 1, newMin},
	{"min", zset.TimestampTZ, zset.TTimestampTZ, Ordered, 1, newMin},
	{"min", zset.Interval, zset.TInterval, Ordered, 1, newMin},
	{"min", zset.Array, anyArray, Ordered, 1, newMin},

	{"max", zset.Int4, zset.TInt4, Ordered, 1, newMax},
	{"max", zset.Int8, zset.TInt8, Ordered, 1, newMax},
	{"max", zset.Float8, zset.TFloat8, Ordered, 1, newMax},
	{"max", zset.Numeric, zset.TNumeric, Ordered, 1, newMax},
	{"max", zset.Text, zset.TText, Ordered, 1, newMax},
	{"max", zset.Date, zset.TDate, Ordered, 1, newMax},
	{"max", zset.Timestamp, zset.TTimestamp, Ordered, 1, newMax},
	{"max", zset.Int2, zset.TInt2, Ordered, 1, newMax},
	{"max", zset.Float4, zset.TFloat4, Ordered, 1, newMax},
	{"max", zset.Char, zset.TChar, Ordered, 1, newMax},
	{"max", zset.Time, zset.TTime, Ordered, 1, newMax},
	{"max", zset.TimestampTZ, zset.TTimestampTZ, Ordered, 1, newMax},
	{"max", zset.Interval, zset.TInterval, Ordered, 1, newMax},
	{"max", zset.Array, anyArray, Ordered, 1, newMax},

	{"any_value", zset.Bool, zset.TBool, Ordered, 1, newAnyValue},
	{"any_value", zset.Int4, zset.TInt4, Ordered, 1, newAnyValue},
	{"any_value", zset.Int8, zset.TInt8, Ordered, 1, newAnyValue},
	{"any_value", zset.Float8, zset.TFloat8, Ordered, 1, newAnyValue},
	{"any_value", zset.Numeric, zset.TNumeric, Ordered, 1, newAnyValue},
	{"any_value", zset.Text, zset.TText, Ordered, 1, newAnyValue},
	{"any_value", zset.Date, zset.TDate, Ordered, 1, newAnyValue},
	{"any_value", zset.Timestamp, zset.TTimestamp, Ordered, 1, newAnyValue},
	{"any_value", zset.Int2, zset.TInt2, Ordered, 1, newAnyValue},
	{"any_value", zset.Float4, zset.TFloat4, Ordered, 1, newAnyValue},
	{"any_value", zset.Char, zset.TChar, Ordered, 1, newAnyValue},
	{"any_value", zset.Time, zset.TTime, Ordered, 1, newAnyValue},
	{"any_value", zset.Interval, zset.TInterval, Ordered, 1, newAnyValue},
	{"any_value", zset.TimestampTZ, zset.TTimestampTZ, Ordered, 1, newAnyValue},
	{"any_value", zset.Bytea, zset.TBytea, Ordered, 1, newAnyValue},
	{"any_value", zset.UUID, zset.TUUID, Ordered, 1, newAnyValue},
	{"any_value", zset.Array, anyArray, Ordered, 1, newAnyValue},

	{"bool_and", zset.Bool, zset.TBool, Linear, 1, newBoolAnd},
	{"bool_or", zset.Bool, zset.TBool, Linear, 1, newBoolOr},
	{"every", zset.Bool, zset.TBool, Linear, 1, newEvery},
	{"count_if", zset.Bool, zset.TInt8, Linear, 1, newCountIf},

	{"bit_and", zset.Int2, zset.TInt2, Linear, 1, newBitAnd},
	{"bit_and", zset.Int4, zset.TInt4, Linear, 1, newBitAnd},
	{"bit_and", zset.Int8, zset.TInt8, Linear, 1, newBitAnd},

	{"bit_or", zset.Int2, zset.TInt2, Linear, 1, newBitOr},
	{"bit_or", zset.Int4, zset.TInt4, Linear, 1, newBitOr},
	{"bit_or", zset.Int8, zset.TInt8, Linear, 1, newBitOr},

	{"bit_xor", zset.Int2, zset.TInt2, Linear, 1, newBitXor},
	{"bit_xor", zset.Int4, zset.TInt4, Linear, 1, newBitXor},
	{"bit_xor", zset.Int8, zset.TInt8, Linear, 1, newBitXor},

	{"var_pop", zset.Int2, zset.TNumeric, Linear, 1, newVarPop},
	{"var_pop", zset.Int4, zset.TNumeric, Linear, 1, newVarPop},
	{"var_pop", zset.Int8, zset.TNumeric, Linear, 1, newVarPop},
	{"var_pop", zset.Numeric, zset.TNumeric, Linear, 1, newVarPop},
	{"var_pop", zset.Float4, zset.TFloat8, Linear, 1, newVarPop},
	{"var_pop", zset.Float8, zset.TFloat8, Linear, 1, newVarPop},

	{"var_samp", zset.Int2, zset.TNumeric, Linear, 1, newVarSamp},
	{"var_samp", zset.Int4, zset.TNumeric, Linear, 1, newVarSamp},
	{"var_samp", zset.Int8, zset.TNumeric, Linear, 1, newVarSamp},
	{"var_samp", zset.Numeric, zset.TNumeric, Linear, 1, newVarSamp},
	{"var_samp", zset.Float4, zset.TFloat8, Linear, 1, newVarSamp},
	{"var_samp", zset.Float8, zset.TFloat8, Linear, 1, newVarSamp},

	{"variance", zset.Int2, zset.TNumeric, Linear, 1, newVariance},
	{"variance", zset.Int4, zset.TNumeric, Linear, 1, newVariance},
	{"variance", zset.Int8, zset.TNumeric, Linear, 1, newVariance},
	{"variance", zset.Numeric, zset.TNumeric, Linear, 1, newVariance},
	{"variance", zset.Float4, zset.TFloat8, Linear, 1, newVariance},
	{"variance", zset.Float8, zset.TFloat8, Linear, 1, newVariance},

	{"stddev_pop", zset.Int2, zset.TNumeric, Linear, 1, newStddevPop},
	{"stddev_pop", zset.Int4, zset.TNumeric, Linear, 1, newStddevPop},
	{"stddev_pop", zset.Int8, zset.TNumeric, Linear, 1, newStddevPop},
	{"stddev_pop", zset.Numeric, zset.TNumeric, Linear, 1, newStddevPop},
	{"stddev_pop", zset.Float4, zset.TFloat8, Linear, 1, newStddevPop},
	{"stddev_pop", zset.Float8, zset.TFloat8, Linear, 1, newStddevPop},

	{"stddev_samp", zset.Int2, zset.TNumeric, Linear, 1, newStddevSamp},
	{"stddev_samp", zset.Int4, zset.TNumeric, Linear, 1, newStddevSamp},
	{"stddev_samp", zset.Int8, zset.TNumeric, Linear, 1, newStddevSamp},
	{"stddev_samp", zset.Numeric, zset.TNumeric, Linear, 1, newStddevSamp},
	{"stddev_samp", zset.Float4, zset.TFloat8, Linear, 1, newStddevSamp},
	{"stddev_samp", zset.Float8, zset.TFloat8, Linear, 1, newStddevSamp},

	{"stddev", zset.Int2, zset.TNumeric, Linear, 1, newStddev},
	{"stddev", zset.Int4, zset.TNumeric, Linear, 1, newStddev},
	{"stddev", zset.Int8, zset.TNumeric, Linear, 1, newStddev},
	{"stddev", zset.Numeric, zset.TNumeric, Linear, 1, newStddev},
	{"stddev", zset.Float4, zset.TFloat8, Linear, 1, newStddev},
	{"stddev", zset.Float8, zset.TFloat8, Linear, 1, newStddev},

	{"regr_count", Pair, zset.TInt8, Linear, 1, newRegrCount},
	{"covar_pop", Pair, zset.TFloat8, Linear, 1, newCovarPop},
	{"covar_samp", Pair, zset.TFloat8, Linear, 1, newCovarSamp},
	{"corr", Pair, zset.TFloat8, Linear, 1, newCorr},
	{"regr_avgx", Pair, zset.TFloat8, Linear, 1, newRegrAvgX},
	{"regr_avgy", Pair, zset.TFloat8, Linear, 1, newRegrAvgY},
	{"regr_intercept", Pair, zset.TFloat8, Linear, 1, newRegrIntercept},
	{"regr_r2", Pair, zset.TFloat8, Linear, 1, newRegrR2},
	{"regr_slope", Pair, zset.TFloat8, Linear, 1, newRegrSlope},
	{"regr_sxx", Pair, zset.TFloat8, Linear, 1, newRegrSXX},
	{"regr_sxy", Pair, zset.TFloat8, Linear, 1, newRegrSXY},
	{"regr_syy", Pair, zset.TFloat8, Linear, 1, newRegrSYY},

	{"string_agg", zset.Text, zset.TText, List, 1, nil},
	{"string_agg", zset.Bytea, zset.TBytea, List, 1, nil},
	{"array_agg", zset.Unknown, anyArray, List, 1, nil},
}

// find looks a row up; nil if there is none.
func find(name string, arg zset.Kind) *aggregate {
	for i := range aggregates {
		a := &aggregates[i]
		if a.name == name && (a.arg == arg || a.arg == zset.Unknown || a.arg == Pair && arg == zset.Array) {
			return a
		}
	}
	return nil
}

// only is the row for an argument without a type: that of an aggregate of one
// kind of argument, or of numbers alone, where PostgreSQL prefers double
// precision; nil for others.
func only(name string) *aggregate {
	var first, double *aggregate
	n, numbers := 0, true
	for i := range aggregates {
		r := &aggregates[i]
		if r.name != name {
			continue
		}
		if n++; n == 1 {
			first = r
		}
		switch r.arg {
		case zset.Float8:
			double = r
		case zset.Int2, zset.Int4, zset.Int8, zset.Float4, zset.Numeric:
		default:
			numbers = false
		}
	}
	switch {
	case n == 1:
		return first
	case numbers:
		return double
	}
	return nil
}

// IsAggregate reports whether name, folded to lower case, is an aggregate function.
func IsAggregate(name string) bool {
	for i := range aggregates {
		if aggregates[i].name == name {
			return true
		}
	}
	return false
}

// Arity is the number of arguments that the aggregate name takes.
func Arity(name string) int {
	for i := range aggregates {
		if a := &aggregates[i]; a.name == name && (a.arg == Pair || name == "string_agg") {
			return 2
		}
	}
	return 1
}

// Aggregates lists the names of the aggregates, in the order of their table.
func Aggregates() []string {
	var out []string
	for i := range aggregates {
		if n := aggregates[i].name; !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
