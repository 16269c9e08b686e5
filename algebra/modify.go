package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

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
// The columns of Source are first those of the table, in order and cast to their
// types: of the new row for INSERT and UPDATE, of the old one for DELETE, which
// leaves them out if nothing is returned. Then, but for INSERT, comes _addr, the
// address of the old row, at position Addr. What stands behind it is there for
// Returning alone. NOT NULL is not checked here: it depends on the rows.
type Modify struct {
	Rel    Relation
	Op     Op
	Source Node
	Addr   int // position of _addr; -1 for INSERT
	// Many: a row of the table may come several times, and is changed once.
	Many bool
	// Returning is what RETURNING yields for a row of Source once it is written;
	// nil: nothing. Fields are its columns.
	Returning []*expr.Expr
	Fields    zset.Schema
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
