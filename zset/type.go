package zset

import (
	"fmt"
	"strings"
)

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
	Int2
	Float4
	Char
	Bytea
	Time
	TimestampTZ
	Interval
	UUID
	Array
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

// Type is a SQL type. Prec is the length of a VARCHAR(n) or CHAR(n), the
// precision of a DECIMAL(p,s), or p+1 of a TIMESTAMP(p) and its kin (see
// [WithFraction]); 0 means unlimited. Scale belongs to DECIMAL alone. Elem is the kind of the elements of an Array, which has one dimension;
// its Prec and Scale are those that were declared for the elements.
//
// A DECIMAL of precision and scale up to 18 is stored as an int64 coefficient with
// the scale of its type, NaN as [FixedNaN]; every other NUMERIC as bytes (see
// [Decimal]), each cell with its own scale. Scale may be above Prec, or negative:
// then digits before the point are rounded away.
type Type struct {
	Kind  Kind
	Prec  int16
	Scale int16
	Elem  Kind `json:",omitempty"`
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

	TInt2        = Type{Kind: Int2}
	TFloat4      = Type{Kind: Float4}
	TChar        = Type{Kind: Char}
	TBytea       = Type{Kind: Bytea}
	TTime        = Type{Kind: Time}
	TTimestampTZ = Type{Kind: TimestampTZ}
	TInterval    = Type{Kind: Interval}
	TUUID        = Type{Kind: UUID}
)

// kinds is the one table of what is known of a kind.
var kinds = [numKinds]struct {
	name string // as PostgreSQL's format_type prints it, without parameters
	phys Phys
	// coded: cells of PhysBytes whose encodings are not those of a text.
	coded bool
	// plain: the bytes of a cell are its text.
	plain bool
}{
	Unknown:     {"unknown", PhysBytes, false, true},
	Bool:        {"boolean", PhysI64, false, false}, // 0 or 1
	Int2:        {"smallint", PhysI64, false, false},
	Int4:        {"integer", PhysI64, false, false},
	Int8:        {"bigint", PhysI64, false, false},
	Float4:      {"real", PhysF64, false, false}, // rounded to 32 bits
	Float8:      {"double precision", PhysF64, false, false},
	Numeric:     {"numeric", PhysBytes, true, false}, // or PhysI64, see Type.Phys
	Text:        {"text", PhysBytes, false, true},
	Varchar:     {"character varying", PhysBytes, false, true},
	Char:        {"character", PhysBytes, true, true}, // with its padding
	Bytea:       {"bytea", PhysBytes, false, false},
	UUID:        {"uuid", PhysBytes, false, false},                      // its 16 bytes
	Date:        {"date", PhysI64, false, false},                        // days since 1970-01-01
	Time:        {"time without time zone", PhysI64, false, false},      // microseconds since midnight, up to a whole day
	Timestamp:   {"timestamp without time zone", PhysI64, false, false}, // microseconds since 1970-01-01 00:00
	TimestampTZ: {"timestamp with time zone", PhysI64, false, false},    // microseconds since 1970-01-01 00:00 UTC
	Interval:    {"interval", PhysBytes, true, false},                   // see IntervalOf
	Array:       {"array", PhysBytes, true, false},                      // see AppendElement
}

// Infinity of dates and timestamps, in their physical form.
const (
	PosInf = int64(1<<63 - 1)
	NegInf = -int64(1<<63-1) - 1
)

// Phys reports the physical form of columns of type t.
func (t Type) Phys() Phys {
	if t.Fixed() {
		return PhysI64
	}
	return kinds[t.Kind].phys
}

// Fixed reports whether t is a DECIMAL held as an int64 coefficient.
func (t Type) Fixed() bool {
	return t.Kind == Numeric && t.Prec >= 1 && t.Prec <= maxFixed && t.Scale >= 0 && t.Scale <= maxFixed
}

// maxFixed is the largest precision of a DECIMAL held as an int64 coefficient.
const maxFixed = 18

// FixedNaN is NaN as the coefficient of a DECIMAL held as an int64: above every
// coefficient, as NaN is above every number, so that cells are ordered as they are.
const FixedNaN = PosInf

// String is the name of a kind, as messages print a type without its parameters.
func (k Kind) String() string { return kinds[k].name }

// String prints t as PostgreSQL's format_type does.
func (t Type) String() string {
	n := kinds[t.Kind].name
	switch {
	case t.Kind == Array && t.Elem == Unknown:
		return "anyarray"
	case t.Kind == Array:
		return t.Bounded().String() + "[]"
	case t.Kind == Numeric && t.Prec > 0:
		return fmt.Sprintf("%s(%d,%d)", n, t.Prec, t.Scale)
	case t.Kind == Char && t.Prec == 0: // CHAR is CHAR(1); one without a length is another name
		return "bpchar"
	case t.Kind.Timed() && t.Prec > 0:
		name, zone, _ := strings.Cut(n, " ")
		if zone != "" {
			zone = " " + zone
		}
		return fmt.Sprintf("%s(%d)%s", name, t.Prec-1, zone)
	case (t.Kind == Varchar || t.Kind == Char) && t.Prec > 0:
		return fmt.Sprintf("%s(%d)", n, t.Prec)
	}
	return n
}

// ArrayOf is the type of arrays of cells of type t, without length, precision and
// scale: they belong to a cell there, as in PostgreSQL. Arrays of arrays there are none.
func ArrayOf(t Type) Type { return Type{Kind: Array, Elem: t.Kind} }

// ArrayBounded is the type of arrays of cells that are held to length, precision
// and scale of t.
func ArrayBounded(t Type) Type { return Type{Kind: Array, Prec: t.Prec, Scale: t.Scale, Elem: t.Kind} }

// Element is the type that the elements of the array type t are held in.
func (t Type) Element() Type { return Type{Kind: t.Elem} }

// Bounded is the type that the elements of the array type t were declared with:
// what fits it fits Element.
func (t Type) Bounded() Type { return Type{Kind: t.Elem, Prec: t.Prec, Scale: t.Scale} }

// Kinds lists every kind but Unknown and Array, in the order of their numbers.
func Kinds() []Kind {
	ks := make([]Kind, 0, numKinds)
	for k := Unknown + 1; k < numKinds; k++ {
		if k != Array {
			ks = append(ks, k)
		}
	}
	return ks
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
