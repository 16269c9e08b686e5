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
	// ShowStreams is SHOW STREAMS [{FROM | IN} database] [LIKE pattern].
	ShowStreams struct {
		At
		Database Name    // Text "" if absent
		Like     *string // nil if absent
	}
)

func (*CreateStream) statement() {}
func (*AlterStream) statement()  {}
func (*DropStream) statement()   {}
func (*ShowStreams) statement()  {}
