package algebra

import (
	"slices"
	"strings"

	"github.com/ivmc/ivmc/expr"
)

// isComparison reports whether e is a call of =, <>, <, <=, > or >=, whose sides
// have one type since binding.
func isComparison(e *expr.Expr) bool {
	if e.Op != expr.OpCall {
		return false
	}
	name, _, _ := strings.Cut(e.Fn, "(")
	switch name {
	case "=", "<>", "<", "<=", ">", ">=":
		return true
	}
	return false
}

// Equi is a conjunct of a join that is an equality between two inputs: the rows
// of input L with key Left match those of input R with key Right. The keys are
// expressions over the columns of their input.
type Equi struct {
	L, R        int
	Left, Right *expr.Expr
}

// Equi takes conjunct i of On apart; not ok if it is none of an equality between
// an expression over one input and an expression over another.
func (j *Join) Equi(i int) (eq Equi, ok bool) {
	c := j.On[i]
	if !isComparison(c) || !strings.HasPrefix(c.Fn, "=(") {
		return eq, false
	}
	off := j.Offsets()
	eq.L, eq.R = only(off, c.Args[0]), only(off, c.Args[1])
	if eq.L < 0 || eq.R < 0 || eq.L == eq.R {
		return eq, false
	}
	eq.Left = c.Args[0].MapCols(func(k int) int { return k - off[eq.L] })
	eq.Right = c.Args[1].MapCols(func(k int) int { return k - off[eq.R] })
	return eq, true
}

// only is the one input that e reads; -1 if it reads none or several.
func only(off []int, e *expr.Expr) int {
	in := -1
	for _, c := range e.Cols() {
		k, found := slices.BinarySearch(off, c)
		if !found {
			k--
		}
		for k+1 < len(off) && off[k+1] == off[k] { // inputs without columns
			k++
		}
		if in >= 0 && in != k {
			return -1
		}
		in = k
	}
	return in
}

// pushFilterIntoJoin (PushFilterIntoJoin) makes conjuncts of a filter above a
// join conjuncts of the join. Legal because the join is inner; only for those
// that cannot raise, since the join tries pairs that other conjuncts drop. Must
// not fire:
//
//	SELECT * FROM t JOIN u ON t.k = u.k WHERE t.a / u.b > 1
func pushFilterIntoJoin(n Node) Node {
	f, ok := n.(*Filter)
	if !ok {
		return n
	}
	j, ok := f.Input.(*Join)
	if !ok {
		return n
	}
	down, stay := split(conjuncts(f.Pred), fixed)
	if len(down) == 0 {
		return n
	}
	return filtered(&Join{Ins: j.Ins, On: append(slices.Clone(j.On), down...)}, stay)
}

// pushConjunctIntoInput (PushConjunctIntoInput) filters an input of a join by
// the conjuncts that read it alone. Legal as PushFilterIntoJoin is. Must not fire:
//
//	SELECT * FROM t JOIN u ON t.k = u.k AND 1 / t.a > 0   -- rows of t without a partner are spared
func pushConjunctIntoInput(n Node) Node {
	j, ok := n.(*Join)
	if !ok {
		return n
	}
	off := j.Offsets()
	down := make([][]*expr.Expr, len(j.Ins))
	var stay []*expr.Expr
	for _, c := range j.On {
		if k := only(off, c); k >= 0 && fixed(c) {
			down[k] = append(down[k], c.MapCols(func(i int) int { return i - off[k] }))
		} else {
			stay = append(stay, c)
		}
	}
	if len(stay) == len(j.On) {
		return n
	}
	ins := make([]Node, len(j.Ins))
	for k, in := range j.Ins {
		ins[k] = filtered(in, down[k])
	}
	return &Join{Ins: ins, On: stay}
}

// liftRaisingConjunct (LiftRaisingConjunct) moves the conjuncts of a join that
// can raise, or read the clock, into filters above it, one each. Legal because
// a join tries them last, in their order, on what all others let through; one
// filter for two would try the second where the first is NULL. Then no join
// fails. Must not fire:
//
//	SELECT * FROM t JOIN u ON t.k = u.k AND t.a < u.b
func liftRaisingConjunct(n Node) Node {
	j, ok := n.(*Join)
	if !ok {
		return n
	}
	stay, lift := split(j.On, fixed)
	if len(lift) == 0 {
		return n
	}
	var out Node = &Join{Ins: j.Ins, On: stay}
	for _, c := range lift {
		out = &Filter{Input: out, Pred: c}
	}
	return out
}

// liftProjectOverJoin (LiftProjectOverJoin) computes the columns of a joined
// subquery after the join, so that what is below it joins with the others in
// one node. Legal because a projection looks at rows one by one; rows without a
// partner are spared its errors. It stays if a conjunct reads a computed column
// that can raise: the join would raise on pairs. Must not fire:
//
//	SELECT * FROM (SELECT a + 1 AS k FROM t) s JOIN u ON s.k = u.k
func liftProjectOverJoin(n Node) Node {
	j, ok := n.(*Join)
	if !ok || !slices.ContainsFunc(j.Ins, isProject) {
		return n
	}
	off := j.Offsets()
	read := map[int]int{} // how often the conjuncts read a column
	for _, c := range j.On {
		c.Walk(func(e *expr.Expr) bool {
			if e.Op == expr.OpCol {
				read[e.Col]++
			}
			return true
		})
	}
	ins := slices.Clone(j.Ins)
	var full []*expr.Expr // the columns of j over the new join
	var names []string
	at, lifted := 0, false
	for k, in := range j.Ins {
		s := in.Schema()
		p, ok := in.(*Project)
		if ok && liftable(p, func(i int) int { return read[off[k]+i] }) {
			ins[k], lifted = p.Input, true
			for _, e := range p.Exprs {
				full = append(full, e.MapCols(func(i int) int { return i + at }))
			}
		} else {
			for i, f := range s {
				full = append(full, expr.Col(at+i, f.Type))
			}
		}
		for _, f := range s {
			names = append(names, f.Name)
		}
		at += len(ins[k].Schema())
	}
	if !lifted {
		return n
	}
	out := &Join{Ins: ins}
	for _, c := range j.On {
		out.On = append(out.On, c.Substitute(full))
	}
	return &Project{Input: out, Exprs: full, Names: names}
}

func isProject(n Node) bool {
	_, ok := n.(*Project)
	return ok
}

func liftable(p *Project, read func(i int) int) bool {
	for i, e := range p.Exprs {
		if e.Volatile() || !plain(e) && (read(i) > 1 || read(i) > 0 && e.Raises()) {
			return false
		}
	}
	return true
}

// flattenJoins (FlattenJoins) joins the inputs of a joined join directly. Legal
// because the inner join is associative; only when no conjunct can raise, since
// the inner ones spared the outer ones pairs. Must not fire:
//
//	SELECT * FROM (SELECT t.a, u.b FROM t JOIN u ON t.k = u.k LIMIT 5) s JOIN v ON s.a = v.a
func flattenJoins(n Node) Node {
	j, ok := n.(*Join)
	if !ok || slices.ContainsFunc(j.On, (*expr.Expr).Raises) {
		return n
	}
	var ins []Node
	var on []*expr.Expr
	at := 0
	for _, in := range j.Ins {
		inner, ok := in.(*Join)
		if ok && !slices.ContainsFunc(inner.On, (*expr.Expr).Raises) {
			for _, c := range inner.On {
				on = append(on, c.MapCols(func(i int) int { return i + at }))
			}
			ins = append(ins, inner.Ins...)
		} else {
			ins = append(ins, in)
		}
		at += len(in.Schema())
	}
	if len(ins) == len(j.Ins) && len(ins) > 1 || len(ins) > maxTables {
		return n
	}
	if len(ins) == 1 {
		return filtered(ins[0], append(on, j.On...))
	}
	return &Join{Ins: ins, On: append(on, j.On...)}
}
