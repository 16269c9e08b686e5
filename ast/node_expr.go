package ast

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
	// Collate is x COLLATE name, of a name that says what is done anyway.
	Collate struct {
		At   // of COLLATE
		X    Expr
		Name Name
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
func (*Collate) expr()      {}
func (*TypedLiteral) expr() {}
func (*Param) expr()        {}
func (*Binary) expr()       {}
func (*Unary) expr()        {}
func (*Call) expr()         {}
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
