package ast

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

func (*Query) statement() {}
func (*Query) body()      {}
func (*Select) body()     {}
func (*SetOp) body()      {}
func (*Values) body()     {}

// SetOpKind tells the set operators apart.
type SetOpKind uint8

// The set operators.
const (
	Union SetOpKind = iota
	Intersect
	Except
)
