package zset

import "fmt"

// Kind is the family of a SQL type.
type Kind uint8

// The kinds. Unknown is the type of a bare NULL or of an untyped literal.
const (
	Unknown Kind = iota
	Bool
	Int4
	Int8
	Float8
	Numeric
	Text
	Varchar
	Date
	Timestamp
	numKinds
)

// Phys is the physical form of a column: which slice of [Column] holds its cells.
type Phys uint8

// The physical forms.
const (
	PhysI64   Phys = iota // Column.I64
	PhysF64               // Column.F64
	PhysBytes             // Column.Off and Column.Buf
)

// MaxPrecision is the largest precision of a declared DECIMAL, and the most
// decimal digits a computed one may have.
const MaxPrecision = 76

// Type is a SQL type. Prec is the length of a VARCHAR(n) or the precision of a
// DECIMAL(p,s); 0 means unlimited. Scale belongs to DECIMAL alone.
//
// A DECIMAL of precision 1 to 18 is stored as an int64 coefficient with the
// scale of its type; every other NUMERIC as bytes (see [Decimal]), each cell
// with its own scale.
type Type struct {
	Kind  Kind
	Prec  int16
	Scale int16
}

// The types without parameters.
var (
	TUnknown   = Type{Kind: Unknown}
	TBool      = Type{Kind: Bool}
	TInt4      = Type{Kind: Int4}
	TInt8      = Type{Kind: Int8}
	TFloat8    = Type{Kind: Float8}
	TNumeric   = Type{Kind: Numeric}
	TText      = Type{Kind: Text}
	TVarchar   = Type{Kind: Varchar}
	TDate      = Type{Kind: Date}
	TTimestamp = Type{Kind: Timestamp}
)

// kinds is the one table of what is known of a kind.
var kinds = [numKinds]struct {
	name string // as PostgreSQL's format_type prints it, without parameters
	phys Phys
}{
	Unknown:   {"unknown", PhysBytes},
	Bool:      {"boolean", PhysI64}, // 0 or 1
	Int4:      {"integer", PhysI64},
	Int8:      {"bigint", PhysI64},
	Float8:    {"double precision", PhysF64},
	Numeric:   {"numeric", PhysBytes}, // or PhysI64, see Type.Phys
	Text:      {"text", PhysBytes},
	Varchar:   {"character varying", PhysBytes},
	Date:      {"date", PhysI64},                        // days since 1970-01-01
	Timestamp: {"timestamp without time zone", PhysI64}, // microseconds since 1970-01-01 00:00
}

// Infinity of dates and timestamps, in their physical form.
const (
	PosInf = int64(1<<63 - 1)
	NegInf = -int64(1<<63-1) - 1
)

// Phys reports the physical form of columns of type t.
func (t Type) Phys() Phys {
	if t.Kind == Numeric && t.Prec >= 1 && t.Prec <= 18 {
		return PhysI64
	}
	return kinds[t.Kind].phys
}

// Fixed reports whether t is a DECIMAL held as an int64 coefficient.
func (t Type) Fixed() bool { return t.Kind == Numeric && t.Prec >= 1 && t.Prec <= 18 }

// String prints t as PostgreSQL's format_type does.
func (t Type) String() string {
	n := kinds[t.Kind].name
	switch {
	case t.Kind == Numeric && t.Prec > 0:
		return fmt.Sprintf("%s(%d,%d)", n, t.Prec, t.Scale)
	case t.Kind == Varchar && t.Prec > 0:
		return fmt.Sprintf("%s(%d)", n, t.Prec)
	}
	return n
}

// Field is a named, typed column of a relation.
type Field struct {
	Name    string
	Type    Type
	NotNull bool
}

// Schema is the list of columns of a relation.
type Schema []Field

// Index finds a column by name; -1 if there is none.
func (s Schema) Index(name string) int {
	for i := range s {
		if s[i].Name == name {
			return i
		}
	}
	return -1
}

// Types lists the types of s.
func (s Schema) Types() []Type {
	ts := make([]Type, len(s))
	for i := range s {
		ts[i] = s[i].Type
	}
	return ts
}
