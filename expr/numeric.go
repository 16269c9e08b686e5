package expr

import (
	"slices"

	"github.com/ivmc/ivmc/zset"
)

// numericFuncs are the functions of NUMERIC. Results are unconstrained NUMERIC
// with PostgreSQL's scales. Where the forms of the arguments bound the result
// to 18 digits, the compiler holds it as an int64 coefficient, see fixedForm.
func numericFuncs() []Func {
	const k = zset.Numeric
	two, one, scaled := []zset.Kind{k, k}, []zset.Kind{k}, []zset.Kind{k, zset.Int4}
	binary := func(name string, op func(a, b zset.Decimal) (zset.Decimal, error)) Func {
		return Func{Name: name, Args: two, Result: k, Strict: true, Raises: true, spares: boundedNumeric, row: decRow(op)}
	}
	unary := func(name string, raises bool, op func(zset.Decimal) (zset.Decimal, error)) Func {
		return Func{Name: name, Args: one, Result: k, Strict: true, Raises: raises, spares: boundedNumeric,
			row: func(f *frame, i int) {
				d, err := op(f.dec(0, i))
				f.setDecErr(i, d, err)
			}}
	}
	toScale := func(name string, op func(zset.Decimal, int) (zset.Decimal, error)) Func {
		return Func{Name: name, Args: scaled, Result: k, Strict: true, Raises: true,
			row: func(f *frame, i int) {
				d, err := roundTo(f.dec(0, i), f.i(1, i), op)
				f.setDecErr(i, d, err)
			}}
	}
	return []Func{
		short(dense(binary("+", zset.Decimal.Add), denseAddFixed), addShort),
		short(dense(binary("-", zset.Decimal.Sub), denseSubFixed), subShort),
		short(dense(binary("*", zset.Decimal.Mul), denseMulFixed), mulShort),
		binary("/", zset.Decimal.Div),
		binary("%", zset.Decimal.Mod),
		binary("power", powDecimal),
		unary("-", false, func(d zset.Decimal) (zset.Decimal, error) { return d.Neg(), nil }),
		unary("+", false, func(d zset.Decimal) (zset.Decimal, error) { return d, nil }),
		unary("abs", false, func(d zset.Decimal) (zset.Decimal, error) { return d.Abs(), nil }),
		unary("sign", false, signDecimal),
		unary("ceil", true, zset.Decimal.Ceil),
		unary("floor", true, zset.Decimal.Floor),
		unary("round", true, func(d zset.Decimal) (zset.Decimal, error) { return d.Round(0) }),
		unary("trunc", false, func(d zset.Decimal) (zset.Decimal, error) { return d.Trunc(0) }),
		toScale("round", zset.Decimal.Round),
		toScale("trunc", zset.Decimal.Trunc),
		unary("sqrt", true, sqrtDecimal),
		unary("ln", true, lnDecimal),
		unary("exp", true, expDecimal),
	}
}

func decRow(op func(a, b zset.Decimal) (zset.Decimal, error)) rowFunc {
	return func(f *frame, i int) {
		d, err := op(f.dec(0, i), f.dec(1, i))
		f.setDecErr(i, d, err)
	}
}

// shortOp computes on coefficients of at most 63 bits, or declines.
type shortOp func(a, b int64, sa, sb int) (c int64, scale int, ok bool)

// short puts a fast path before a row function that yields unconstrained NUMERIC.
func short(f Func, op shortOp) Func {
	long := f.row
	f.row = func(f *frame, i int) {
		if f.out.Type.Prec == 0 {
			a, sa, ok := f.fixed(0, i)
			b, sb, ok2 := f.fixed(1, i)
			if ok && ok2 {
				if c, scale, ok := op(a, b, sa, sb); ok {
					f.out.Buf = zset.AppendFixed(f.out.Buf, c, scale)
					return
				}
			}
		}
		long(f, i)
	}
	return f
}

// fixed is a NUMERIC cell as a coefficient of at most 63 bits; not so NaN.
func (f *frame) fixed(k, i int) (coef int64, scale int, ok bool) { return fixedCell(&f.args[k], i) }

func fixedCell(a *vec, i int) (coef int64, scale int, ok bool) {
	if a.Type.Fixed() {
		coef = a.I64[i&a.mask]
		return coef, int(a.Type.Scale), coef != zset.FixedNaN
	}
	return zset.DecodeFixed(a.Column.Bytes(i & a.mask))
}

// align brings two coefficients to the larger scale.
func align(a, b int64, sa, sb int) (x, y int64, scale int, ok bool) {
	switch {
	case sa == sb:
		return a, b, sa, true
	case sa > sb:
		y, x, scale, ok = align(b, a, sb, sa)
		return x, y, scale, ok
	case sb-sa > 18:
		return 0, 0, 0, false
	}
	x, ok = mulInt(a, pow10[sb-sa])
	return x, b, sb, ok
}

func addShort(a, b int64, sa, sb int) (int64, int, bool) {
	x, y, scale, ok := align(a, b, sa, sb)
	c, ok2 := addInt(x, y)
	return c, scale, ok && ok2
}

func subShort(a, b int64, sa, sb int) (int64, int, bool) {
	x, y, scale, ok := align(a, b, sa, sb)
	c, ok2 := subInt(x, y)
	return c, scale, ok && ok2
}

func mulShort(a, b int64, sa, sb int) (int64, int, bool) {
	c, ok := mulInt(a, b)
	return c, sa + sb, ok
}

func signDecimal(d zset.Decimal) (zset.Decimal, error) {
	if d.IsNaN() {
		return d, nil
	}
	return zset.DecimalFromInt64(int64(d.Sign())), nil
}

// roundTo clamps the scale to what PostgreSQL's numeric allows. A negative
// scale rounds in front of the point and leaves scale 0.
func roundTo(d zset.Decimal, scale int64, op func(zset.Decimal, int) (zset.Decimal, error)) (zset.Decimal, error) {
	const most = 2000 // NUMERIC_MAX_RESULT_SCALE
	return op(d, int(min(max(scale, -most), most)))
}

// ---- fixed forms ----

// boundedNumeric: a call whose result is bounded to 18 digits cannot overflow.
func boundedNumeric(e *Expr) bool {
	_, ok := fixedForm(e)
	return ok
}

// fixedForm is the DECIMAL(p,s) form, p of at most 18, that holds every cell of
// e exactly and with the scale it has. It decides how the compiler holds e; it
// is no part of the SQL type.
func fixedForm(e *Expr) (zset.Type, bool) {
	if e.Typ.Kind != zset.Numeric {
		return zset.Type{}, false
	}
	if e.Typ.Fixed() {
		return e.Typ, true
	}
	switch e.Op {
	case OpConst:
		return constForm(e.Val)
	case OpCall:
		if e.Typ == zset.TNumeric {
			return callForm(e)
		}
	}
	return zset.Type{}, false
}

// callForm bounds the result of a call by the forms of its arguments.
func callForm(e *Expr) (zset.Type, bool) {
	switch e.Fn {
	case "+(numeric,numeric)", "-(numeric,numeric)":
		return sumForm(e.Args)
	case "*(numeric,numeric)":
		return productForm(e.Args)
	case "-(numeric)", "+(numeric)", "abs(numeric)", "cast(numeric as numeric)":
		return fixedForm(e.Args[0])
	case "cast(integer as numeric)":
		return decimalType(10, 0)
	case "extract(text,timestamp without time zone)", "extract(text,date)",
		"extract(text,time without time zone)", "extract(text,timestamp with time zone)":
		return fieldForm(e.Args[0])
	}
	return zset.Type{}, false
}

func constForm(v zset.Value) (zset.Type, bool) {
	if v.Null {
		return zset.Type{}, false
	}
	d := zset.DecodeDecimal([]byte(v.S))
	s := d.Scale()
	if !d.IsFinite() || s > 18 {
		return zset.Type{}, false
	}
	c, ok := d.ToFixed(18, s)
	if !ok {
		return zset.Type{}, false
	}
	p := max(s, 1)
	for c = max(c, -c); p < 18 && c >= pow10[p]; {
		p++
	}
	return zset.Type{Kind: zset.Numeric, Prec: int16(p), Scale: int16(s)}, true
}

var pow10 = func() (t [19]int64) {
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = 10 * t[i-1]
	}
	return t
}()

func decimalType(p, s int) (zset.Type, bool) {
	t := zset.Type{Kind: zset.Numeric, Prec: int16(p), Scale: int16(s)}
	return t, t.Fixed()
}

func sumForm(args []*Expr) (zset.Type, bool) {
	a, ok := fixedForm(args[0])
	b, ok2 := fixedForm(args[1])
	if !ok || !ok2 {
		return zset.Type{}, false
	}
	s := max(a.Scale, b.Scale)
	return decimalType(int(max(a.Prec-a.Scale, b.Prec-b.Scale)+s)+1, int(s))
}

func productForm(args []*Expr) (zset.Type, bool) {
	a, ok := fixedForm(args[0])
	b, ok2 := fixedForm(args[1])
	if !ok || !ok2 {
		return zset.Type{}, false
	}
	return decimalType(int(a.Prec+b.Prec), int(a.Scale+b.Scale))
}

// fixedOperands gives both sides as coefficients with the factors that take
// them to the result's scale. A constant is one cell, index masked by 0. Not so
// where a cell is NaN: then row functions compute.
func fixedOperands(f *frame) (a, b *vec, fa, fb int64, ok bool) {
	a, b = &f.args[0], &f.args[1]
	t := f.out.Type
	if !t.Fixed() || !a.Type.Fixed() || !b.Type.Fixed() || f.hasNaN(a) || f.hasNaN(b) {
		return nil, nil, 0, 0, false
	}
	if a.Type.Scale > t.Scale || b.Type.Scale > t.Scale {
		return a, b, 1, 1, true
	}
	return a, b, pow10[t.Scale-a.Type.Scale], pow10[t.Scale-b.Type.Scale], true
}

// hasNaN looks for NaN among coefficients.
func (f *frame) hasNaN(a *vec) bool {
	cells := a.I64
	if a.mask != 0 {
		cells = cells[:f.n]
	}
	return slices.Contains(cells, zset.FixedNaN)
}

// The fixed forms cannot overflow (that is what fixedForm says), so there is
// nothing to check.

func denseAddFixed(f *frame) bool { return denseSumFixed(f, 1) }

func denseSubFixed(f *frame) bool { return denseSumFixed(f, -1) }

func denseSumFixed(f *frame, sign int64) bool {
	a, b, fa, fb, ok := fixedOperands(f)
	if !ok {
		return false
	}
	out := f.out.I64[:f.n]
	fb *= sign
	switch {
	case a.mask != 0 && b.mask != 0:
		x, y := a.I64[:len(out)], b.I64[:len(out)]
		for i := range out {
			out[i] = x[i]*fa + y[i]*fb
		}
	case a.mask != 0:
		x, c := a.I64[:len(out)], b.I64[0]*fb
		for i := range out {
			out[i] = x[i]*fa + c
		}
	case b.mask != 0:
		c, y := a.I64[0]*fa, b.I64[:len(out)]
		for i := range out {
			out[i] = c + y[i]*fb
		}
	default:
		return false
	}
	return true
}

func denseMulFixed(f *frame) bool {
	a, b, _, _, ok := fixedOperands(f)
	if !ok || a.mask == 0 && b.mask == 0 {
		return false
	}
	out := f.out.I64[:f.n]
	for i := range out {
		out[i] = a.I64[i&a.mask] * b.I64[i&b.mask]
	}
	return true
}

// ---- casts ----

// numericFits: every cell of the source fits the target of the cast.
func numericFits(e *Expr) bool {
	from, to := e.Args[0].Typ, e.Typ
	if to.Prec == 0 {
		return true
	}
	switch from.Kind {
	case zset.Int2:
		return to.Prec-to.Scale >= 5
	case zset.Int4:
		return to.Prec-to.Scale >= 10
	}
	form, ok := fixedForm(e.Args[0])
	return ok && form.Scale <= to.Scale && form.Prec-form.Scale <= to.Prec-to.Scale
}

// denseRescale is the cast of integers and fixed forms to a fixed form of the
// same or a larger scale that has room for all cells.
func denseRescale(f *frame) bool {
	a, t := &f.args[0], f.out.Type
	prec, scale := a.Type.Prec, a.Type.Scale
	switch {
	case a.Type.Kind == zset.Int2:
		prec, scale = 5, 0
	case a.Type.Kind == zset.Int4:
		prec, scale = 10, 0
	case !a.Type.Fixed():
		return false
	}
	if !t.Fixed() || a.mask == 0 || scale > t.Scale || prec-scale > t.Prec-t.Scale || a.Type.Kind == zset.Numeric && f.hasNaN(a) {
		return false
	}
	out, x, by := f.out.I64[:f.n], a.I64[:f.n], pow10[t.Scale-scale]
	for i := range out {
		out[i] = x[i] * by
	}
	return true
}

func castIntNumeric(f *frame, i int) { f.setDec(i, zset.DecimalFromInt64(f.i(0, i))) }

func castNumericNumeric(f *frame, i int) {
	if c, scale, ok := f.fixed(0, i); ok && f.out.Type.Prec == 0 {
		f.out.Buf = zset.AppendFixed(f.out.Buf, c, scale)
		return
	}
	f.setDec(i, f.dec(0, i))
}

func castFloatNumeric(f *frame, i int) {
	d, err := zset.FromFloat64(f.f(0, i))
	f.setDecErr(i, d, err)
}

func castNumericInt(f *frame, i int) {
	w := widths[f.out.Type.Kind]
	d := f.dec(0, i)
	if !d.IsFinite() {
		what := "infinity"
		if d.IsNaN() {
			what = "NaN"
		}
		f.fail(i, "0A000", "cannot convert "+what+" to "+kindName(f.out.Type.Kind))
		return
	}
	r, ok := d.ToInt64()
	w.put(f, i, r, ok)
}

func castNumericFloat(f *frame, i int) {
	d := f.dec(0, i)
	r := d.Float64()
	if isInf(r) && d.IsFinite() {
		f.fail(i, zset.CodeOutOfRange, "\""+d.String()+"\" is out of range for type double precision")
		return
	}
	f.setF(i, r)
}
