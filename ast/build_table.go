package ast

import "github.com/ivmc/ivmc/grammar/gen"

func (b *builder) createTable(n gen.ICreateTableContext) Statement {
	if n.Query() != nil {
		return b.createTableAs(n)
	}
	st := &CreateTable{At: at(n), Name: b.created(n.Qualified()), IfNotExists: n.IfNotExists() != nil}
	for _, e := range n.AllTableElement() {
		if e.LIKE() != nil {
			st.Like = append(st.Like, b.tableLike(e, len(st.Columns)))
			continue
		}
		if e.ColumnDef() == nil {
			b.tableConstraint(e.TableConstraint(), &st.Keys, &st.Checks)
			continue
		}
		st.Columns = append(st.Columns, b.columnDef(e.ColumnDef(), &st.Keys, &st.Checks))
	}
	st.Keys = append(st.Keys, tableKeys(n)...)
	if d := n.Distributed(); d != nil {
		st.Distributed = b.distributed(d)
	}
	if p := n.Properties(); p != nil {
		st.Properties = properties(p.AllProperty())
	}
	return st
}

func properties(all []gen.IPropertyContext) []Property {
	var out []Property
	for _, x := range all {
		out = append(out, Property{At: at(x), Name: first(x.PropertyText(0)).value, Value: first(x.PropertyText(1)).value})
	}
	return out
}

// tableKeys reads the keys after the columns.
func tableKeys(n gen.ICreateTableContext) []KeyDef {
	var out []KeyDef
	for _, k := range n.AllTableKey() {
		kind := UniqueKey
		if k.DUPLICATE() != nil {
			kind = DuplicateKey
		}
		out = append(out, KeyDef{At: at(k), Kind: kind, Columns: names(k.NameList())})
	}
	return out
}

func (b *builder) createTableAs(n gen.ICreateTableContext) Statement {
	st := &CreateTableAs{At: at(n), Name: b.created(n.Qualified()), IfNotExists: n.IfNotExists() != nil,
		Columns: names(n.NameList()), Keys: tableKeys(n), Query: b.query(n.Query())}
	if w := n.WithData(); w != nil {
		st.NoData = w.NO() != nil
	}
	return st
}

// likeParts is what LIKE may take from another table, by PostgreSQL's words; those
// that are false have nothing here to be taken.
var likeParts = map[string]bool{"all": true, "comments": true, "constraints": true, "defaults": true, "indexes": true,
	"compression": false, "generated": false, "identity": false, "statistics": false, "storage": false}

// tableLike reads LIKE table; a later option wins.
func (b *builder) tableLike(n gen.ITableElementContext, before int) TableLike {
	l := TableLike{At: at(n), Table: b.target(n.Qualified()), Before: before}
	on := map[string]bool{}
	for _, o := range n.AllLikeOption() {
		word := last(o).value
		if _, ok := likeParts[word]; !ok {
			b.unexpected(last(o))
		}
		for part, taken := range likeParts {
			if taken && part != "all" && (word == part || word == "all") {
				on[part] = o.INCLUDING() != nil
			}
		}
	}
	for _, part := range []string{"comments", "constraints", "defaults", "indexes"} {
		if on[part] {
			l.Including = append(l.Including, part)
		}
	}
	return l
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

// createIndex refuses CREATE INDEX, whose work is done without being asked for.
func (b *builder) createIndex(n gen.ICreateIndexContext) Statement {
	hint := "Leave it out: the indexes that views need (arrangements) are made and kept by need."
	if n.UNIQUE() != nil {
		hint = "Declare UNIQUE (..) in CREATE TABLE; other indexes are made and kept by need."
	}
	b.unsupported(first(n), "CREATE INDEX", hint)
	return &Drop{At: at(n)}
}
