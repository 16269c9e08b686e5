package ast

type (
	// CreateTable is CREATE TABLE name (columns, constraints) [key] [DISTRIBUTED BY ..] [PROPERTIES (..)].
	CreateTable struct {
		At
		Name        Name
		IfNotExists bool
		Columns     []ColumnDef
		Like        []TableLike
		Keys        []KeyDef // PRIMARY KEY and UNIQUE as a column or table constraint; UNIQUE KEY(..), DUPLICATE KEY(..) after the list
		Checks      []Check  // of columns and of the table, in the order of the text
		Distributed *Distribution
		Properties  []Property
	}
	// TableLike is LIKE table [{INCLUDING | EXCLUDING} what ..] among the columns of
	// CREATE TABLE.
	TableLike struct {
		At
		Table     Name
		Before    int      // columns that stand before it
		Including []string // in lower case: defaults, constraints, indexes, comments; "all" is all of them
	}
	// CreateTableAs is CREATE TABLE name [(columns)] [key] AS query [WITH [NO] DATA].
	CreateTableAs struct {
		At
		Name        Name
		IfNotExists bool
		Columns     []Name
		Keys        []KeyDef // UNIQUE KEY(..), DUPLICATE KEY(..)
		Query       *Query
		NoData      bool
	}
	// ColumnDef is a column of CREATE TABLE.
	ColumnDef struct {
		At
		Name    Name
		Type    TypeName
		NotNull bool
		Default Expr // nil if absent
	}
	// KeyDef is a key of a table.
	KeyDef struct {
		At
		Kind    KeyKind
		Name    Name // of the constraint; Text "" if it has none
		Columns []Name
	}
	// Check is [CONSTRAINT name] CHECK (condition).
	Check struct {
		At
		Name Name
		Expr Expr
	}
	// Property is "name"="value" of a PROPERTIES clause.
	Property struct {
		At
		Name, Value string
	}
	// TypeName is a type as written: words in lower case joined by one space
	// ("double precision"), and the numbers in parentheses.
	TypeName struct {
		At
		Name  string
		Args  []int
		Array bool // type[]
	}
	// Drop is DROP {TABLE | VIEW | MATERIALIZED VIEW} [IF EXISTS] names [CASCADE].
	Drop struct {
		At
		Kind     ObjectKind
		IfExists bool
		Names    []Name
		Cascade  bool
	}
	// Comment is COMMENT ON {TABLE | VIEW | MATERIALIZED VIEW | COLUMN} name IS text.
	Comment struct {
		At
		Kind   ObjectKind
		Table  Name
		Column Name   // Text "": the object itself
		Text   string // "": NULL, no comment
	}
	// Truncate is TRUNCATE [TABLE] tables.
	Truncate struct {
		At
		Tables []Name
	}
)

func (*CreateTable) statement()   {}
func (*CreateTableAs) statement() {}
func (*Drop) statement()          {}
func (*Comment) statement()       {}
func (*Truncate) statement()      {}

// KeyKind tells the kinds of table keys apart.
type KeyKind uint8

// The kinds of keys.
const (
	PrimaryKey KeyKind = iota
	UniqueKey
	DuplicateKey
	UniqueConstraint // UNIQUE as a constraint: a second row is an error; UNIQUE KEY(..) makes it an update
)

// ObjectKind tells what a DROP or SHOW names.
type ObjectKind uint8

// What a DROP or SHOW names.
const (
	TableObject ObjectKind = iota
	ViewObject
	MaterializedViewObject
	StreamObject
)
