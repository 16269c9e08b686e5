package ast

// Pos is a place in the parsed text: an offset in characters (code points),
// counted from 0. [LineCol] makes a line and a column of it.
type Pos int32

// At is embedded in every node: where it starts.
type At struct{ Start Pos }

// Pos reports where the node starts.
func (a At) Pos() Pos { return a.Start }

// Node is any piece of syntax.
type Node interface{ Pos() Pos }

// Name is an identifier as PostgreSQL folds it: lower case unless quoted.
type Name struct {
	At
	Text string
}

// Statement is one SQL statement.
type Statement interface {
	Node
	statement()
}
