package zset

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"strings"
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
func DecimalFromInt64(i int64) Decimal { return FromFixed(i, 0) }

// FromFixed is coef times 10 to the power -scale, the form of a cell of
// DECIMAL(p,s) with p of at most 18. scale is 0 to 16383.
func FromFixed(coef int64, scale int) Decimal {
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

// ToFixed is the coefficient of d rounded to scale, if d is a number that fits
// DECIMAL(prec,scale), with prec of at most 18.
func (d Decimal) ToFixed(prec, scale int) (int64, bool) {
	if d.form != finite {
		return 0, false
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

// FitsPrecision reports whether d, of scale s, is a number of at most prec-s
// digits before the point, or NaN: what a column DECIMAL(prec,s) of more than
// 18 digits takes. Infinity fits no declared precision, as in PostgreSQL.
func (d Decimal) FitsPrecision(prec int) bool {
	if d.form != finite {
		return d.form == notANumber
	}
	return d.coef.digits() <= prec
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

// String is d as PostgreSQL prints a numeric.
func (d Decimal) String() string {
	var tmp [96]byte
	return string(d.AppendString(tmp[:0]))
}

// AppendString appends the text of d.
func (d Decimal) AppendString(dst []byte) []byte {
	switch d.form {
	case notANumber:
		return append(dst, "NaN"...)
	case posInf:
		return append(dst, "Infinity"...)
	case negInf:
		return append(dst, "-Infinity"...)
	}
	if d.neg {
		dst = append(dst, '-')
	}
	var tmp [maxDigits + 20]byte
	return appendPoint(dst, d.coef.appendDigits(tmp[:0]), int(d.scale))
}

// appendPoint appends digits with a point before the last scale of them.
func appendPoint(dst, digits []byte, scale int) []byte {
	if scale == 0 {
		return append(dst, digits...)
	}
	if n := len(digits) - scale; n > 0 {
		dst = append(dst, digits[:n]...)
		dst = append(dst, '.')
		return append(dst, digits[n:]...)
	}
	dst = append(dst, '0', '.')
	for range scale - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// appendDigits appends a in decimal; 0 is "0".
func (a u256) appendDigits(dst []byte) []byte {
	if a.limbs() <= 1 {
		return strconv.AppendUint(dst, a[0], 10)
	}
	q, low := a.divWord(e19)
	dst = q.appendDigits(dst)
	n := len(dst)
	dst = append(dst, "0000000000000000000"...)
	for i := n + 18; low > 0; i-- {
		dst[i] += byte(low % 10)
		low /= 10
	}
	return dst
}

// ParseDecimal reads a number as PostgreSQL's numeric input: blanks around,
// sign, digits with a point, exponent; NaN and Infinity in any case.
// Errors 22P02 and 22003.
func ParseDecimal(s string) (Decimal, error) {
	bad := func() (Decimal, error) { return Decimal{}, errSyntax(TNumeric, s) }
	t := trimSpace(s)
	neg, signed := false, false
	if t != "" && (t[0] == '-' || t[0] == '+') {
		neg, signed, t = t[0] == '-', true, t[1:]
	}
	if t != "" && (t[0] < '0' || t[0] > '9') && t[0] != '.' {
		switch {
		case strings.EqualFold(t, "nan") && !signed:
			return DecimalNaN, nil
		case strings.EqualFold(t, "infinity"), strings.EqualFold(t, "inf"):
			if neg {
				return DecimalNegInf, nil
			}
			return DecimalInf, nil
		}
		return bad()
	}
	var c u256
	var word, unit uint64 = 0, 1 // digits not yet in c
	scale, n, point := 0, 0, false
	i := 0
	for ; i < len(t); i++ {
		x := t[i]
		if x == '.' && !point {
			point = true
			continue
		}
		if x < '0' || x > '9' {
			break
		}
		n++
		if point {
			scale++
		}
		word = word*10 + uint64(x-'0')
		if unit *= 10; unit == e19 {
			var ok bool
			if c, ok = c.shiftIn(word, unit); !ok {
				return Decimal{}, errDecimalRange()
			}
			word, unit = 0, 1
		}
	}
	if n == 0 {
		return bad()
	}
	if i < len(t) {
		exp, ok := parseExponent(t[i:])
		if !ok {
			return bad()
		}
		scale -= exp
	}
	c, ok := c.shiftIn(word, unit)
	if !ok {
		return Decimal{}, errDecimalRange()
	}
	if c.isZero() {
		return newDecimal(c, max(scale, 0), false)
	}
	return scaled(c, scale, neg)
}

// shiftIn is a*unit + word, if that has at most 76 digits.
func (a u256) shiftIn(word, unit uint64) (u256, bool) {
	p, ok := a.mulWord(unit)
	if !ok || p.cmp(&pow10s[maxDigits]) >= 0 {
		return a, false
	}
	p = p.add(u256{word})
	return p, p[3] == 0 || p.cmp(&pow10s[maxDigits]) < 0
}

func parseExponent(s string) (int, bool) {
	if s[0] != 'e' && s[0] != 'E' {
		return 0, false
	}
	s = s[1:]
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	if digits == "" || len(s)-len(digits) > 1 {
		return 0, false
	}
	for _, x := range []byte(digits) {
		if x < '0' || x > '9' {
			return 0, false
		}
	}
	exp, err := strconv.Atoi(s)
	if err != nil || exp > 1<<20 || exp < -1<<20 {
		exp = 1 << 20 // out of range whatever the digits are
		if s[0] == '-' {
			exp = -exp
		}
	}
	return exp, true
}

// AppendTo appends the physical form of d, that of a cell of NUMERIC: one head
// byte (length of the coefficient in bytes, sign; or a special value), the
// scale as uvarint, the coefficient, least byte first. Identical decimals, and
// no others, have equal forms.
func (d Decimal) AppendTo(dst []byte) []byte {
	switch d.form {
	case notANumber:
		return append(dst, headNaN)
	case posInf:
		return append(dst, headInf)
	case negInf:
		return append(dst, headNegInf)
	}
	n := (d.coef.bitLen() + 7) / 8
	head := byte(n)
	if d.neg {
		head |= headSign
	}
	dst = append(dst, head)
	dst = binary.AppendUvarint(dst, uint64(d.scale))
	for _, w := range d.coef {
		if n >= 8 {
			dst = binary.LittleEndian.AppendUint64(dst, w)
			n -= 8
			continue
		}
		for range n {
			dst = append(dst, byte(w))
			w >>= 8
		}
		break
	}
	return dst
}

const (
	headSign   = 0x40
	headNaN    = 0x80
	headInf    = 0x81
	headNegInf = 0x82
	headLen    = 0x3f
)

// DecodeDecimal reads the physical form, the whole of b. The content of a NULL
// cell, no bytes, reads as 0. Bytes that are no physical form read as NaN.
func DecodeDecimal(b []byte) Decimal {
	if len(b) == 0 {
		return Decimal{}
	}
	head := b[0]
	switch {
	case head == headInf:
		return DecimalInf
	case head == headNegInf:
		return DecimalNegInf
	case head&headNaN != 0 || len(b) < 2:
		return DecimalNaN
	}
	scale, b := int16(b[1]), b[2:]
	if scale >= 0x80 {
		if len(b) == 0 || b[0] >= 0x80 {
			return DecimalNaN
		}
		scale, b = scale&0x7f|int16(b[0])<<7, b[1:]
	}
	d := Decimal{scale: scale, neg: head&headSign != 0}
	n := int(head & headLen)
	if n != len(b) || n > 32 {
		return DecimalNaN
	}
	i := 0
	for ; len(b) >= 8; i++ {
		d.coef[i] = binary.LittleEndian.Uint64(b)
		b = b[8:]
	}
	for j, x := range b {
		d.coef[i] |= uint64(x) << (8 * uint(j))
	}
	return d
}

// wideUp is a times 10^k in 512 bits. The product has at most 154 digits.
func (a *u256) wideUp(k int) (p [8]uint64) {
	copy(p[:], a[:])
	n := a.limbs()
	for k > 0 {
		step := min(k, 19)
		w := pow10s[step][0]
		var carry uint64
		for i := range n {
			hi, lo := bits.Mul64(p[i], w)
			var c uint64
			p[i], c = bits.Add64(lo, carry, 0)
			carry = hi + c
		}
		if carry != 0 {
			p[n] = carry
			n++
		}
		k -= step
	}
	return p
}
