package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Sort is its input as a list in the order of By. As a Z-set it is its input;
// the order matters to a [Limit] right above it and to whoever is handed the
// rows of the whole query.
//
// Rows that By does not tell apart are ordered by the row encoding of all
// columns of the input, ascending (I13): so no rule may drop or reorder the
// columns below a sort that a limit reads.
type Sort struct {
	Input Node `json:"-"`
	By    []SortKey
}

// SortKey is one expression of ORDER BY. The order of values is that of the
// key encoding: NaN is the largest number, text compares by bytes.
type SortKey struct {
	Expr       *expr.Expr
	Desc       bool
	NullsFirst bool
}

// Schema is that of the input.
func (s *Sort) Schema() zset.Schema { return s.Input.Schema() }

// Inputs is the input.
func (s *Sort) Inputs() []Node { return []Node{s.Input} }

func (s *Sort) with(ins []Node) Node { return &Sort{Input: ins[0], By: s.By} }
