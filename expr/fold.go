package expr

import (
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// Fold computes the constant parts of e. A part that fails stays as it is: it
// may stand where no row needs it.
func Fold(e *Expr) *Expr {
	return e.rewrite(foldNode)
}

// A constant is folded where little work does it: what makes a long text of a
// short one is left to the run, which can be cancelled and copies it less often.
const (
	constBytes = 1 << 16 // of an argument, and of the result of a few
	constPolls = 16
)

// foldNode folds one node whose arguments are folded.
func foldNode(e *Expr) *Expr {
	if e.Op == OpCol || e.Op == OpConst || unzoned(e) {
		return e
	}
	e = simplify(e)
	if e.Op == OpCol || e.Op == OpConst || e.Op == OpCall && strictNull(e) {
		if e.Op == OpCall {
			return &Expr{Op: OpConst, Typ: e.Typ, Val: zset.NullOf(e.Typ), Pos: e.Pos}
		}
		return e
	}
	for _, a := range e.Args {
		if a.Op != OpConst {
			return e
		}
	}
	if e.Volatile() || e.own != nil { // what a custom function does has no bound
		return e
	}
	bytes := constBytes
	for _, a := range e.Args {
		if len(a.Val.S) > constBytes {
			return e
		}
		bytes += 64
	}
	v, err := constantOf(e, &Watch{folds: true, polls: constPolls, bytes: bytes})
	if err != nil || len(v.S) > bytes {
		return e
	}
	return &Expr{Op: OpConst, Typ: e.Typ, Val: v, Pos: e.Pos}
}

// strictNull: a strict function of the constant NULL is NULL, whatever its other
// arguments are, as in PostgreSQL; but one that has failed when it was folded fails.
func strictNull(e *Expr) bool {
	f := e.fn()
	if f == nil || !f.Strict || f.Volatile {
		return false
	}
	if !slices.ContainsFunc(e.Args, (*Expr).IsNull) {
		return false // before the walk, which would go down a long chain again for each of its nodes
	}
	return !slices.ContainsFunc(e.Args, unfolded)
}

// unfolded reports whether a call in e, which is folded, has nothing but constants
// for arguments: it fails, or is too long to be folded.
func unfolded(e *Expr) bool {
	found := false
	e.Walk(func(x *Expr) bool {
		found = found || x.Op == OpCall && len(x.Args) > 0 && !slices.ContainsFunc(x.Args, func(a *Expr) bool { return a.Op != OpConst })
		return !found
	})
	return found
}

// simplify drops arguments that constants before them make superfluous.
// Arguments before the deciding one stay, so that their errors do.
func simplify(e *Expr) *Expr {
	switch e.Op {
	case OpAnd:
		return simplifyJunction(e, false)
	case OpOr:
		return simplifyJunction(e, true)
	case OpCase:
		return simplifyCase(e)
	case OpCoalesce:
		return simplifyCoalesce(e)
	}
	return e
}

func isTrue(e *Expr) bool  { return e.Op == OpConst && !e.Val.Null && e.Val.I != 0 }
func isFalse(e *Expr) bool { return e.Op == OpConst && !e.Val.Null && e.Val.I == 0 }

func simplifyJunction(e *Expr, decides bool) *Expr {
	neutral, deciding := isTrue, isFalse
	if decides {
		neutral, deciding = isFalse, isTrue
	}
	var args []*Expr
	for _, a := range e.Args {
		if neutral(a) {
			continue
		}
		args = append(args, a)
		if deciding(a) {
			break
		}
	}
	switch {
	case len(args) == 0:
		return &Expr{Op: OpConst, Typ: zset.TBool, Val: zset.BoolValue(!decides), Pos: e.Pos}
	case len(args) == 1:
		return args[0]
	case len(args) == len(e.Args):
		return e
	}
	c := *e
	c.Args = args
	return &c
}

func simplifyCase(e *Expr) *Expr {
	var args []*Expr
	last := e.Args[len(e.Args)-1]
	for k := 0; k+1 < len(e.Args); k += 2 {
		cond := e.Args[k]
		if cond.IsNull() || isFalse(cond) {
			continue
		}
		if isTrue(cond) {
			last = e.Args[k+1]
			break
		}
		args = append(args, cond, e.Args[k+1])
	}
	if len(args) == 0 {
		return last
	}
	if len(args)+1 == len(e.Args) {
		return e
	}
	c := *e
	c.Args = append(args, last)
	return &c
}

func simplifyCoalesce(e *Expr) *Expr {
	var args []*Expr
	for _, a := range e.Args {
		if a.IsNull() {
			continue
		}
		args = append(args, a)
		if a.Op == OpConst {
			break
		}
	}
	switch {
	case len(args) == 0:
		return e.Args[0]
	case len(args) == 1:
		return args[0]
	case len(args) == len(e.Args):
		return e
	}
	c := *e
	c.Args = args
	return &c
}

// constantOf evaluates an expression of constants on a batch of one row.
func constantOf(e *Expr, w *Watch) (zset.Value, error) {
	c := &compiler{p: &Program{types: []zset.Type{e.Typ}}, shared: map[string]int{}}
	id, err := c.exact(e, true)
	if err != nil {
		return zset.Value{}, err
	}
	c.p.roots = []int{id}
	cols, err := c.p.New().Under(w).Eval(&zset.Batch{N: 1})
	if err != nil {
		return zset.Value{}, err
	}
	v := cols[0].Value(0)
	v.Type = e.Typ
	return v, nil
}
