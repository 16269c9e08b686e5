package algebra

import (
	"fmt"
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// BindInsert binds INSERT .. VALUES and INSERT .. query. Values go to the listed
// columns, or to the first ones; the other columns, and DEFAULT, get their
// defaults. The
// error is an [Errors].
func BindInsert(s *ast.Insert, env Env) (*Modify, error) {
	b := &binder{env: env}
	m := b.insert(s)
	if m != nil {
		b.onceOnly(m.Source, true)
	}
	return b.zonedModify(m), b.outcome()
}

// BindUpdate binds UPDATE: each row that WHERE finds, with its new values and
// its address. SET sees the old row. The error is an [Errors].
func BindUpdate(s *ast.Update, env Env) (*Modify, error) {
	b := &binder{env: env}
	m := b.update(s)
	if m != nil {
		b.constantOnly(m.Source, "UPDATE")
	}
	return b.zonedModify(m), b.outcome()
}

// BindDelete binds DELETE: the addresses of the rows that WHERE finds. The
// error is an [Errors].
func BindDelete(s *ast.Delete, env Env) (*Modify, error) {
	b := &binder{env: env}
	m := b.delete(s)
	if m != nil {
		b.constantOnly(m.Source, "DELETE")
	}
	return b.zonedModify(m), b.outcome()
}

func (b *binder) zonedModify(m *Modify) *Modify {
	if m != nil {
		b.wide(m.Source)
		b.joinable(m.Source)
		m.Source = b.zoned(m.Source)
		for i, e := range m.Returning {
			m.Returning[i] = e.InZone(b.env.TimeZone)
		}
	}
	return m
}

// target finds the table that a statement changes; a view changes by refresh alone.
func (b *binder) target(name ast.Name) (Relation, bool) {
	r, ok := b.relation(name, nil)
	if ok && r.IsView {
		b.errorf(codeWrongObject, name.Pos(), "cannot change materialized view %q", name.Text)
		return r, false
	}
	if ok && r.Define != nil {
		b.errorf(codeWrongObject, name.Pos(), "cannot change view %q", name.Text)
		return r, false
	}
	return r, ok
}

// targetColumn finds a column to be written, by SET or by a column list: its
// position, -1 after a complaint.
func (b *binder) targetColumn(r Relation, name ast.Name, seen map[int]bool, set bool) int {
	i := r.Schema.Index(name.Text)
	switch {
	case i < 0:
		s := newScope("", &Values{Fields: r.Schema}, nil, 0)
		b.errorf(zset.CodeNoColumn, name.Pos(), "column %q of relation %q does not exist", name.Text, r.Name).Hint =
			s.similar(s.cols, name.Text)
	case seen[i] && set:
		b.errorf(codeSyntax, name.Pos(), "multiple assignments to same column %q", name.Text)
	case seen[i]:
		b.errorf(codeDuplicateColumn, name.Pos(), "column %q specified more than once", name.Text)
	default:
		seen[i] = true
		return i
	}
	return -1
}

// store casts e to a column by assignment.
func (b *binder) store(e *expr.Expr, f zset.Field, pos ast.Pos) *expr.Expr {
	c, err := expr.Cast(e, f.Type, expr.Assignment, int(pos))
	if err == nil {
		return c
	}
	if ze, ok := err.(*zset.Error); ok && ze.Code == codeCannotCoerce {
		b.errorf(zset.CodeTypeMismatch, pos, "column %q is of type %s but expression is of type %s", f.Name, f.Type, e.Typ).Hint =
			"You will need to rewrite or cast the expression."
	} else {
		b.fail(err, pos)
	}
	return expr.Const(zset.NullOf(f.Type))
}

func (b *binder) insert(s *ast.Insert) *Modify {
	with := b.with(s.With, nil)
	r, ok := b.target(s.Table)
	if !ok {
		return nil
	}
	var cols []int // where the values go; -1 after a complaint
	seen := map[int]bool{}
	for _, name := range s.Columns {
		cols = append(cols, b.targetColumn(r, name, seen, false))
	}
	if len(s.Columns) == 0 {
		for i := range r.Schema {
			cols = append(cols, i)
		}
	}
	m := &Modify{Rel: r, Op: OpInsert, Addr: -1}
	if v, ok := s.Query.Body.(*ast.Values); ok && len(s.Query.OrderBy) == 0 && s.Query.Limit == nil && s.Query.Offset == nil {
		m.Source = b.insertValues(s, v, r, cols, b.with(s.Query.With, with))
	} else {
		m.Source = b.insertQuery(s, r, cols, with)
	}
	as := tableName(s.Table, s.Alias)
	sc := newScope(as, &Values{Fields: nullable(r.Schema)}, nil, s.Table.Pos())
	b.returning(m, s.Returning, &sc, with)
	return m
}

// tableName is what columns of a target are qualified by.
func tableName(table, alias ast.Name) string {
	if alias.Text != "" {
		return alias.Text
	}
	return table.Text
}

// returning binds RETURNING over the columns of Source, which sc speaks of.
func (b *binder) returning(m *Modify, items []ast.SelectItem, sc *scope, with *cte) {
	if items == nil {
		return
	}
	s := &scalars{with: with}
	targets := b.selectList(&ast.Select{Items: items}, &exprCtx{sc: sc, clause: "RETURNING", scalars: s})
	b.settleTargets(targets)
	over := s.over(m.Source)
	m.Returning, m.Fields = []*expr.Expr{}, zset.Schema{}
	for _, t := range targets {
		e := over.place(t.e)
		m.Returning, m.Fields = append(m.Returning, e), append(m.Fields, zset.Field{Name: t.name, Type: e.Typ})
	}
	m.Source = over.n
}

// fits checks the number of values against the number of columns.
func (b *binder) fits(n int, s *ast.Insert, cols []int, pos ast.Pos) bool {
	switch {
	case n > len(cols):
		b.errorf(codeSyntax, pos, "INSERT has more expressions than target columns")
		return false
	case n < len(cols) && len(s.Columns) > 0:
		b.errorf(codeSyntax, s.Columns[n].Pos(), "INSERT has more target columns than expressions")
		return false
	}
	return true
}

// insertValues binds each value to its column at once, so that an untyped
// literal takes the column's type whatever stands in the other rows.
func (b *binder) insertValues(s *ast.Insert, v *ast.Values, r Relation, cols []int, with *cte) Node {
	out := &Values{Fields: nullable(r.Schema)}
	if len(v.Rows) == 0 {
		return out
	}
	asked := make([]*scalars, len(v.Rows))
	defaults := make([]*expr.Expr, len(r.Schema))
	for i := range r.Schema {
		defaults[i] = b.defaultOf(r, i, v.Pos())
	}
	width := len(v.Rows[0])
	for _, row := range v.Rows {
		if len(row) != width {
			b.errorf(codeSyntax, rowPos(v, row), "VALUES lists must all be the same length")
			return out
		}
	}
	at := v.Pos()
	if width > len(cols) {
		if x := v.Rows[0][len(cols)]; x != nil {
			at = startOf(x)
		}
	}
	if !b.fits(width, s, cols, at) {
		return out
	}
	for k, row := range v.Rows {
		asked[k] = &scalars{with: with}
		ctx := &exprCtx{sc: &scope{}, clause: "VALUES", scalars: asked[k]}
		es := append([]*expr.Expr(nil), defaults...)
		for i, x := range row {
			if x == nil {
				continue
			}
			if e := b.expr(x, ctx); e != nil && cols[i] >= 0 {
				es[cols[i]] = b.store(e, r.Schema[cols[i]], startOf(x))
			}
		}
		out.Rows = append(out.Rows, es)
	}
	return asking(out, asked)
}

// nullable is the schema of rows that have not been checked yet.
func nullable(s zset.Schema) zset.Schema {
	out := append(zset.Schema(nil), s...)
	for i := range out {
		out[i].NotNull = false
	}
	return out
}

func (b *binder) insertQuery(s *ast.Insert, r Relation, cols []int, with *cte) Node {
	errs := len(b.errs)
	n := b.query(s.Query, with, true)
	es := outputs(n)
	if len(b.errs) > errs || !b.fits(len(es), s, cols, s.Query.Pos()) {
		return n
	}
	p := &Project{Input: n}
	for i, f := range r.Schema {
		p.Exprs, p.Names = append(p.Exprs, b.defaultOf(r, i, s.Query.Pos())), append(p.Names, f.Name)
	}
	for i, e := range es {
		if c := cols[i]; c >= 0 {
			pos := ast.Pos(e.Pos)
			if pos < 0 {
				pos = ast.Pos(columnPos(s.Query.Body, i))
			}
			p.Exprs[c] = b.store(e, r.Schema[c], pos)
		}
	}
	return p
}

// found is the rows of r that where finds, with their addresses, each beside the
// rows of others that it is joined with.
func (b *binder) found(r Relation, table, alias ast.Name, others []ast.TableExpr, where ast.Expr, with *cte) (Node, scope) {
	as := tableName(table, alias)
	read := scan(r, as, table.Pos())
	sc := newScope(as, read, r.Key, table.Pos())
	if alias.Text == "" {
		sc.inSchema("")
	}
	read.Addr = true
	sc.width++
	var n Node = read
	if len(others) > 0 {
		more, sc2 := b.from(others, with)
		n, sc = &Join{Ins: []Node{read, more}}, b.beside(sc, sc2)
	}
	if where != nil {
		n = b.where(n, &sc, where, with)
	}
	return n, sc
}

func (b *binder) update(s *ast.Update) *Modify {
	with := b.with(s.With, nil)
	r, ok := b.target(s.Table)
	if !ok {
		return nil
	}
	n, sc := b.found(r, s.Table, s.Alias, s.From, s.Where, with)
	values := &scalars{with: with}
	set := b.assigned(r, s.Set, &exprCtx{sc: &sc, clause: "UPDATE", scalars: values})
	over := values.over(n)
	p := identity(n) // the row as it is, then _addr
	for i, e := range set {
		if e != nil {
			p.Exprs[i] = over.place(e)
		}
	}
	p.Input = over.n
	m := &Modify{Rel: r, Op: OpUpdate, Source: p, Addr: len(r.Schema), Many: len(s.From) > 0}
	if s.Returning == nil {
		p.Exprs, p.Names = p.Exprs[:m.Addr+1], p.Names[:m.Addr+1]
	}
	b.returning(m, s.Returning, &sc, with)
	return m
}

// assigned binds SET: by column, its new value; nil where it has none.
func (b *binder) assigned(r Relation, set []ast.Assign, ctx *exprCtx) []*expr.Expr {
	out := make([]*expr.Expr, len(r.Schema))
	seen := map[int]bool{}
	for _, a := range b.columnwise(set) {
		i := b.targetColumn(r, a.Column, seen, true)
		switch {
		case i < 0 && a.Value == nil:
		case a.Value == nil: // DEFAULT
			out[i] = b.defaultOf(r, i, a.Pos())
		default:
			if e := b.expr(a.Value, ctx); e != nil && i >= 0 {
				out[i] = b.store(e, r.Schema[i], startOf(a.Value))
			}
		}
	}
	return out
}

// columnwise makes of each (a, b) = (SELECT x, y ..) an assignment to each column
// of the query's column there.
func (b *binder) columnwise(set []ast.Assign) []ast.Assign {
	var out []ast.Assign
	for _, a := range set {
		if a.Query == nil {
			out = append(out, a)
			continue
		}
		sel, ok := a.Query.Body.(*ast.Select)
		star, alone := false, ok
		if ok {
			alone = !sel.Distinct && len(a.Query.OrderBy) == 0
			for _, it := range sel.Items {
				_, is := it.Expr.(*ast.Star)
				star = star || is
				alone = alone && !aggregates(it.Expr)
			}
		}
		switch {
		case !ok || star:
			b.unsupported(a.Query.Pos(), "SET (columns) = of a query with * or UNION", "Name its columns in a query around it.")
			continue
		case len(sel.Items) != len(a.Columns):
			b.errorf(codeSyntax, a.Query.Pos(), "number of columns does not match number of values")
			continue
		}
		for i, name := range a.Columns {
			q := columnOf(a.Query, i, len(a.Columns))
			if alone { // the other columns say nothing of the rows
				one, of := *sel, *a.Query
				one.Items, of.Body = sel.Items[i:i+1], &one
				q = &of
			}
			out = append(out, ast.Assign{At: name.At, Column: name, Value: &ast.Subquery{At: a.Query.At, Query: q}})
		}
	}
	return out
}

// columnOf is the query of column i of the n that q has.
func columnOf(q *ast.Query, i, n int) *ast.Query {
	d := &ast.Derived{At: q.At, Query: q, Alias: ast.Name{At: q.At, Text: "row"}}
	for k := range n {
		d.Columns = append(d.Columns, ast.Name{At: q.At, Text: fmt.Sprint("column", k+1)})
	}
	col := &ast.Ident{At: q.At, Parts: []ast.Name{d.Columns[i]}}
	return &ast.Query{At: q.At, Body: &ast.Select{At: q.At, Items: []ast.SelectItem{{At: q.At, Expr: col}}, From: []ast.TableExpr{d}}}
}

// aggregates reports whether x has an aggregate or a window in it, a query in it
// apart.
func aggregates(x ast.Node) bool {
	found := false
	switch x := x.(type) {
	case *ast.Query:
		return false
	case *ast.Window:
		return true
	case *ast.Call:
		found = slices.Contains(expr.Aggregates(), x.Name.Text)
	}
	ast.Children(x, func(c ast.Node) { found = found || aggregates(c) })
	return found
}

func (b *binder) delete(s *ast.Delete) *Modify {
	with := b.with(s.With, nil)
	r, ok := b.target(s.Table)
	if !ok {
		return nil
	}
	n, sc := b.found(r, s.Table, s.Alias, s.Using, s.Where, with)
	p := identity(n)
	m := &Modify{Rel: r, Op: OpDelete, Source: n, Addr: len(r.Schema), Many: len(s.Using) > 0}
	if s.Returning == nil {
		m.Source, m.Addr = &Project{Input: n, Exprs: p.Exprs[m.Addr : m.Addr+1], Names: p.Names[m.Addr : m.Addr+1]}, 0
	}
	b.returning(m, s.Returning, &sc, with)
	return m
}
