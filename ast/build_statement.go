package ast

import (
	"strings"

	"github.com/ivmc/ivmc/grammar/gen"
)

func (b *builder) statement(n gen.IStatementContext) Statement {
	switch c := n.GetChild(0).(type) {
	case gen.IQueryContext:
		return b.query(c)
	case gen.ICreateTableContext:
		return b.createTable(c)
	case gen.ICreateMaterializedViewContext:
		return b.createMaterializedView(c)
	case gen.IDropContext:
		return b.drop(c)
	case gen.IAlterContext:
		st := &AddColumn{At: at(c), Table: name(c.Name())}
		st.Column, st.Keys = b.columnDef(c.ColumnDef())
		return st
	case gen.ITruncateContext:
		return &Truncate{At: at(c), Table: name(c.Name())}
	case gen.IInsertContext:
		return b.insert(c)
	case gen.IUpdateContext:
		return b.update(c)
	case gen.IDeleteContext:
		return b.delete(c)
	case gen.IRefreshContext:
		return b.refresh(c)
	case gen.IExplainContext:
		return b.explain(c)
	case gen.ISetContext:
		return b.set(c)
	case gen.IShowContext:
		return b.show(c)
	case gen.IBeginContext:
		return &Begin{at(c)}
	case gen.ICommitContext:
		return &Commit{at(c)}
	default:
		return &Rollback{at(n)}
	}
}

func (b *builder) createTable(n gen.ICreateTableContext) Statement {
	st := &CreateTable{At: at(n), Name: name(n.Name()), IfNotExists: n.IfNotExists() != nil}
	for _, e := range n.AllTableElement() {
		if e.ColumnDef() == nil {
			st.Keys = append(st.Keys, KeyDef{At: at(e), Kind: PrimaryKey, Columns: names(e.NameList())})
			continue
		}
		col, keys := b.columnDef(e.ColumnDef())
		st.Columns = append(st.Columns, col)
		st.Keys = append(st.Keys, keys...)
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

func (b *builder) columnDef(n gen.IColumnDefContext) (ColumnDef, []KeyDef) {
	col := ColumnDef{At: at(n), Name: name(n.Name()), Type: b.typeName(n.TypeName())}
	var keys []KeyDef
	null := false
	for _, c := range n.AllColumnConstraint() {
		switch {
		case c.PRIMARY() != nil:
			keys = append(keys, KeyDef{At: at(c), Kind: PrimaryKey, Columns: []Name{col.Name}})
		case c.NOT() != nil:
			col.NotNull = true
		default:
			null = true
		}
		if null && col.NotNull {
			b.fail(codeSyntax, first(c).pos, "conflicting NULL/NOT NULL declarations for column \""+col.Name.Text+"\"")
			null = false
		}
	}
	return col, keys
}

func (b *builder) createMaterializedView(n gen.ICreateMaterializedViewContext) Statement {
	st := &CreateMaterializedView{At: at(n), Name: name(n.Name()), IfNotExists: n.IfNotExists() != nil,
		Columns: names(n.NameList())}
	if c := n.Build(); c != nil {
		st.Deferred = c.DEFERRED() != nil
	}
	if c := n.RefreshClause(); c != nil {
		st.Mode = refreshMode(c.RefreshMode())
	}
	q := n.Query()
	st.Query = b.query(q)
	st.QueryText = b.src[first(q).start:b.written(last(q))]
	return st
}

// written is the byte where a token ends in the text; of a run of constants,
// whose token is its first word, where the last word before the next token does.
func (b *builder) written(t *token) int {
	if t.plain == nil {
		return t.end
	}
	return t.plain.end
}

func refreshMode(n gen.IRefreshModeContext) RefreshMode {
	switch {
	case n == nil:
		return ModeDefault
	case n.COMPLETE() != nil:
		return ModeComplete
	case n.AUTO() != nil:
		return ModeAuto
	}
	return ModeIncremental
}

func (b *builder) drop(n gen.IDropContext) Statement {
	st := &Drop{At: at(n), IfExists: n.IfExists() != nil}
	switch {
	case n.MATERIALIZED() != nil:
		st.Kind = MaterializedViewObject
	case n.VIEW() != nil:
		st.Kind = ViewObject
	}
	for _, x := range n.AllName() {
		st.Names = append(st.Names, name(x))
	}
	return st
}

func (b *builder) insert(n gen.IInsertContext) Statement {
	st := &Insert{At: at(n), Table: name(n.Name()), Columns: names(n.NameList()), Query: b.query(n.Query())}
	if q := st.Query; q.With == nil && q.OrderBy == nil && q.Limit == nil && q.Offset == nil {
		if v, ok := q.Body.(*Values); ok {
			delete(b.defaults, v)
		}
	}
	return st
}

func (b *builder) update(n gen.IUpdateContext) Statement {
	st := &Update{At: at(n), Table: name(n.Name())}
	if a := n.UpdateAlias(); a != nil {
		st.Alias = last(a).name()
	}
	for _, x := range n.AllAssignment() {
		st.Set = append(st.Set, Assign{At: at(x), Column: name(x.Name()), Value: b.expr(x.Expr())})
	}
	st.Where = b.optional(n.Expr())
	return st
}

func (b *builder) delete(n gen.IDeleteContext) Statement {
	st := &Delete{At: at(n), Table: name(n.Name(0)), Where: b.optional(n.Expr())}
	if a := n.Name(1); a != nil {
		st.Alias = name(a)
	}
	return st
}

func (b *builder) refresh(n gen.IRefreshContext) Statement {
	return &Refresh{At: at(n), View: name(n.Name()), Mode: refreshMode(n.RefreshMode())}
}

func (b *builder) explain(n gen.IExplainContext) Statement {
	st := &Explain{At: at(n)}
	for _, x := range n.AllExplainOption() {
		st.Options = append(st.Options, ExplainOption{At: at(x), Name: first(x).value, Value: optionValue(x.OptionValue())})
	}
	for _, x := range n.AllExplainWord() {
		st.Options = append(st.Options, ExplainOption{At: at(x), Name: first(x).value, Value: optionValue(x.OptionValue())})
	}
	switch c := n.Explained().GetChild(0).(type) {
	case gen.IQueryContext:
		st.Stmt = b.query(c)
	case gen.ICreateMaterializedViewContext:
		st.Stmt = b.createMaterializedView(c)
	case gen.IRefreshContext:
		st.Stmt = b.refresh(c)
	}
	return st
}

func optionValue(n gen.IOptionValueContext) string {
	if n == nil {
		return ""
	}
	return strings.ToLower(first(n).value)
}

func (b *builder) set(n gen.ISetContext) Statement {
	st := &Set{At: at(n)}
	zone := n.SettingName() == nil
	if zone {
		st.Name = Name{At{symbol(n.TIME()).pos}, "time_zone"}
	} else {
		st.Name = settingName(n.SettingName())
	}
	switch {
	case n.DEFAULT() != nil || zone && n.LOCAL() != nil:
		st.Default = true
	case n.LOCAL() != nil:
		st.Value = "local"
	default:
		v := n.SettingValue()
		if v.MINUS() != nil {
			st.Value = "-"
		}
		st.Value += last(v).value
	}
	return st
}

// settingName joins a name with dots.
func settingName(n gen.ISettingNameContext) Name {
	var parts []string
	for _, x := range n.AllName() {
		parts = append(parts, first(x).value)
	}
	return Name{at(n), strings.Join(parts, ".")}
}

func (b *builder) show(n gen.IShowContext) Statement {
	switch {
	case n.ALL() != nil:
		return &Show{At: at(n), Name: symbol(n.ALL()).name()}
	case n.SettingName() == nil:
		return &Show{At: at(n), Name: Name{At{symbol(n.TIME()).pos}, "time_zone"}}
	}
	return &Show{At: at(n), Name: settingName(n.SettingName())}
}
