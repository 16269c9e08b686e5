package expr

import (
	"math"

	"github.com/ivmc/ivmc/zset"
)

// circleFuncs are the functions of DOUBLE PRECISION around the circle and the
// hyperbola, roots and logarithms. The last digit may differ from PostgreSQL's,
// which has that of its machine's C library.
func circleFuncs() []Func {
	const k = zset.Float8
	plain := func(name string, op func(float64) float64) Func {
		return Func{Name: name, Args: []zset.Kind{k}, Result: k, Strict: true, Costly: true,
			row: func(f *frame, i int) { f.setF(i, op(f.f(0, i))) }}
	}
	// within is a function of [low, high]; beyond it the input is out of range.
	within := func(name string, low, high float64, op func(float64) float64) Func {
		return raising(name, k, func(f *frame, i int) {
			x := f.f(0, i)
			if x < low || x > high {
				f.fail(i, zset.CodeOutOfRange, "input is out of range")
				return
			}
			f.setF(i, op(x))
		}, k)
	}
	inf := math.Inf(1)
	rows := []Func{
		{Name: "pi", Result: k, Strict: true, row: func(f *frame, i int) { f.setF(i, math.Pi) }},
		plain("cbrt", cbrtFloat),
		plain("||/", cbrtFloat),
		raising("|/", k, func(f *frame, i int) { r, err := sqrtFloat(f.f(0, i)); f.setFloat(i, r, err) }, k),
		raising("degrees", k, func(f *frame, i int) { r, err := divFloat(f.f(0, i), math.Pi/180); f.setFloat(i, r, err) }, k),
		raising("radians", k, func(f *frame, i int) { r, err := mulFloat(f.f(0, i), math.Pi/180); f.setFloat(i, r, err) }, k),
		plain("sinh", sinhFloat), plain("tanh", math.Tanh), plain("asinh", math.Asinh),
		raising("cosh", k, func(f *frame, i int) { f.setF(i, coshFloat(f.f(0, i))) }, k),
		within("acosh", 1, inf, math.Acosh), within("atanh", -1, 1, math.Atanh),
		within("asin", -1, 1, asinFloat), within("acos", -1, 1, acosFloat),
		plain("atan", atanFloat),
		strict("atan2", k, func(f *frame, i int) { f.setF(i, atan2Float(f.f(0, i), f.f(1, i))) }, k, k),
	}
	for _, v := range []struct {
		name string
		op   func(float64) float64
	}{{"sin", sinFloat}, {"cos", cosFloat}, {"tan", tanFloat}, {"cot", func(x float64) float64 { return 1 / tanFloat(x) }}} {
		rows = append(rows, raising(v.name, k, func(f *frame, i int) {
			x := f.f(0, i)
			if isInf(x) {
				f.fail(i, zset.CodeOutOfRange, "input is out of range")
				return
			}
			f.setF(i, v.op(x))
		}, k))
	}
	for _, name := range []string{"log", "log10"} {
		rows = append(rows, raising(name, k, func(f *frame, i int) {
			r, err := log10Float(f.f(0, i))
			f.setFloat(i, r, err)
		}, k))
	}
	return rows
}

// log10Float is exact for powers of ten.
func log10Float(x float64) (float64, *zset.Error) {
	if _, err := lnFloat(x); err != nil || x != x || isInf(x) {
		return x, err
	}
	const invHi, invLo = 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57 // 1/ln 10
	return lnPair(x).mul(pair{invHi, invLo}).hi, nil
}

// farHyperbola is where e^x overflows and half of it need not.
const farHyperbola = 709

func coshFloat(x float64) float64 {
	if math.Abs(x) < farHyperbola {
		return math.Cosh(x)
	}
	e := math.Exp(math.Abs(x) / 2)
	return e / 2 * e
}

func sinhFloat(x float64) float64 {
	if math.Abs(x) < farHyperbola {
		return math.Sinh(x)
	}
	return math.Copysign(coshFloat(x), x)
}
