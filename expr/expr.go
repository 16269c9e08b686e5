package expr

import (
	"math"
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// Op tells the forms of an [Expr] apart.
type Op uint8

// The forms. Everything that is a plain function of its arguments, casts
// included, is OpCall; the others evaluate arguments only for rows that need
// them, or take any number of arguments of one type.
const (
	OpCol       Op = iota // Col: the column's index in the batch
	OpConst               // Val
	OpCall                // Fn: a row of the function table or of the cast table
	OpAnd                 // n-ary, three-valued
	OpOr                  // n-ary, three-valued
	OpNot                 //
	OpIsNull              // of any type
	OpIsNotNull           //
	OpCase                // Args: cond, then, cond, then, .., else
	OpCoalesce            // Args of one type
	OpIn                  // Args[0] against constants Args[1:], all of one type
	OpGreatest            // Args of one type; NULLs do not count
	OpLeast               //
	numOps
)

// Expr is a bound scalar expression: immutable data, shared freely, with no
// closures in it, so that a plan can be stored and read back (I7).
//
// Typ is both the SQL type and, by its modifiers, the physical form of the
// column that evaluation yields. Two expressions of equal Typ yield columns of
// the same form.
type Expr struct {
	Op   Op
	Typ  zset.Type
	Col  int
	Val  zset.Value
	Fn   string // signature, "+(bigint,bigint)"; see Functions
	Args []*Expr
	Pos  int32 // offset of the source text in characters; -1 unknown

	own *Func // of a Library: what Fn means; not stored, so that a stored call is bound again
}

// Col is column i of the input, of type t.
func Col(i int, t zset.Type) *Expr { return &Expr{Op: OpCol, Typ: t, Col: i, Pos: -1} }

// Const is a constant.
func Const(v zset.Value) *Expr { return &Expr{Op: OpConst, Typ: v.Type, Val: v, Pos: -1} }

// At returns e with position pos.
func (e *Expr) At(pos int) *Expr {
	c := *e
	c.Pos = int32(pos)
	return &c
}

// IsConst reports whether e is a constant, and IsNull whether it is the NULL constant.
func (e *Expr) IsConst() bool { return e.Op == OpConst }

// IsNull reports whether e is the constant NULL.
func (e *Expr) IsNull() bool { return e.Op == OpConst && e.Val.Null }

// Walk calls f for e and everything below, parents first, until f returns false
// for a node, whose arguments are then skipped.
func (e *Expr) Walk(f func(*Expr) bool) {
	if !f(e) {
		return
	}
	for _, a := range e.Args {
		a.Walk(f)
	}
}

// Cols lists the columns that e reads, ascending, each once.
func (e *Expr) Cols() []int {
	var cols []int
	e.Walk(func(x *Expr) bool {
		if x.Op == OpCol {
			cols = append(cols, x.Col)
		}
		return true
	})
	slices.Sort(cols)
	return slices.Compact(cols)
}

// MapCols returns e with every column index i replaced by f(i).
func (e *Expr) MapCols(f func(int) int) *Expr {
	return e.rewrite(func(x *Expr) *Expr {
		if x.Op != OpCol {
			return x
		}
		j := f(x.Col)
		if j == x.Col {
			return x
		}
		c := *x
		c.Col = j
		return &c
	})
}

// Substitute returns e with every column i replaced by es[i].
func (e *Expr) Substitute(es []*Expr) *Expr {
	return e.rewrite(func(x *Expr) *Expr {
		if x.Op != OpCol {
			return x
		}
		return es[x.Col]
	})
}

// ReplaceCols returns e with every column x replaced by f(x).
func (e *Expr) ReplaceCols(f func(x *Expr) *Expr) *Expr {
	return e.rewrite(func(x *Expr) *Expr {
		if x.Op != OpCol {
			return x
		}
		return f(x)
	})
}

// rewrite applies f bottom-up; unchanged subtrees are shared.
func (e *Expr) rewrite(f func(*Expr) *Expr) *Expr {
	var args []*Expr
	for i, a := range e.Args {
		b := a.rewrite(f)
		if b != a && args == nil {
			args = slices.Clone(e.Args)
		}
		if args != nil {
			args[i] = b
		}
	}
	if args != nil {
		c := *e
		c.Args = args
		e = &c
	}
	return f(e)
}

// Equal reports whether e and o compute the same by the same steps. Positions do not count.
func (e *Expr) Equal(o *Expr) bool {
	if e == o {
		return true
	}
	if e == nil || o == nil || e.Op != o.Op || e.Typ != o.Typ || e.Col != o.Col || e.Fn != o.Fn || len(e.Args) != len(o.Args) {
		return false
	}
	if e.Op == OpConst && !sameValue(e.Val, o.Val) {
		return false
	}
	for i := range e.Args {
		if !e.Args[i].Equal(o.Args[i]) {
			return false
		}
	}
	return true
}

// sameValue is identity: NaN is the same as itself, -0.0 is not 0.0.
func sameValue(a, b zset.Value) bool {
	return a.Type == b.Type && a.Null == b.Null && a.I == b.I && a.S == b.S &&
		math.Float64bits(a.F) == math.Float64bits(b.F)
}

// Raises reports whether evaluating e over some row can fail. Such an
// expression is never moved below a filter, a join or a CASE that would have
// spared the row.
func (e *Expr) Raises() bool {
	for _, a := range e.Args {
		if a.Raises() {
			return true
		}
	}
	if e.Op != OpCall {
		return false
	}
	f := e.fn()
	if f != nil && f.elementwise {
		in, err := e.inner()
		return err != nil || in.Raises()
	}
	return f == nil || f.Raises && (f.spares == nil || !f.spares(e))
}

// Volatile reports whether e reads the clock, see [Expr.Freeze], or calls a
// custom function that may give another result each time.
func (e *Expr) Volatile() bool {
	found := false
	e.Walk(func(x *Expr) bool {
		if x.Op == OpCall {
			if f := x.fn(); f != nil && f.Volatile {
				found = true
			}
		}
		return !found
	})
	return found
}
