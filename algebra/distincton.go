package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// onItems is DISTINCT ON as items of ORDER BY, whose names and positions mean the same.
func onItems(on []ast.Expr) []ast.OrderItem {
	var out []ast.OrderItem
	for _, x := range on {
		out = append(out, ast.OrderItem{At: ast.At{Start: x.Pos()}, Expr: x})
	}
	return out
}

// matchOn checks that ORDER BY begins with the keys of DISTINCT ON, in any order.
func (b *binder) matchOn(items []ast.OrderItem, on, by []SortKey) {
	var seen []int
	for i, k := range by {
		at := slices.IndexFunc(on, func(o SortKey) bool { return o.Expr.Equal(k.Expr) })
		switch {
		case at >= 0 && !slices.Contains(seen, at):
			seen = append(seen, at)
		case at < 0 && len(seen) < distinctKeys(on):
			b.errorf(codeBadReference, startOf(items[min(i, len(items)-1)].Expr), "SELECT DISTINCT ON expressions must match initial ORDER BY expressions")
			return
		}
	}
}

// distinctKeys counts the different keys.
func distinctKeys(on []SortKey) (n int) {
	for i, k := range on {
		if slices.IndexFunc(on, func(o SortKey) bool { return o.Expr.Equal(k.Expr) }) == i {
			n++
		}
	}
	return n
}

// firstOf is, of the rows that on does not tell apart, the first in the order by,
// with its number, 1, behind its columns. Ties are decided as those of any window (I13).
func (b *binder) firstOf(n Node, on, by []SortKey, pos ast.Pos) Node {
	w := &Window{Input: n, Pos: pos, Calls: []WindowCall{{Name: "row_number", By: by, Frame: expr.DefaultFrame(), Typ: zset.TInt8}}}
	for _, k := range on {
		w.Calls[0].Partition = append(w.Calls[0].Partition, k.Expr)
	}
	first := b.callOn("=", pos, []*expr.Expr{expr.Col(len(n.Schema()), zset.TInt8), expr.Const(zset.IntValue(1))})
	if first == nil {
		return n
	}
	return &Filter{Input: w, Pred: first}
}
