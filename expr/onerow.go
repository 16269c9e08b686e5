package expr

import "github.com/ivmc/ivmc/zset"

// oneRow is made by binding: its name cannot be written as a call.
const oneRow = "one row at most"

func oneRowFuncs() []Func {
	return []Func{{Name: oneRow, Args: []zset.Kind{zset.Int8}, Result: zset.Bool, Strict: true, Raises: true, row: func(f *frame, i int) {
		if f.i(0, i) > 1 {
			f.fail(i, "21000", "more than one row returned by a subquery used as an expression")
			return
		}
		f.setBool(i, true)
	}}}
}

// OneRow is TRUE for a count of rows that is 0 or 1; 21000, at pos, for more.
func OneRow(count *Expr, pos int) *Expr {
	return newCall(funcs.bySig[oneRow+"(bigint)"], []*Expr{count}, pos)
}
