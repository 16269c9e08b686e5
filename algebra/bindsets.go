package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// setBase is the column that stands for the first GROUPING of a block while its
// expressions are bound, as aggBase is for aggregates.
const setBase = 1 << 35

// maxSets and maxCube are PostgreSQL's.
const (
	maxSets = 4096
	maxCube = 12
)

// asked is a call of GROUPING.
type asked struct {
	args []*expr.Expr
	pos  []ast.Pos
}

// groupingCall binds GROUPING (keys): which of them the set of a row does not name.
func (b *binder) groupingCall(x *ast.Call, c *exprCtx) *expr.Expr {
	in := *c
	in.inAgg = true
	args := b.exprs(x.Args, &in)
	switch {
	case c.group == nil || c.inAgg:
		b.errorf(codeGrouping, x.Pos(), "grouping operations are not allowed in %s", c.clause)
		return nil
	case len(x.Args) > 31:
		b.errorf(codeTooManyArguments, x.Pos(), "GROUPING must have fewer than 32 arguments")
		return nil
	case args == nil:
		return nil
	}
	a := asked{args: args}
	for _, arg := range x.Args {
		a.pos = append(a.pos, arg.Pos())
	}
	c.group.asked = append(c.group.asked, a)
	return expr.Col(setBase+len(c.group.asked)-1, zset.TInt4).At(int(x.Pos()))
}

// groupingSets is the sets of keys that the items of GROUP BY stand for: each choice
// of one set of each item.
func (b *binder) groupingSets(g *grouping, items []ast.Expr, targets []target, once bool) [][]int {
	all := [][]int{{}}
	for _, x := range items {
		sets := [][]int{{}}
		if _, ok := x.(*ast.GroupingSets); ok {
			sets = b.setsOf(g, x, targets)
		} else if k := b.key(g, x, targets); k >= 0 {
			sets = [][]int{{k}}
		}
		if len(all)*len(sets) > maxSets {
			b.errorf(codeTooComplex, x.Pos(), "too many grouping sets present (maximum %d)", maxSets)
			return nil
		}
		var next [][]int
		for _, l := range all {
			for _, r := range sets {
				next = append(next, keySet(l, r))
			}
		}
		all = next
	}
	if once {
		slices.SortFunc(all, slices.Compare[[]int])
		all = slices.CompactFunc(all, slices.Equal[[]int])
	}
	return all
}

// keySet is the keys of several sets, each once.
func keySet(parts ...[]int) []int {
	out := slices.Concat(parts...)
	slices.Sort(out)
	return slices.Compact(out)
}

// setsOf is the sets that one item of sets stands for.
func (b *binder) setsOf(g *grouping, x ast.Expr, targets []target) [][]int {
	s, ok := x.(*ast.GroupingSets)
	if !ok {
		return [][]int{b.part(g, x, targets)}
	}
	if len(s.Items) == 0 {
		return [][]int{{}}
	}
	var out [][]int
	if s.Kind == ast.Sets {
		for _, in := range s.Items {
			out = append(out, b.setsOf(g, in, targets)...)
		}
		return out
	}
	parts := make([][]int, len(s.Items))
	for i, in := range s.Items {
		parts[i] = b.part(g, in, targets)
	}
	if s.Kind == ast.Rollup {
		for n := len(parts); n >= 0; n-- {
			out = append(out, keySet(parts[:n]...))
		}
		return out
	}
	if len(parts) > maxCube {
		b.errorf(codeTooManyColumns, s.Pos(), "CUBE is limited to %d elements", maxCube)
		return nil
	}
	for chosen := 1<<len(parts) - 1; chosen >= 0; chosen-- {
		var of [][]int
		for i, p := range parts {
			if chosen>>i&1 == 1 {
				of = append(of, p)
			}
		}
		out = append(out, keySet(of...))
	}
	return out
}

// part is the keys of an item, or of each field of a row.
func (b *binder) part(g *grouping, x ast.Expr, targets []target) []int {
	var out []int
	for _, in := range items(x) {
		if k := b.key(g, in, targets); k >= 0 {
			out = append(out, k)
		}
	}
	return keySet(out)
}

// askedKeys is the keys that each GROUPING asks of.
func (b *binder) askedKeys(g *grouping) [][]int {
	out := make([][]int, len(g.asked))
	for i, a := range g.asked {
		for j, arg := range a.args {
			k := slices.IndexFunc(g.keys, arg.Equal)
			if k < 0 {
				b.errorf(codeGrouping, a.pos[j], "arguments to GROUPING must be grouping expressions of the associated query level")
				return out
			}
			out[i] = append(out[i], k)
		}
	}
	return out
}
