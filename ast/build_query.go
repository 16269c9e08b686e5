package ast

import "github.com/ivmc/ivmc/grammar/gen"

func (b *builder) query(n gen.IQueryContext) *Query {
	return b.bareQuery(at(n), b.with(n.With()), n.BareQuery())
}

func (b *builder) bareQuery(start At, with []CTE, n gen.IBareQueryContext) *Query {
	q := &Query{At: start, With: with}
	q.Body = b.body(b.queryTerm(n.QueryTerm()), n.AllSetArm())
	b.tail(q, n.QueryTail())
	return simple(q)
}

func (b *builder) plainQuery(n gen.IPlainQueryContext) *Query {
	q := &Query{At: at(n), With: b.with(n.With())}
	var head Body
	if n.PlainTerm() != nil {
		head = b.plainTerm(n.PlainTerm())
	} else {
		head = b.queryTerm(n.QueryTerm())
	}
	q.Body = b.body(head, n.AllSetArm())
	b.tail(q, n.QueryTail())
	return simple(q)
}

// simple takes away parentheses that hold a whole query and nothing else.
func simple(q *Query) *Query {
	if inner, ok := q.Body.(*Query); ok && bare(q) {
		return inner
	}
	return q
}

// bare says that a query is its body and nothing more.
func bare(q *Query) bool {
	return q.With == nil && q.OrderBy == nil && q.Limit == nil && q.Offset == nil
}

// asBody makes a term of a query in parentheses.
func asBody(q *Query) Body {
	if bare(q) {
		return q.Body
	}
	return q
}

// rest puts together a query that starts with parentheses which were read as an
// expression or a table: head is the query in them.
func (b *builder) rest(start At, head *Query, arms []gen.ISetArmContext, tail gen.IQueryTailContext) *Query {
	q := &Query{At: start, Body: b.body(asBody(head), arms)}
	b.tail(q, tail)
	if len(arms) == 0 && bare(q) {
		return head
	}
	return q
}

// hasRest says whether anything of a query follows, and where.
func hasRest(arms []gen.ISetArmContext, tail gen.IQueryTailContext) (*token, bool) {
	if len(arms) > 0 {
		return first(arms[0]), true
	}
	if tail.GetChildCount() > 0 {
		return first(tail), true
	}
	return nil, false
}

func (b *builder) with(n gen.IWithContext) []CTE {
	if n == nil {
		return nil
	}
	exists := b.exists // of the query behind WITH
	b.exists = false
	defer func() { b.exists = exists }()
	var out []CTE
	if r := n.RECURSIVE(); r != nil {
		b.unsupported(symbol(r), "WITH RECURSIVE", "Write out as many levels as there can be, each a UNION ALL of a join with the one before; or keep the closure in a table of its own.")
	}
	for _, c := range n.AllCte() {
		if m := c.MATERIALIZED(); m != nil {
			b.unsupported(symbol(m), "MATERIALIZED for a query of WITH", "Leave it out: it changes no result.")
		}
		out = append(out, CTE{At: at(c), Name: name(c.Name()), Columns: names(c.NameList()), Query: b.query(c.Query())})
	}
	return out
}

func (b *builder) queryTerm(n gen.IQueryTermContext) Body {
	if n.PlainTerm() != nil {
		return b.plainTerm(n.PlainTerm())
	}
	return asBody(b.query(n.Query()))
}

func (b *builder) plainTerm(n gen.IPlainTermContext) Body {
	switch {
	case n.Select_() != nil:
		return b.selectBlock(n.Select_())
	case n.Values() != nil:
		return b.values(n.Values())
	}
	start := at(n)
	t := &TableRef{At: at(n.Qualified())}
	t.Schema, t.Name = b.qualified(n.Qualified())
	return &Select{At: start, Items: []SelectItem{{At: start, Expr: &Star{At: start}}}, From: []TableExpr{t}}
}

// body shapes a row of set operations: INTERSECT binds tighter than UNION and
// EXCEPT, each of them to the left.
func (b *builder) body(head Body, arms []gen.ISetArmContext) Body {
	b.links += len(arms)
	var left Body // what UNION and EXCEPT have gathered; nil before the first
	var open *SetOp
	term := head
	for _, a := range arms {
		op := &SetOp{All: a.ALL() != nil}
		right := b.queryTerm(a.QueryTerm())
		if a.INTERSECT() != nil {
			op.Op = Intersect
			term = closeSetOp(op, term, right)
			continue
		}
		if a.EXCEPT() != nil {
			op.Op = Except
		}
		left = closeSetOp(open, left, term)
		open, term = op, right
	}
	return closeSetOp(open, left, term)
}

func closeSetOp(open *SetOp, left, right Body) Body {
	if open == nil {
		return right
	}
	open.At, open.Left, open.Right = At{left.Pos()}, left, right
	return open
}

// lock refuses FOR UPDATE and the like.
func (b *builder) lock(c gen.ILockClauseContext) {
	words, before := c.AllIDENT(), len(b.errs)
	what := "FOR UPDATE"
	switch {
	case c.NO() != nil:
		what = "FOR NO KEY UPDATE"
	case c.UPDATE() != nil:
	default:
		b.word(symbol(words[0]), "share")
		words = words[1:]
		what = "FOR SHARE"
		if c.KEY() != nil {
			what = "FOR KEY SHARE"
		}
	}
	switch len(words) {
	case 1:
		b.word(symbol(words[0]), "nowait")
	case 2:
		b.word(symbol(words[0]), "skip")
		b.word(symbol(words[1]), "locked")
	}
	if len(b.errs) > before {
		return
	}
	b.unsupported(first(c), what, noLocks)
}

func (b *builder) tail(q *Query, n gen.IQueryTailContext) {
	q.OrderBy = b.orderBy(n.OrderBy())
	for _, c := range n.AllLockClause() {
		b.lock(c)
	}
	limits, offsets := 0, 0
	for _, c := range n.AllLimitClause() {
		if c.OFFSET() != nil {
			if offsets++; offsets > 1 {
				b.fail(codeSyntax, first(c).pos, "multiple OFFSET clauses not allowed")
			}
			q.Offset = b.expr(c.Expr())
			continue
		}
		if t := c.TIES(); t != nil {
			b.unsupported(symbol(t), "WITH TIES", "")
		}
		if limits++; limits > 1 {
			b.fail(codeSyntax, first(c).pos, "multiple LIMIT clauses not allowed")
		}
		switch {
		case c.FETCH() == nil || c.Expr() != nil:
			q.Limit = b.optional(c.Expr())
		case c.FetchCount() != nil:
			q.Limit = b.constant(last(c.FetchCount()))
		default:
			q.Limit = &Literal{At: at(c), Kind: NumberLit, Text: "1"}
		}
	}
}

func (b *builder) orderBy(n gen.IOrderByContext) []OrderItem {
	if n == nil {
		return nil
	}
	var out []OrderItem
	for _, c := range n.AllOrderItem() {
		it := OrderItem{At: at(c), Expr: b.expr(c.Expr()), Desc: c.DESC() != nil}
		it.NullsFirst = it.Desc
		if c.NULLS() != nil {
			it.NullsFirst = c.FIRST() != nil
		}
		out = append(out, it)
	}
	return out
}

func (b *builder) selectBlock(n gen.ISelectContext) *Select {
	s := &Select{At: at(n), Distinct: n.DISTINCT() != nil}
	exists := b.exists
	b.exists = false
	if len(n.AllSelectItem()) == 0 {
		if !exists {
			b.unsupported(first(n), "a SELECT of no columns", "Name a column or a constant, as in SELECT 1 FROM t.")
		}
		s.Items = []SelectItem{{At: at(n), Expr: &Literal{At: at(n), Kind: NumberLit, Text: "1"}}}
	}
	for _, c := range n.AllSelectItem() {
		s.Items = append(s.Items, b.selectItem(c))
	}
	if c := n.From(); c != nil {
		s.From = b.fromItems(c.AllFromItem())
	}
	if c := n.Where(); c != nil {
		s.Where = b.expr(c.Expr())
	}
	if d := n.DistinctOn(); d != nil {
		s.On = b.exprs(d.AllExpr())
	}
	if c := n.GroupBy(); c != nil {
		s.GroupBy, s.GroupOnce = b.groupItems(c.AllGroupItem()), c.DISTINCT() != nil
	}
	if c := n.Having(); c != nil {
		s.Having = b.expr(c.Expr())
	}
	if c := n.Windows(); c != nil {
		for _, w := range c.AllNamedWindow() {
			s.Windows = append(s.Windows, NamedWindow{At: at(w), Name: name(w.Name()), WindowSpec: b.windowSpec(w.WindowSpec())})
		}
	}
	return s
}

// groupItems reads GROUP BY; a list in parentheses is its items.
func (b *builder) groupItems(ns []gen.IGroupItemContext) []Expr {
	var out []Expr
	for _, n := range ns {
		x := b.groupItem(n)
		if row, ok := x.(*Row); ok && first(n).kind == gen.IVMLPAREN {
			out = append(out, row.Items...)
		} else if x != nil {
			out = append(out, x)
		}
	}
	return out
}

// groupingWords are those that look like functions.
var groupingWords = map[string]GroupingKind{"rollup": Rollup, "cube": Cube}

// groupItem reads an item of GROUP BY or of GROUPING SETS; nil after a complaint.
func (b *builder) groupItem(n gen.IGroupItemContext) Expr {
	if n.Expr() != nil {
		x := b.expr(n.Expr())
		c, ok := x.(*Call)
		if t := first(n); ok && t.kind == gen.IVMIDENT && len(c.Args) > 0 && c.bare() {
			if kind, ok := groupingWords[t.value]; ok {
				return &GroupingSets{At: at(n), Kind: kind, Items: c.Args}
			}
		}
		return x
	}
	s := &GroupingSets{At: at(n)}
	if len(n.AllIDENT()) == 0 {
		return s
	}
	if g, w := symbol(n.IDENT(0)), symbol(n.IDENT(1)); g.value != "grouping" || w.value != "sets" {
		b.unexpected(w)
		return nil
	}
	for _, in := range n.AllGroupItem() {
		if x := b.groupItem(in); x != nil {
			s.Items = append(s.Items, x)
		}
	}
	return s
}

func (b *builder) selectItem(n gen.ISelectItemContext) SelectItem {
	if n.STAR() != nil {
		return SelectItem{At: at(n), Expr: &Star{At: at(n)}}
	}
	it := SelectItem{At: at(n)}
	if star := wholeRow(n.Expr()); star != nil {
		it.Expr = b.tableStar(star)
	} else {
		it.Expr = b.expr(n.Expr())
	}
	var label *token
	switch {
	case n.AnyLabel() != nil:
		label = first(n.AnyLabel())
	case n.BareLabel() != nil:
		label = first(n.BareLabel())
	default:
		return it
	}
	if _, ok := it.Expr.(*Star); ok {
		b.unexpected(label).Hint = "table.* takes no alias"
	}
	it.Alias = label.name()
	return it
}

func (b *builder) values(n gen.IValuesContext) *Values {
	b.exists = false // a query in a row is a value
	v := &Values{At: at(n)}
	for _, r := range n.AllRow() {
		pos := first(r).pos // of the parenthesis
		if r.PLAIN_ROWS() == nil && len(r.AllCell()) > 0 {
			pos = first(r.Cell(0)).pos
		}
		var rows [][]Expr
		if r.PLAIN_ROWS() != nil {
			run := symbol(r.PLAIN_ROWS()).plain
			rows = run.rows
			if run.hasDefault {
				b.defaultIn(v, run.defaultAt)
			}
			if run.odd {
				pos = run.oddAt
			}
		} else {
			rows = [][]Expr{b.row(v, r)}
		}
		if v.Rows == nil {
			v.Rows = rows
		} else {
			v.Rows = append(v.Rows, rows...)
		}
		for _, row := range rows {
			if len(row) != len(v.Rows[0]) {
				b.fail(codeSyntax, pos, "VALUES lists must all be the same length")
				return v
			}
		}
	}
	return v
}

func (b *builder) row(v *Values, n gen.IRowContext) []Expr {
	var out []Expr
	for _, c := range n.AllCell() {
		if c.Expr() == nil {
			b.defaultIn(v, first(c).pos)
			out = append(out, nil)
			continue
		}
		out = append(out, b.expr(c.Expr()))
	}
	return out
}

func (b *builder) defaultIn(v *Values, pos Pos) {
	if b.defaults == nil {
		b.defaults = map[*Values]Pos{}
	}
	if _, ok := b.defaults[v]; !ok {
		b.defaults[v] = pos
	}
}
