package algebra

// Op is what a DML statement does to the rows of one table.
type Op uint8

// The operations.
const (
	OpInsert Op = iota
	OpUpdate
	OpDelete
)

// String is the word of the command tag.
func (o Op) String() string { return [...]string{"INSERT", "UPDATE", "DELETE"}[o] }

// Modify is a bound DML statement: a query whose rows are the change.
//
// The columns of Source are, for an INSERT, the columns of the table in order,
// cast to their types; for an UPDATE, the same for the new row, then the
// address _addr of the old one; for a DELETE, _addr alone. NOT NULL is not
// checked here: it depends on the rows.
type Modify struct {
	Rel    Relation
	Op     Op
	Source Node
}

// NotNull lists the columns of Source that the table declares NOT NULL.
func (m *Modify) NotNull() []int {
	if m.Op == OpDelete {
		return nil
	}
	var out []int
	for i, f := range m.Rel.Schema {
		if f.NotNull {
			out = append(out, i)
		}
	}
	return out
}
