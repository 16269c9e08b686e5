package ast

import (
	"math"
	"strconv"

	"github.com/ivmc/ivmc/grammar/gen"
)

// enter goes one level deeper. The cap on tokens holds off all that the parser
// would recurse on; this one holds off what only the operators' strengths nest,
// such as a = NOT b = NOT c.
func (b *builder) enter(t *token) {
	b.depth++
	if b.depth > 2*b.lim.Depth {
		panic(tooDeep(t.pos, b.lim.Depth))
	}
}

func (b *builder) leave() { b.depth-- }

func (b *builder) optional(n gen.IExprContext) Expr {
	if n == nil {
		return nil
	}
	return b.expr(n)
}

func (b *builder) exprs(ns []gen.IExprContext) []Expr {
	out := make([]Expr, len(ns))
	for i, n := range ns {
		out[i] = b.expr(n)
	}
	return out
}

func (b *builder) primary(n gen.IPrimaryContext) Expr {
	head := first(n)
	switch {
	case n.Constant() != nil:
		return b.constant(head)
	case n.STRING() != nil:
		return b.typedLiteral(n, head)
	case n.ARRAY() != nil:
		return b.array(n)
	case n.POSITION_IN() != nil || n.SubstringRest() != nil || n.OverlayRest() != nil || n.TrimArguments() != nil:
		return b.special(head, n)
	case n.INTERVAL() != nil && n.NUMBER() != nil:
		return intervalLiteral(n)
	case n.ROW() != nil && n.Reference() == nil:
		return &Row{At: at(n), Items: b.exprs(n.AllExpr())}
	case n.Arguments() != nil:
		return b.call(head, n.Arguments())
	case n.Reference() != nil:
		return b.reference(head, n.Reference())
	case n.NILADIC() != nil:
		return &Call{At: at(n), Name: head.name()}
	case n.ExtractField() != nil:
		return &Extract{At: at(n), Field: lower(first(n.ExtractField()).value), X: b.expr(n.Expr(0))}
	case n.Query() != nil:
		b.exists = true
		q := b.query(n.Query())
		b.exists = false
		return &Exists{At: at(n), Query: q}
	case n.Case_() != nil:
		return b.caseExpr(n.Case_())
	case n.CAST() != nil:
		return &Cast{At: at(n), X: b.expr(n.Expr(0)), Type: b.typeName(n.TypeName())}
	case n.PlainQuery() != nil:
		return &Subquery{At: at(n), Query: b.plainQuery(n.PlainQuery())}
	}
	if len(n.AllExpr()) > 1 {
		return b.rowValue(n)
	}
	x := b.expr(n.Expr(0))
	arms, tail := n.AllSetArm(), n.QueryTail()
	if follows, more := hasRest(arms, tail); more {
		sub, ok := x.(*Subquery)
		if !ok {
			b.unexpected(follows)
			return x
		}
		return &Subquery{At: at(n), Query: b.rest(sub.At, sub.Query, arms, tail)}
	}
	return x
}

// rowValue reads (a, b, ..).
func (b *builder) rowValue(n gen.IPrimaryContext) Expr {
	if follows, more := hasRest(n.AllSetArm(), n.QueryTail()); more {
		b.unexpected(follows)
	}
	return &Row{At: at(n), Items: b.exprs(n.AllExpr())}
}

func (b *builder) constant(t *token) Expr {
	at := At{t.pos}
	switch t.kind {
	case gen.IVMNUMBER:
		return &Literal{At: at, Kind: NumberLit, Text: t.value}
	case gen.IVMSTRING:
		return &Literal{At: at, Kind: StringLit, Text: t.value}
	case gen.IVMTRUE, gen.IVMFALSE:
		return &Literal{At: at, Kind: BoolLit, Text: t.value}
	case gen.IVMPARAM:
		n, ok := paramNumber(t.value)
		if !ok {
			b.fail(codeBadParameter, t.pos, "there is no parameter $"+quoted(t.value))
		}
		return &Param{At: at, N: n}
	}
	return &Literal{At: at, Kind: NullLit}
}

func (b *builder) typedLiteral(n gen.IPrimaryContext, head *token) Expr {
	str := symbol(n.STRING())
	t := TypeName{At: At{head.pos}, Name: head.value, Args: b.typeArgs(n.TypeArgs())}
	switch {
	case head.kind == gen.IVMQIDENT:
		b.unexpected(str)
	case n.Arguments() != nil:
		t.Args = b.literalArgs(n.Arguments(), str)
	case n.VARYING() != nil:
		t.Name += " varying"
	case n.PRECISION() != nil:
		b.precision(head, symbol(n.PRECISION()))
		t.Name += " precision"
	case n.TimeZone() != nil:
		t.Name += timeZone(n.TimeZone())
	case n.IntervalFields() != nil:
		t.Name += " " + intervalFields(n.IntervalFields())
	}
	return &TypedLiteral{At: At{head.pos}, Type: t, Text: str.value, Str: str.pos}
}

// literalArgs reads the (10, 2) of NUMERIC(10, 2) '1.5', which looked like a call.
// Where it is none, str stands in its way.
func (b *builder) literalArgs(n gen.IArgumentsContext, str *token) []int {
	c, ok := b.call(str, n).(*Call)
	plain := ok && len(c.Args) > 0 && !c.Star && !c.Distinct && c.OrderBy == nil && c.Within == nil && c.Filter == nil
	var out []int
	for i := 0; plain && i < len(c.Args); i++ {
		x, sign := c.Args[i], 1
		if u, ok := x.(*Unary); ok && u.Op == "-" {
			x, sign = u.X, -1
		}
		l, ok := x.(*Literal)
		v, err := 0, error(nil)
		if ok && l.Kind == NumberLit {
			v, err = strconv.Atoi(l.Text)
		}
		plain = ok && l.Kind == NumberLit && err == nil && v <= math.MaxInt32
		out = append(out, sign*v)
	}
	if !plain {
		b.unexpected(str)
		return nil
	}
	return out
}

// reference is a column, and may be table.* only where [wholeRow] looks first.
func (b *builder) reference(head *token, n gen.IReferenceContext) Expr {
	id := &Ident{At: At{head.pos}, Parts: []Name{head.name()}}
	for _, l := range n.AllAnyLabel() {
		id.Parts = append(id.Parts, name(l))
	}
	switch len(n.AllSTAR()) {
	case 0:
	case 1:
		b.unsupported(head, "a whole row as a value", "Name its columns. To count the rows that an outer join found, count a column that is NOT NULL.")
	default:
		b.unexpected(symbol(n.STAR(1)))
	}
	return id
}

// wholeRow gives the reference of an expression that is table.* and no more.
func wholeRow(n gen.IExprContext) gen.IPrimaryContext {
	if len(n.AllExprPart()) > 0 || len(n.Term().AllPrefix()) > 0 {
		return nil
	}
	p := n.Term().Primary()
	if r := p.Reference(); r == nil || len(r.AllSTAR()) == 0 {
		return nil
	}
	return p
}

func (b *builder) tableStar(p gen.IPrimaryContext) Expr {
	r := p.Reference()
	if len(r.AllDOT()) > 1 {
		b.unexpected(symbol(r.DOT(1)))
	}
	return &Star{At: at(p), Table: first(p).name()}
}

func (b *builder) call(head *token, n gen.IArgumentsContext) Expr {
	c := &Call{At: At{head.pos}, Name: head.name(), Star: n.STAR() != nil}
	if l := n.ArgumentList(); l != nil {
		c.Distinct = l.DISTINCT() != nil
		c.Args = b.exprs(l.AllExpr())
		c.OrderBy = b.orderBy(l.OrderBy())
	}
	if w := n.Within(); w != nil {
		c.Within = b.orderBy(w.OrderBy())
	}
	if f := n.Filter(); f != nil {
		c.Filter = b.expr(f.Expr())
	}
	o := n.Over()
	if o == nil {
		return c
	}
	w := &Window{At: c.At, Call: c}
	if o.Name() != nil {
		w.Name = name(o.Name())
	} else {
		w.WindowSpec = b.windowSpec(o.WindowSpec())
	}
	return w
}

func (b *builder) caseExpr(n gen.ICaseContext) Expr {
	c := &Case{At: at(n), Operand: b.optional(n.Expr())}
	for _, w := range n.AllWhenArm() {
		c.Whens = append(c.Whens, When{At: at(w), Cond: b.expr(w.Expr(0)), Then: b.expr(w.Expr(1))})
	}
	if e := n.ElseArm(); e != nil {
		c.Else = b.expr(e.Expr())
	}
	return c
}

// in reads the list or query. A list that is one query in parentheses is that
// query, as in PostgreSQL.
func (b *builder) in(x *In, n gen.IInListContext) Expr {
	if n.PlainQuery() != nil {
		x.Query = b.plainQuery(n.PlainQuery())
		return x
	}
	for _, it := range n.AllInItem() {
		switch {
		case it.Expr() != nil:
			x.List = append(x.List, b.expr(it.Expr()))
		case x.List == nil:
			x.List = symbol(it.PLAIN_LIST()).plain.rows[0]
		default:
			x.List = append(x.List, symbol(it.PLAIN_LIST()).plain.rows[0]...)
		}
	}
	arms, tail := n.AllSetArm(), n.QueryTail()
	follows, more := hasRest(arms, tail)
	sub, ok := x.List[0].(*Subquery)
	switch {
	case ok && len(x.List) == 1:
		x.Query, x.List = b.rest(sub.At, sub.Query, arms, tail), nil
	case more:
		b.unexpected(follows)
	}
	return x
}
