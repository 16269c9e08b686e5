package zset

import (
	"math"
	"strconv"
)

type decimalForm uint8

const (
	finite decimalForm = iota
	posInf
	negInf
	notANumber
)

const (
	// maxScale is the most digits behind the point, as in PostgreSQL.
	maxScale = 16383
	// maxDecimalBytes is the longest physical form: head, scale, coefficient.
	maxDecimalBytes = 1 + 2 + 32
	e19             = 10_000_000_000_000_000_000
	e18             = 1_000_000_000_000_000_000
)

// Decimal is an exact number: coefficient times 10 to the power -scale, with a
// coefficient of at most 76 digits, or NaN, Infinity or -Infinity. Its scale is
// part of it (1.0 is not identical to 1.00) and follows PostgreSQL's rules for
// numeric. The zero Decimal is 0. Results that need more than 76 digits are
// errors of code 22003, never rounded.
type Decimal struct {
	coef  u256
	scale int16
	form  decimalForm
	neg   bool // never for 0
}

// The special values.
var (
	DecimalNaN    = Decimal{form: notANumber}
	DecimalInf    = Decimal{form: posInf}
	DecimalNegInf = Decimal{form: negInf}
)

func errDecimalRange() error {
	return Errorf(CodeOutOfRange, -1, "value overflows numeric format")
}

// DecimalFromInt64 is i with scale 0.
func DecimalFromInt64(i int64) Decimal { return DecimalFromScaled(i, 0) }

// FromFixed is what a cell coef of a DECIMAL(p,scale) held as an int64 says.
func FromFixed(coef int64, scale int) Decimal {
	if coef == FixedNaN {
		return DecimalNaN
	}
	return DecimalFromScaled(coef, scale)
}

// DecimalFromScaled is coef times 10 to the power -scale. scale is 0 to 16383.
func DecimalFromScaled(coef int64, scale int) Decimal {
	d := Decimal{scale: int16(scale), neg: coef < 0}
	d.coef[0] = uint64(coef)
	if coef < 0 {
		d.coef[0] = -uint64(coef)
	}
	return d
}

// DecimalFromLimbs is limbs (least significant first), negated if neg, times 10
// to the power -scale. For sums kept in wide integers. Error 22003.
func DecimalFromLimbs(neg bool, limbs [4]uint64, scale int) (Decimal, error) {
	return newDecimal(limbs, scale, neg)
}

// Limbs is the coefficient of a finite d, least significant first.
func (d Decimal) Limbs() (neg bool, limbs [4]uint64) { return d.neg, d.coef }

// newDecimal checks the size of a result.
func newDecimal(c u256, scale int, neg bool) (Decimal, error) {
	if c[3] != 0 && c.cmp(&pow10s[maxDigits]) >= 0 || scale > maxScale {
		return Decimal{}, errDecimalRange()
	}
	return Decimal{coef: c, scale: int16(scale), neg: neg && !c.isZero()}, nil
}

// FromFloat64 is f rounded to 15 significant digits, as PostgreSQL casts double
// precision to numeric. Error 22003.
func FromFloat64(f float64) (Decimal, error) {
	switch {
	case f != f:
		return DecimalNaN, nil
	case math.IsInf(f, 1):
		return DecimalInf, nil
	case math.IsInf(f, -1):
		return DecimalNegInf, nil
	}
	var tmp [32]byte
	b := strconv.AppendFloat(tmp[:0], f, 'e', 14, 64) // d.dddddddddddddde±xx
	neg := b[0] == '-'
	if neg {
		b = b[1:]
	}
	c := uint64(b[0] - '0')
	for _, x := range b[2:16] {
		c = c*10 + uint64(x-'0')
	}
	exp, _ := strconv.Atoi(string(b[17:]))
	scale := 14 - exp
	for c != 0 && c%10 == 0 && scale > 0 {
		c /= 10
		scale--
	}
	if c == 0 {
		return Decimal{}, nil
	}
	return scaled(u256{c}, scale, neg)
}

// scaled is c times 10 to the power -scale, where scale may be negative.
func scaled(c u256, scale int, neg bool) (Decimal, error) {
	if scale < 0 {
		var ok bool
		if c, ok = c.up(-scale); !ok {
			return Decimal{}, errDecimalRange()
		}
		scale = 0
	}
	return newDecimal(c, scale, neg)
}

// up is a times 10^k and whether it has at most 76 digits.
func (a u256) up(k int) (u256, bool) {
	switch {
	case k == 0 || a.isZero():
		return a, true
	case k > maxDigits:
		return a, false
	case k <= 19:
		p, ok := a.mulWord(pow10s[k][0])
		return p, ok && (p[3] == 0 || p.cmp(&pow10s[maxDigits]) < 0)
	}
	wide := a.mul(&pow10s[k])
	p, ok := fits(&wide)
	return p, ok && (p[3] == 0 || p.cmp(&pow10s[maxDigits]) < 0)
}

// down is a divided by 10^k, rounded half away from zero, or cut.
func (a u256) down(k int, round bool) u256 {
	if k > maxDigits {
		return u256{}
	}
	if k == 0 {
		return a
	}
	if a.small() {
		if k > 19 {
			return u256{} // below half of 10^20
		}
		p := pow10s[k][0]
		q, r := a[0]/p, a[0]%p
		if round && r >= p-r {
			q++
		}
		return u256{q}
	}
	q, r := a.div(&pow10s[k])
	if round && halfUp(&r, &pow10s[k]) {
		q = q.add(u256{1})
	}
	return q
}

// IsNaN reports whether d is NaN.
func (d Decimal) IsNaN() bool { return d.form == notANumber }

// IsInf reports whether d is Infinity or -Infinity.
func (d Decimal) IsInf() bool { return d.form == posInf || d.form == negInf }

// IsFinite reports whether d is a number.
func (d Decimal) IsFinite() bool { return d.form == finite }

// Scale is the number of digits behind the point that d shows.
func (d Decimal) Scale() int { return int(d.scale) }

// Sign is -1, 0 or 1; 1 for NaN, which sorts above all.
func (d Decimal) Sign() int {
	switch {
	case d.form == negInf || d.neg:
		return -1
	case d.form == finite && d.coef.isZero():
		return 0
	}
	return 1
}

// Neg is -d.
func (d Decimal) Neg() Decimal {
	switch d.form {
	case posInf:
		return DecimalNegInf
	case negInf:
		return DecimalInf
	case finite:
		d.neg = !d.neg && !d.coef.isZero()
	}
	return d
}

// Abs is d without its sign.
func (d Decimal) Abs() Decimal {
	if d.Sign() < 0 {
		return d.Neg()
	}
	return d
}

// exp10 is the decimal exponent of the first digit of a finite d that is not 0.
func (d *Decimal) exp10() int { return d.coef.digits() - 1 - int(d.scale) }

// Cmp orders decimals as SQL does: -Infinity, numbers by value (scales do not
// matter), Infinity, NaN; NaN equals NaN.
func (d Decimal) Cmp(e Decimal) int {
	if d.form != finite || e.form != finite {
		return rank(d.form) - rank(e.form)
	}
	if d.scale == e.scale && d.neg == e.neg && !d.neg {
		return d.coef.cmp(&e.coef)
	}
	ds, es := d.Sign(), e.Sign()
	if ds != es {
		if ds < es {
			return -1
		}
		return 1
	}
	if ds == 0 {
		return 0
	}
	return ds * cmpAbs(&d, &e)
}

func rank(f decimalForm) int {
	switch f {
	case negInf:
		return 0
	case finite:
		return 1
	case posInf:
		return 2
	}
	return 3
}

func cmpAbs(d, e *Decimal) int {
	if d.scale == e.scale {
		return d.coef.cmp(&e.coef)
	}
	if x, y := d.exp10(), e.exp10(); x != y {
		if x < y {
			return -1
		}
		return 1
	}
	// The first digits stand at the same place, so the one of lower scale has
	// fewer digits and does not overflow.
	dc, ec := d.coef, e.coef
	if d.scale < e.scale {
		dc, _ = dc.up(int(e.scale - d.scale))
	} else {
		ec, _ = ec.up(int(d.scale - e.scale))
	}
	return dc.cmp(&ec)
}

// Round is d with the given scale, rounded half away from zero. A negative
// scale rounds before the point and gives scale 0. Error 22003.
func (d Decimal) Round(scale int) (Decimal, error) { return d.rescale(scale, true) }

// Trunc is as Round, but cuts digits off.
func (d Decimal) Trunc(scale int) (Decimal, error) { return d.rescale(scale, false) }

func (d Decimal) rescale(scale int, round bool) (Decimal, error) {
	if d.form != finite {
		return d, nil
	}
	from := int(d.scale)
	if scale >= from {
		c, ok := d.coef.up(scale - from)
		if !ok {
			return Decimal{}, errDecimalRange()
		}
		return newDecimal(c, scale, d.neg)
	}
	return scaled(d.coef.down(from-scale, round), scale, d.neg)
}

// Floor is the largest integer that is not above d.
func (d Decimal) Floor() (Decimal, error) { return d.toward(true) }

// Ceil is the smallest integer that is not below d.
func (d Decimal) Ceil() (Decimal, error) { return d.toward(false) }

func (d Decimal) toward(neg bool) (Decimal, error) {
	t, err := d.Trunc(0)
	if err != nil || d.form != finite || t.Cmp(d) == 0 || d.neg != neg {
		return t, err
	}
	return newDecimal(t.coef.add(u256{1}), 0, neg)
}

// ToFixed is the coefficient of d rounded to scale, or [FixedNaN], if d fits
// DECIMAL(prec,scale), with prec of at most 18.
func (d Decimal) ToFixed(prec, scale int) (int64, bool) {
	if d.form != finite {
		return FixedNaN, d.form == notANumber
	}
	r, err := d.Round(scale)
	if err != nil || r.coef.limbs() > 1 || r.coef[0] >= pow10s[prec][0] {
		return 0, false
	}
	if r.neg {
		return -int64(r.coef[0]), true
	}
	return int64(r.coef[0]), true
}

// ToInt64 is d rounded half away from zero, if it is a number in range.
func (d Decimal) ToInt64() (int64, bool) {
	if d.form != finite {
		return 0, false
	}
	c := d.coef.down(int(d.scale), true)
	if c.limbs() > 1 {
		return 0, false
	}
	if d.neg {
		return -int64(c[0]), c[0] <= 1<<63
	}
	return int64(c[0]), c[0] < 1<<63
}

// Float64 is the double nearest to d.
func (d Decimal) Float64() float64 {
	switch d.form {
	case notANumber:
		return math.NaN()
	case posInf:
		return math.Inf(1)
	case negInf:
		return math.Inf(-1)
	}
	if d.scale <= 22 && d.coef.bitLen() <= 53 {
		// Both are exact, so the quotient is rounded once.
		f := float64(d.coef[0])
		if d.scale > 0 {
			f /= math.Pow10(int(d.scale))
		}
		if d.neg {
			return -f
		}
		return f
	}
	f, _ := strconv.ParseFloat(d.String(), 64)
	return f
}
