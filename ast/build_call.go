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

// funcTable is any other function in FROM.
func (b *builder) funcTable(n gen.ITablePrimaryContext, alias Name, columns []Name) *FuncTable {
	head := first(n.Word())
	call := &Call{At: At{head.pos}, Name: head.name()}
	if labels := n.AllAnyLabel(); len(labels) > 0 {
		if call.Name = name(labels[len(labels)-1]); len(labels) > 1 || head.value != "pg_catalog" {
			b.unsupported(head, "a function of a schema", "Leave the schema out.")
		}
	}
	if l := n.ArgumentList(); l != nil {
		call.Distinct, call.Args, call.OrderBy = l.DISTINCT() != nil, b.exprs(l.AllExpr()), b.orderBy(l.OrderBy())
	}
	return &FuncTable{At: at(n), Lateral: n.LATERAL() != nil, Call: call, Ordinality: n.ORDINALITY() != nil, Alias: alias, Columns: columns}
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
