package ast

import "github.com/ivmc/ivmc/grammar/gen"

func (b *builder) insert(start At, with []CTE, n gen.IInsertContext) Statement {
	st := &Insert{At: start, With: with, Table: b.target(n.Qualified()), Columns: names(n.NameList())}
	if n.Name() != nil {
		st.Alias = name(n.Name())
	}
	if n.DEFAULT() != nil {
		start := At{symbol(n.DEFAULT()).pos}
		st.Query = &Query{At: start, Body: &Values{At: start, Rows: [][]Expr{{}}}}
		if n.NameList() != nil {
			b.unexpected(symbol(n.DEFAULT()))
		}
	} else {
		st.Query = b.query(n.Query())
	}
	if q := st.Query; bare(q) {
		if v, ok := q.Body.(*Values); ok {
			delete(b.defaults, v)
		}
	}
	if c := n.OnConflict(); c != nil {
		st.Conflict = b.onConflict(c)
	}
	st.Returning = b.returning(n.Returning())
	return st
}

func (b *builder) onConflict(n gen.IOnConflictContext) *OnConflict {
	c := &OnConflict{At: at(n), Columns: names(n.NameList())}
	wheres := n.AllWhere()
	if len(wheres) > 0 && first(wheres[0]).index < symbol(n.DO()).index {
		b.unsupported(first(wheres[0]), "WHERE behind the columns of ON CONFLICT", "There are no partial indexes.")
		wheres = wheres[1:]
	}
	if n.Name() != nil {
		c.Constraint = name(n.Name())
	}
	if n.NOTHING() != nil {
		return c
	}
	if c.Columns == nil && c.Constraint.Text == "" {
		b.fail(codeSyntax, c.Start, "ON CONFLICT DO UPDATE requires inference specification or constraint name").Hint =
			"For example, ON CONFLICT (column_name)."
	}
	c.Set = b.assignments(n.AllAssignment())
	if len(wheres) > 0 {
		c.Where = b.expr(wheres[0].Expr())
	}
	return c
}

func (b *builder) returning(n gen.IReturningContext) []SelectItem {
	if n == nil {
		return nil
	}
	var out []SelectItem
	for _, c := range n.AllSelectItem() {
		out = append(out, b.selectItem(c))
	}
	return out
}

func (b *builder) assignments(ns []gen.IAssignmentContext) []Assign {
	var out []Assign
	for _, x := range ns {
		if x.Name() != nil {
			out = append(out, Assign{At: at(x), Column: name(x.Name()), Value: b.optional(x.Expr())})
			continue
		}
		out = append(out, b.assignRow(x)...)
	}
	return out
}

// assignRow reads (a, b) = (1, DEFAULT), which is an assignment for each column, and
// (a, b) = (query).
func (b *builder) assignRow(n gen.IAssignmentContext) []Assign {
	columns, cells := names(n.NameList()), n.AllCell()
	if n.PlainQuery() != nil {
		return []Assign{{At: at(n), Columns: columns, Query: b.plainQuery(n.PlainQuery())}}
	}
	if len(cells) == 1 && len(columns) > 1 && cells[0].Expr() != nil { // ((SELECT ..))
		if s, ok := b.expr(cells[0].Expr()).(*Subquery); ok {
			return []Assign{{At: at(n), Columns: columns, Query: s.Query}}
		}
	}
	if len(cells) != len(columns) {
		b.fail(codeSyntax, first(cells[0]).pos, "number of columns does not match number of values")
		return nil
	}
	var out []Assign
	for i, c := range cells {
		out = append(out, Assign{At: At{columns[i].Start}, Column: columns[i], Value: b.optional(c.Expr())})
	}
	return out
}

func (b *builder) update(start At, with []CTE, n gen.IUpdateContext) Statement {
	st := &Update{At: start, With: with, Table: b.target(n.Qualified())}
	if a := n.UpdateAlias(); a != nil {
		st.Alias = last(a).name()
	}
	st.Set = b.assignments(n.AllAssignment())
	if f := n.From(); f != nil {
		st.From = b.fromItems(f.AllFromItem())
	}
	if w := n.Where(); w != nil {
		st.Where = b.expr(w.Expr())
	}
	st.Returning = b.returning(n.Returning())
	return st
}

func (b *builder) delete(start At, with []CTE, n gen.IDeleteContext) Statement {
	st := &Delete{At: start, With: with, Table: b.target(n.Qualified())}
	if a := n.Name(); a != nil {
		st.Alias = name(a)
	}
	st.Using = b.fromItems(n.AllFromItem())
	if w := n.Where(); w != nil {
		st.Where = b.expr(w.Expr())
	}
	st.Returning = b.returning(n.Returning())
	return st
}

// truncate reads CASCADE and RESTRICT over: they speak of foreign keys, and
// there are none.
func (b *builder) truncate(n gen.ITruncateContext) Statement {
	if n.IDENTITY() != nil && n.RESTART() != nil {
		b.unsupported(symbol(n.RESTART()), "RESTART IDENTITY", "")
	}
	return &Truncate{At: at(n), Tables: b.targets(n.AllQualified())}
}

func (b *builder) drop(n gen.IDropContext) Statement {
	st := &Drop{At: at(n), IfExists: n.IfExists() != nil, Names: b.targets(n.AllQualified())}
	switch {
	case n.MATERIALIZED() != nil:
		st.Kind = MaterializedViewObject
	case n.VIEW() != nil:
		st.Kind = ViewObject
	case n.INDEX() != nil:
		b.unsupported(first(n), "DROP INDEX", "Indexes (arrangements) are made and kept by need.")
	}
	if d := n.Dependents(); d != nil {
		st.Cascade = d.CASCADE() != nil
	}
	return st
}
