package algebra

import (
	"iter"
	"time"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Catalog is what binding must know of the database: one version of it (I9).
type Catalog interface {
	// Relation finds a table or materialized view by its folded name.
	Relation(name string) (Relation, bool)
}

// Lister is a [Catalog] that knows the names of its relations, so that the error of
// one that is not there can say which is near.
type Lister interface{ Names() iter.Seq[string] }

// Relation is a stored relation as queries see it.
type Relation struct {
	ID     uint64
	Name   string
	Schema zset.Schema
	Key    []int // primary key, positions in Schema; nil: a bag
	IsView bool
	// Stream is the id of the stream that the name means, whose relation this is; 0: none.
	Stream uint64

	// Defaults is, by column, the expression of its DEFAULT as SQL; "" and what
	// is missing at the end are NULL.
	Defaults []string
	// Define binds the rows of a relation that is not stored, a plain view or one
	// of information_schema, under the settings of the statement. Nil: stored.
	Define func(Env) (Node, error)
}

// FunctionPrefix stands before the names of functions that give rows, in a
// [Catalog]: no relation has such a name.
const FunctionPrefix = "\x00"

// Env is what a statement is bound against.
type Env struct {
	Catalog Catalog
	// Params are the values of $1, $2, ..; one of type Unknown takes its type
	// from where it stands, as a string literal does.
	Params []zset.Value
	// Read resolves a reading that is not of now, of r or of its stream; n is nil
	// for a stream alone, and for the rows of now. Nil where there is none: in a
	// materialized view.
	Read func(r Relation, n *ast.Reading, target Target) (Resolved, []*zset.Error)
	// Call is what a relation that is a function is called with.
	Call []ast.Property
	// System gives the rows of a system table that come from no catalog.
	System func(name string) ([][]zset.Value, error)
	// Now is the time that now() and its kin mean. Zero leaves them in the
	// expressions, as a view needs it: its time is that of each refresh.
	Now time.Time
	// Functions are those that the program around brings along; nil: none.
	Functions *expr.Library
	// TimeZone is the setting of that name, in which a TIMESTAMPTZ is read and
	// printed; "" is UTC.
	TimeZone string
	// Stop says why there is no need to go on, if there is none: it is asked now and
	// then, and what it says is the error. Nil: nobody will say so.
	Stop func() error
}
