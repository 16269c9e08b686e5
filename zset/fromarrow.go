package zset

import (
	"bytes"
	"math"
	"strings"
	"unicode/utf8"

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
				e.Object = f.Name
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

func errConvert(t Type, a arrow.Array) error {
	return Errorf(CodeTypeMismatch, -1, "column is of type %s but the data is of Arrow type %s", t, a.DataType())
}

func fromArray(a arrow.Array, t Type) (Column, error) {
	if a.DataType().ID() == arrow.NULL {
		return nullColumn(t, a.Len()), nil
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
	case Int4, Int8:
		c.I64, err = intsOf(a, t, null)
	case Float8:
		c.F64, err = floatsOf(a, t, null)
	case Date:
		c.I64, err = datesOf(a, t, null)
	case Timestamp:
		c.I64, err = timestampsOf(a, t, null)
	case Numeric:
		return decimalsOf(a, t, null)
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
	if t.Kind == Int4 {
		for _, x := range v {
			if x != int64(int32(x)) {
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
			v[i] = float64(f.Float32())
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

func timestampsOf(a arrow.Array, t Type, null []bool) ([]int64, error) {
	x, ok := a.(*array.Timestamp)
	if !ok {
		return dayTimestamps(a, t, null)
	}
	typ := x.DataType().(*arrow.TimestampType)
	if z := typ.TimeZone; z != "" && !strings.EqualFold(z, "utc") && z != "Z" && z != "+00:00" && z != "Etc/UTC" {
		return nil, errConvert(t, a)
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

func decimalsOf(a arrow.Array, t Type, null []bool) (Column, error) {
	read, err := decimalReader(a, t, null)
	if err != nil {
		return Column{}, err
	}
	c := NewColumn(t, a.Len())
	for i := range a.Len() {
		if null != nil && null[i] {
			c.AppendNull()
			continue
		}
		d, err := read(i)
		if err != nil {
			return c, err
		}
		if d, err = d.Fit(t); err != nil {
			return c, err
		}
		if t.Fixed() {
			v, _ := d.ToFixed(int(t.Prec), int(t.Scale))
			c.AppendI64(v)
		} else {
			c.AppendDecimal(d)
		}
	}
	return c, nil
}

func decimalReader(a arrow.Array, t Type, null []bool) (func(i int) (Decimal, error), error) {
	switch x := a.(type) {
	case *array.Decimal128:
		scale := int(x.DataType().(*arrow.Decimal128Type).Scale)
		return func(i int) (Decimal, error) {
			v := x.Value(i)
			neg := v.Sign() < 0
			if neg {
				v = v.Negate()
			}
			return scaled(u256{v.LowBits(), uint64(v.HighBits())}, scale, neg)
		}, nil
	case *array.Decimal256:
		scale := int(x.DataType().(*arrow.Decimal256Type).Scale)
		return func(i int) (Decimal, error) {
			v := x.Value(i)
			neg := v.Sign() < 0
			if neg {
				v = v.Negate()
			}
			return scaled(v.Array(), scale, neg)
		}, nil
	case *array.Float64:
		return func(i int) (Decimal, error) { return FromFloat64(x.Value(i)) }, nil
	case *array.String:
		return func(i int) (Decimal, error) { return ParseDecimal(x.Value(i)) }, nil
	case *array.LargeString:
		return func(i int) (Decimal, error) { return ParseDecimal(x.Value(i)) }, nil
	case *array.Uint64:
		return func(i int) (Decimal, error) { return Decimal{coef: u256{x.Value(i)}}, nil }, nil
	}
	v, _, ok, err := wholes(a, null)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errConvert(t, a)
	}
	return func(i int) (Decimal, error) { return DecimalFromInt64(v[i]), nil }, nil
}

// textsOf fills c from an array of strings.
func (c *Column) textsOf(a arrow.Array) error {
	switch x := a.(type) {
	case *array.String:
		if x.Len() == 0 {
			c.Off = []uint32{0}
			return nil
		}
		bufs := x.Data().Buffers()
		c.Off = asSlice[uint32](x.ValueOffsets())
		c.Off = c.Off[: x.Len()+1 : x.Len()+1]
		if bufs[2] != nil {
			c.Buf = bufs[2].Bytes()
		}
		c.Buf = c.Buf[:c.Off[x.Len()]:c.Off[x.Len()]]
	case *array.LargeString:
		if x.Len() == 0 {
			c.Off = []uint32{0}
			return nil
		}
		off := x.ValueOffsets()
		if off[x.Len()]-off[0] > math.MaxUint32 {
			return Errorf("54000", -1, "more than 4 GiB of text in one column of a batch")
		}
		c.Off = make([]uint32, x.Len()+1)
		for i, o := range off[:x.Len()+1] {
			c.Off[i] = uint32(o - off[0])
		}
		if b := x.Data().Buffers()[2]; b != nil {
			c.Buf = b.Bytes()[off[0]:off[x.Len()]:off[x.Len()]]
		}
	case *array.Dictionary:
		return c.dictionaryTexts(x)
	default:
		return errConvert(c.Type, a)
	}
	c.emptyNulls()
	return c.checkTexts()
}

// dictionaryTexts looks every cell of x up. A cell whose entry is NULL is NULL.
func (c *Column) dictionaryTexts(x *array.Dictionary) error {
	d := Column{Type: c.Type, Null: nullsOf(x.Dictionary())}
	switch x.Dictionary().(type) {
	case *array.String, *array.LargeString:
	default:
		return errConvert(c.Type, x)
	}
	if err := d.textsOf(x.Dictionary()); err != nil {
		return err
	}
	out := NewColumn(c.Type, x.Len())
	for i := range x.Len() {
		if x.IsNull(i) {
			out.AppendNull()
			continue
		}
		out.AppendCell(&d, x.GetValueIndex(i))
	}
	*c = out
	return nil
}

// emptyNulls makes sure that NULL cells hold no bytes.
func (c *Column) emptyNulls() {
	dirty := false
	for i, x := range c.Null {
		if x && c.Off[i] != c.Off[i+1] {
			dirty = true
			break
		}
	}
	if !dirty {
		return
	}
	out := NewColumn(c.Type, c.Len())
	for i := range c.Len() {
		out.AppendCell(c, i)
	}
	*c = out
}

// checkTexts refuses what CheckText refuses, and cells too long for a VARCHAR.
func (c *Column) checkTexts() error {
	n := c.Len()
	all := c.Buf[c.Off[0]:c.Off[n]]
	ascii := true
	for _, b := range all {
		if b >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if !ascii || bytes.IndexByte(all, 0) >= 0 {
		for i := range n {
			if err := CheckText(string(c.Bytes(i))); err != nil {
				return err
			}
		}
	}
	limit := uint32(c.Type.Prec)
	if c.Type.Kind != Varchar || limit == 0 {
		return nil
	}
	for i := range n {
		if c.Off[i+1]-c.Off[i] > limit {
			return c.cutTexts()
		}
	}
	return nil
}

// cutTexts copies c with spaces beyond the length of its VARCHAR cut.
func (c *Column) cutTexts() error {
	out := NewColumn(c.Type, c.Len())
	for i := range c.Len() {
		if c.IsNull(i) {
			out.AppendNull()
			continue
		}
		s, err := FitVarchar(string(c.Bytes(i)), int(c.Type.Prec))
		if err != nil {
			return err
		}
		out.AppendBytes([]byte(s))
	}
	*c = out
	return nil
}
