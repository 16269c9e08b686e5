package expr

import "github.com/ivmc/ivmc/zset"

// The two equalities that have no operator in SQL, as one value to compare (I8).
// They are made by plans: their names cannot be written as a call.
const (
	rowBytes = "row identity"
	keyBytes = "row key"
)

func rowBytesFuncs() []Func {
	return []Func{
		{Name: rowBytes, Args: []zset.Kind{Any}, Variadic: true, Result: zset.Text, Costly: true, row: func(f *frame, i int) {
			for k := range f.args {
				a := &f.args[k]
				f.out.Buf = zset.AppendRow(f.out.Buf, a.Column, i&a.mask)
			}
		}},
		{Name: keyBytes, Args: []zset.Kind{Any}, Variadic: true, Result: zset.Text, Costly: true, row: func(f *frame, i int) {
			for k := range f.args {
				a := &f.args[k]
				f.out.Buf = zset.AppendKey(f.out.Buf, a.Column, i&a.mask)
			}
		}},
	}
}

// RowBytes is the row encoding of es as TEXT (its bytes need be no UTF-8), never NULL: equal for rows that
// are identical. There is at least one.
func RowBytes(es []*Expr) *Expr { return newCall(funcs.bySig[rowBytes+"(any...)"], es, -1) }

// KeyBytes is the key encoding of es as TEXT (its bytes need be no UTF-8), never NULL: equal for rows that
// are not distinct. There is at least one.
func KeyBytes(es []*Expr) *Expr { return newCall(funcs.bySig[keyBytes+"(any...)"], es, -1) }
