package ast

func (p *printer) query(q *Query) {
	p.with(q.With)
	p.body(q.Body, 0)
	p.orderBy(" ORDER BY ", q.OrderBy)
	p.clause(" LIMIT ", q.Limit)
	p.clause(" OFFSET ", q.Offset)
}

func (p *printer) with(cs []CTE) {
	for i, c := range cs {
		p.put([]string{"WITH ", ", "}[min(i, 1)])
		p.name(c.Name)
		p.columns(c.Columns)
		p.put(" AS ")
		p.inParens(c.Query)
	}
	p.when(len(cs) > 0, " ")
}

func (p *printer) inParens(q *Query) {
	p.put("(")
	p.query(q)
	p.put(")")
}

// The strengths of set operations.
const (
	bodyUnion = iota + 1
	bodyIntersect
	bodyTerm
)

// body writes b so that it binds at least as tightly as min.
func (p *printer) body(b Body, min int) {
	switch b := b.(type) {
	case *Query:
		p.inParens(b)
	case *Select:
		p.selectBlock(b)
	case *Values:
		p.values(b)
	case *SetOp:
		prec := bodyUnion
		if b.Op == Intersect {
			prec = bodyIntersect
		}
		p.when(prec < min, "(")
		p.body(b.Left, prec)
		p.put([...]string{Union: " UNION ", Intersect: " INTERSECT ", Except: " EXCEPT "}[b.Op])
		p.when(b.All, "ALL ")
		p.body(b.Right, prec+1)
		p.when(prec < min, ")")
	}
}

func (p *printer) selectBlock(s *Select) {
	p.put("SELECT ")
	p.when(s.Distinct, "DISTINCT ")
	if len(s.On) > 0 {
		p.put("ON (")
		p.exprs(s.On)
		p.put(") ")
	}
	p.items(s.Items)
	p.tables(" FROM ", s.From)
	p.clause(" WHERE ", s.Where)
	if len(s.GroupBy) > 0 {
		p.put(" GROUP BY ")
		p.when(s.GroupOnce, "DISTINCT ")
		p.exprs(s.GroupBy)
	}
	p.clause(" HAVING ", s.Having)
	for i := range s.Windows {
		p.put([]string{" WINDOW ", ", "}[min(i, 1)])
		p.name(s.Windows[i].Name)
		p.put(" AS ")
		p.windowSpec(&s.Windows[i].WindowSpec)
	}
}

func (p *printer) items(is []SelectItem) {
	for i, it := range is {
		p.comma(i)
		p.expr(it.Expr, 0)
		p.alias(it.Alias, nil)
	}
}

func (p *printer) values(v *Values) {
	p.put("VALUES ")
	for i, row := range v.Rows {
		p.comma(i)
		p.put("(")
		p.exprs(row)
		p.put(")")
	}
}

func (p *printer) orderBy(word string, items []OrderItem) {
	for i, it := range items {
		if i == 0 {
			p.put(word)
		} else {
			p.put(", ")
		}
		p.expr(it.Expr, 0)
		p.when(it.Desc, " DESC")
		if it.NullsFirst != it.Desc {
			p.put([...]string{" NULLS LAST", " NULLS FIRST"}[index(it.NullsFirst)])
		}
	}
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (p *printer) tables(word string, ts []TableExpr) {
	for i, t := range ts {
		p.put([]string{word, ", "}[min(i, 1)])
		p.table(t)
	}
}

func (p *printer) table(t TableExpr) {
	switch t := t.(type) {
	case *TableRef:
		p.qualified(t.Schema, t.Name)
		if t.Reading != nil {
			p.reading(t.Reading)
		}
		p.alias(t.Alias, t.Columns)
	case *FuncTable:
		p.when(t.Lateral, "LATERAL ")
		p.plainCall(t.Call)
		p.when(t.Ordinality, " WITH ORDINALITY")
		p.alias(t.Alias, t.Columns)
	case *Derived:
		p.when(t.Lateral, "LATERAL ")
		p.inParens(t.Query)
		p.alias(t.Alias, t.Columns)
	case *Join:
		p.join(t)
	}
}

func (p *printer) join(j *Join) {
	p.table(j.Left)
	p.when(j.Natural, " NATURAL")
	p.put([...]string{InnerJoin: " JOIN ", CrossJoin: " CROSS JOIN ", LeftJoin: " LEFT JOIN ",
		RightJoin: " RIGHT JOIN ", FullJoin: " FULL JOIN "}[j.Kind])
	_, nested := j.Right.(*Join)
	p.when(nested, "(")
	p.table(j.Right)
	p.when(nested, ")")
	p.clause(" ON ", j.On)
	if len(j.Using) > 0 {
		p.put(" USING")
		p.columns(j.Using)
	}
}
