package expr

import (
	"math/big"

	"github.com/ivmc/ivmc/zset"
)

// quotientFuncs are functions of NUMERIC beside those of numericFuncs.
func quotientFuncs() []Func {
	const k = zset.Numeric
	of := func(name string, op func(a, b zset.Decimal) (zset.Decimal, error)) Func {
		return Func{Name: name, Args: []zset.Kind{k, k}, Result: k, Strict: true, Raises: true, row: decRow(op)}
	}
	ten := zset.DecimalFromInt64(10)
	rows := []Func{
		of("div", quotient),
		of("log", logDecimal),
		of("gcd", gcdDecimal),
		of("lcm", lcmDecimal),
		{Name: "scale", Args: []zset.Kind{k}, Result: zset.Int4, Strict: true, row: func(f *frame, i int) {
			if d := f.dec(0, i); d.IsFinite() {
				f.setI(i, int64(d.Scale()))
			} else {
				f.setNull(i)
			}
		}},
		{Name: "min_scale", Args: []zset.Kind{k}, Result: zset.Int4, Strict: true, row: func(f *frame, i int) {
			if d := f.dec(0, i); d.IsFinite() {
				f.setI(i, int64(minScale(d)))
			} else {
				f.setNull(i)
			}
		}},
		{Name: "trim_scale", Args: []zset.Kind{k}, Result: k, Strict: true, row: func(f *frame, i int) {
			d := f.dec(0, i)
			if d.IsFinite() {
				d, _ = d.Trunc(minScale(d))
			}
			f.setDec(i, d)
		}},
	}
	for _, name := range []string{"log", "log10"} {
		rows = append(rows, Func{Name: name, Args: []zset.Kind{k}, Result: k, Strict: true, Raises: true, row: func(f *frame, i int) {
			d, err := logDecimal(ten, f.dec(0, i))
			f.setDecErr(i, d, err)
		}})
	}
	return rows
}

// minScale is the scale without zeros at the end.
func minScale(d zset.Decimal) int {
	s := d.Scale()
	for s > 0 {
		t, err := d.Trunc(s - 1)
		if err != nil || t.Cmp(d) != 0 {
			break
		}
		s--
	}
	return s
}

// quotient is a / b without what is left over.
func quotient(a, b zset.Decimal) (zset.Decimal, error) {
	if !a.IsFinite() || !b.IsFinite() || b.Sign() == 0 {
		q, err := a.Div(b)
		if err != nil || q.IsNaN() || q.IsInf() {
			return q, err
		}
		return q.Trunc(0)
	}
	rest, err := a.Mod(b)
	if err == nil {
		a, err = a.Sub(rest)
	}
	if err != nil {
		return a, err
	}
	return a.DivScale(b, 0)
}

// logDecimal is the logarithm of x to base, with PostgreSQL's scale.
func logDecimal(base, x zset.Decimal) (zset.Decimal, error) {
	switch {
	case base.IsNaN() || x.IsNaN():
		return zset.DecimalNaN, nil
	case base.Sign() < 0 || base.Sign() > 0 && x.Sign() < 0 && !(base.IsFinite() && x.IsFinite() && base.Sign() == 0):
		return x, zset.Errorf("2201E", -1, "cannot take logarithm of a negative number")
	case base.Sign() == 0 || x.Sign() == 0:
		return x, zset.Errorf("2201E", -1, "cannot take logarithm of zero")
	case base.IsInf() && x.IsInf():
		return zset.DecimalNaN, nil
	case base.IsInf():
		return zset.Decimal{}, nil
	case x.IsInf():
		return x, nil
	}
	if base.Cmp(zset.DecimalFromInt64(1)) == 0 {
		return x, zset.Errorf(zset.CodeDivisionByZero, -1, "division by zero")
	}
	scale := clampScale(minDigits-(lnWeight(x)-lnWeight(base)), base, x)
	q := new(big.Float).SetPrec(mathBits).Quo(lnBig(bigFloat(x)), lnBig(bigFloat(base)))
	return toScale(q, scale)
}

func gcdDecimal(a, b zset.Decimal) (zset.Decimal, error) {
	if !a.IsFinite() || !b.IsFinite() {
		return zset.DecimalNaN, nil
	}
	scale := max(a.Scale(), b.Scale())
	for b.Sign() != 0 {
		r, err := a.Mod(b)
		if err != nil {
			return a, err
		}
		a, b = b, r
	}
	return a.Abs().Round(scale)
}

func lcmDecimal(a, b zset.Decimal) (zset.Decimal, error) {
	if !a.IsFinite() || !b.IsFinite() {
		return zset.DecimalNaN, nil
	}
	scale := max(a.Scale(), b.Scale())
	if a.Sign() == 0 || b.Sign() == 0 {
		return zset.Decimal{}.Round(scale)
	}
	g, err := gcdDecimal(a, b)
	if err == nil {
		a, err = quotient(a, g)
	}
	if err == nil {
		a, err = a.Mul(b)
	}
	if err != nil {
		return a, err
	}
	return a.Abs().Round(scale)
}
