package ast

type (
	// Explain is EXPLAIN [(option, ..)] statement. The statement is a *Query,
	// *CreateMaterializedView or *Refresh.
	Explain struct {
		At
		Options []ExplainOption // also as bare words: EXPLAIN ANALYZE ..
		Stmt    Statement
	}
	// ExplainOption is STAGE x, FORMAT x, or ANALYZE.
	ExplainOption struct {
		At
		Name, Value string // in lower case
	}
	// Show is SHOW name.
	Show struct {
		At
		Name Name
	}
	// ShowObjects is SHOW {TABLES | VIEWS | MATERIALIZED VIEWS}.
	ShowObjects struct {
		At
		Kind ObjectKind
	}
	// ShowColumns is SHOW COLUMNS FROM name, or DESCRIBE name.
	ShowColumns struct {
		At
		Schema Name // Text "" if absent
		Name   Name
	}
	// ShowCreate is SHOW CREATE {TABLE | VIEW | MATERIALIZED VIEW} name.
	ShowCreate struct {
		At
		Kind ObjectKind
		Name Name
	}
)

func (*Explain) statement()     {}
func (*Show) statement()        {}
func (*ShowObjects) statement() {}
func (*ShowColumns) statement() {}
func (*ShowCreate) statement()  {}
