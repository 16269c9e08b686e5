package ast

func (p *printer) insert(s *Insert) {
	p.with(s.With)
	p.put("INSERT INTO ")
	p.name(s.Table)
	p.alias(s.Alias, nil)
	p.columns(s.Columns)
	if v, ok := s.Query.Body.(*Values); ok && len(v.Rows) == 1 && len(v.Rows[0]) == 0 {
		p.put(" DEFAULT VALUES")
	} else {
		p.put(" ")
		p.query(s.Query)
	}
	if s.Conflict != nil {
		p.onConflict(s.Conflict)
	}
	p.returning(s.Returning)
}

func (p *printer) returning(is []SelectItem) {
	if len(is) > 0 {
		p.put(" RETURNING ")
		p.items(is)
	}
}

func (p *printer) onConflict(c *OnConflict) {
	p.put(" ON CONFLICT")
	p.columns(c.Columns)
	if c.Constraint.Text != "" {
		p.put(" ON CONSTRAINT ")
		p.name(c.Constraint)
	}
	if c.Set == nil {
		p.put(" DO NOTHING")
		return
	}
	p.put(" DO UPDATE")
	p.set(c.Set)
	p.clause(" WHERE ", c.Where)
}

func (p *printer) set(as []Assign) {
	p.put(" SET ")
	for i, a := range as {
		p.comma(i)
		if a.Query != nil {
			p.put("(")
			p.names(a.Columns)
			p.put(") = ")
			p.inParens(a.Query)
			continue
		}
		p.name(a.Column)
		p.put(" = ")
		if a.Value == nil {
			p.put("DEFAULT")
			continue
		}
		p.expr(a.Value, 0)
	}
}

func (p *printer) update(s *Update) {
	p.with(s.With)
	p.put("UPDATE ")
	p.name(s.Table)
	p.alias(s.Alias, nil)
	p.set(s.Set)
	p.tables(" FROM ", s.From)
	p.clause(" WHERE ", s.Where)
	p.returning(s.Returning)
}

func (p *printer) delete(s *Delete) {
	p.with(s.With)
	p.put("DELETE FROM ")
	p.name(s.Table)
	p.alias(s.Alias, nil)
	p.tables(" USING ", s.Using)
	p.clause(" WHERE ", s.Where)
	p.returning(s.Returning)
}
