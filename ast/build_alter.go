package ast

import "github.com/ivmc/ivmc/grammar/gen"

func (b *builder) alter(n gen.IAlterContext) Statement {
	table, ifExists := b.target(n.Qualified()), n.IfExists() != nil
	kind := TableObject
	switch {
	case n.MATERIALIZED() != nil:
		kind = MaterializedViewObject
	case n.VIEW() != nil:
		kind = ViewObject
	}
	if c := n.Rename(); c != nil {
		st := &Rename{At: at(n), Kind: kind, Table: table, IfExists: ifExists, Constraint: c.CONSTRAINT() != nil}
		all := c.AllName()
		st.To = name(all[len(all)-1])
		if len(all) > 1 {
			st.Column = name(all[0])
		}
		return st
	}
	if c := n.AlterView(); c != nil {
		return b.alterView(table, ifExists, c)
	}
	st := &AlterTable{At: at(n), Table: table, IfExists: ifExists}
	for _, a := range n.AllAlterAction() {
		if x := b.alterAction(a); x != nil {
			st.Actions = append(st.Actions, x)
		}
	}
	return st
}

// alterAction is nil after a complaint.
func (b *builder) alterAction(n gen.IAlterActionContext) AlterAction {
	start := at(n)
	cascade := n.Dependents() != nil && n.Dependents().CASCADE() != nil
	switch {
	case n.ColumnDef() != nil:
		a := &AddColumn{At: start, IfNotExists: n.IfNotExists() != nil}
		a.Column = b.columnDef(n.ColumnDef(), &a.Keys, &a.Checks)
		return a
	case n.TableConstraint() != nil:
		a := &AddConstraint{At: start}
		b.tableConstraint(n.TableConstraint(), &a.Keys, &a.Checks)
		return a
	case n.LPAREN() != nil:
		return &SetProperties{At: start, Properties: properties(n.AllProperty())}
	case n.CONSTRAINT() != nil:
		return &DropConstraint{At: start, IfExists: n.IfExists() != nil, Name: name(n.Name()), Cascade: cascade}
	case n.AlterColumn() == nil:
		return &DropColumn{At: start, IfExists: n.IfExists() != nil, Column: name(n.Name()), Cascade: cascade}
	}
	column, c := name(n.Name()), n.AlterColumn()
	switch {
	case c.TypeName() != nil:
		b.unsupported(first(c), "ALTER COLUMN TYPE", "Create another table and insert the rows there.")
		return nil
	case c.DEFAULT() != nil:
		return &SetDefault{At: start, Column: column, Value: b.optional(c.Expr())}
	}
	return &SetNotNull{At: start, Column: column, Drop: c.DROP() != nil}
}

// comment reads COMMENT ON. The name of a column stands behind that of its table.
func (b *builder) comment(n gen.ICommentContext) Statement {
	st := &Comment{At: at(n)}
	if n.STRING() != nil {
		st.Text = symbol(n.STRING()).value
	}
	switch {
	case n.MATERIALIZED() != nil:
		st.Kind = MaterializedViewObject
	case n.VIEW() != nil:
		st.Kind = ViewObject
	case n.COLUMN() != nil:
		b.commented(st, n.Qualified())
		return st
	}
	st.Table = b.target(n.Qualified())
	return st
}

func (b *builder) commented(st *Comment, n gen.IQualifiedContext) {
	labels := n.AllAnyLabel()
	switch len(labels) {
	case 0:
		b.fail(codeSyntax, first(n).pos, "column name must be qualified")
	case 1:
		st.Table, st.Column = name(n.Name()), name(labels[0])
	default:
		st.Table, st.Column = name(labels[0]), name(labels[1])
		if len(labels) > 2 || first(n).value != publicSchema {
			b.fail(codeNoTable, first(n).pos, "relation \""+first(n).value+"."+st.Table.Text+"\" does not exist or cannot be changed").Hint =
				"All tables and views are in the schema public."
		}
	}
}
