package ivmc

import (
	"context"
	"errors"
	"io"

	"github.com/ivmc/ivmc/session"
	"github.com/ivmc/ivmc/zset"
)

// Text iterates over the rows of a query with cells as text, as psql's
// unaligned output prints them: booleans t and f, dates ISO, no padding.
//
//	for rows.Next() {
//		cell, null := rows.Cell(0)
//	}
//	err := rows.Err()
//	rows.Close()
type Text struct {
	ctx  context.Context
	sql  string
	rows *session.Rows
	b    *zset.Batch
	row  int   // in b
	left int64 // copies of the row still to come
	err  error
}

// ColumnInfo is a column of a result.
type ColumnInfo struct {
	Name    string
	Type    string // as PostgreSQL's format_type prints it
	Numeric bool   // a number, which tables set to the right

	Nullable  bool // false where the column cannot hold a NULL
	Length    int  // n of VARCHAR(n) and CHAR(n), 0 for none
	Precision int  // p and s of DECIMAL(p,s), 0 for none
	Scale     int
}

// Columns lists the columns.
func (t *Text) Columns() []ColumnInfo {
	out := make([]ColumnInfo, len(t.rows.Schema))
	for i, f := range t.rows.Schema {
		out[i] = ColumnInfo{Name: f.Name, Type: f.Type.String(), Numeric: session.IsNumber(f.Type), Nullable: !f.NotNull}
		switch f.Type.Kind {
		case zset.Varchar, zset.Char:
			out[i].Length = int(f.Type.Prec)
		case zset.Numeric:
			out[i].Precision, out[i].Scale = int(f.Type.Prec), int(f.Type.Scale)
		}
	}
	return out
}

// Next goes to the next row, or says false at the end and after an error.
func (t *Text) Next() bool {
	if t.left > 1 {
		t.left--
		return true
	}
	if t.b != nil {
		t.row++
	}
	for t.b == nil || t.row == t.b.N {
		b, err := t.rows.Next(t.ctx)
		if err != nil {
			t.b = &zset.Batch{}
			t.row, t.left = 0, 0
			if !errors.Is(err, io.EOF) && t.err == nil {
				t.err = publish(err, t.sql)
			}
			return false
		}
		t.b, t.row = b, 0
	}
	t.left = t.b.Weight(t.row)
	return true
}

// AppendCell appends the text of column c in this row to dst, which spares memory
// where there are many; a NULL has none.
func (t *Text) AppendCell(dst []byte, c int) (text []byte, null bool) {
	if t.b.Cols[c].IsNull(t.row) {
		return dst, true
	}
	return zset.AppendTextIn(dst, &t.b.Cols[c], t.row, t.rows.Zone), false
}

// Cell is the text of column c in this row. The slice is the caller's.
func (t *Text) Cell(c int) (text []byte, null bool) {
	text, null = t.AppendCell(nil, c)
	if text == nil && !null {
		text = []byte{}
	}
	return text, null
}

// Value is column c of this row as a Go value, as [Row.Value] gives it.
func (t *Text) Value(c int) any { return valueOf(&t.b.Cols[c], t.row, t.rows.Zone) }

// Err is why Next said false; nil at the end.
func (t *Text) Err() error { return t.err }

// Close frees what the query holds. Closing twice is allowed.
func (t *Text) Close() { t.rows.Close() }
