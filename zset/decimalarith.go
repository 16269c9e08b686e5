package zset

import "math/bits"

func errDivisionByZero() error { return Errorf(CodeDivisionByZero, -1, "division by zero") }

// Add is d+e, with the larger scale. Infinity + -Infinity is NaN. Error 22003.
func (d Decimal) Add(e Decimal) (Decimal, error) {
	if d.form != finite || e.form != finite {
		switch {
		case d.form == notANumber || e.form == notANumber:
			return DecimalNaN, nil
		case d.form == finite:
			return e, nil
		case e.form == finite || e.form == d.form:
			return d, nil
		}
		return DecimalNaN, nil
	}
	if d.coef.small() && e.coef.small() {
		if sum, ok := addSmall(&d, &e); ok {
			return sum, nil
		}
	}
	dc, ec, scale := d.coef, e.coef, d.scale
	if d.scale != e.scale {
		ok := true
		if d.scale < e.scale {
			dc, ok = dc.up(int(e.scale - d.scale))
			scale = e.scale
		} else {
			ec, ok = ec.up(int(d.scale - e.scale))
		}
		if !ok {
			return Decimal{}, errDecimalRange()
		}
	}
	if d.neg == e.neg {
		return newDecimal(dc.add(ec), int(scale), d.neg)
	}
	if dc.cmp(&ec) >= 0 {
		return newDecimal(dc.sub(ec), int(scale), d.neg)
	}
	return newDecimal(ec.sub(dc), int(scale), e.neg)
}

// addSmall is d+e where both coefficients, brought to one scale, fit 64 bits.
func addSmall(d, e *Decimal) (sum Decimal, ok bool) {
	x, y, scale := d.coef[0], e.coef[0], d.scale
	if k := int(e.scale) - int(d.scale); k != 0 {
		var hi uint64
		switch {
		case k > 0 && k <= 19:
			hi, x = bits.Mul64(x, pow10s[k][0])
			scale = e.scale
		case k < 0 && k >= -19:
			hi, y = bits.Mul64(y, pow10s[-k][0])
		default:
			return sum, false
		}
		if hi != 0 {
			return sum, false
		}
	}
	sum.scale = scale
	switch {
	case d.neg == e.neg:
		sum.coef[0], sum.coef[1] = bits.Add64(x, y, 0)
		sum.neg = d.neg
	case x >= y:
		sum.coef[0] = x - y
		sum.neg = d.neg && x != y
	default:
		sum.coef[0] = y - x
		sum.neg = e.neg
	}
	return sum, true
}

// Sub is d-e, with the larger scale. Error 22003.
func (d Decimal) Sub(e Decimal) (Decimal, error) { return d.Add(e.Neg()) }

// Mul is d*e, with the sum of the scales. 0 * Infinity is NaN. Error 22003.
func (d Decimal) Mul(e Decimal) (Decimal, error) {
	if d.form != finite || e.form != finite {
		if d.form == notANumber || e.form == notANumber {
			return DecimalNaN, nil
		}
		return infinity(d.Sign() * e.Sign()), nil
	}
	scale := int(d.scale) + int(e.scale)
	if d.coef.small() && e.coef.small() && scale <= maxScale {
		hi, lo := bits.Mul64(d.coef[0], e.coef[0])
		return Decimal{coef: u256{lo, hi}, scale: int16(scale), neg: d.neg != e.neg && hi|lo != 0}, nil
	}
	wide := d.coef.mul(&e.coef)
	c, ok := fits(&wide)
	if !ok {
		return Decimal{}, errDecimalRange()
	}
	if scale > maxScale {
		c, scale = c.down(scale-maxScale, true), maxScale
	}
	return newDecimal(c, scale, d.neg != e.neg)
}

// infinity is the infinite result with the given sign, NaN for 0.
func infinity(sign int) Decimal {
	switch sign {
	case 1:
		return DecimalInf
	case -1:
		return DecimalNegInf
	}
	return DecimalNaN
}

// Div is d/e rounded half away from zero to the scale that PostgreSQL gives a
// quotient: at least 16 significant digits, and no fewer digits behind the
// point than either side has. Errors 22012 and 22003.
func (d Decimal) Div(e Decimal) (Decimal, error) {
	if q, done, err := d.divSpecial(e); done {
		return q, err
	}
	if e.coef.isZero() {
		return Decimal{}, errDivisionByZero()
	}
	return d.DivScale(e, divScale(&d, &e))
}

// divSpecial is the quotient where one side is NaN or infinite.
func (d Decimal) divSpecial(e Decimal) (q Decimal, done bool, err error) {
	switch {
	case d.form == finite && e.form == finite:
		return q, false, nil
	case d.form == notANumber || e.form == notANumber:
		return DecimalNaN, true, nil
	case d.form == finite:
		return Decimal{}, true, nil
	case e.form != finite:
		return DecimalNaN, true, nil
	case e.coef.isZero():
		return q, true, errDivisionByZero()
	}
	return infinity(d.Sign() * e.Sign()), true, nil
}

// DivScale is as Div, but to the given scale. Errors 22012 and 22003.
func (d Decimal) DivScale(e Decimal, scale int) (Decimal, error) {
	if q, done, err := d.divSpecial(e); done {
		return q, err
	}
	if e.coef.isZero() {
		return Decimal{}, errDivisionByZero()
	}
	if d.coef.isZero() {
		return newDecimal(u256{}, scale, false)
	}
	k := scale + int(e.scale) - int(d.scale)
	if q, ok := divWord(d.coef, e.coef, k); ok {
		return newDecimal(u256{q}, scale, d.neg != e.neg)
	}
	den := e.coef
	if k < 0 {
		// The divisor grows instead; a quotient below half a unit is 0.
		var ok bool
		if den, ok = den.up(-k); !ok {
			return d.divTiny(e, scale)
		}
		k = 0
	}
	if d.coef.digits()+k > 2*maxDigits+1 {
		return Decimal{}, errDecimalRange()
	}
	num := d.coef.wideUp(k)
	wide, r := divWide(&num, &den)
	q, ok := fits(&wide)
	if !ok {
		return Decimal{}, errDecimalRange()
	}
	if halfUp(&r, &den) {
		q = q.add(u256{1})
	}
	return newDecimal(q, scale, d.neg != e.neg)
}

// divWord is d × 10^k / e, rounded half up, if all of it fits words: the usual case.
func divWord(d, e u256, k int) (q uint64, ok bool) {
	if k < 0 || k > 19 || d[1]|d[2]|d[3]|e[1]|e[2]|e[3] != 0 {
		return 0, false
	}
	hi, lo := bits.Mul64(d[0], pow10s[k][0])
	if hi >= e[0] {
		return 0, false
	}
	q, r := bits.Div64(hi, lo, e[0])
	if r >= e[0]-r {
		q++
		return q, q != 0
	}
	return q, true
}

// divTiny is DivScale where the scaled divisor needs more than 76 digits, so
// that the quotient is below one unit: 0, or 1 from half a unit on.
func (d Decimal) divTiny(e Decimal, scale int) (Decimal, error) {
	half, _ := e.coef.mulWord(5)
	unit := Decimal{coef: half, scale: e.scale + int16(scale) + 1}
	if d.Abs().Cmp(unit) >= 0 {
		return newDecimal(u256{1}, scale, d.neg != e.neg)
	}
	return newDecimal(u256{}, scale, false)
}

// PostgreSQL's constants for the scale of a quotient. It counts in digits of
// base 10000.
const (
	minSigDigits    = 16
	maxDisplayScale = 1000
	baseDigits      = 4
)

// divScale is the scale of d/e: e is not 0.
func divScale(d, e *Decimal) int {
	dw, df := d.weight()
	ew, ef := e.weight()
	w := dw - ew
	if df <= ef {
		w--
	}
	s := minSigDigits - w*baseDigits
	s = max(s, int(d.scale), int(e.scale), 0)
	return min(s, maxDisplayScale)
}

// weight is the position of the first base-10000 digit of d that is not 0, and
// that digit; 0 and 0 for d = 0.
func (d *Decimal) weight() (weight, first int) {
	if d.coef.isZero() {
		return 0, 0
	}
	n := d.coef.digits()
	e := n - 1 - int(d.scale)
	weight = e >> 2 // floor(e/4)
	take := e - weight*baseDigits + 1
	if n >= take {
		return weight, int(d.coef.down(n-take, false)[0])
	}
	return weight, int(d.coef[0] * pow10s[take-n][0])
}

// Mod is the remainder of d/e cut to an integer: it has the sign of d and the
// larger scale. Errors 22012 and 22003.
func (d Decimal) Mod(e Decimal) (Decimal, error) {
	if d.form != finite || e.form != finite {
		switch {
		case d.form == notANumber || e.form == notANumber:
			return DecimalNaN, nil
		case d.form == finite:
			return d, nil
		case e.form == finite && e.coef.isZero():
			return Decimal{}, errDivisionByZero()
		}
		return DecimalNaN, nil
	}
	if e.coef.isZero() {
		return Decimal{}, errDivisionByZero()
	}
	scale := int(max(d.scale, e.scale))
	ec, ok := e.coef.up(scale - int(e.scale))
	if !ok {
		// |e| in units of scale is beyond 76 digits and d is not, so |d| < |e|.
		return d.Round(scale)
	}
	k := scale - int(d.scale)
	if d.coef.isZero() || d.coef.digits()+k <= 2*maxDigits+1 {
		if d.coef.isZero() {
			k = 0
		}
		num := d.coef.wideUp(k)
		_, r := divWide(&num, &ec)
		return newDecimal(r, scale, d.neg)
	}
	return newDecimal(modUp(d.coef, k, &ec), scale, d.neg)
}

// modUp is a*10^k mod m, digit block by digit block.
func modUp(a u256, k int, m *u256) u256 {
	_, a = a.div(m)
	for k > 0 {
		step := min(k, maxDigits)
		num := a.wideUp(step)
		_, a = divWide(&num, m)
		k -= step
	}
	return a
}
