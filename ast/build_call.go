package ast

import "github.com/ivmc/ivmc/grammar/gen"

// tableCall is a function in FROM whose arguments are properties, as in
// tasks("type" = "mv"). Nil: it is another function.
func (b *builder) tableCall(n gen.ITablePrimaryContext) *Reading {
	r := &Reading{At: at(n.Word()), Kind: ReadCall}
	l := n.ArgumentList()
	if len(n.AllAnyLabel()) > 0 || l != nil && (l.ALL() != nil || l.DISTINCT() != nil || l.OrderBy() != nil) {
		return nil
	}
	if l == nil {
		return r
	}
	for _, x := range l.AllExpr() {
		eq, ok := b.expr(x).(*Binary)
		if !ok || eq.Op != "=" {
			return nil
		}
		name, named := plainText(eq.L)
		val, valued := plainText(eq.R)
		if !named || !valued {
			return nil
		}
		r.Params = append(r.Params, Property{At: at(x), Name: name, Value: val})
	}
	return r
}

// plainText is what stands between quotes, of either kind.
func plainText(x Expr) (string, bool) {
	switch x := x.(type) {
	case *Ident:
		if len(x.Parts) == 1 {
			return x.Parts[0].Text, true
		}
	case *Literal:
		return x.Text, x.Kind == StringLit
	}
	return "", false
}
