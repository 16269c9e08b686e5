package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
)

// Customs lists the declarations of the custom functions that n calls, see
// [expr.Library], each once.
func Customs(n Node) []string {
	var out []string
	eachCustom(n, func(declaration string, _ bool, _ ast.Pos) { out = append(out, declaration) })
	slices.Sort(out)
	return slices.Compact(out)
}

// eachCustom calls f for every call of a custom function in the expressions of n and below.
func eachCustom(n Node, f func(declaration string, volatile bool, pos ast.Pos)) {
	Walk(n, func(m Node) bool {
		customsOf(m, f)
		return true
	})
}

// customsOf is eachCustom of one node alone.
func customsOf(n Node, f func(declaration string, volatile bool, pos ast.Pos)) {
	mapExprs(n, func(e *expr.Expr) *expr.Expr {
		if e != nil {
			e.Walk(func(x *expr.Expr) bool {
				if text, volatile := x.Custom(); text != "" {
					f(text, volatile, ast.Pos(x.Pos))
				}
				return true
			})
		}
		return e
	})
}

// onceOnly refuses volatile custom functions in places that a plan may compute
// more than once for a row, which would then be two values: below anything but
// projections, filters, orders and limits. A row of an outer join, for one, is looked
// at where it has partners and where it has none.
func (b *binder) onceOnly(n Node, once bool) {
	if n == nil {
		return
	}
	if !once {
		customsOf(n, func(_ string, volatile bool, pos ast.Pos) {
			if volatile {
				b.unsupported(pos, "a volatile function below a join, a grouping or a set operation",
					"Insert its values into a table first, and read that.")
			}
		})
	}
	switch n.(type) {
	case *Project, *Filter, *Sort, *Limit:
	default:
		once = false
	}
	for _, in := range n.Inputs() {
		b.onceOnly(in, once)
	}
}

// constantOnly refuses volatile custom functions anywhere in n.
func (b *binder) constantOnly(n Node, where string) {
	if n == nil {
		return
	}
	eachCustom(n, func(_ string, volatile bool, pos ast.Pos) {
		if volatile {
			b.unsupported(pos, "a volatile function in "+where, "")
		}
	})
}

// Repeatable refuses a definition that would not give the same rows again, for
// calling a volatile custom function: nobody could say what it stands for.
func Repeatable(n Node) error {
	b := &binder{}
	b.constantOnly(n, "a materialized view")
	return b.outcome()
}
