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
