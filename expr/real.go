package expr

import (
	"math"
	"strconv"

	"github.com/ivmc/ivmc/zset"
)

// realFuncs are the functions of REAL, and the operators that mix it with DOUBLE
// PRECISION. A REAL is held as a double; a sum, product or quotient of two that is
// rounded to a double and then to a REAL is rounded once, as 53 bits are more than
// twice 24 and 2.
func realFuncs() []Func {
	const r, d = zset.Float4, zset.Float8
	var rows []Func
	for name, op := range map[string]func(a, b float64) (float64, *zset.Error){
		"+": addFloat, "-": subFloat, "*": mulFloat, "/": divFloat,
	} {
		for _, ks := range [][]zset.Kind{{r, d}, {d, r}} {
			rows = append(rows, Func{Name: name, Args: ks, Result: d, Strict: true, Raises: true, row: floatRow(op)})
		}
		rows = append(rows, Func{Name: name, Args: []zset.Kind{r, r}, Result: r, Strict: true, Raises: true, row: realRow(op, name)})
	}
	one := func(name string, op func(float64) float64) Func {
		return Func{Name: name, Args: []zset.Kind{r}, Result: r, Strict: true, row: func(f *frame, i int) { f.setF(i, op(f.f(0, i))) }}
	}
	return append(rows,
		one("-", func(x float64) float64 { return -x }),
		one("+", func(x float64) float64 { return x }),
		one("abs", math.Abs))
}

// realRow rounds the result of op. A quotient or product of 0 from other numbers
// is an underflow; a sum is exact where it is small.
func realRow(op func(a, b float64) (float64, *zset.Error), name string) rowFunc {
	return func(f *frame, i int) {
		a, b := f.f(0, i), f.f(1, i)
		x, err := op(a, b)
		r := float64(float32(x))
		switch {
		case err != nil:
		case isInf(r) && !isInf(x):
			err = errOverflow
		case r == 0 && x != 0:
			err = errUnderflow
		}
		f.setFloat(i, r, err)
	}
}

func castIntReal(f *frame, i int) { f.setF(i, float64(float32(f.i(0, i)))) }

func castFloatReal(f *frame, i int) {
	r, err := zset.RoundReal(f.f(0, i))
	if err != nil {
		f.failWith(i, positioned(err, -1))
	}
	f.setF(i, r)
}

// castRealNumeric keeps the 6 digits that every REAL has.
func castRealNumeric(f *frame, i int) {
	d, err := zset.ParseDecimal(strconv.FormatFloat(f.f(0, i), 'g', 6, 64))
	f.setDecErr(i, d, err)
}

// castNumericReal reads the digits as a REAL: through a double they would be
// rounded twice.
func castNumericReal(f *frame, i int) {
	v, err := zset.ParseText(zset.TFloat4, f.dec(0, i).String())
	if err != nil {
		f.failWith(i, positioned(err, -1))
	}
	f.setF(i, v.F)
}
