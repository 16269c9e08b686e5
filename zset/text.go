package zset

import (
	"bytes"
	"math"
	"math/big"
	"strconv"
)

// AppendText appends cell i of c as PostgreSQL prints it: booleans t and f,
// doubles in the fewest digits that read back, dates and timestamps in ISO
// form, a TIMESTAMPTZ in UTC. A NULL appends nothing; how it shows is the
// caller's choice.
func AppendText(dst []byte, c *Column, i int) []byte { return AppendTextIn(dst, c, i, nil) }

// AppendTextIn is as AppendText, with a TIMESTAMPTZ in zone z.
func AppendTextIn(dst []byte, c *Column, i int, z *Zone) []byte {
	if c.IsNull(i) {
		return dst
	}
	switch c.Type.Phys() {
	case PhysI64:
		return appendI64Text(dst, c.Type, c.I64[i], z)
	case PhysF64:
		return appendFloatText(dst, c.Type, c.F64[i])
	}
	return appendBytesText(dst, c.Type, c.Bytes(i), z)
}

// Text is v as PostgreSQL prints it, a TIMESTAMPTZ in UTC, "" for NULL.
func (v Value) Text() string { return v.TextIn(nil) }

// TextIn is as Text, with a TIMESTAMPTZ in zone z.
func (v Value) TextIn(z *Zone) string {
	switch {
	case v.Null:
		return ""
	case v.Type.Phys() == PhysI64:
		return string(appendI64Text(nil, v.Type, v.I, z))
	case v.Type.Phys() == PhysF64:
		return string(appendFloatText(nil, v.Type, v.F))
	case kinds[v.Type.Kind].plain:
		return v.S
	}
	return string(appendBytesText(nil, v.Type, []byte(v.S), z))
}

func appendFloatText(dst []byte, t Type, f float64) []byte {
	if t.Kind == Float4 {
		return AppendReal(dst, f)
	}
	return AppendFloat(dst, f)
}

func appendBytesText(dst []byte, t Type, b []byte, z *Zone) []byte {
	switch t.Kind {
	case Numeric:
		return DecodeDecimal(b).AppendString(dst)
	case Bytea:
		return AppendBytea(dst, b)
	case UUID:
		return AppendUUID(dst, b)
	case Interval:
		return AppendInterval(dst, IntervalOf(b))
	case Array:
		return appendArray(dst, t, b, z)
	}
	return append(dst, b...)
}

func appendI64Text(dst []byte, t Type, v int64, z *Zone) []byte {
	switch t.Kind {
	case Bool:
		if v != 0 {
			return append(dst, 't')
		}
		return append(dst, 'f')
	case Numeric:
		return FromFixed(v, int(t.Scale)).AppendString(dst)
	case Date:
		return AppendDate(dst, v)
	case Timestamp:
		return AppendTimestamp(dst, v)
	case Time:
		return appendClock(dst, uint64(v))
	case TimestampTZ:
		return AppendTimestampTZ(dst, v, z)
	}
	return strconv.AppendInt(dst, v, 10)
}

// AppendFloat appends f in the fewest digits that read back as f, with an
// exponent below 1e-04 and from 1e+15 on.
func AppendFloat(dst []byte, f float64) []byte { return appendFloatBits(dst, f, 64, 1e15) }

// AppendReal appends f, a REAL, in the fewest digits that read back as a REAL,
// with an exponent below 1e-04 and from 1e+06 on.
func AppendReal(dst []byte, f float64) []byte { return appendFloatBits(dst, f, 32, 1e6) }

func appendFloatBits(dst []byte, f float64, bits int, large float64) []byte {
	switch {
	case f != f:
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	smallest := 1e-4
	if bits == 32 {
		smallest = float64(float32(smallest))
	}
	if a := math.Abs(f); a != 0 && (a < smallest || a >= large) {
		return appendScientific(dst, f, bits)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, bits)
}

// appendScientific appends the fewest digits that are nearer to f than to any other,
// as PostgreSQL does. The fewest that read back as f may lie exactly between two, of
// which reading takes the even one.
func appendScientific(dst []byte, f float64, bits int) []byte {
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, bits)
	for between(dst[start:], f, bits) {
		digits := bytes.IndexByte(dst[start:], 'e') - bytes.IndexByte(dst[start:], '.')
		dst = strconv.AppendFloat(dst[:start], f, 'e', digits, bits)
	}
	return dst
}

// between is whether text is the middle of f and one of its neighbours. The middles of
// small numbers have more digits than are written, and so have those of huge ones.
func between(text []byte, f float64, bits int) bool {
	least, most := math.Ldexp(1, 53), 1e40
	if bits == 32 {
		least, most = math.Ldexp(1, 24), 1e19
	}
	if a := math.Abs(f); a < least || a > most {
		return false
	}
	middle, _ := new(big.Rat).SetString(string(text))
	at := new(big.Rat).SetFloat64(f)
	side := math.Inf(middle.Cmp(at))
	next := math.Nextafter(f, side)
	if bits == 32 {
		next = float64(math.Nextafter32(float32(f), float32(side)))
	}
	at.Add(at, new(big.Rat).SetFloat64(next))
	return at.Cmp(middle.Add(middle, middle)) == 0
}

// Decimal is cell i of a NUMERIC column of either physical form; 0 for NULL.
func (c *Column) Decimal(i int) Decimal {
	if c.Type.Fixed() {
		return FromFixed(c.I64[i], int(c.Type.Scale))
	}
	return DecodeDecimal(c.Bytes(i))
}

// Decimal is the NUMERIC v; 0 for NULL.
func (v Value) Decimal() Decimal {
	if v.Type.Fixed() {
		return FromFixed(v.I, int(v.Type.Scale))
	}
	return DecodeDecimal([]byte(v.S))
}

// AppendDecimal appends d to an unconstrained NUMERIC column, as it is.
func (c *Column) AppendDecimal(d Decimal) {
	if len(c.Off) == 0 {
		c.Off = append(c.Off, 0)
	}
	c.Buf = d.AppendTo(c.Buf)
	c.Off = append(c.Off, uint32(len(c.Buf)))
	if c.Null != nil {
		c.Null = append(c.Null, false)
	}
}

// DecimalValue is d as a value of type t, a NUMERIC: rounded to the scale of a
// declared t. Error 22003 where the precision is exceeded.
func DecimalValue(d Decimal, t Type) (Value, error) {
	v := Value{Type: t}
	if t.Prec > 0 {
		var err error
		if d, err = d.Fit(t); err != nil {
			return v, err
		}
		if t.Fixed() {
			v.I, _ = d.ToFixed(int(t.Prec), int(t.Scale))
			return v, nil
		}
	}
	v.S = string(d.AppendTo(nil))
	return v, nil
}

// Fit rounds d to the declared scale of t and checks its precision; an
// unconstrained t takes d as it is, and every t takes NaN. Error 22003.
func (d Decimal) Fit(t Type) (Decimal, error) {
	if t.Prec == 0 {
		return d, nil
	}
	switch {
	case d.form == notANumber:
		return d, nil
	case d.form != finite:
		e := Errorf(CodeOutOfRange, -1, "numeric field overflow")
		e.Detail = "A field with precision " + strconv.Itoa(int(t.Prec)) + ", scale " +
			strconv.Itoa(int(t.Scale)) + " cannot hold an infinite value."
		return d, e
	}
	r, err := d.Round(int(t.Scale))
	// A negative scale leaves zeros before the point.
	if most := int(t.Prec - min(t.Scale, 0)); err != nil || most <= maxDigits && r.coef.cmp(&pow10s[most]) >= 0 {
		return d, errFieldOverflow(t)
	}
	return r, nil
}

func errFieldOverflow(t Type) error {
	e := Errorf(CodeOutOfRange, -1, "numeric field overflow")
	bound := "1"
	if p := int(t.Prec - t.Scale); p != 0 {
		bound = "10^" + strconv.Itoa(p)
	}
	e.Detail = "A field with precision " + strconv.Itoa(int(t.Prec)) + ", scale " +
		strconv.Itoa(int(t.Scale)) + " must round to an absolute value less than " + bound + "."
	return e
}
