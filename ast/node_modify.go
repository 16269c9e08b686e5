package ast

type (
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
)

func (*Insert) statement() {}
func (*Update) statement() {}
func (*Delete) statement() {}
func (*Copy) statement()   {}
