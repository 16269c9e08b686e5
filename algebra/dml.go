package algebra

import (
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
	return b.zonedModify(m), b.errs.settled()
}

// BindUpdate binds UPDATE: each row that WHERE finds, with its new values and
// its address. SET sees the old row. The error is an [Errors].
func BindUpdate(s *ast.Update, env Env) (*Modify, error) {
	b := &binder{env: env}
	m := b.update(s)
	return b.zonedModify(m), b.errs.settled()
}

// BindDelete binds DELETE: the addresses of the rows that WHERE finds. The
// error is an [Errors].
func BindDelete(s *ast.Delete, env Env) (*Modify, error) {
	b := &binder{env: env}
	m := b.delete(s)
	return b.zonedModify(m), b.errs.settled()
}

func (b *binder) zonedModify(m *Modify) *Modify {
	if m != nil {
		m.Source = b.zoned(m.Source)
	}
	return m
}

func (b *binder) later(with []ast.CTE, returning []ast.SelectItem) {
	if len(with) > 0 {
		b.unsupported(with[0].Pos(), "WITH before INSERT, UPDATE or DELETE", "")
	}
	if len(returning) > 0 {
		b.unsupported(returning[0].Pos(), "RETURNING", "Ask with a SELECT in the same transaction.")
	}
}

// target finds the table that a statement changes; a view changes by refresh alone.
func (b *binder) target(name ast.Name) (Relation, bool) {
	r, ok := b.relation(name)
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
	b.later(s.With, s.Returning)
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
	m := &Modify{Rel: r, Op: OpInsert}
	if v, ok := s.Query.Body.(*ast.Values); ok && len(s.Query.OrderBy) == 0 && s.Query.Limit == nil && s.Query.Offset == nil {
		b.with(s.Query.With, nil)
		m.Source = b.insertValues(s, v, r, cols)
	} else {
		m.Source = b.insertQuery(s, r, cols)
	}
	return m
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
func (b *binder) insertValues(s *ast.Insert, v *ast.Values, r Relation, cols []int) Node {
	out := &Values{Fields: nullable(r.Schema)}
	if len(v.Rows) == 0 {
		return out
	}
	ctx := &exprCtx{sc: &scope{}, clause: "VALUES"}
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
	for _, row := range v.Rows {
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
	return out
}

// nullable is the schema of rows that have not been checked yet.
func nullable(s zset.Schema) zset.Schema {
	out := append(zset.Schema(nil), s...)
	for i := range out {
		out[i].NotNull = false
	}
	return out
}

func (b *binder) insertQuery(s *ast.Insert, r Relation, cols []int) Node {
	errs := len(b.errs)
	n := b.query(s.Query, nil, true)
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

// found is the rows of r that where finds, with their addresses.
func (b *binder) found(r Relation, table, alias ast.Name, where ast.Expr) (Node, scope) {
	as := alias
	if as.Text == "" {
		as = table
	}
	read := scan(r, as.Text, table.Pos())
	sc := newScope(as.Text, read, nil, table.Pos())
	if alias.Text == "" {
		sc.inSchema("")
	}
	read.Addr = true
	var n Node = read
	if where != nil {
		if pred := b.condition(where, &exprCtx{sc: &sc, clause: "WHERE"}, "WHERE"); pred != nil {
			n = &Filter{Input: n, Pred: pred}
		}
	}
	return n, sc
}

func (b *binder) update(s *ast.Update) *Modify {
	b.later(s.With, s.Returning)
	r, ok := b.target(s.Table)
	if !ok {
		return nil
	}
	if len(s.From) > 0 {
		b.unsupported(s.From[0].Pos(), "UPDATE .. FROM", "Write WHERE key IN (query), and the value as a query.")
		return nil
	}
	n, sc := b.found(r, s.Table, s.Alias, s.Where)
	p := identity(n) // the row as it is, then _addr
	ctx := &exprCtx{sc: &sc, clause: "UPDATE"}
	seen := map[int]bool{}
	for _, a := range s.Set {
		if a.Query != nil {
			b.unsupported(a.Pos(), "SET (..) = (query)", "")
			continue
		}
		i := b.targetColumn(r, a.Column, seen, true)
		if a.Value == nil { // DEFAULT
			if i >= 0 {
				p.Exprs[i] = b.defaultOf(r, i, a.Pos())
			}
			continue
		}
		if e := b.expr(a.Value, ctx); e != nil && i >= 0 {
			p.Exprs[i] = b.store(e, r.Schema[i], startOf(a.Value))
		}
	}
	return &Modify{Rel: r, Op: OpUpdate, Source: p}
}

func (b *binder) delete(s *ast.Delete) *Modify {
	b.later(s.With, s.Returning)
	r, ok := b.target(s.Table)
	if !ok {
		return nil
	}
	if len(s.Using) > 0 {
		b.unsupported(s.Using[0].Pos(), "DELETE .. USING", "Write WHERE key IN (query).")
		return nil
	}
	n, _ := b.found(r, s.Table, s.Alias, s.Where)
	p := identity(n)
	last := len(p.Exprs) - 1
	return &Modify{Rel: r, Op: OpDelete, Source: &Project{Input: n, Exprs: p.Exprs[last:], Names: p.Names[last:]}}
}
