package ast

type (
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
	// Set is SET name {= | TO} value.
	Set struct {
		At
		Name  Name
		Value string // "" with Default
		// Default is SET name TO DEFAULT.
		Default bool
	}
)

func (*Begin) statement()      {}
func (*Commit) statement()     {}
func (*Rollback) statement()   {}
func (*Savepoint) statement()  {}
func (*RollbackTo) statement() {}
func (*Release) statement()    {}
func (*Set) statement()        {}
