package ast

import "github.com/ivmc/ivmc/grammar/gen"

// special reads the functions that have words between their arguments. They
// are calls of the functions that PostgreSQL makes of them.
func (b *builder) special(head *token, n gen.IPrimaryContext) Expr {
	c := &Call{At: At{head.pos}, Name: head.name()}
	switch {
	case n.POSITION_IN() != nil: // the part comes second
		c.Args = []Expr{b.expr(n.Expr(1)), b.expr(n.Expr(0))}
	case n.SubstringRest() != nil:
		r := n.SubstringRest()
		c.Args = append([]Expr{b.expr(n.Expr(0))}, b.exprs(r.AllExpr())...)
		switch {
		case r.FOR() == nil:
		case r.FROM() == nil: // from the first character on
			c.Args = []Expr{c.Args[0], &Literal{At: At{symbol(r.FOR()).pos}, Kind: NumberLit, Text: "1"}, c.Args[1]}
		case symbol(r.FOR()).pos < symbol(r.FROM()).pos:
			c.Args[1], c.Args[2] = c.Args[2], c.Args[1]
		}
	case n.OverlayRest() != nil:
		c.Args = append([]Expr{b.expr(n.Expr(0))}, b.exprs(n.OverlayRest().AllExpr())...)
	default:
		b.trim(c, n.TrimArguments())
	}
	return c
}

// trim reads TRIM ([side] [characters] [FROM] text): the text comes first.
func (b *builder) trim(c *Call, n gen.ITrimArgumentsContext) {
	switch {
	case n.LEADING() != nil:
		c.Name.Text = "ltrim"
	case n.TRAILING() != nil:
		c.Name.Text = "rtrim"
	default:
		c.Name.Text = "btrim"
	}
	c.Args = b.exprs(n.AllExpr())
	froms := n.AllFROM()
	switch {
	case len(froms) > 1:
		b.unexpected(symbol(froms[1]))
	case len(froms) == 1 && symbol(froms[0]).pos > c.Args[0].Pos(): // characters FROM text, and what may follow
		c.Args = append(append([]Expr{}, c.Args[1:]...), c.Args[0])
	}
}

// intervalLiteral is INTERVAL 1 DAY, the same as INTERVAL '1 day'.
func intervalLiteral(n gen.IPrimaryContext) Expr {
	start := at(n)
	text := symbol(n.NUMBER()).value + " " + first(n.Word()).value
	return &TypedLiteral{At: start, Type: TypeName{At: start, Name: "interval"}, Text: text, Str: symbol(n.NUMBER()).pos}
}

func (b *builder) array(n gen.IPrimaryContext) Expr {
	a := &Array{At: at(n)}
	if n.Query() != nil {
		a.Query = b.query(n.Query())
	} else {
		for _, it := range n.ArrayRow().AllArrayItem() {
			if row := it.ArrayRow(); row != nil {
				b.unsupported(first(row), "an array of more than one dimension", "")
				continue
			}
			a.Items = append(a.Items, b.expr(it.Expr()))
		}
	}
	return a
}

// subscript reads x[i], x[low:high], x[low:], x[:high] and x[:].
func (b *builder) subscript(x Expr, p gen.IExprPartContext) Expr {
	s := &Subscript{At: at(p), X: x, Slice: p.COLON() != nil}
	for _, e := range p.AllExpr() {
		if s.Slice && at(e).Pos() > symbol(p.COLON()).pos {
			s.High = b.expr(e)
		} else {
			s.Low = b.expr(e)
		}
	}
	return s
}

// quantified reads x op ANY (..). Two of them are IN and NOT IN.
func (c *chain) quantified(x Expr, t *token, row infix, p gen.IExprPartContext) Expr {
	all, n := p.ALL() != nil, p.Quantified()
	if row.op == "and" || row.op == "or" || t.kind == gen.IVMESCAPE {
		c.stop(c.b.after(p.Operator()))
		return x
	}
	q := &Quantified{At: At{t.pos}, Op: row.op, All: all, X: x}
	switch {
	case n.PlainQuery() != nil:
		q.Query = c.b.plainQuery(n.PlainQuery())
	default:
		q.Array = c.b.expr(n.Expr())
		arms, tail := n.AllSetArm(), n.QueryTail()
		if sub, ok := q.Array.(*Subquery); ok {
			q.Query, q.Array = c.b.rest(sub.At, sub.Query, arms, tail), nil
		} else if follows, more := hasRest(arms, tail); more {
			c.b.unexpected(follows)
		}
	}
	in := !all && row.op == "="
	if !in && (!all || row.op != "<>") {
		return q
	}
	if q.Query != nil {
		return &In{At: At{t.pos}, X: x, Query: q.Query, Not: !in}
	}
	if a, ok := q.Array.(*Array); ok && len(a.Items) > 0 {
		return &In{At: At{t.pos}, X: x, List: a.Items, Not: !in}
	}
	return q
}
