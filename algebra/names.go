package algebra

import "github.com/ivmc/ivmc/ast"

// noName is what PostgreSQL calls a column that nothing names.
const noName = "?column?"

// outputName is the name of a select item without an alias, as PostgreSQL
// gives it.
func outputName(x ast.Expr) string {
	name, _ := nameOf(x)
	return name
}

// nameOf also says whether the name is a good one: that of a column or a
// function, which a cast or a CASE around it keeps.
func nameOf(x ast.Expr) (name string, good bool) {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Parts[len(x.Parts)-1].Text, true
	case *ast.Window:
		return nameOf(x.Call)
	case *ast.Call:
		return x.Name.Text, true
	case *ast.Row:
		return "row", true
	case *ast.Array:
		return "array", true
	case *ast.Subscript:
		return nameOf(x.X)
	case *ast.Extract:
		return "extract", true
	case *ast.Exists:
		return "exists", true
	case *ast.Subquery:
		if s, ok := x.Query.Body.(*ast.Select); ok && len(s.Items) == 1 {
			if a := s.Items[0].Alias.Text; a != "" {
				return a, true
			}
			return nameOf(s.Items[0].Expr)
		}
	case *ast.Collate:
		return nameOf(x.X)
	case *ast.Cast:
		if name, good := nameOf(x.X); good {
			return name, true
		}
		return typeLabel(x.Type), false
	case *ast.TypedLiteral:
		return typeLabel(x.Type), false
	case *ast.Case:
		if x.Else != nil {
			if name, good := nameOf(x.Else); good {
				return name, true
			}
		}
		return "case", false
	}
	return noName, false
}
