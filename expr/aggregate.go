package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// AggCall is one aggregate of a plan: immutable, serialisable data. Arg is nil
// for COUNT(*) alone. Of an Ordered aggregate, Arg has the type Typ.
type AggCall struct {
	Name string
	Arg  *Expr
	Typ  zset.Type // of the result
	Pos  int32     // char offset in the statement

	// Distinct takes each value once: of those that are not distinct the least
	// by row encoding. Never of an Ordered aggregate, where it says nothing.
	Distinct bool `json:",omitempty"`
	// Sep, By and Filter are of a List alone: what STRING_AGG puts before a
	// value that is not the first, the order, and which rows are taken.
	Sep    *Expr    `json:",omitempty"`
	By     []AggKey `json:",omitempty"`
	Filter *Expr    `json:",omitempty"`
}

// AggKey is one key of the order inside an aggregate.
type AggKey struct {
	Expr       *Expr
	Desc       bool `json:",omitempty"`
	NullsFirst bool `json:",omitempty"`
}

// AggClass says what state an aggregate needs.
type AggClass uint8

// The classes.
const (
	// Linear: the value follows from a sum in a group, so an [Accumulator] is
	// exact under inserts and deletes alike.
	Linear AggClass = iota
	// Ordered: MIN and MAX. Under deletes an ordered multiset is needed; the
	// Accumulator is a fold over positive weights, for runs that start from empty.
	Ordered
	// List: STRING_AGG and ARRAY_AGG. An ordered multiset of the values behind
	// their sort keys is the state, always; there is no Accumulator.
	List
)

// String prints c as EXPLAIN does.
func (c AggClass) String() string {
	return [...]string{"linear", "ordered", "list"}[c]
}

// Accumulator is the states of many groups of one aggregate, in columns,
// without pointers per group. Groups are dense numbers.
//
// The states of a Linear aggregate are a group: Add and Merge are exact and
// commute, a weight of -1 undoes a weight of 1, and Append gives equal bytes
// for states of equal inputs, whatever their order and whatever came and went
// in between. Bounds: the weights of a group may sum up to 2^62 either way.
//
// An Accumulator is for one goroutine at a time.
type Accumulator interface {
	// Resize makes groups 0..n-1 exist. New ones are zero; n below the current
	// number drops the groups from n up.
	Resize(n int)
	// Add adds w[i] times arg[i] to the state of group groups[i]. NULL cells add
	// nothing. w nil means ones; arg is nil for COUNT(*) alone.
	Add(groups []uint32, arg *zset.Column, w []int64)
	// Merge adds the state from of src to the state g. src is of the same
	// AggCall and is left as it is; it may be the receiver itself.
	Merge(g uint32, src Accumulator, from uint32)
	// Append appends the state of g, self-delimiting and canonical.
	Append(dst []byte, g uint32) []byte
	// Load sets the state of g from what Append wrote, and returns the bytes
	// behind it. XX001 if b is no such state.
	Load(g uint32, b []byte) (rest []byte, err error)
	// Clear makes the state of g zero.
	Clear(g uint32)
	// Result appends one cell of the result type per group. This is where a
	// value is rounded, once, and where its range is checked (22003). An error
	// is a *RowError, whose Row is an index into groups; out then ends there.
	Result(groups []uint32, out *zset.Column) error
	// MemBytes is the memory held, in bytes.
	MemBytes() int64
}

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

// ResolveAggregate binds a call of an aggregate; star is the form f(*). Where
// the argument needs an implicit cast (VARCHAR to TEXT, TIME to INTERVAL,
// DECIMAL(p,s) to NUMERIC under MIN and MAX) it is put in. Errors: 42883, 42725 and 42809 as PostgreSQL.
func ResolveAggregate(name string, args []*Expr, star bool, pos int) (AggCall, error) {
	if star && name == "count" {
		return AggCall{Name: name, Typ: zset.TInt8, Pos: int32(pos)}, nil
	}
	if name == "count" && len(args) == 0 {
		return AggCall{}, zset.Errorf("42809", pos, "count(*) must be used to call a parameterless aggregate function")
	}
	if name == "string_agg" && len(args) == 2 && !star {
		return resolveStringAgg(args, pos)
	}
	if row := find(name, zset.Array); row != nil && row.arg == Pair && len(args) == 2 && !star {
		return resolvePair(row, args, pos)
	}
	if star || len(args) != 1 || name == "string_agg" || Arity(name) != 1 {
		return AggCall{}, noAggregate(name, args, pos)
	}
	arg := args[0]
	kind := arg.Typ.Kind
	row := find(name, kind)
	if row == nil && (kind == zset.Varchar || kind == zset.Unknown) {
		row = find(name, zset.Text)
	}
	if row == nil && kind == zset.Time {
		row = find(name, zset.Interval)
	}
	if row == nil && kind == zset.Unknown { // the one kind there is
		row = only(name)
	}
	if row == nil {
		return AggCall{}, noAggregate(name, args, pos)
	}
	if name == "array_agg" {
		switch kind {
		case zset.Array:
			return AggCall{}, zset.Errorf("0A000", pos, "an array of more than one dimension is not supported")
		case zset.Unknown:
			return AggCall{}, noAggregate(name, args, pos)
		}
	}
	want := arg.Typ
	if row.class == Ordered || row.arg != kind && row.arg != zset.Unknown {
		want = row.result(arg)
		if row.class != Ordered {
			want = zset.Type{Kind: row.arg}
		}
	}
	if want != arg.Typ {
		c, err := Cast(arg, want, Implicit, pos)
		if err != nil {
			return AggCall{}, err
		}
		arg = c
	}
	return AggCall{Name: name, Arg: arg, Typ: row.result(arg), Pos: int32(pos)}, nil
}

// resolveStringAgg binds STRING_AGG(value, separator): both texts or both BYTEA;
// what has no type is what the other is.
func resolveStringAgg(args []*Expr, pos int) (AggCall, error) {
	typ := zset.TText
	for _, a := range args {
		if a.Typ.Kind == zset.Bytea {
			typ = zset.TBytea
		}
	}
	var both [2]*Expr
	for i, a := range args {
		switch k := a.Typ.Kind; {
		case k == zset.Unknown || k == typ.Kind:
		case typ == zset.TText && (k == zset.Varchar || k == zset.Char):
		default:
			return AggCall{}, noAggregate("string_agg", args, pos)
		}
		c, err := Cast(a, typ, Implicit, pos)
		if err != nil {
			return AggCall{}, err
		}
		both[i] = c
	}
	return AggCall{Name: "string_agg", Arg: both[0], Sep: both[1], Typ: typ, Pos: int32(pos)}, nil
}

// noAggregate is the error for a call that no row of the table answers.
func noAggregate(name string, args []*Expr, pos int) error {
	ts := make([]string, len(args))
	for i, a := range args {
		ts[i] = typeShown(a.Typ)
	}
	call := fmt.Sprintf("%s(%s)", name, strings.Join(ts, ", "))
	if len(args) == 1 && args[0].Typ.Kind == zset.Unknown && IsAggregate(name) {
		err := zset.Errorf("42725", pos, "function %s is not unique", call)
		err.Hint = "Could not choose a best candidate function. You might need to add explicit type casts."
		return err
	}
	err := zset.Errorf("42883", pos, "function %s does not exist", call)
	err.Hint = "No function matches the given name and argument types. You might need to add explicit type casts."
	return err
}

// row is the table row of a resolved call; nil if there is none, which
// [AggCall.Check] reports.
func (a AggCall) row() *aggregate {
	if a.Arg == nil {
		return find(a.Name, zset.Unknown)
	}
	return find(a.Name, a.Arg.Typ.Kind)
}

// Check reports (XX001) a call that does not name a row of the table. A call of
// ResolveAggregate never fails it; one read back from storage may.
func (a AggCall) Check() error {
	r := a.row()
	if r == nil || a.Arg == nil && a.Name != "count" || r.typ != a.Typ && (r.typ != anyArray || r.result(a.Arg) != a.Typ) || (a.Name == "string_agg") != (a.Sep != nil) || a.Sep != nil && a.Sep.Typ != a.Typ {
		return zset.Errorf("XX001", int(a.Pos), "unknown aggregate %s", a)
	}
	return nil
}

// Class is the class of a; a must pass Check.
func (a AggCall) Class() AggClass { return a.row().class }

// Version changes with the meaning or the state layout of a. It belongs in a
// plan's fingerprint (I7).
func (a AggCall) Version() int { return a.row().version }

// New returns an accumulator without groups; a must pass Check and be no List.
func (a AggCall) New() Accumulator {
	if a.Arg == nil {
		return a.row().new(zset.TUnknown)
	}
	return a.row().new(a.Arg.Typ)
}

// Equal reports whether a and b are the same aggregate, wherever they stood.
func (a AggCall) Equal(b AggCall) bool {
	if a.Name != b.Name || a.Typ != b.Typ || a.Distinct != b.Distinct || len(a.By) != len(b.By) {
		return false
	}
	for i, k := range a.By {
		if k.Desc != b.By[i].Desc || k.NullsFirst != b.By[i].NullsFirst {
			return false
		}
	}
	return slices.EqualFunc(a.Exprs(), b.Exprs(), func(x, y *Expr) bool {
		return x == nil && y == nil || x != nil && y != nil && x.Equal(y)
	})
}

// Exprs is every expression of a: Arg, Sep and Filter, each of which may be nil,
// then the keys of the order.
func (a AggCall) Exprs() []*Expr {
	es := []*Expr{a.Arg, a.Sep, a.Filter}
	for _, k := range a.By {
		es = append(es, k.Expr)
	}
	return es
}

// Map is a with f of each of its expressions.
func (a AggCall) Map(f func(*Expr) *Expr) AggCall {
	for _, p := range []**Expr{&a.Arg, &a.Sep, &a.Filter} {
		if *p != nil {
			*p = f(*p)
		}
	}
	a.By = slices.Clone(a.By)
	for i := range a.By {
		a.By[i].Expr = f(a.By[i].Expr)
	}
	return a
}

// Format prints a as SQL; col names the columns.
func (a AggCall) Format(col func(int) string) string {
	if a.Arg == nil {
		return a.Name + "(*)"
	}
	s := a.Name + "("
	if a.Distinct {
		s += "DISTINCT "
	}
	if name, _, _ := strings.Cut(a.Arg.Fn, "("); name == pairName {
		s += a.Arg.Args[0].Format(col) + ", " + a.Arg.Args[1].Format(col)
	} else {
		s += a.Arg.Format(col)
	}
	if a.Sep != nil {
		s += ", " + a.Sep.Format(col)
	}
	for i, k := range a.By {
		if i == 0 {
			s += " ORDER BY "
		} else {
			s += ", "
		}
		s += k.Expr.Format(col)
		if k.Desc {
			s += " DESC"
		}
		if k.NullsFirst != k.Desc {
			s += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
		}
	}
	s += ")"
	if a.Filter != nil {
		s += " FILTER (WHERE " + a.Filter.Format(col) + ")"
	}
	return s
}

// String prints a with columns as #i.
func (a AggCall) String() string {
	return a.Format(func(i int) string { return fmt.Sprintf("#%d", i) })
}

// errState is the error of Load for bytes that are no state.
func errState(name string) error {
	return zset.Errorf("XX001", -1, "corrupt state of %s", name)
}

// errInputs is the error of Result for a group whose inputs cannot be those of a
// relation: their weights sum up to less than 0, or to 0 while something is
// left of them. Corruption is reported, never clamped (I5).
func errInputs(name string, n int64) error {
	return zset.Errorf("XX001", -1, "corrupt state of %s: the number of its inputs is %d", name, n)
}

// rowError says at which of the groups asked for err arose.
func rowError(i int, err error) error {
	e, ok := err.(*zset.Error)
	if !ok {
		return err
	}
	return &RowError{Row: i, Err: e}
}

// resize gives s the length n; new elements are zero.
func resize[T any](s []T, n int) []T {
	if n <= len(s) {
		clear(s[n:])
		return s[:n]
	}
	if n <= cap(s) {
		return s[:n]
	}
	g := make([]T, n, max(n, 2*cap(s)))
	copy(g, s)
	return g
}
