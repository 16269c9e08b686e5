package expr

import (
	"math"

	"github.com/ivmc/ivmc/zset"
)

// floatFuncs are the functions of DOUBLE PRECISION. A result that became
// infinite or zero from arguments that were not is an error, as in PostgreSQL.
func floatFuncs() []Func {
	const k = zset.Float8
	two, one := []zset.Kind{k, k}, []zset.Kind{k}
	binary := func(name string, row rowFunc, d denseFunc) Func {
		return Func{Name: name, Args: two, Result: k, Strict: true, Raises: true, row: row, dense: d}
	}
	plain := func(name string, op func(float64) float64) Func {
		return Func{Name: name, Args: one, Result: k, Strict: true,
			row: func(f *frame, i int) { f.setF(i, op(f.f(0, i))) }}
	}
	raising := func(name string, op func(float64) (float64, *zset.Error)) Func {
		return Func{Name: name, Args: one, Result: k, Strict: true, Raises: true,
			row: func(f *frame, i int) {
				r, err := op(f.f(0, i))
				f.setFloat(i, r, err)
			}}
	}
	return []Func{
		binary("+", floatRow(addFloat), denseAddFloat),
		binary("-", floatRow(subFloat), denseSubFloat),
		binary("*", floatRow(mulFloat), denseMulFloat),
		binary("/", floatRow(divFloat), nil),
		binary("power", floatRow(powFloat), nil),
		plain("-", func(x float64) float64 { return -x }),
		plain("+", func(x float64) float64 { return x }),
		plain("abs", math.Abs),
		plain("ceil", math.Ceil),
		plain("floor", math.Floor),
		plain("trunc", math.Trunc),
		plain("round", math.RoundToEven),
		plain("sign", signFloat),
		raising("sqrt", sqrtFloat),
		raising("ln", lnFloat),
		raising("exp", expFloat),
	}
}

var (
	errOverflow  = zset.Errorf(zset.CodeOutOfRange, -1, "value out of range: overflow")
	errUnderflow = zset.Errorf(zset.CodeOutOfRange, -1, "value out of range: underflow")
	errDivZero   = zset.Errorf(zset.CodeDivisionByZero, -1, "division by zero")
)

func (f *frame) setFloat(i int, r float64, err *zset.Error) {
	if err != nil {
		f.failWith(i, err)
		r = 0
	}
	f.setF(i, r)
}

func floatRow(op func(a, b float64) (float64, *zset.Error)) rowFunc {
	return func(f *frame, i int) {
		r, err := op(f.f(0, i), f.f(1, i))
		f.setFloat(i, r, err)
	}
}

func isInf(x float64) bool { return math.IsInf(x, 0) }

func addFloat(a, b float64) (float64, *zset.Error) { return checkSum(a+b, a, b) }

func subFloat(a, b float64) (float64, *zset.Error) { return checkSum(a-b, a, b) }

func checkSum(r, a, b float64) (float64, *zset.Error) {
	if isInf(r) && !isInf(a) && !isInf(b) {
		return 0, errOverflow
	}
	return r, nil
}

func mulFloat(a, b float64) (float64, *zset.Error) {
	r := a * b
	if isInf(r) && !isInf(a) && !isInf(b) {
		return 0, errOverflow
	}
	if r == 0 && a != 0 && b != 0 {
		return 0, errUnderflow
	}
	return r, nil
}

func divFloat(a, b float64) (float64, *zset.Error) {
	if b == 0 && a == a {
		return 0, errDivZero
	}
	r := a / b
	if isInf(r) && !isInf(a) {
		return 0, errOverflow
	}
	if r == 0 && a != 0 && !isInf(b) {
		return 0, errUnderflow
	}
	return r, nil
}

// powFloat follows POSIX for the special values.
func powFloat(a, b float64) (float64, *zset.Error) {
	switch {
	case a != a || b != b:
		if b == 0 || a == 1 {
			return 1, nil
		}
		return math.NaN(), nil
	case a == 0 && b < 0:
		return 0, zset.Errorf("2201F", -1, "zero raised to a negative power is undefined")
	case a < 0 && !isInf(b) && b != math.Floor(b):
		return 0, zset.Errorf("2201F", -1, "a negative number raised to a non-integer power yields a complex result")
	}
	if a == 0 || isInf(a) || isInf(b) {
		return math.Pow(a, b), nil
	}
	r := pow(a, b)
	if isInf(r) {
		return 0, errOverflow
	}
	if r == 0 {
		return 0, errUnderflow
	}
	return r, nil
}

func signFloat(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

func sqrtFloat(x float64) (float64, *zset.Error) {
	if x < 0 {
		return 0, zset.Errorf("2201F", -1, "cannot take square root of a negative number")
	}
	return math.Sqrt(x), nil
}

func lnFloat(x float64) (float64, *zset.Error) {
	switch {
	case x == 0:
		return 0, zset.Errorf("2201E", -1, "cannot take logarithm of zero")
	case x < 0:
		return 0, zset.Errorf("2201E", -1, "cannot take logarithm of a negative number")
	}
	if x < 0x1p-1022 { // math.Log is wrong for denormals on amd64
		return math.Log(x*(1<<54)) - 54*math.Ln2, nil
	}
	return math.Log(x), nil
}

func expFloat(x float64) (float64, *zset.Error) {
	r := math.Exp(x)
	if isInf(x) || x != x {
		return r, nil
	}
	if isInf(r) {
		return 0, errOverflow
	}
	if r == 0 {
		return 0, errUnderflow
	}
	return r, nil
}

// floatOperands gives the cells of a binary call; one side may be a constant,
// which is then spread into the returned flag. See intOperands.
func floatOperands(f *frame, commutes bool) (a, b []float64, c float64, ok bool) {
	x, y := &f.args[0], &f.args[1]
	if x.mask == 0 && commutes {
		x, y = y, x
	}
	switch {
	case x.mask == 0:
		return nil, nil, 0, false
	case y.mask == 0:
		return x.F64[:f.n], nil, y.F64[0], true
	}
	return x.F64[:f.n], y.F64[:f.n], 0, true
}

// finite is 0 for a finite number and NaN otherwise: summed over a batch it
// tells whether some result deserves a look.
func finite(x float64) float64 { return x - x }

func denseAddFloat(f *frame) bool {
	a, b, c, ok := floatOperands(f, true)
	if !ok {
		return false
	}
	out, odd := f.out.F64[:len(a)], 0.0
	if b == nil {
		for i, x := range a {
			out[i] = x + c
			odd += finite(x + c)
		}
	} else {
		for i, x := range a {
			r := x + b[i]
			out[i] = r
			odd += finite(r)
		}
	}
	return settleFloat(f, odd != 0, addFloat)
}

func denseSubFloat(f *frame) bool {
	a, b, c, ok := floatOperands(f, false)
	if !ok {
		return false
	}
	out, odd := f.out.F64[:len(a)], 0.0
	if b == nil {
		for i, x := range a {
			out[i] = x - c
			odd += finite(x - c)
		}
	} else {
		for i, x := range a {
			r := x - b[i]
			out[i] = r
			odd += finite(r)
		}
	}
	return settleFloat(f, odd != 0, subFloat)
}

func denseMulFloat(f *frame) bool {
	a, b, c, ok := floatOperands(f, true)
	if !ok {
		return false
	}
	out, odd := f.out.F64[:len(a)], int64(0)
	if b == nil {
		for i, x := range a {
			r := x * c
			out[i] = r
			odd |= bit(r == 0)&bit(x != 0) | bit(r-r != 0)
		}
	} else {
		for i, x := range a {
			r := x * b[i]
			out[i] = r
			odd |= bit(r == 0)&bit(x != 0) | bit(r-r != 0)
		}
	}
	return settleFloat(f, odd != 0, mulFloat)
}

// settleFloat finds the failing row, if any, once some result was odd.
func settleFloat(f *frame, odd bool, op func(a, b float64) (float64, *zset.Error)) bool {
	if !odd {
		return true
	}
	for _, e := range []*zset.Error{errOverflow, errUnderflow} {
		f.firstBad(func(i int) bool {
			_, err := op(f.f(0, i), f.f(1, i))
			return err == e
		}, e.Code, e.Msg)
	}
	return true
}
