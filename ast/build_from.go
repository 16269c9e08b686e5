package ast

import "github.com/ivmc/ivmc/grammar/gen"

// openJoin is a JOIN that waits for its ON or USING.
type openJoin struct {
	join *Join
	left TableExpr
}

// fromItem shapes a row of joins: to the left, and ON or USING close the
// innermost join that is open.
func (b *builder) fromItem(n gen.IFromItemContext) TableExpr {
	parts := n.AllJoinPart()
	x := b.tablePrimary(n.TablePrimary())
	if len(parts) == 0 {
		return x
	}
	b.links += len(parts)
	var open []openJoin
	for _, p := range parts {
		if p.JOIN() == nil {
			if len(open) == 0 {
				b.unexpected(first(p))
				return x
			}
			top := open[len(open)-1]
			open = open[:len(open)-1]
			j := top.join
			j.Left, j.Right = top.left, x
			if p.ON() != nil {
				j.On = b.expr(p.Expr())
			} else {
				j.Using = names(p.NameList())
			}
			x = j
			continue
		}
		j := &Join{At: x0(x), Kind: joinKind(p), Natural: p.NATURAL() != nil}
		right := b.tablePrimary(p.TablePrimary())
		if j.Natural || j.Kind == CrossJoin {
			j.Left, j.Right = x, right
			x = j
			continue
		}
		open = append(open, openJoin{j, x})
		x = right
	}
	if len(open) > 0 {
		b.unexpected(b.after(n)).Hint = "a JOIN needs ON or USING"
	}
	return x
}

func (b *builder) fromItems(ns []gen.IFromItemContext) []TableExpr {
	var out []TableExpr
	for _, n := range ns {
		out = append(out, b.fromItem(n))
	}
	return out
}

func x0(x TableExpr) At { return At{x.Pos()} }

func joinKind(p gen.IJoinPartContext) JoinKind {
	if p.CROSS() != nil {
		return CrossJoin
	}
	switch k := p.JoinKind(); {
	case k == nil:
		return InnerJoin
	case k.LEFT() != nil:
		return LeftJoin
	case k.RIGHT() != nil:
		return RightJoin
	case k.FULL() != nil:
		return FullJoin
	}
	return InnerJoin
}

// tablePrimary may give a *Derived without an alias: what stands around it
// decides whether that is an error.
func (b *builder) tablePrimary(n gen.ITablePrimaryContext) TableExpr {
	var alias Name
	var columns []Name
	if a := n.TableAlias(); a != nil {
		alias, columns = name(a.Name()), names(a.NameList())
	}
	lateral := n.LATERAL() != nil
	switch {
	case n.Word() != nil:
		t := &TableRef{At: at(n), Name: Name{At: at(n.Word()), Text: first(n.Word()).value}, Alias: alias, Columns: columns}
		if t.Reading = b.tableCall(n); t.Reading == nil || lateral || n.ORDINALITY() != nil {
			return b.funcTable(n, alias, columns)
		}
		return t
	case n.Qualified() != nil:
		if lateral {
			b.unsupported(symbol(n.LATERAL()), "LATERAL of a table", "A table reads nothing: leave LATERAL out.")
		}
		t := &TableRef{At: at(n), Alias: alias, Columns: columns}
		t.Schema, t.Name = b.qualified(n.Qualified())
		t.Reading = b.reading(n.Reading())
		b.sample(n.Sample())
		if t.Reading != nil && alias.Text == "partition" && columns != nil { // else an alias, as in PostgreSQL
			b.unsupported(first(n.TableAlias()), "PARTITION of a relation", "Leave it out: a relation has no partitions.")
		}
		return t
	case n.PlainQuery() != nil:
		return &Derived{At: at(n), Lateral: lateral, Query: b.plainQuery(n.PlainQuery()), Alias: alias, Columns: columns}
	}
	x := b.fromItem(n.FromItem())
	arms, tail := n.AllSetArm(), n.QueryTail()
	follows, more := hasRest(arms, tail)
	if d, ok := x.(*Derived); ok && d.Alias.Text == "" {
		return &Derived{At: at(n), Lateral: lateral, Query: b.rest(d.At, d.Query, arms, tail), Alias: alias, Columns: columns}
	}
	_, isJoin := x.(*Join)
	switch {
	case lateral:
		b.unexpected(symbol(n.LPAREN()))
	case more:
		b.unexpected(follows)
	case !isJoin:
		b.unexpected(symbol(n.RPAREN()))
	case n.TableAlias() != nil:
		b.fail(codeUnsupported, alias.Start, "an alias for a join in parentheses is not supported")
	}
	return x
}

// sample refuses TABLESAMPLE.
func (b *builder) sample(n gen.ISampleContext) {
	if n == nil {
		return
	}
	before := len(b.errs)
	b.word(first(n), "tablesample")
	if r := n.IDENT(); r != nil {
		b.word(symbol(r), "repeatable")
	}
	if len(b.errs) > before {
		return
	}
	b.unsupported(first(n), "TABLESAMPLE", "Choose rows by what they hold, as in WHERE md5(id::text) LIKE '0%' (of 16 rows one): they stay the same.")
}
