package algebra

import (
	"strconv"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Values is the rows as written. The expressions refer to no column. A query
// without FROM reads one row of no columns.
type Values struct {
	Rows   [][]*expr.Expr
	Fields zset.Schema
	Source string // the relation whose rows were made up, for one that is not stored; else ""
}

// Schema is Fields.
func (v *Values) Schema() zset.Schema { return v.Fields }

// Inputs is nil: values are a leaf.
func (v *Values) Inputs() []Node { return nil }

func (v *Values) with([]Node) Node { c := *v; return &c }

func (v *Values) eval(*oracle) (*zset.Batch, error) {
	out := zset.NewBatch(v.Fields.Types(), len(v.Rows))
	one := &zset.Batch{N: 1}
	for _, row := range v.Rows {
		es, err := newRowwise(row)
		if err != nil {
			return nil, err
		}
		cells, err := es.at(one, 0)
		if err != nil {
			return nil, err
		}
		appendRow(out, cells, 1)
	}
	return out, nil
}

// maxShown bounds the rows of a VALUES that EXPLAIN prints.
const maxShown = 5

func (v *Values) line() string {
	rows := list(min(len(v.Rows), maxShown), ", ", func(i int) string {
		return "(" + list(len(v.Rows[i]), ", ", func(k int) string { return v.Rows[i][k].String() }) + ")"
	})
	if more := len(v.Rows) - maxShown; more > 0 {
		rows += ", and " + strconv.Itoa(more) + " more"
	}
	return "values " + rows
}
