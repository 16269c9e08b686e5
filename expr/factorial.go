package expr

import "github.com/ivmc/ivmc/zset"

// farFactorial is the first whose digits are more than a NUMERIC holds.
const farFactorial = 59

func factorialRow(f *frame, i int) {
	n := f.i(0, i)
	switch {
	case n < 0:
		f.fail(i, zset.CodeOutOfRange, "factorial of a negative number is undefined")
		return
	case n >= farFactorial:
		f.fail(i, zset.CodeOutOfRange, "value overflows numeric format")
		return
	}
	p := zset.DecimalFromInt64(1)
	for k := int64(2); k <= n; k++ {
		var err error
		if p, err = p.Mul(zset.DecimalFromInt64(k)); err != nil {
			f.failWith(i, positioned(err, -1))
			return
		}
	}
	f.setDec(i, p)
}
