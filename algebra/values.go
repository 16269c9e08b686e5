package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Values is the rows as written. The expressions refer to no column. A query
// without FROM reads one row of no columns.
type Values struct {
	Rows   [][]*expr.Expr
	Fields zset.Schema
}

// Schema is Fields.
func (v *Values) Schema() zset.Schema { return v.Fields }

// Inputs is nil: values are a leaf.
func (v *Values) Inputs() []Node { return nil }

func (v *Values) with([]Node) Node { c := *v; return &c }
