package ast

import (
	"slices"
	"strconv"
	"strings"
)

// Print writes a statement as SQL on one line, in one canonical way: keywords in
// upper case, parentheses only where the strengths of operators ask for them.
// Parsing what it writes gives the same tree, but for positions.
func Print(s Statement) string {
	p := &printer{}
	p.statement(s)
	return p.String()
}

// PrintExpr is [Print] for an expression.
func PrintExpr(e Expr) string {
	p := &printer{}
	p.expr(e, 0)
	return p.String()
}

type printer struct{ strings.Builder }

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.WriteString(s)
	}
}

// when writes s if cond holds.
func (p *printer) when(cond bool, s string) {
	if cond {
		p.WriteString(s)
	}
}

func (p *printer) comma(i int) { p.when(i > 0, ", ") }

func (p *printer) name(n Name) { p.WriteString(QuoteIdent(n.Text)) }

// qualified writes a name behind that of its schema.
func (p *printer) qualified(schema, n Name) {
	if schema.Text != "" {
		p.name(schema)
		p.put(".")
	}
	p.name(n)
}

func (p *printer) names(ns []Name) {
	for i, n := range ns {
		p.comma(i)
		p.name(n)
	}
}

// columns writes " (a, b)", or nothing.
func (p *printer) columns(ns []Name) {
	if len(ns) > 0 {
		p.put(" (")
		p.names(ns)
		p.put(")")
	}
}

func (p *printer) viewColumns(ns []Name, comments []string) {
	for i, n := range ns {
		p.put([]string{" (", ", "}[min(i, 1)])
		p.name(n)
		if i < len(comments) && comments[i] != "" {
			p.put(" COMMENT ", QuoteString(comments[i]))
		}
	}
	p.when(len(ns) > 0, ")")
}

func (p *printer) alias(n Name, columns []Name) {
	if n.Text != "" {
		p.put(" AS ")
		p.name(n)
		p.columns(columns)
	}
}

// QuoteIdent writes an identifier so that it reads back as itself, in double
// quotes only if it must be.
func QuoteIdent(s string) string {
	if kind, ok := keyword(s); ok && (isReserved(kind) || isColumnWord(kind)) || !isPlainIdent(s) {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

func isPlainIdent(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c == '_' || i > 0 && (isDigit(c) || c == '$')) {
			return false
		}
	}
	return s != ""
}

// QuoteString writes a string constant.
func QuoteString(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func (p *printer) typeName(t TypeName) {
	head, rest := t.Name, ""
	if i := strings.IndexByte(head, ' '); i >= 0 && len(t.Args) > 0 && head[:i] != "double" && head[:i] != "character" {
		head, rest = head[:i], head[i:]
		if head == "interval" {
			head, rest = t.Name, ""
		}
	}
	p.put(upper(head))
	for i, a := range t.Args {
		p.put([]string{"(", ", "}[min(i, 1)], strconv.Itoa(a))
	}
	p.when(len(t.Args) > 0, ")")
	p.put(upper(rest))
	p.when(t.Array, "[]")
}

// upper is the inverse of [lower]: the letters of ASCII only.
func upper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

func (p *printer) statement(s Statement) {
	switch s := s.(type) {
	case *Query:
		p.query(s)
	case *CreateTable:
		p.createTable(s)
	case *CreateMaterializedView:
		p.createMaterializedView(s)
	case *Drop:
		p.put("DROP ", objectWords[s.Kind], " ")
		p.when(s.IfExists, "IF EXISTS ")
		p.names(s.Names)
		p.when(s.Cascade, " CASCADE")
	case *CreateTableAs:
		p.createTableAs(s)
	case *AlterTable:
		p.alterTable(s)
	case *Comment:
		p.comment(s)
	case *Rename:
		p.rename(s)
	case *Truncate:
		p.put("TRUNCATE TABLE ")
		p.names(s.Tables)
	case *Insert:
		p.insert(s)
	case *Update:
		p.update(s)
	case *Delete:
		p.delete(s)
	case *CreateView:
		p.createView(s)
	case *ShowObjects:
		p.put("SHOW ", [...]string{"TABLES", "VIEWS", "MATERIALIZED VIEWS"}[s.Kind])
	case *CreateStream:
		p.createStream(s)
	case *AlterStream:
		p.put("ALTER STREAM ")
		p.name(s.Name)
		p.put(" SET COMMENT ", QuoteString(s.Comment))
	case *DropStream:
		p.put("DROP STREAM ")
		p.when(s.IfExists, "IF EXISTS ")
		p.name(s.Name)
		p.when(s.Force, " FORCE")
	case *ShowStreams:
		p.put("SHOW STREAMS")
		if s.Database.Text != "" {
			p.put(" FROM ")
			p.name(s.Database)
		}
		if s.Like != nil {
			p.put(" LIKE ", QuoteString(*s.Like))
		}
		p.clause(" WHERE ", s.Where)
	case *ShowColumns:
		p.put("SHOW COLUMNS FROM ")
		p.qualified(s.Schema, s.Name)
	case *ShowCreate:
		p.put("SHOW CREATE ", objectWords[s.Kind], " ")
		p.name(s.Name)
	case *Begin:
		p.put("BEGIN")
	case *Commit:
		p.put("COMMIT")
	case *Rollback:
		p.put("ROLLBACK")
	case *Savepoint:
		p.put("SAVEPOINT ")
		p.name(s.Name)
	case *RollbackTo:
		p.put("ROLLBACK TO SAVEPOINT ")
		p.name(s.Name)
	case *Release:
		p.put("RELEASE SAVEPOINT ")
		p.name(s.Name)
	case *Refresh:
		p.put("REFRESH MATERIALIZED VIEW ")
		p.name(s.View)
		p.when(s.Mode != ModeDefault, " "+s.Mode.String())
		p.when(s.Cascade, " CASCADE")
		p.when(s.AllStreams != nil, " WITH ALL STREAMS")
		if d := s.DryRun; d != nil {
			p.put(" WITH DRY RUN")
			if d.Limit >= 0 {
				p.put(" LIMIT ", strconv.FormatInt(d.Limit, 10))
				p.when(d.Offset != 0, " OFFSET "+strconv.FormatInt(d.Offset, 10))
			}
		}
	case *AlterView:
		p.alterView(s)
	case *Job:
		p.job(s)
	case *Verify:
		p.put("VERIFY MATERIALIZED VIEW ")
		p.name(s.View)
	case *Copy:
		p.copy(s)
	case *Explain:
		p.explain(s)
	case *Set:
		p.put("SET ")
		p.setting(s.Name)
		if s.Default {
			p.put(" TO DEFAULT")
		} else {
			p.put(" = ", QuoteString(s.Value))
		}
	case *Show:
		p.put("SHOW ")
		if s.Name.Text == "all" {
			p.put("ALL")
		} else {
			p.setting(s.Name)
		}
	}
}

// String gives the word of SQL; "" for ModeDefault.
func (m RefreshMode) String() string {
	return [...]string{"", "AUTO", "INCREMENTAL", "COMPLETE", "INCREMENTAL FALLBACK"}[m]
}

// setting writes a name that may have dots in it.
func (p *printer) setting(n Name) {
	parts := strings.Split(n.Text, ".")
	if slices.Contains(parts, "") {
		parts = []string{n.Text}
	}
	for i, part := range parts {
		p.when(i > 0, ".")
		if len(parts) == 1 && (part == "tables" || part == "views") { // no settings without quotes
			part = `"` + part + `"`
		} else {
			part = QuoteIdent(part)
		}
		p.put(part)
	}
}

func (p *printer) createView(s *CreateView) {
	p.put("CREATE ")
	p.when(s.OrReplace, "OR REPLACE ")
	p.put("VIEW ")
	p.name(s.Name)
	p.columns(s.Columns)
	p.put(" AS ")
	p.query(s.Query)
}

func (p *printer) createMaterializedView(s *CreateMaterializedView) {
	p.put("CREATE ")
	p.when(s.OrReplace, "OR REPLACE ")
	p.put("MATERIALIZED VIEW ")
	p.when(s.IfNotExists, "IF NOT EXISTS ")
	p.name(s.Name)
	p.viewColumns(s.Columns, s.Comments)
	p.when(s.Deferred, " BUILD DEFERRED")
	p.refreshClause(s.Mode, s.Trigger)
	if len(s.Key) > 0 {
		p.put(" KEY")
		p.columns(s.Key)
	}
	if s.Comment != "" {
		p.put(" COMMENT ", QuoteString(s.Comment))
	}
	if s.Distributed != nil {
		p.put(" ", s.Distributed.String())
	}
	if len(s.Properties) > 0 {
		p.put(" PROPERTIES ")
		p.properties(s.Properties)
	}
	p.put(" AS ")
	p.query(s.Query)
}

func (p *printer) explain(s *Explain) {
	p.put("EXPLAIN ")
	for i, o := range s.Options {
		p.put([]string{"(", ", "}[min(i, 1)])
		if o.Name == "analyze" { // it is reserved, yet needs no quotes here
			p.put("ANALYZE")
		} else if name := QuoteIdent(o.Name); name == o.Name {
			p.put(upper(name))
		} else {
			p.put(name)
		}
		p.when(o.Value != "", " "+QuoteString(o.Value))
	}
	p.when(len(s.Options) > 0, ") ")
	p.statement(s.Stmt)
}

func (p *printer) copy(s *Copy) {
	p.put("COPY ")
	if s.Query != nil {
		p.put("(")
		p.query(s.Query)
		p.put(")")
	} else {
		p.qualified(s.Schema, s.Table)
		p.columns(s.Columns)
	}
	p.put(map[bool]string{false: " FROM ", true: " TO "}[s.To], QuoteString(s.File))
	for i, o := range s.Options {
		p.put([]string{" (", ", "}[min(i, 1)])
		if isPlainIdent(o.Name) || o.Name == "null" {
			p.put(upper(o.Name))
		} else {
			p.put(QuoteIdent(o.Name))
		}
		p.when(o.Given, " "+QuoteString(o.Value))
	}
	p.when(len(s.Options) > 0, ")")
}

// clause writes a keyword and an expression, or nothing.
func (p *printer) clause(word string, e Expr) {
	if e != nil {
		p.put(word)
		p.expr(e, 0)
	}
}
