package expr

import (
	"fmt"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

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
