package algebra

import "github.com/ivmc/ivmc/expr"

// joinWork bounds what planning the joins of one statement takes: a view has a term
// for each table of a join, and a look-up of each of the others in it, so that it
// goes with the square of their number. Views that each join the one before with
// itself double it.
const joinWork = 50_000

// wide reports a query with more joins than can be planned in a moment.
func (b *binder) wide(n Node) {
	if len(b.errs) > 0 || n == nil {
		return
	}
	work := 0
	tables := joinWidth(n, &work)
	if work += tables * tables; work > joinWork {
		b.errorf(codeTooComplex, 0, "statement too complex").Hint =
			"Too many tables are joined once views, WITH queries and subqueries are put in place."
	}
}

// joinWidth is how many tables are joined with each other at the top of n. What is
// joined below is added to work.
func joinWidth(n Node, work *int) (tables int) {
	alone := func(in Node) int {
		t := joinWidth(in, work)
		*work += t * t
		return 1
	}
	switch n := n.(type) {
	case *Project, *Filter:
		return joinWidth(n.Inputs()[0], work)
	case *Join:
		for _, in := range n.Ins {
			tables += joinWidth(in, work)
		}
		return tables
	case *Outer:
		return joinWidth(n.L, work) + joinWidth(n.R, work)
	case *Apply:
		if n.Kind == Each || n.Kind == EachOrNull {
			return joinWidth(n.L, work) + joinWidth(n.R, work)
		}
		alone(n.R)
		if n.Kind == Mark { // an outer join with what R has, and its keys grouped
			return joinWidth(n.L, work) + 1
		}
		return joinWidth(n.L, work)
	case *Match:
		alone(n.R)
		return joinWidth(n.L, work)
	}
	for _, in := range n.Inputs() {
		alone(in)
	}
	return 1
}

// Expressions counts the operators, columns and constants of all expressions of n.
func Expressions(n Node) (count int) {
	Walk(n, func(m Node) bool {
		mapExprs(m, func(e *expr.Expr) *expr.Expr {
			if e != nil {
				e.Walk(func(*expr.Expr) bool { count++; return true })
			}
			return e
		})
		return true
	})
	return count
}
