package ast

import "github.com/ivmc/ivmc/grammar/gen"

// The binding strengths of PostgreSQL's operators (gram.y), loosest first.
// Between "not" and "is" the order is what makes NOT a IS NULL mean NOT (a IS
// NULL); a sign is looser than a cast, so -1::text is -(1::text).
const (
	precOr = iota + 1
	precAnd
	precNot
	precIs
	precCompare
	precMatch // BETWEEN, IN, LIKE
	precOther // || and all operators without a row
	precAdd
	precMul
	precPow
	precZone // AT TIME ZONE
	precCollate
	precSign
	precCast
	precPrimary
)

// infix is a row of the table of operators between two operands.
type infix struct {
	op       string
	prec     int
	nonassoc bool // a < b < c is an error
	narrow   bool // may stand in the lower bound of BETWEEN without parentheses
}

var infixes = map[int]infix{
	gen.IVMOR:      {op: "or", prec: precOr},
	gen.IVMAND:     {op: "and", prec: precAnd},
	gen.IVMEQ:      {op: "=", prec: precCompare, nonassoc: true, narrow: true},
	gen.IVMNE:      {op: "<>", prec: precCompare, nonassoc: true, narrow: true},
	gen.IVMLT:      {op: "<", prec: precCompare, nonassoc: true, narrow: true},
	gen.IVMLE:      {op: "<=", prec: precCompare, nonassoc: true, narrow: true},
	gen.IVMGT:      {op: ">", prec: precCompare, nonassoc: true, narrow: true},
	gen.IVMGE:      {op: ">=", prec: precCompare, nonassoc: true, narrow: true},
	gen.IVMCONCAT:  {op: "||", prec: precOther, narrow: true},
	gen.IVMPLUS:    {op: "+", prec: precAdd, narrow: true},
	gen.IVMMINUS:   {op: "-", prec: precAdd, narrow: true},
	gen.IVMSTAR:    {op: "*", prec: precMul, narrow: true},
	gen.IVMSLASH:   {op: "/", prec: precMul, narrow: true},
	gen.IVMPERCENT: {op: "%", prec: precMul, narrow: true},
	gen.IVMCARET:   {op: "^", prec: precPow, narrow: true},
	// Its text is its name.
	gen.IVMOTHER_OPERATOR: {prec: precOther, narrow: true},
}

// chain shapes one flat expression. next is the part that comes next; min below
// is the loosest strength that the caller leaves to the callee.
type chain struct {
	b     *builder
	expr  gen.IExprContext
	parts []gen.IExprPartContext
	next  int
	// narrow is set in the lower bound of BETWEEN, which ends at AND.
	narrow bool
	broken bool
}

func (b *builder) expr(n gen.IExprContext) Expr {
	b.watch.step()
	c := &chain{b: b, expr: n, parts: n.AllExprPart()}
	b.links += len(c.parts)
	x := c.climb(n.Term().AllPrefix(), n.Term().Primary(), 0)
	if c.next < len(c.parts) {
		c.stop(first(c.parts[c.next]))
	}
	return x
}

// stop reports the first error of a chain and gives the rest up.
func (c *chain) stop(t *token) {
	if !c.broken {
		c.b.unexpected(t)
	}
	c.broken = true
	c.next = len(c.parts)
}

// here is the token that comes next.
func (c *chain) here() *token {
	if c.next < len(c.parts) {
		return first(c.parts[c.next])
	}
	return c.b.after(c.expr)
}

// climb reads an operand and all that binds at least as tightly as min.
func (c *chain) climb(prefixes []gen.IPrefixContext, p gen.IPrimaryContext, min int) Expr {
	start := at(p)
	var x Expr
	if len(prefixes) > 0 {
		start = at(prefixes[0])
		x = c.prefixed(prefixes, p)
	} else {
		x = c.b.primary(p)
	}
	for c.next < len(c.parts) {
		part := c.parts[c.next]
		prec, narrow := strength(part)
		if prec < min || prec == 0 || c.narrow && !narrow {
			break
		}
		c.next++
		x = c.apply(x, start, part)
	}
	return x
}

// operand climbs from the term of a part.
func (c *chain) operand(t gen.ITermContext, min int) Expr {
	return c.climb(t.AllPrefix(), t.Primary(), min)
}

func (c *chain) prefixed(prefixes []gen.IPrefixContext, p gen.IPrimaryContext) Expr {
	c.b.enter(first(prefixes[0]))
	defer c.b.leave()
	t := first(prefixes[0])
	u := &Unary{At: At{t.pos}, Op: t.value}
	prec := precSign
	switch t.kind {
	case gen.IVMNOT:
		prec = precNot
		if c.narrow {
			c.stop(t)
		}
	case gen.IVMOTHER_OPERATOR: // ~a + b is ~(a + b)
		prec = precOther + 1
	}
	u.X = c.climb(prefixes[1:], p, prec)
	return u
}

// strength gives how tightly a part binds, and whether it may stand in a lower
// bound. 0 is a part that is none by itself: ESCAPE.
func strength(p gen.IExprPartContext) (prec int, narrow bool) {
	switch {
	case p.Operator() != nil:
		row := infixes[first(p).kind]
		return row.prec, row.narrow
	case p.TYPECAST() != nil || p.LBRACKET() != nil:
		return precCast, true
	case p.AT() != nil:
		return precZone, true
	case p.COLLATE() != nil:
		return precCollate, true
	case p.IS() != nil:
		return precIs, p.DISTINCT() != nil
	case p.ISNULL() != nil || p.NOTNULL() != nil:
		return precIs, false
	}
	return precMatch, false
}

// apply makes one node of the operand on the left and a part.
func (c *chain) apply(x Expr, start At, p gen.IExprPartContext) Expr {
	not, here := p.NOT() != nil, at(p)
	switch {
	case p.Operator() != nil:
		t := first(p)
		row := infixes[t.kind]
		if t.kind == gen.IVMOTHER_OPERATOR {
			row.op = t.value
		}
		if p.Quantified() != nil {
			return c.quantified(x, t, row, p)
		}
		r := c.operand(p.Term(), row.prec+1)
		if row.nonassoc {
			c.single(row.prec)
		}
		return &Binary{At: At{t.pos}, Op: row.op, L: x, R: r}
	case p.AT() != nil:
		zone := c.operand(p.Term(), precZone+1)
		return &Call{At: At{first(p).pos}, Name: Name{At{first(p).pos}, "timezone"}, Args: []Expr{zone, x}}
	case p.COLLATE() != nil:
		_, name := c.b.qualified(p.Qualified())
		if !byBytes[name.Text] {
			c.b.unsupported(first(p), "COLLATE "+QuoteIdent(name.Text), "Text is compared by its bytes, as with COLLATE \"C\".")
		}
		return &Collate{At: At{first(p).pos}, X: x, Name: name}
	case p.LBRACKET() != nil:
		return c.b.subscript(x, p)
	case p.TYPECAST() != nil:
		return &Cast{At: here, X: x, Type: c.b.typeName(p.TypeName())}
	case p.DISTINCT() != nil:
		n := &IsDistinct{At: here, L: x, Not: not, R: c.operand(p.Term(), precIs+1)}
		c.single(precIs)
		return n
	case p.IS() != nil:
		return &Is{At: start, X: x, Not: not, What: last(p).value}
	case p.ISNULL() != nil:
		return &Is{At: start, X: x, What: "null"}
	case p.NOTNULL() != nil:
		return &Is{At: start, X: x, What: "null", Not: true}
	case p.IN() != nil:
		return c.b.in(&In{At: here, X: x, Not: not}, p.InList())
	case p.BETWEEN() != nil:
		return c.between(&Between{At: here, X: x, Not: not, Symmetric: p.SYMMETRIC() != nil}, p)
	case p.SIMILAR() != nil:
		return c.similar(x, not, p)
	}
	if p.Quantified() != nil {
		t := first(p)
		op := map[bool]string{false: "like", true: "ilike"}[p.ILIKE() != nil]
		if not {
			op = "not " + op
		}
		return c.quantified(x, t, infix{op: op, prec: precMatch}, p)
	}
	n := &Like{At: here, X: x, Not: not, Fold: p.ILIKE() != nil, Pattern: c.operand(p.Term(), precMatch+1)}
	if e := c.operatorHere(gen.IVMESCAPE); e != nil {
		n.Escape = c.operand(e.Term(), precMatch+1)
	}
	c.single(precMatch)
	return n
}

// byBytes are the collations that compare bytes, which is how text is compared.
var byBytes = map[string]bool{"C": true, "POSIX": true, "ucs_basic": true, "default": true}

// similar is x [NOT] SIMILAR TO pattern [ESCAPE ..]: a regular expression made of the pattern.
func (c *chain) similar(x Expr, not bool, p gen.IExprPartContext) Expr {
	at := At{symbol(p.SIMILAR()).pos}
	made := &Call{At: at, Name: Name{at, "similar_to_escape"}, Args: []Expr{c.operand(p.Term(), precMatch+1)}}
	if e := c.operatorHere(gen.IVMESCAPE); e != nil {
		made.Args = append(made.Args, c.operand(e.Term(), precMatch+1))
	}
	c.single(precMatch)
	op := "~"
	if not {
		op = "!~"
	}
	return &Binary{At: at, Op: op, L: x, R: made}
}

func (c *chain) between(n *Between, p gen.IExprPartContext) Expr {
	outer := c.narrow
	c.narrow = true
	n.Low = c.operand(p.Term(), 0)
	c.narrow = outer
	and := c.operatorHere(gen.IVMAND)
	if and == nil {
		c.stop(c.here())
		return n
	}
	n.High = c.operand(and.Term(), precMatch+1)
	c.single(precMatch)
	return n
}

// operatorHere takes the next part if it is that operator.
func (c *chain) operatorHere(kind int) gen.IExprPartContext {
	if c.next < len(c.parts) && first(c.parts[c.next]).kind == kind {
		c.next++
		return c.parts[c.next-1]
	}
	return nil
}

// single reports an operator as strong as the one before it, where those do not
// stand in a row.
func (c *chain) single(prec int) {
	if c.next < len(c.parts) {
		if p, _ := strength(c.parts[c.next]); p == prec {
			c.stop(first(c.parts[c.next]))
		}
	}
}
