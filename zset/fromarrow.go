package zset

import (
	"fmt"
	"math"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// FromArrow makes a batch of the columns s, in its order, from those of rec, by
// name; a column that rec lacks is NULL throughout. Values are widened, and
// checked against the range, length or precision of the column; times below a
// microsecond are cut towards the past. NOT NULL is the caller's to check.
// Errors 42703 (rec has a column that s has not), 42701 (a name twice), 42804
// (no conversion), 22003, 22001, 22008, 22021.
//
// Where the layout allows, the batch aliases the memory of rec: who keeps the
// batch longer than rec copies it (storage does).
func FromArrow(rec arrow.Record, s Schema) (*Batch, error) {
	at := make([]int, len(s))
	for i := range at {
		at[i] = -1
	}
	for j, f := range rec.Schema().Fields() {
		i := s.Index(f.Name)
		if i < 0 {
			return nil, Errorf(CodeNoColumn, -1, "column \"%s\" does not exist", f.Name)
		}
		if at[i] >= 0 {
			return nil, Errorf("42701", -1, "column \"%s\" specified more than once", f.Name)
		}
		at[i] = j
	}
	n := int(rec.NumRows())
	b := &Batch{Cols: make([]Column, len(s)), N: n}
	for i, f := range s {
		if at[i] < 0 {
			b.Cols[i] = nullColumn(f.Type, n)
			continue
		}
		c, err := fromArray(rec.Column(at[i]), f.Type)
		if err != nil {
			if e, ok := err.(*Error); ok && e.Object == "" {
				e.Object, e.Detail = f.Name, fmt.Sprintf("column %q", f.Name)
			}
			return nil, err
		}
		b.Cols[i] = c
	}
	return b, nil
}

// nullColumn is n NULLs.
func nullColumn(t Type, n int) Column {
	c := Column{Type: t}
	switch t.Phys() {
	case PhysI64:
		c.I64 = make([]int64, n)
	case PhysF64:
		c.F64 = make([]float64, n)
	default:
		c.Off = make([]uint32, n+1)
	}
	if n > 0 {
		c.Null = make([]bool, n)
		for i := range c.Null {
			c.Null[i] = true
		}
	}
	return c
}

// nullsOf is the NULL flags of a, nil if there are none.
func nullsOf(a arrow.Array) []bool {
	if a.NullN() == 0 {
		return nil
	}
	out := make([]bool, a.Len())
	for i := range out {
		out[i] = a.IsNull(i)
	}
	return out
}

func errConvert(t Type, a arrow.Array) *Error {
	return Errorf(CodeTypeMismatch, -1, "column is of type %s but the data is of Arrow type %s", t, a.DataType())
}

func fromArray(a arrow.Array, t Type) (Column, error) {
	if a.DataType().ID() == arrow.NULL {
		return nullColumn(t, a.Len()), nil
	}
	if x, ok := a.(*array.Dictionary); ok {
		return lookedUp(x, t)
	}
	null := nullsOf(a)
	c := Column{Type: t, Null: null}
	var err error
	switch t.Kind {
	case Bool:
		x, ok := a.(*array.Boolean)
		if !ok {
			return c, errConvert(t, a)
		}
		c.I64 = make([]int64, x.Len())
		for i := range c.I64 {
			if x.IsValid(i) && x.Value(i) {
				c.I64[i] = 1
			}
		}
	case Int2, Int4, Int8:
		c.I64, err = intsOf(a, t, null)
	case Float8:
		c.F64, err = floatsOf(a, t, null)
	case Float4:
		if c.F64, err = floatsOf(a, t, null); err == nil {
			c.F64, err = realsOf(c.F64)
		}
	case Date:
		c.I64, err = datesOf(a, t, null)
	case Timestamp, TimestampTZ:
		c.I64, err = timestampsOf(a, t, null)
		c.I64 = roundedMicros(c.I64, t)
	case Time:
		c.I64, err = timesOf(a, t, null)
		c.I64 = roundedMicros(c.I64, t)
	case Numeric:
		return decimalsOf(a, t, null)
	case Bytea:
		return binariesOf(a, t)
	case UUID:
		return uuidsOf(a, t)
	case Interval:
		return intervalsOf(a, t)
	case Array:
		return listsOf(a, t)
	default:
		err = c.textsOf(a)
	}
	return c, err
}

// cleaned is v with 0 under every NULL, in place only if it is so already.
func cleaned[T int64 | float64](v []T, null []bool, own bool) []T {
	for i, x := range null {
		if !x || v[i] == 0 {
			continue
		}
		if !own {
			v, own = append([]T(nil), v...), true
		}
		v[i] = 0
	}
	return v[:len(v):len(v)]
}

func widen[T int8 | int16 | int32 | uint8 | uint16 | uint32](v []T) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(x)
	}
	return out
}

// wholes is the values of an array of any integer type; own: not aliased.
func wholes(a arrow.Array, null []bool) (v []int64, own, ok bool, err error) {
	switch x := a.(type) {
	case *array.Int64:
		return x.Int64Values(), false, true, nil
	case *array.Int32:
		return widen(x.Int32Values()), true, true, nil
	case *array.Int16:
		return widen(x.Int16Values()), true, true, nil
	case *array.Int8:
		return widen(x.Int8Values()), true, true, nil
	case *array.Uint8:
		return widen(x.Uint8Values()), true, true, nil
	case *array.Uint16:
		return widen(x.Uint16Values()), true, true, nil
	case *array.Uint32:
		return widen(x.Uint32Values()), true, true, nil
	case *array.Uint64:
		v = make([]int64, x.Len())
		for i, u := range x.Uint64Values() {
			if null != nil && null[i] {
				continue
			}
			if u > math.MaxInt64 {
				return nil, true, true, errIntRange(TInt8)
			}
			v[i] = int64(u)
		}
		return v, true, true, nil
	}
	return nil, false, false, nil
}

func errIntRange(t Type) error {
	return Errorf(CodeOutOfRange, -1, "%s out of range", kinds[t.Kind].name)
}

func intsOf(a arrow.Array, t Type, null []bool) ([]int64, error) {
	v, own, ok, err := wholes(a, null)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errConvert(t, a)
	}
	v = cleaned(v, null, own)
	if t.Kind == Int4 || t.Kind == Int2 {
		for _, x := range v {
			if x != int64(int32(x)) || t.Kind == Int2 && x != int64(int16(x)) {
				return nil, errIntRange(t)
			}
		}
	}
	return v, nil
}

func floatsOf(a arrow.Array, t Type, null []bool) ([]float64, error) {
	switch x := a.(type) {
	case *array.Float64:
		return cleaned(x.Float64Values(), null, false), nil
	case *array.Float32:
		v := make([]float64, x.Len())
		for i, f := range x.Float32Values() {
			v[i] = float64(f)
		}
		return cleaned(v, null, true), nil
	case *array.Float16:
		v := make([]float64, x.Len())
		for i, f := range x.Values() {
			v[i] = halfOf(f.Uint16())
		}
		return cleaned(v, null, true), nil
	case *array.Uint64: // also those that no BIGINT holds
		v := make([]float64, x.Len())
		for i, u := range x.Uint64Values() {
			v[i] = float64(u)
		}
		return cleaned(v, null, true), nil
	}
	w, _, ok, err := wholes(a, null)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errConvert(t, a)
	}
	v := make([]float64, len(w))
	for i, x := range w {
		v[i] = float64(x)
	}
	return cleaned(v, null, true), nil
}

// halfOf is the number of IEEE 754 binary16 with these bits. The library's own reading
// of those below 2^-14 gives others.
func halfOf(bits uint16) float64 {
	exp, frac := int(bits>>10&31), float64(bits&1023)
	f := math.Ldexp(1024+frac, exp-25)
	switch {
	case exp == 0:
		f = math.Ldexp(frac, -24)
	case exp == 31 && frac != 0:
		return math.NaN()
	case exp == 31:
		f = math.Inf(1)
	}
	if bits>>15 != 0 {
		f = -f
	}
	return f
}

const msPerDay = 86_400_000

// datesOf: the ends of int32 are the infinities, as in PostgreSQL's own form.
func datesOf(a arrow.Array, t Type, null []bool) ([]int64, error) {
	var v []int64
	switch x := a.(type) {
	case *array.Date32:
		v = widen(asSlice[int32](x.Date32Values()))
		for i, d := range v {
			switch d {
			case math.MaxInt32:
				v[i] = PosInf
			case math.MinInt32:
				v[i] = NegInf
			}
		}
	case *array.Date64:
		v = make([]int64, x.Len())
		for i, d := range x.Date64Values() {
			v[i] = floorDiv(int64(d), msPerDay)
		}
	default:
		return nil, errConvert(t, a)
	}
	v = cleaned(v, null, true)
	for _, d := range v {
		if !ValidDate(d) {
			return nil, Errorf(CodeDatetimeRange, -1, "date out of range")
		}
	}
	return v, nil
}

// timestampsOf takes any zone for a TIMESTAMPTZ, for what is stored is the moment, and
// no zone is UTC there; for a TIMESTAMP none but UTC.
func timestampsOf(a arrow.Array, t Type, null []bool) ([]int64, error) {
	x, ok := a.(*array.Timestamp)
	if !ok {
		return dayTimestamps(a, t, null)
	}
	typ := x.DataType().(*arrow.TimestampType)
	if z := typ.TimeZone; t.Kind != TimestampTZ && z != "" && !strings.EqualFold(z, "utc") && z != "Z" && z != "+00:00" && z != "Etc/UTC" {
		e := errConvert(t, a)
		e.Hint = "These are moments, of which a clock shows another time in each zone: make the column TIMESTAMPTZ."
		return nil, e
	}
	src := asSlice[int64](x.TimestampValues())
	own := typ.Unit != arrow.Microsecond
	v := src
	if own {
		v = make([]int64, len(src))
	}
	for i, u := range src {
		if null != nil && null[i] {
			continue
		}
		fits := true
		switch typ.Unit {
		case arrow.Second:
			v[i] = u * usPerSec
			fits = v[i]/usPerSec == u
		case arrow.Millisecond:
			v[i] = u * 1000
			fits = v[i]/1000 == u
		case arrow.Nanosecond:
			v[i] = floorDiv(u, 1000)
		}
		if !fits || !ValidTimestamp(v[i]) {
			return nil, Errorf(CodeDatetimeRange, -1, "timestamp out of range")
		}
	}
	return cleaned(v, null, own), nil
}

// dayTimestamps reads dates as midnights.
func dayTimestamps(a arrow.Array, t Type, null []bool) ([]int64, error) {
	v, err := datesOf(a, t, null)
	if err != nil {
		return nil, err
	}
	for i, d := range v {
		switch {
		case d == PosInf || d == NegInf:
		case d > maxTimestamp/usPerDay:
			return nil, Errorf(CodeDatetimeRange, -1, "timestamp out of range")
		default:
			v[i] = d * usPerDay
		}
	}
	return v, nil
}
