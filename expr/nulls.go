package expr

import "github.com/ivmc/ivmc/zset"

// nullFuncs count the NULLs among their arguments, or what is none.
func nullFuncs() []Func {
	count := func(nulls bool) rowFunc {
		return func(f *frame, i int) {
			n := int64(0)
			for k := range f.args {
				n += bit(f.isNull(k, i) == nulls)
			}
			f.setI(i, n)
		}
	}
	return []Func{
		{Name: "num_nulls", Args: []zset.Kind{Any}, Variadic: true, Result: zset.Int4, row: count(true)},
		{Name: "num_nonnulls", Args: []zset.Kind{Any}, Variadic: true, Result: zset.Int4, row: count(false)},
	}
}
