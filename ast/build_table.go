package ast

import "github.com/ivmc/ivmc/grammar/gen"

func (b *builder) createTable(n gen.ICreateTableContext) Statement {
	st := &CreateTable{At: at(n), Name: b.created(n.Qualified()), IfNotExists: n.IfNotExists() != nil}
	for _, e := range n.AllTableElement() {
		if e.ColumnDef() == nil {
			b.tableConstraint(e.TableConstraint(), &st.Keys, &st.Checks)
			continue
		}
		st.Columns = append(st.Columns, b.columnDef(e.ColumnDef(), &st.Keys, &st.Checks))
	}
	for _, k := range n.AllTableKey() {
		kind := UniqueKey
		if k.DUPLICATE() != nil {
			kind = DuplicateKey
		}
		st.Keys = append(st.Keys, KeyDef{At: at(k), Kind: kind, Columns: names(k.NameList())})
	}
	if p := n.Properties(); p != nil {
		for _, x := range p.AllProperty() {
			st.Properties = append(st.Properties, Property{At: at(x),
				Name: first(x.PropertyText(0)).value, Value: first(x.PropertyText(1)).value})
		}
	}
	return st
}

// columnDef reads a column. Its constraints but NOT NULL and DEFAULT go to the
// lists of the table.
func (b *builder) columnDef(n gen.IColumnDefContext, keys *[]KeyDef, checks *[]Check) ColumnDef {
	col := ColumnDef{At: at(n), Name: name(n.Name()), Type: b.typeName(n.TypeName())}
	null := false
	for _, c := range n.AllColumnConstraint() {
		start, label := at(c), constraintName(c.ConstraintName())
		switch {
		case c.PRIMARY() != nil:
			*keys = append(*keys, KeyDef{At: start, Kind: PrimaryKey, Name: label, Columns: []Name{col.Name}})
		case c.UNIQUE() != nil:
			*keys = append(*keys, KeyDef{At: start, Kind: UniqueConstraint, Name: label, Columns: []Name{col.Name}})
		case c.CHECK() != nil:
			*checks = append(*checks, Check{At: start, Name: label, Expr: b.expr(c.Expr())})
		case c.References() != nil:
			b.foreignKey(c.References())
		case c.Generated() != nil:
			b.unsupported(first(c.Generated()), "GENERATED", "Compute the value in the query that reads the table.")
		case c.DEFAULT() != nil:
			if col.Default != nil {
				b.fail(codeSyntax, start.Start, "multiple default values specified for column \""+col.Name.Text+"\"")
			}
			col.Default = b.expr(c.Expr())
		case c.NOT() != nil:
			col.NotNull = true
		default:
			null = true
		}
		if null && col.NotNull {
			b.fail(codeSyntax, start.Start, "conflicting NULL/NOT NULL declarations for column \""+col.Name.Text+"\"")
			null = false
		}
	}
	return col
}

func constraintName(n gen.IConstraintNameContext) Name {
	if n == nil {
		return Name{}
	}
	return name(n.Name())
}

func (b *builder) tableConstraint(n gen.ITableConstraintContext, keys *[]KeyDef, checks *[]Check) {
	start, label := at(n), constraintName(n.ConstraintName())
	switch {
	case n.PRIMARY() != nil:
		*keys = append(*keys, KeyDef{At: start, Kind: PrimaryKey, Name: label, Columns: names(n.NameList())})
	case n.UNIQUE() != nil:
		*keys = append(*keys, KeyDef{At: start, Kind: UniqueConstraint, Name: label, Columns: names(n.NameList())})
	case n.CHECK() != nil:
		*checks = append(*checks, Check{At: start, Name: label, Expr: b.expr(n.Expr())})
	default:
		b.unsupported(symbol(n.FOREIGN()), "FOREIGN KEY", foreignHint)
	}
}

const foreignHint = "Leave it out, and find rows without a partner by a view with NOT EXISTS."

func (b *builder) foreignKey(n gen.IReferencesContext) {
	b.unsupported(first(n), "FOREIGN KEY", foreignHint)
}

// alter is ALTER TABLE: ADD COLUMN and RENAME; the rest is refused by its name.
func (b *builder) alter(n gen.IAlterContext) Statement {
	table := b.target(n.Qualified())
	ifExists := b.ts.list[symbol(n.TABLE()).index+1].kind == gen.IVMIF && b.ts.list[symbol(n.TABLE()).index+2].kind == gen.IVMEXISTS
	switch {
	case n.AddColumn() != nil:
		c := n.AddColumn()
		st := &AddColumn{At: at(n), Table: table, IfExists: ifExists, IfNotExists: c.IfNotExists() != nil}
		st.Column = b.columnDef(c.ColumnDef(), &st.Keys, &st.Checks)
		return st
	case n.Rename() != nil:
		c := n.Rename()
		st := &Rename{At: at(n), Table: table, IfExists: ifExists, To: name(c.Name(len(c.AllName()) - 1))}
		if len(c.AllName()) > 1 {
			st.Column = name(c.Name(0))
		}
		return st
	}
	what := "ALTER COLUMN"
	switch {
	case n.TableConstraint() != nil:
		what = "ADD CONSTRAINT"
	case n.CONSTRAINT() != nil:
		what = "DROP CONSTRAINT"
	case n.DROP() != nil:
		what = "DROP COLUMN"
	}
	b.unsupported(first(n), "ALTER TABLE "+what, "Create another table and insert the rows there.")
	return &AddColumn{At: at(n), Table: table}
}

// createIndex refuses CREATE INDEX, whose work is done without being asked for.
func (b *builder) createIndex(n gen.ICreateIndexContext) Statement {
	hint := "Leave it out: the indexes that views need (arrangements) are made and kept by need."
	if n.UNIQUE() != nil {
		hint = "Declare UNIQUE (..) in CREATE TABLE; other indexes are made and kept by need."
	}
	b.unsupported(first(n), "CREATE INDEX", hint)
	return &Drop{At: at(n)}
}
