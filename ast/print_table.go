package ast

// objectWords are the kinds of objects as SQL names them.
var objectWords = [...]string{TableObject: "TABLE", ViewObject: "VIEW", MaterializedViewObject: "MATERIALIZED VIEW"}

func (p *printer) createTable(s *CreateTable) {
	p.put("CREATE TABLE ")
	p.when(s.IfNotExists, "IF NOT EXISTS ")
	p.name(s.Name)
	p.put(" (")
	for i, c := range s.Columns {
		p.comma(i)
		p.columnDef(c)
	}
	n := len(s.Columns)
	for _, k := range s.Keys {
		if k.Kind == PrimaryKey || k.Kind == UniqueConstraint {
			p.comma(n)
			n++
			p.constraint(k.Name)
			p.put(keyWords[k.Kind])
			p.columns(k.Columns)
		}
	}
	for _, c := range s.Checks {
		p.comma(n)
		n++
		p.check(c)
	}
	p.put(")")
	for _, k := range s.Keys {
		if k.Kind == UniqueKey || k.Kind == DuplicateKey {
			p.put(" ", keyWords[k.Kind])
			p.columns(k.Columns)
		}
	}
	for i, x := range s.Properties {
		p.put([]string{" PROPERTIES (", ", "}[min(i, 1)], QuoteString(x.Name), " = ", QuoteString(x.Value))
	}
	p.when(len(s.Properties) > 0, ")")
}

var keyWords = [...]string{PrimaryKey: "PRIMARY KEY", UniqueKey: "UNIQUE KEY", DuplicateKey: "DUPLICATE KEY", UniqueConstraint: "UNIQUE"}

func (p *printer) constraint(n Name) {
	if n.Text != "" {
		p.put("CONSTRAINT ")
		p.name(n)
		p.put(" ")
	}
}

func (p *printer) check(c Check) {
	p.constraint(c.Name)
	p.put("CHECK (")
	p.expr(c.Expr, 0)
	p.put(")")
}

func (p *printer) columnDef(c ColumnDef) {
	p.name(c.Name)
	p.put(" ")
	p.typeName(c.Type)
	p.when(c.NotNull, " NOT NULL")
	p.clause(" DEFAULT ", c.Default)
}

func (p *printer) alterTable(table Name, ifExists bool) {
	p.put("ALTER TABLE ")
	p.when(ifExists, "IF EXISTS ")
	p.name(table)
}

func (p *printer) addColumn(s *AddColumn) {
	p.alterTable(s.Table, s.IfExists)
	p.put(" ADD COLUMN ")
	p.when(s.IfNotExists, "IF NOT EXISTS ")
	p.columnDef(s.Column)
	for _, k := range s.Keys {
		p.put(" ")
		p.constraint(k.Name)
		p.put(keyWords[k.Kind])
	}
	for _, c := range s.Checks {
		p.put(" ")
		p.check(c)
	}
}

func (p *printer) rename(s *Rename) {
	p.alterTable(s.Table, s.IfExists)
	p.put(" RENAME ")
	if s.Column.Text != "" {
		p.put("COLUMN ")
		p.name(s.Column)
		p.put(" ")
	}
	p.put("TO ")
	p.name(s.To)
}
