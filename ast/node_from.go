package ast

// TableExpr is *TableRef, *FuncTable, *Join or *Derived.
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
	// FuncTable is [LATERAL] name(args) [WITH ORDINALITY] [[AS] alias [(columns)]].
	FuncTable struct {
		At
		Lateral    bool // said; it may read what stands before it either way
		Call       *Call
		Ordinality bool
		Alias      Name
		Columns    []Name
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

func (*TableRef) tableExpr()  {}
func (*FuncTable) tableExpr() {}
func (*Join) tableExpr()      {}
func (*Derived) tableExpr()   {}

// ReadingKind tells the readings apart.
type ReadingKind uint8

// The readings.
const (
	ReadIncr ReadingKind = iota
	ReadSnapshot
	ReadReset
	ReadTime
	ReadVersion
	ReadCall // no reading: the name is that of a function, name(params)
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
