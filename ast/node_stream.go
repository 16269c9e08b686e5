package ast

type (
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
	// ShowStreams is SHOW STREAMS [{FROM | IN} database] [{LIKE pattern | WHERE cond}].
	// The column of cond is Tables_in_ and the database.
	ShowStreams struct {
		At
		Database Name    // Text "" if absent
		Like     *string // nil if absent
		Where    Expr    // nil if absent
	}
)

func (*CreateStream) statement() {}
func (*AlterStream) statement()  {}
func (*DropStream) statement()   {}
func (*ShowStreams) statement()  {}
