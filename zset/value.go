package zset

// Value is one cell outside a column: a literal, a parameter, a bound. I holds
// PhysI64 types, F holds PhysF64, S holds PhysBytes (text, or an encoded [Decimal]).
type Value struct {
	Type Type
	Null bool
	I    int64
	F    float64
	S    string
}

// NullOf is the NULL of type t.
func NullOf(t Type) Value { return Value{Type: t, Null: true} }

// BoolValue is a BOOLEAN.
func BoolValue(b bool) Value {
	v := Value{Type: TBool}
	if b {
		v.I = 1
	}
	return v
}

// IntValue is a BIGINT.
func IntValue(i int64) Value { return Value{Type: TInt8, I: i} }

// FloatValue is a DOUBLE PRECISION.
func FloatValue(f float64) Value { return Value{Type: TFloat8, F: f} }

// TextValue is a TEXT.
func TextValue(s string) Value { return Value{Type: TText, S: s} }

// raw in I of an Unknown says that S are bytes as they are.
const raw = 1

// RawValue is bytes without a type of their own: as a BYTEA they are the bytes of
// the cell, and as any other type its text.
func RawValue(b []byte) Value { return Value{Type: TUnknown, I: raw, S: string(b)} }

// IsRaw reports whether v is a [RawValue].
func (v Value) IsRaw() bool { return v.Type.Kind == Unknown && v.I == raw && !v.Null }

// AppendValue appends v, which has the column's type, to c.
func (c *Column) AppendValue(v Value) {
	switch {
	case v.Null:
		c.AppendNull()
	case c.Type.Phys() == PhysI64:
		c.AppendI64(v.I)
	case c.Type.Phys() == PhysF64:
		c.AppendF64(v.F)
	default:
		c.AppendBytes([]byte(v.S))
	}
}

// Value is cell i of c.
func (c *Column) Value(i int) Value {
	v := Value{Type: c.Type}
	switch {
	case c.IsNull(i):
		v.Null = true
	case c.Type.Phys() == PhysI64:
		v.I = c.I64[i]
	case c.Type.Phys() == PhysF64:
		v.F = c.F64[i]
	default:
		v.S = string(c.Bytes(i))
	}
	return v
}
