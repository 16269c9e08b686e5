package zset

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

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
	case array.StringLike:
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
	case *array.StringView:
		if err := c.viewedTexts(x); err != nil {
			return err
		}
	case *array.String:
		if a.Len() == 0 {
			c.Off = []uint32{0}
			return nil
		}
		c.Off = asSlice[uint32](x.ValueOffsets())
		c.Off = c.Off[: a.Len()+1 : a.Len()+1]
		if b := a.Data().Buffers()[2]; b != nil {
			c.Buf = b.Bytes()
		}
		c.Buf = c.Buf[:c.Off[a.Len()]:c.Off[a.Len()]]
	case *array.LargeString:
		if a.Len() == 0 {
			c.Off = []uint32{0}
			return nil
		}
		off := x.ValueOffsets()
		if off[a.Len()]-off[0] > math.MaxUint32 {
			return errTooMuchText()
		}
		c.Off = make([]uint32, a.Len()+1)
		for i, o := range off[:a.Len()+1] {
			c.Off[i] = uint32(o - off[0])
		}
		if b := a.Data().Buffers()[2]; b != nil {
			c.Buf = b.Bytes()[off[0]:off[a.Len()]:off[a.Len()]]
		}
	default:
		return errConvert(c.Type, a)
	}
	for i := range a.Len() { // the library does not look
		if c.Off[i] > c.Off[i+1] {
			return errOffsets()
		}
	}
	c.emptyNulls()
	return c.checkTexts()
}

// errOffsets is that of an array whose cells overlap.
func errOffsets() error { return Errorf("22P04", -1, "damaged Arrow array: its offsets go back") }

func errTooMuchText() error {
	return Errorf("54000", -1, "more than 4 GiB of text in one column of a batch")
}

// viewedTexts fills c with what the views of x show.
func (c *Column) viewedTexts(x *array.StringView) error {
	c.Off = append(make([]uint32, 0, x.Len()+1), 0)
	for i := range x.Len() {
		if x.IsValid(i) {
			c.Buf = append(c.Buf, x.Value(i)...)
		}
		if len(c.Buf) > math.MaxUint32 {
			return errTooMuchText()
		}
		c.Off = append(c.Off, uint32(len(c.Buf)))
	}
	return nil
}

// lookedUp looks every cell of x up. A cell whose entry is NULL is NULL.
func lookedUp(x *array.Dictionary, t Type) (Column, error) {
	switch x.Dictionary().(type) {
	case array.ListLike, *array.Dictionary:
		return Column{}, errConvert(t, x)
	}
	d, err := fromArray(x.Dictionary(), t)
	if err != nil {
		return d, err
	}
	out := NewColumn(t, x.Len())
	for i := range x.Len() {
		if x.IsNull(i) {
			out.AppendNull()
			continue
		}
		k := x.GetValueIndex(i)
		if d.Off != nil && uint64(len(out.Buf))+uint64(d.Off[k+1]-d.Off[k]) > math.MaxUint32 {
			return out, errTooMuchText()
		}
		out.AppendCell(&d, k)
	}
	return out, nil
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

// checkTexts refuses what CheckText refuses, and cells too long for a VARCHAR or
// CHAR.
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
	if limit == 0 {
		return nil
	}
	for i := range n {
		if k := c.Off[i+1] - c.Off[i]; k > limit || c.Type.Kind == Char && (k < limit || !ascii) {
			return c.fitTexts()
		}
	}
	return nil
}

// fitTexts copies c with spaces beyond the length of its VARCHAR or CHAR cut, and
// those that a CHAR lacks added.
func (c *Column) fitTexts() error {
	fit := FitVarchar
	if c.Type.Kind == Char {
		fit = FitChar
	}
	out := NewColumn(c.Type, c.Len())
	for i := range c.Len() {
		if c.IsNull(i) {
			out.AppendNull()
			continue
		}
		s, err := fit(string(c.Bytes(i)), int(c.Type.Prec))
		if err != nil {
			return err
		}
		out.AppendBytes([]byte(s))
	}
	*c = out
	return nil
}
