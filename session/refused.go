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
	case *ast.CreateMaterializedView:
		if n.OrReplace {
			return refuse(n, "CREATE OR REPLACE MATERIALIZED VIEW", "Drop the view first.")
		}
	}
	return nil
}
