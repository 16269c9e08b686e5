package ast

// objectWords are the kinds of objects as SQL names them.
var objectWords = [...]string{TableObject: "TABLE", ViewObject: "VIEW", MaterializedViewObject: "MATERIALIZED VIEW", StreamObject: "STREAM"}

func (p *printer) createTable(s *CreateTable) {
	p.put("CREATE TABLE ")
	p.when(s.IfNotExists, "IF NOT EXISTS ")
	p.name(s.Name)
	p.put(" (")
	n, like := 0, s.Like
	for i := 0; i <= len(s.Columns); i++ {
		for len(like) > 0 && like[0].Before == i {
			p.comma(n)
			n++
			p.tableLike(like[0])
			like = like[1:]
		}
		if i < len(s.Columns) {
			p.comma(n)
			n++
			p.columnDef(s.Columns[i])
		}
	}
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
	p.tableKeys(s.Keys)
	if s.Distributed != nil {
		p.put(" ", s.Distributed.String())
	}
	if len(s.Properties) > 0 {
		p.put(" PROPERTIES ")
		p.properties(s.Properties)
	}
}

func (p *printer) tableKeys(keys []KeyDef) {
	for _, k := range keys {
		if k.Kind == UniqueKey || k.Kind == DuplicateKey {
			p.put(" ", keyWords[k.Kind])
			p.columns(k.Columns)
		}
	}
}

func (p *printer) tableLike(l TableLike) {
	p.put("LIKE ")
	p.name(l.Table)
	for _, part := range l.Including {
		p.put(" INCLUDING ", upper(part))
	}
}

func (p *printer) createTableAs(s *CreateTableAs) {
	p.put("CREATE TABLE ")
	p.when(s.IfNotExists, "IF NOT EXISTS ")
	p.name(s.Name)
	p.columns(s.Columns)
	p.tableKeys(s.Keys)
	p.put(" AS ")
	p.query(s.Query)
	p.when(s.NoData, " WITH NO DATA")
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
