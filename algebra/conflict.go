package algebra

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// ConflictUpdate is the DO UPDATE of an INSERT. Its expressions read the row that
// is there, and behind its columns the row that was to be inserted.
type ConflictUpdate struct {
	Exprs []*expr.Expr // the new row, a column each
	Sets  []int        // the columns that SET names
	Where *expr.Expr   // nil: always
}

// BindConflict binds the DO UPDATE of an INSERT; nil for DO NOTHING. The row that
// was to be inserted is the table excluded. The error is an [Errors].
func BindConflict(s *ast.Insert, env Env) (*ConflictUpdate, error) {
	b := &binder{env: env}
	u := b.conflict(s)
	if u != nil {
		for i, e := range u.Exprs {
			if e != nil {
				u.Exprs[i] = e.InZone(env.TimeZone)
			}
		}
		if u.Where != nil {
			u.Where = u.Where.InZone(env.TimeZone)
		}
	}
	return u, b.outcome()
}

func (b *binder) conflict(s *ast.Insert) *ConflictUpdate {
	r, ok := b.target(s.Table)
	if !ok || s.Conflict.Set == nil {
		return nil
	}
	as := s.Alias
	if as.Text == "" {
		as = s.Table
	}
	row := &Values{Fields: r.Schema}
	sc := b.beside(newScope(as.Text, row, nil, as.Pos()), newScope("excluded", &Values{Fields: nullable(r.Schema)}, nil, s.Conflict.Pos()))
	u := &ConflictUpdate{Exprs: identity(row).Exprs}
	ctx := &exprCtx{sc: &sc, clause: "UPDATE"}
	for i, e := range b.assigned(r, s.Conflict.Set, ctx) {
		if e != nil {
			u.Exprs[i] = e
			u.Sets = append(u.Sets, i)
		}
	}
	if w := s.Conflict.Where; w != nil {
		u.Where = b.condition(w, &exprCtx{sc: &sc, clause: "WHERE"}, "WHERE")
	}
	return u
}

// ConflictTarget is what an ON CONFLICT looks at.
type ConflictTarget struct {
	Primary bool
	Unique  []int // positions in the further keys
}

// TargetOf finds the keys that an ON CONFLICT names: its columns, in any order,
// must be those of one key; without any, all keys. unique lists the columns of the
// further keys, names the constraints, that of the primary key last.
func TargetOf(s *ast.Insert, schema zset.Schema, key []int, unique [][]int, names []string) (ConflictTarget, error) {
	c := s.Conflict
	var t ConflictTarget
	switch {
	case c.Constraint.Text != "":
		for i, name := range names {
			if name != c.Constraint.Text {
				continue
			}
			if i == len(unique) {
				t.Primary = true
			} else {
				t.Unique = append(t.Unique, i)
			}
			return t, nil
		}
		return t, zset.Errorf("42704", int(c.Constraint.Pos()), "constraint %q for table %q does not exist", c.Constraint.Text, s.Table.Text)
	case len(c.Columns) == 0:
		if c.Set != nil {
			e := zset.Errorf(codeSyntax, int(c.Pos()), "ON CONFLICT DO UPDATE requires inference specification or constraint name")
			e.Hint = "For example, ON CONFLICT (column_name)."
			return t, e
		}
		t.Primary = key != nil
		for i := range unique {
			t.Unique = append(t.Unique, i)
		}
		return t, nil
	}
	var cols []int
	for _, name := range c.Columns {
		i := schema.Index(name.Text)
		if i < 0 {
			return t, zset.Errorf(zset.CodeNoColumn, int(name.Pos()), "column %q does not exist", name.Text)
		}
		cols = append(cols, i)
	}
	t.Primary = key != nil && sameColumns(cols, key)
	for i, u := range unique {
		if sameColumns(cols, u) {
			t.Unique = append(t.Unique, i)
		}
	}
	if !t.Primary && t.Unique == nil {
		return t, zset.Errorf("42P10", int(c.Pos()), "there is no unique or exclusion constraint matching the ON CONFLICT specification")
	}
	return t, nil
}

func sameColumns(a, b []int) bool {
	within := func(a, b []int) bool {
		for _, x := range a {
			found := false
			for _, y := range b {
				found = found || x == y
			}
			if !found {
				return false
			}
		}
		return true
	}
	return within(a, b) && within(b, a)
}
