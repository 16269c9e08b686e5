package expr

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ivmc/ivmc/zset"
)

// The ordered-set aggregates (WITHIN GROUP) are functions of the ordered list of
// the values of a group: the list is kept as that of ARRAY_AGG is, from multiset
// state that follows every change, and the function reads it. NULLs are no values.

// orderedSets are they, by name, with the number of their direct arguments. The
// functions are of plans alone, and are called as the name says, and within.
var orderedSets = map[string]int{"mode": 0, "percentile_cont": 1, "percentile_disc": 1}

const within = " within"

// OrderedSets lists the names of the ordered-set aggregates.
func OrderedSets() []string {
	var out []string
	for name := range orderedSets {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// IsOrderedSet reports whether name is an aggregate that wants WITHIN GROUP.
func IsOrderedSet(name string) bool {
	_, ok := orderedSets[name]
	return ok
}

// OrderedSetArg is the key of the order, cast to the type of the values that
// the aggregate name is computed from. Errors 42883, 42725.
func OrderedSetArg(name string, direct []*Expr, by *Expr, pos int) (*Expr, error) {
	want := by.Typ.Kind
	if name == "percentile_cont" {
		if want == zset.Time {
			want = zset.Interval
		} else if want != zset.Interval {
			want = zset.Float8
		}
	}
	if len(direct) != orderedSets[name] || want != by.Typ.Kind && castContext(by.Typ.Kind, want) != Implicit {
		return nil, noAggregate(name, append(slices.Clone(direct), by), pos)
	}
	for _, d := range direct { // a number or an array of them: the numbers that are ordered decide
		if d.Typ.Kind == zset.Unknown && categoryOf(by.Typ.Kind) != catNumber {
			err := noAggregate(name, append(slices.Clone(direct), by), pos).(*zset.Error)
			err.Code, err.Msg = "42725", strings.Replace(err.Msg, "does not exist", "is not unique", 1)
			err.Hint = "Could not choose a best candidate function. You might need to add explicit type casts."
			return nil, err
		}
	}
	if want == by.Typ.Kind {
		return by, nil
	}
	return Cast(by, zset.Type{Kind: want}, Implicit, pos)
}

// OrderedSet is the value of the aggregate name of the list of its values, in order.
// Error 42883.
func OrderedSet(name string, direct []*Expr, list *Expr, pos int) (*Expr, error) {
	args := []*Expr{list}
	for _, d := range direct {
		t := zset.TFloat8
		if d.Typ.Kind == zset.Array {
			t = zset.ArrayOf(t)
		}
		if castContextOf(d.Typ, t) != Implicit {
			return nil, noAggregate(name, append(slices.Clone(direct), Const(zset.NullOf(list.Typ.Element()))), pos)
		}
		c, err := Cast(d, t, Implicit, pos)
		if err != nil {
			return nil, err
		}
		args = append(args, c)
	}
	return newCall(funcs.bySig[signature(name+within, kindsOf(args), false)], args, pos), nil
}

func orderedSetFuncs() []Func {
	const arr, d = zset.Array, zset.Float8
	one := func(ts []zset.Type) zset.Type { return ts[0].Element() }
	many := func(ts []zset.Type) zset.Type { return zset.ArrayOf(ts[0].Element()) }
	rows := []Func{{Name: "mode" + within, Args: []zset.Kind{arr}, Result: Element, Strict: true, Costly: true, result: one, row: modeRow}}
	for name, at := range map[string]percentile{"percentile_cont": continuous, "percentile_disc": discrete} {
		rows = append(rows,
			Func{Name: name + within, Args: []zset.Kind{arr, d}, Result: Element, Raises: true, Costly: true, result: one,
				row: func(f *frame, i int) {
					if f.isNull(1, i) || !f.inRange(i, f.f(1, i)) || f.isNull(0, i) {
						f.setNull(i)
						return
					}
					values := f.elements(0, i)
					out := zset.NewColumn(values.Type, 1)
					f.putPercentile(i, &out, values, f.f(1, i), at)
					f.setCell(i, &out, 0)
				}},
			Func{Name: name + within, Args: []zset.Kind{arr, arr}, Result: arr, Raises: true, Costly: true, result: many,
				row: func(f *frame, i int) {
					if f.isNull(1, i) || f.isNull(0, i) {
						f.setNull(i)
						return
					}
					values, asked := f.elements(0, i), f.elements(1, i)
					out := zset.NewColumn(values.Type, asked.Len())
					for k := range asked.Len() {
						switch {
						case asked.IsNull(k):
							out.AppendNull()
						case !f.inRange(i, asked.F64[k]):
							return
						default:
							f.putPercentile(i, &out, values, asked.F64[k], at)
						}
					}
					f.putElements(&out, 0, out.Len())
				}})
	}
	return rows
}

// inRange reports whether p is a percentile; if not the row fails.
func (f *frame) inRange(i int, p float64) bool {
	if p >= 0 && p <= 1 {
		return true
	}
	f.fail(i, zset.CodeOutOfRange, "percentile value "+strconv.FormatFloat(p, 'g', 6, 64)+" is not between 0 and 1")
	return false
}

// percentile says between which of n values p lies, and how far from the first.
type percentile func(p float64, n int) (low, high int, part float64)

func discrete(p float64, n int) (low, high int, part float64) {
	low = max(int(math.Ceil(p*float64(n))), 1) - 1
	return low, low, 0
}

func continuous(p float64, n int) (low, high int, part float64) {
	at := p * float64(n-1)
	return int(math.Floor(at)), int(math.Ceil(at)), at - math.Floor(at)
}

// putPercentile appends the percentile of values, of which there are some.
func (f *frame) putPercentile(i int, out, values *zset.Column, p float64, at percentile) {
	low, high, part := at(p, values.Len())
	switch {
	case low == high:
		out.AppendCell(values, low)
	case values.Type.Kind == zset.Interval:
		v, err := between(zset.IntervalOf(values.Bytes(low)), zset.IntervalOf(values.Bytes(high)), part)
		if err != nil {
			f.failWith(i, err)
		}
		out.AppendBytes(v.AppendTo(nil))
	default:
		a, b := values.F64[low], values.F64[high]
		out.AppendF64(a + float64(part*(b-a)))
	}
}

// between is a and part of the way to b.
func between(a, b zset.IntervalValue, part float64) (zset.IntervalValue, *zset.Error) {
	way, ok := addSpans(b, a, -1)
	if !ok {
		return a, errIntervalRange
	}
	way, err := scaleInterval(way, func(x int64) float64 { return float64(x) * part })
	if err != nil {
		return a, err
	}
	if way, ok = addSpans(way, a, 1); !ok {
		return a, errIntervalRange
	}
	return way, nil
}

// addSpans is a + sign*b.
func addSpans(a, b zset.IntervalValue, sign int64) (zset.IntervalValue, bool) {
	months, days := int64(a.Months)+sign*int64(b.Months), int64(a.Days)+sign*int64(b.Days)
	us, ok := addSigned(a.Micros, b.Micros, sign)
	return zset.IntervalValue{Months: int32(months), Days: int32(days), Micros: us},
		ok && months == int64(int32(months)) && days == int64(int32(days))
}

// modeRow: of values that are as frequent, the first in order.
func modeRow(f *frame, i int) {
	c := f.elements(0, i)
	if c.Len() == 0 {
		f.setNull(i)
		return
	}
	best, most, from := 0, 0, 0
	var key, next []byte
	for k := 0; k <= c.Len(); k++ {
		if k < c.Len() {
			if next = zset.AppendElementKey(next[:0], c, k); k > 0 && bytes.Equal(next, key) {
				continue
			}
		}
		if k-from > most {
			best, most = from, k-from
		}
		from, key = k, append(key[:0], next...)
	}
	f.setCell(i, c, best)
}
