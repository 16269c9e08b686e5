package session

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/zset"
)

// refusedParts names the first clause of a statement that the grammar knows and
// nothing runs: it must not be passed over in silence.
func refusedParts(stmt ast.Statement) error {
	refuse := func(at ast.Node, what, hint string) error {
		e := zset.Errorf("0A000", int(at.Pos()), "%s is not supported", what)
		e.Hint = hint
		return e
	}
	switch n := stmt.(type) {
	case *ast.CreateTable:
		for _, c := range n.Columns {
			if c.Default != nil {
				return refuse(c.Default, "DEFAULT", "")
			}
		}
		for _, k := range n.Keys {
			if k.Kind == ast.UniqueConstraint {
				return refuse(k, "UNIQUE", "Use PRIMARY KEY.")
			}
		}
		for _, c := range n.Checks {
			return refuse(c, "CHECK", "")
		}
	case *ast.Insert:
		if n.Conflict != nil {
			return refuse(n.Conflict, "ON CONFLICT", "Declare the table with UNIQUE KEY (..): a row with a known key is an update.")
		}
	case *ast.CreateMaterializedView:
		if n.OrReplace {
			return refuse(n, "CREATE OR REPLACE MATERIALIZED VIEW", "Drop the view first.")
		}
	case *ast.Drop:
		if n.Cascade {
			return refuse(n, "CASCADE", "Drop the objects that depend on it first.")
		}
	}
	return nil
}
