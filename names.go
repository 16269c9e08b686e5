package ivmc

import (
	"slices"

	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/expr"
)

// Keywords lists the words of SQL in lower case, in order: for editors and shells.
func Keywords() []string { return ast.Keywords() }

// Functions lists the names of functions and aggregates, in order.
func Functions() []string {
	names := slices.Clone(expr.Aggregates())
	for _, f := range expr.Functions() {
		if f.Callable() {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// QuoteIdent is a name as it stands in SQL: in quotes where it needs them.
func QuoteIdent(name string) string { return ast.QuoteIdent(name) }
