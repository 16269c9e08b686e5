package ast

// Pos is a place in the parsed text: an offset in characters (code points),
// counted from 0. [LineCol] makes a line and a column of it.
type Pos int32

// At is embedded in every node: where it starts.
type At struct{ Start Pos }

// Pos reports where the node starts.
func (a At) Pos() Pos { return a.Start }

// Node is any piece of syntax.
type Node interface{ Pos() Pos }

// Name is an identifier as PostgreSQL folds it: lower case unless quoted.
type Name struct {
	At
	Text string
}

// ---- statements ----

// Statement is one SQL statement.
type Statement interface {
	Node
	statement()
}

type (
	// CreateTable is CREATE TABLE name (columns, constraints) [key] [PROPERTIES (..)].
	CreateTable struct {
		At
		Name        Name
		IfNotExists bool
		Columns     []ColumnDef
		Like        []TableLike
		Keys        []KeyDef // PRIMARY KEY and UNIQUE as a column or table constraint; UNIQUE KEY(..), DUPLICATE KEY(..) after the list
		Checks      []Check  // of columns and of the table, in the order of the text
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
	// AlterTable is ALTER TABLE [IF EXISTS] table action, ..
	AlterTable struct {
		At
		Table    Name
		IfExists bool
		Actions  []AlterAction
	}
	// AddColumn is ADD [COLUMN] [IF NOT EXISTS] column. Keys and Checks hold what the
	// column was given.
	AddColumn struct {
		At
		IfNotExists bool
		Column      ColumnDef
		Keys        []KeyDef
		Checks      []Check
	}
	// DropColumn is DROP [COLUMN] [IF EXISTS] column [CASCADE].
	DropColumn struct {
		At
		IfExists bool
		Column   Name
		Cascade  bool
	}
	// AddConstraint is ADD {PRIMARY KEY | UNIQUE | CHECK}: one of the lists has one.
	AddConstraint struct {
		At
		Keys   []KeyDef
		Checks []Check
	}
	// DropConstraint is DROP CONSTRAINT [IF EXISTS] name [CASCADE].
	DropConstraint struct {
		At
		IfExists bool
		Name     Name
		Cascade  bool
	}
	// SetProperties is SET (property, ..).
	SetProperties struct {
		At
		Properties []Property
	}
	// SetDefault is ALTER [COLUMN] column {SET DEFAULT value | DROP DEFAULT}.
	SetDefault struct {
		At
		Column Name
		Value  Expr // nil: DROP
	}
	// SetNotNull is ALTER [COLUMN] column {SET | DROP} NOT NULL.
	SetNotNull struct {
		At
		Column Name
		Drop   bool
	}
	// Rename is ALTER {TABLE | VIEW | MATERIALIZED VIEW} [IF EXISTS] name RENAME
	// [COLUMN column | CONSTRAINT column] TO to.
	Rename struct {
		At
		Kind       ObjectKind
		Table      Name
		IfExists   bool
		Column     Name // Text "": the object itself
		Constraint bool // Column is a constraint
		To         Name
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
	// Insert is INSERT INTO table [AS alias] [(columns)] {VALUES .. | query |
	// DEFAULT VALUES} [ON CONFLICT ..] [RETURNING ..], after [WITH ..].
	Insert struct {
		At
		With    []CTE
		Table   Name
		Alias   Name // Text "" if absent
		Columns []Name
		// Query has a *Values as Body for INSERT .. VALUES; for DEFAULT VALUES
		// that holds one row without cells.
		Query     *Query
		Conflict  *OnConflict // nil if absent
		Returning []SelectItem
	}
	// OnConflict is ON CONFLICT [(columns) | ON CONSTRAINT name] DO {NOTHING |
	// UPDATE SET .. [WHERE ..]}. In Set and Where the table excluded is the row
	// that was to be inserted.
	OnConflict struct {
		At
		Columns    []Name
		Constraint Name     // Text "" if absent
		Set        []Assign // nil: DO NOTHING
		Where      Expr
	}
	// Update is UPDATE table [alias] SET .. [FROM ..] [WHERE ..] [RETURNING ..], after [WITH ..].
	Update struct {
		At
		With      []CTE
		Table     Name
		Alias     Name // Text "" if absent
		Set       []Assign
		From      []TableExpr
		Where     Expr // nil if absent
		Returning []SelectItem
	}
	// Assign is column = value; a nil value is DEFAULT. Or (columns) = (query), which
	// yields a value for each.
	Assign struct {
		At
		Column  Name
		Value   Expr
		Columns []Name
		Query   *Query // nil: Column
	}
	// Delete is DELETE FROM table [alias] [USING ..] [WHERE ..] [RETURNING ..], after [WITH ..].
	Delete struct {
		At
		With      []CTE
		Table     Name
		Alias     Name
		Using     []TableExpr
		Where     Expr
		Returning []SelectItem
	}
	// Begin, Commit and Rollback delimit a transaction.
	Begin    struct{ At }
	Commit   struct{ At }
	Rollback struct{ At }
	// Savepoint is SAVEPOINT name.
	Savepoint struct {
		At
		Name Name
	}
	// RollbackTo is ROLLBACK TO [SAVEPOINT] name.
	RollbackTo struct {
		At
		Name Name
	}
	// Release is RELEASE [SAVEPOINT] name.
	Release struct {
		At
		Name Name
	}
	// CreateView is CREATE [OR REPLACE] VIEW name [(columns)] AS query.
	CreateView struct {
		At
		Name      Name
		OrReplace bool
		Columns   []Name
		Query     *Query
		QueryText string // the query as written, without the final semicolon
	}
	// CreateMaterializedView is CREATE [OR REPLACE] MATERIALIZED VIEW name [(columns)] .. AS query.
	CreateMaterializedView struct {
		At
		Name        Name
		OrReplace   bool
		IfNotExists bool
		Columns     []Name
		Deferred    bool        // BUILD DEFERRED
		Mode        RefreshMode // REFRESH {COMPLETE | AUTO | INCREMENTAL [FALLBACK]}; ModeDefault if absent
		Comment     string      // COMMENT 'text'
		Properties  []Property
		Query       *Query
		QueryText   string // the query as written, without the final semicolon
	}
	// Refresh is REFRESH MATERIALIZED VIEW name [mode] [CASCADE | WITH DRY RUN ..].
	Refresh struct {
		At
		View    Name
		Mode    RefreshMode
		Cascade bool    // what it reads first
		DryRun  *DryRun // nil if absent
	}
	// DryRun is WITH DRY RUN [LIMIT n [OFFSET m]].
	DryRun struct {
		At
		Limit  int64 // -1: all
		Offset int64
	}
	// Verify is VERIFY MATERIALIZED VIEW name.
	Verify struct {
		At
		View Name
	}
	// Copy is COPY {table [(columns)] {FROM | TO} | (query) TO} 'file' [(options)].
	Copy struct {
		At
		Schema, Table Name // Text "" for a query
		Columns       []Name
		Query         *Query
		To            bool
		File          string
		FileAt        At
		Options       []CopyOption
	}
	// CopyOption is name [value]. Given tells a value from none.
	CopyOption struct {
		At
		Name, Value string
		Given       bool
	}
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
	// Set is SET name {= | TO} value.
	Set struct {
		At
		Name  Name
		Value string // "" with Default
		// Default is SET name TO DEFAULT.
		Default bool
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
	// CreateStream is CREATE [OR REPLACE] STREAM [IF NOT EXISTS] name ON TABLE table
	// [COMMENT text] [PROPERTIES (..)].
	CreateStream struct {
		At
		Name        Name
		Replace     bool
		IfNotExists bool
		Table       Name
		Comment     string
		Properties  []Property
	}
	// AlterStream is ALTER STREAM name {SET | MODIFY} COMMENT text.
	AlterStream struct {
		At
		Name    Name
		Comment string
	}
	// DropStream is DROP STREAM [IF EXISTS] name [FORCE].
	DropStream struct {
		At
		Name     Name
		IfExists bool
		Force    bool
	}
	// ShowStreams is SHOW STREAMS [{FROM | IN} database] [LIKE pattern].
	ShowStreams struct {
		At
		Database Name    // Text "" if absent
		Like     *string // nil if absent
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

func (*CreateTable) statement()            {}
func (*Drop) statement()                   {}
func (*AlterTable) statement()             {}
func (*CreateTableAs) statement()          {}
func (*Comment) statement()                {}
func (*Savepoint) statement()              {}
func (*RollbackTo) statement()             {}
func (*Release) statement()                {}
func (*Rename) statement()                 {}
func (*CreateView) statement()             {}
func (*ShowObjects) statement()            {}
func (*ShowColumns) statement()            {}
func (*ShowCreate) statement()             {}
func (*Truncate) statement()               {}
func (*Insert) statement()                 {}
func (*Update) statement()                 {}
func (*Delete) statement()                 {}
func (*Begin) statement()                  {}
func (*Commit) statement()                 {}
func (*Rollback) statement()               {}
func (*CreateMaterializedView) statement() {}
func (*Refresh) statement()                {}
func (*Verify) statement()                 {}
func (*Copy) statement()                   {}
func (*Explain) statement()                {}
func (*Set) statement()                    {}
func (*Show) statement()                   {}
func (*CreateStream) statement()           {}
func (*AlterStream) statement()            {}
func (*DropStream) statement()             {}
func (*ShowStreams) statement()            {}
func (*Query) statement()                  {}

// AlterAction is one of what ALTER TABLE does: *AddColumn, *DropColumn,
// *AddConstraint, *DropConstraint, *SetProperties, *SetDefault or *SetNotNull.
type AlterAction interface {
	Node
	alter()
}

func (*AddColumn) alter()      {}
func (*SetProperties) alter()  {}
func (*DropColumn) alter()     {}
func (*AddConstraint) alter()  {}
func (*DropConstraint) alter() {}
func (*SetDefault) alter()     {}
func (*SetNotNull) alter()     {}

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

// RefreshMode is the word after REFRESH.
type RefreshMode uint8

// The refresh modes. ModeDefault is no word at all.
const (
	ModeDefault RefreshMode = iota
	ModeAuto
	ModeIncremental
	ModeComplete
	ModeFallback // INCREMENTAL FALLBACK
)

// ---- queries ----

// Query is a body with what stands around it.
type Query struct {
	At
	With    []CTE
	Body    Body
	OrderBy []OrderItem
	Limit   Expr // nil if absent
	Offset  Expr
}

// CTE is name [(columns)] AS (query).
type CTE struct {
	At
	Name    Name
	Columns []Name
	Query   *Query
}

// OrderItem is expr [ASC | DESC] [NULLS {FIRST | LAST}].
type OrderItem struct {
	At
	Expr       Expr
	Desc       bool
	NullsFirst bool // resolved: PostgreSQL's default is last for ASC, first for DESC
}

// Body is *Select, *SetOp, *Values, or a *Query in parentheses.
type Body interface {
	Node
	body()
}

type (
	// Select is one SELECT block.
	Select struct {
		At
		Distinct bool
		On       []Expr // DISTINCT ON (..); nil: all columns
		Items    []SelectItem
		From     []TableExpr // comma list
		Where    Expr
		GroupBy  []Expr
		// GroupOnce is GROUP BY DISTINCT: equal grouping sets count once.
		GroupOnce bool
		Having    Expr
		Windows   []NamedWindow
	}
	// NamedWindow is name AS (..) of a WINDOW clause.
	NamedWindow struct {
		At
		Name Name
		WindowSpec
	}
	// SelectItem is expr [AS alias], or a *Star.
	SelectItem struct {
		At
		Expr  Expr
		Alias Name // Text "" if absent
	}
	// SetOp is left {UNION | INTERSECT | EXCEPT} [ALL] right.
	SetOp struct {
		At
		Op          SetOpKind
		All         bool
		Left, Right Body
	}
	// Values is VALUES (..), (..). A nil cell is DEFAULT.
	Values struct {
		At
		Rows [][]Expr
	}
)

func (*Select) body() {}
func (*SetOp) body()  {}
func (*Values) body() {}
func (*Query) body()  {}

// SetOpKind tells the set operators apart.
type SetOpKind uint8

// The set operators.
const (
	Union SetOpKind = iota
	Intersect
	Except
)

// TableExpr is *TableRef, *Join or *Derived.
type TableExpr interface {
	Node
	tableExpr()
}

type (
	// TableRef is [schema.]name [reading] [[AS] alias [(columns)]].
	TableRef struct {
		At
		Schema  Name // Text "" if absent
		Name    Name
		Reading *Reading // nil: the rows of now
		Alias   Name
		Columns []Name
	}
	// Reading is what a query reads of a relation, if not its rows of now:
	// @incr(params), @snapshot(), @reset(), FOR TIME AS OF x, FOR VERSION AS OF x.
	Reading struct {
		At
		Kind   ReadingKind
		Params []Property
		Target Expr // of AS OF
	}
	// Join is left [kind] JOIN right {ON cond | USING (..)}, or CROSS / NATURAL JOIN.
	Join struct {
		At
		Kind        JoinKind
		Natural     bool
		Left, Right TableExpr
		On          Expr
		Using       []Name
	}
	// Derived is (query) [AS] alias [(columns)].
	Derived struct {
		At
		Lateral bool // it may read what stands before it
		Query   *Query
		Alias   Name
		Columns []Name
	}
)

func (*TableRef) tableExpr() {}
func (*Join) tableExpr()     {}
func (*Derived) tableExpr()  {}

// ReadingKind tells the readings apart.
type ReadingKind uint8

// The readings.
const (
	ReadIncr ReadingKind = iota
	ReadSnapshot
	ReadReset
	ReadTime
	ReadVersion
)

// JoinKind tells the joins apart.
type JoinKind uint8

// The joins.
const (
	InnerJoin JoinKind = iota
	CrossJoin
	LeftJoin
	RightJoin
	FullJoin
)

// ---- expressions ----

// Expr is a scalar expression.
type Expr interface {
	Node
	expr()
}

type (
	// Ident is column, table.column or deeper.
	Ident struct {
		At
		Parts []Name
	}
	// Star is * or table.*, in a select list only.
	Star struct {
		At
		Table Name
	}
	// Literal is a constant as written.
	Literal struct {
		At
		Kind LiteralKind
		Text string // digits of a number; content of a string; "true" or "false"; "" for NULL
	}
	// TypedLiteral is DATE '..', TIMESTAMP '..', INTERVAL '..' and so on.
	TypedLiteral struct {
		At
		Type TypeName
		Text string
		Str  Pos // of the string
	}
	// Param is $n, n from 1.
	Param struct {
		At
		N int
	}
	// Binary is l op r. Op: + - * / % ^ || = <> < <= > >= and or, or any other
	// run of operator characters.
	Binary struct {
		At   // of the operator
		Op   string
		L, R Expr
	}
	// Unary is op x. Op: - + not, or any other run of operator characters.
	Unary struct {
		At
		Op string
		X  Expr
	}
	// Call is name([DISTINCT] args [ORDER BY ..]) [WITHIN GROUP (ORDER BY ..)]
	// [FILTER (WHERE ..)]; Star is name(*).
	Call struct {
		At
		Name     Name
		Args     []Expr
		Star     bool
		Distinct bool
		OrderBy  []OrderItem
		Within   []OrderItem
		Filter   Expr
	}
	// Window is call OVER name, or call OVER (..).
	Window struct {
		At
		Call *Call
		Name Name // Text "": WindowSpec
		WindowSpec
	}
	// WindowSpec is [base] [PARTITION BY ..] [ORDER BY ..] [frame].
	WindowSpec struct {
		Base        Name // Text "" if absent
		PartitionBy []Expr
		OrderBy     []OrderItem
		Frame       *Frame // nil if absent
	}
	// Frame is {ROWS | RANGE | GROUPS} {start | BETWEEN start AND end} [EXCLUDE ..].
	Frame struct {
		At
		Unit       FrameUnit
		Start, End Bound // End is CURRENT ROW where it is not written
		Exclude    Exclusion
	}
	// Bound is an end of a frame.
	Bound struct {
		At
		Kind   BoundKind
		Offset Expr // of Preceding and Following
	}
	// Case is CASE [operand] WHEN .. THEN .. [ELSE ..] END.
	Case struct {
		At
		Operand Expr
		Whens   []When
		Else    Expr
	}
	// When is one arm of a Case.
	When struct {
		At
		Cond, Then Expr
	}
	// Cast is CAST(x AS type) or x::type.
	Cast struct {
		At   // of CAST or ::
		X    Expr
		Type TypeName
	}
	// Is is x IS [NOT] {NULL | TRUE | FALSE | UNKNOWN}.
	Is struct {
		At
		X    Expr
		What string // "null", "true", "false", "unknown"
		Not  bool
	}
	// IsDistinct is l IS [NOT] DISTINCT FROM r.
	IsDistinct struct {
		At   // of IS
		L, R Expr
		Not  bool
	}
	// In is x [NOT] IN (list) or x [NOT] IN (query).
	In struct {
		At    // of [NOT] IN
		X     Expr
		List  []Expr
		Query *Query
		Not   bool
	}
	// Quantified is x op ANY (query), x op ALL (query), or the same of an array.
	// = ANY (query) and <> ALL (query) are [In].
	Quantified struct {
		At    // of the operator
		Op    string
		All   bool
		X     Expr
		Query *Query // nil: Array
		Array Expr
	}
	// Row is (a, b, ..) or ROW(..).
	Row struct {
		At
		Items []Expr
	}
	// GroupingSets is an item of GROUP BY that stands for several sets of keys. An item
	// of its own that is a [Row] is one set, or one part, of several keys.
	GroupingSets struct {
		At
		Kind  GroupingKind
		Items []Expr // none: the empty set, ()
	}
	// Array is ARRAY[..] or ARRAY(query).
	Array struct {
		At
		Items []Expr
		Query *Query // nil: Items
	}
	// Subscript is x[low], or with Slice x[low:high], where both may be nil.
	Subscript struct {
		At        // of [
		X         Expr
		Low, High Expr
		Slice     bool
	}
	// Between is x [NOT] BETWEEN [SYMMETRIC] low AND high.
	Between struct {
		At           // of [NOT] BETWEEN
		X, Low, High Expr
		Symmetric    bool
		Not          bool
	}
	// Like is x [NOT] {LIKE | ILIKE} pattern [ESCAPE e].
	Like struct {
		At                 // of [NOT] LIKE
		X, Pattern, Escape Expr
		Fold, Not          bool
	}
	// Extract is EXTRACT(field FROM x).
	Extract struct {
		At
		Field string
		X     Expr
	}
	// Exists is EXISTS (query).
	Exists struct {
		At
		Query *Query
	}
	// Subquery is (query) as a scalar.
	Subquery struct {
		At
		Query *Query
	}
)

func (*Ident) expr()        {}
func (*Star) expr()         {}
func (*Literal) expr()      {}
func (*TypedLiteral) expr() {}
func (*Param) expr()        {}
func (*Binary) expr()       {}
func (*Unary) expr()        {}
func (*Call) expr()         {}
func (*Window) expr()       {}
func (*Case) expr()         {}
func (*Cast) expr()         {}
func (*Is) expr()           {}
func (*IsDistinct) expr()   {}
func (*In) expr()           {}
func (*Quantified) expr()   {}
func (*Row) expr()          {}
func (*GroupingSets) expr() {}
func (*Array) expr()        {}
func (*Subscript) expr()    {}
func (*Between) expr()      {}
func (*Like) expr()         {}
func (*Extract) expr()      {}
func (*Exists) expr()       {}
func (*Subquery) expr()     {}

// GroupingKind is which sets of keys a [GroupingSets] stands for.
type GroupingKind uint8

// The kinds of grouping sets: those of the items; all first parts of the items, from
// all of them to none; all choices of the items.
const (
	Sets GroupingKind = iota
	Rollup
	Cube
)

// LiteralKind tells the literals apart.
type LiteralKind uint8

// The literals. Number covers integers, decimals and exponents.
const (
	NullLit LiteralKind = iota
	BoolLit
	NumberLit
	StringLit
)

// FrameUnit is what the offsets of a frame count.
type FrameUnit uint8

// What the offsets of a frame count: rows, values of the sort key, or peers.
const (
	FrameRange FrameUnit = iota
	FrameRows
	FrameGroups
)

// BoundKind tells the ends of frames apart, in the order of where they are.
type BoundKind uint8

// The ends of frames.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Exclusion is what a frame leaves out.
type Exclusion uint8

// What a frame leaves out: nothing, the row itself, it and its peers, or its peers.
const (
	ExcludeNothing Exclusion = iota
	ExcludeRow
	ExcludeGroup
	ExcludeTies
)
