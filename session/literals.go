package session

import (
	"github.com/ivmc/ivmc/ast"
	"github.com/ivmc/ivmc/storage"
	"github.com/ivmc/ivmc/zset"
)

// literalRows reads INSERT .. VALUES of plain constants straight into columns:
// a million literals need no million expressions. It gives nil wherever that
// might differ from binding them one by one, errors included; the binder then
// does the statement, and words what is wrong with it.
func literalRows(ins *ast.Insert, r *rules) *zset.Batch {
	obj := r.obj
	q := ins.Query
	vals, ok := q.Body.(*ast.Values)
	if !ok || ins.With != nil || ins.Returning != nil || q.With != nil || q.OrderBy != nil || q.Limit != nil || q.Offset != nil || len(vals.Rows) == 0 {
		return nil
	}
	target := targets(ins, obj)
	if target == nil {
		return nil
	}
	if len(r.Defaults) > 0 && len(target) < len(obj.Schema) {
		return nil
	}
	b := zset.NewBatch(obj.Schema.Types(), len(vals.Rows))
	for _, row := range vals.Rows {
		if len(row) != len(target) {
			return nil
		}
		for i, cell := range row {
			if !appendLiteral(&b.Cols[target[i]], cell) {
				return nil
			}
		}
	}
	b.N = len(vals.Rows)
	for c := range b.Cols {
		for b.Cols[c].Len() < b.N {
			b.Cols[c].AppendNull() // not named, and there are no defaults
		}
	}
	return b
}

// targets gives, per value of a row, its column; nil if the names are wrong.
func targets(ins *ast.Insert, obj *storage.Object) []int {
	if len(ins.Columns) == 0 {
		out := make([]int, len(obj.Schema))
		for i := range out {
			out[i] = i
		}
		return out
	}
	seen := make([]bool, len(obj.Schema))
	out := make([]int, len(ins.Columns))
	for i, n := range ins.Columns {
		c := obj.Schema.Index(n.Text)
		if c < 0 || seen[c] {
			return nil
		}
		seen[c], out[i] = true, c
	}
	return out
}

// appendLiteral appends a constant that the column's input function reads as an
// assignment would: strings always, numbers where the column holds numbers and
// no rounding of a fraction to an integer is involved.
func appendLiteral(c *zset.Column, e ast.Expr) bool {
	if t, ok := e.(*ast.TypedLiteral); ok {
		return appendTyped(c, t)
	}
	negative := false
	if u, ok := e.(*ast.Unary); ok && u.Op == "-" {
		negative, e = true, u.X
	}
	lit, ok := e.(*ast.Literal)
	if !ok {
		return false
	}
	text := lit.Text
	switch {
	case lit.Kind == ast.NullLit && !negative:
		c.AppendNull()
		return true
	case lit.Kind == ast.StringLit && !negative:
	case lit.Kind == ast.BoolLit && !negative && c.Type.Kind == zset.Bool:
	case lit.Kind == ast.NumberLit && numericColumn(c.Type, text):
		if v, ok := smallInt(text); ok && (c.Type.Kind == zset.Int8 || c.Type.Kind == zset.Int4 && v <= 1<<31-1) {
			if negative {
				v = -v
			}
			c.AppendI64(v)
			return true
		}
		if negative {
			text = "-" + text
		}
	default:
		return false
	}
	if c.Type.Kind == zset.TimestampTZ || c.Type.Elem == zset.TimestampTZ {
		return false // read in the zone of the session
	}
	v, err := zset.ParseText(c.Type, text)
	if err != nil || v.Type.Phys() != c.Type.Phys() {
		return false
	}
	if negative && c.Type.Kind == zset.Float8 && v.F == 0 {
		return false // a numeric has no negative zero to assign
	}
	c.AppendValue(v)
	return true
}

// appendTyped appends DATE '..' to a date column, TIMESTAMP '..' to a timestamp column.
func appendTyped(c *zset.Column, t *ast.TypedLiteral) bool {
	if len(t.Type.Args) > 0 || !(c.Type.Kind == zset.Date && t.Type.Name == "date" || c.Type.Kind == zset.Timestamp && t.Type.Name == "timestamp") {
		return false
	}
	v, err := zset.ParseText(c.Type, t.Text)
	if err != nil {
		return false
	}
	c.AppendValue(v)
	return true
}

// numericColumn reports whether a number written as text goes into a column of
// type t by its digits alone.
func numericColumn(t zset.Type, text string) bool {
	switch t.Kind {
	case zset.Float8, zset.Numeric:
		return true
	case zset.Int4, zset.Int8:
		for i := 0; i < len(text); i++ {
			if text[i] < '0' || text[i] > '9' {
				return false
			}
		}
		return true
	}
	return false
}

// smallInt reads up to 18 digits.
func smallInt(text string) (int64, bool) {
	if len(text) == 0 || len(text) > 18 {
		return 0, false
	}
	var v int64
	for i := 0; i < len(text); i++ {
		d := text[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + int64(d)
	}
	return v, true
}
