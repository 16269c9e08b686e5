package ast

// AlterAction is one of what ALTER TABLE does: *AddColumn, *DropColumn,
// *AddConstraint, *DropConstraint, *SetProperties, *SetDefault or *SetNotNull.
type AlterAction interface {
	Node
	alter()
}

type (
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
)

func (*AlterTable) statement() {}
func (*AddColumn) alter()      {}
func (*DropColumn) alter()     {}
func (*AddConstraint) alter()  {}
func (*DropConstraint) alter() {}
func (*SetProperties) alter()  {}
func (*SetDefault) alter()     {}
func (*SetNotNull) alter()     {}
func (*Rename) statement()     {}
