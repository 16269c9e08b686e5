package ast

func (p *printer) alterTable(s *AlterTable) {
	p.put("ALTER TABLE ")
	p.when(s.IfExists, "IF EXISTS ")
	p.name(s.Table)
	for i, a := range s.Actions {
		p.put([]string{" ", ", "}[min(i, 1)])
		p.alterAction(a)
	}
}

func (p *printer) alterAction(a AlterAction) {
	switch a := a.(type) {
	case *AddColumn:
		p.put("ADD COLUMN ")
		p.when(a.IfNotExists, "IF NOT EXISTS ")
		p.columnDef(a.Column)
		for _, k := range a.Keys {
			p.put(" ")
			p.constraint(k.Name)
			p.put(keyWords[k.Kind])
		}
		for _, c := range a.Checks {
			p.put(" ")
			p.check(c)
		}
	case *DropColumn:
		p.put("DROP COLUMN ")
		p.when(a.IfExists, "IF EXISTS ")
		p.name(a.Column)
		p.when(a.Cascade, " CASCADE")
	case *AddConstraint:
		p.put("ADD ")
		for _, k := range a.Keys {
			p.constraint(k.Name)
			p.put(keyWords[k.Kind])
			p.columns(k.Columns)
		}
		for _, c := range a.Checks {
			p.check(c)
		}
	case *DropConstraint:
		p.put("DROP CONSTRAINT ")
		p.when(a.IfExists, "IF EXISTS ")
		p.name(a.Name)
		p.when(a.Cascade, " CASCADE")
	case *SetProperties:
		p.put("SET ")
		p.properties(a.Properties)
	case *SetDefault:
		p.put("ALTER COLUMN ")
		p.name(a.Column)
		if a.Value == nil {
			p.put(" DROP DEFAULT")
		}
		p.clause(" SET DEFAULT ", a.Value)
	case *SetNotNull:
		p.put("ALTER COLUMN ")
		p.name(a.Column)
		p.put([]string{" SET NOT NULL", " DROP NOT NULL"}[index(a.Drop)])
	}
}

func (p *printer) rename(s *Rename) {
	p.put("ALTER ", objectWords[s.Kind], " ")
	p.when(s.IfExists, "IF EXISTS ")
	p.name(s.Table)
	p.put(" RENAME ")
	if s.Column.Text != "" {
		p.put([]string{"COLUMN ", "CONSTRAINT "}[index(s.Constraint)])
		p.name(s.Column)
		p.put(" ")
	}
	p.put("TO ")
	p.name(s.To)
}

func (p *printer) comment(s *Comment) {
	p.put("COMMENT ON ")
	if s.Column.Text != "" {
		p.put("COLUMN ")
		p.name(s.Table)
		p.put(".")
		p.name(s.Column)
	} else {
		p.put(objectWords[s.Kind], " ")
		p.name(s.Table)
	}
	p.put(" IS ")
	if s.Text == "" {
		p.put("NULL")
		return
	}
	p.put(QuoteString(s.Text))
}
