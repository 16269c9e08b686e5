package zset

import (
	"math"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// RoundReal is f rounded to a REAL. Error 22003 where it becomes infinite, or 0.
func RoundReal(f float64) (float64, error) {
	r := float64(float32(f))
	switch {
	case math.IsInf(r, 0) && !math.IsInf(f, 0):
		return 0, Errorf(CodeOutOfRange, -1, "value out of range: overflow")
	case r == 0 && f != 0:
		return 0, Errorf(CodeOutOfRange, -1, "value out of range: underflow")
	}
	return r, nil
}

// realsOf rounds v, into memory of its own.
func realsOf(v []float64) ([]float64, error) {
	out := make([]float64, len(v))
	for i, f := range v {
		var err error
		if out[i], err = RoundReal(f); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// timesOf: times below a microsecond are cut.
func timesOf(a arrow.Array, t Type, null []bool) ([]int64, error) {
	v := make([]int64, a.Len())
	switch x := a.(type) {
	case *array.Time64:
		scale := int64(1)
		if x.DataType().(*arrow.Time64Type).Unit == arrow.Nanosecond {
			scale = 1000
		}
		for i, u := range x.Time64Values() {
			v[i] = floorDiv(int64(u), scale)
		}
	case *array.Time32:
		scale := int64(1000)
		if x.DataType().(*arrow.Time32Type).Unit == arrow.Second {
			scale = usPerSec
		}
		for i, u := range x.Time32Values() {
			v[i] = int64(u) * scale
		}
	default:
		return nil, errConvert(t, a)
	}
	v = cleaned(v, null, true)
	for _, us := range v {
		if !ValidTime(us) {
			return nil, Errorf(CodeDatetimeRange, -1, "time out of range")
		}
	}
	return v, nil
}

// cellsOf makes a column of what read appends for every cell that is not NULL.
func cellsOf(a arrow.Array, t Type, read func(c *Column, i int) error) (Column, error) {
	c := NewColumn(t, a.Len())
	for i := range a.Len() {
		if a.IsNull(i) {
			c.AppendNull()
			continue
		}
		if err := read(&c, i); err != nil {
			return c, err
		}
	}
	return c, nil
}

// parsedCells reads an array of strings as the texts of cells.
func parsedCells(a arrow.Array, t Type) (Column, error) {
	x, ok := a.(array.StringLike)
	if !ok {
		return Column{}, errConvert(t, a)
	}
	return cellsOf(a, t, func(c *Column, i int) error {
		v, err := ParseText(t, x.Value(i))
		if err == nil {
			c.AppendValue(v)
		}
		return err
	})
}

func binariesOf(a arrow.Array, t Type) (Column, error) {
	var at func(i int) []byte
	switch x := a.(type) {
	case *array.Binary:
		at = x.Value
	case *array.LargeBinary:
		at = x.Value
	case *array.FixedSizeBinary:
		at = x.Value
	case *array.BinaryView:
		at = x.Value
	default:
		return Column{}, errConvert(t, a)
	}
	return cellsOf(a, t, func(c *Column, i int) error { c.AppendBytes(at(i)); return nil })
}

func uuidsOf(a arrow.Array, t Type) (Column, error) {
	x, ok := a.(*array.FixedSizeBinary)
	if !ok {
		return parsedCells(a, t)
	}
	if x.DataType().(*arrow.FixedSizeBinaryType).ByteWidth != uuidBytes {
		return Column{}, errConvert(t, a)
	}
	return cellsOf(a, t, func(c *Column, i int) error { c.AppendBytes(x.Value(i)); return nil })
}

func intervalsOf(a arrow.Array, t Type) (Column, error) {
	if x, ok := a.(*array.Duration); ok {
		return durationsOf(x, t)
	}
	x, ok := a.(*array.MonthDayNanoInterval)
	if !ok {
		return parsedCells(a, t)
	}
	return cellsOf(a, t, func(c *Column, i int) error {
		v := x.Value(i)
		c.AppendBytes(IntervalValue{v.Months, v.Days, RoundMicros(floorDiv(v.Nanoseconds, 1000), t)}.AppendTo(nil))
		return nil
	})
}

// durationsOf: what is below a microsecond is cut.
func durationsOf(x *array.Duration, t Type) (Column, error) {
	unit := x.DataType().(*arrow.DurationType).Unit
	return cellsOf(x, t, func(c *Column, i int) error {
		us := int64(x.Value(i))
		switch times := map[arrow.TimeUnit]int64{arrow.Second: usPerSec, arrow.Millisecond: 1000}[unit]; {
		case unit == arrow.Nanosecond:
			us = floorDiv(us, 1000)
		case times > 0 && us*times/times != us:
			return Errorf(CodeDatetimeRange, -1, "interval out of range")
		case times > 0:
			us *= times
		}
		c.AppendBytes(IntervalValue{Micros: RoundMicros(us, t)}.AppendTo(nil))
		return nil
	})
}

func listsOf(a arrow.Array, t Type) (Column, error) {
	x, ok := a.(array.ListLike)
	if !ok {
		return Column{}, errConvert(t, a)
	}
	first, last, err := spanOf(x)
	if err != nil {
		return Column{}, err
	}
	values := array.NewSlice(x.ListValues(), first, last)
	defer values.Release()
	cells, err := fromArray(values, t.Bounded())
	if err != nil {
		return Column{}, err
	}
	return cellsOf(a, t, func(c *Column, i int) error {
		from, to := x.ValueOffsets(i)
		var cell []byte
		for j := from; j < to; j++ {
			cell = AppendElement(cell, &cells, int(j-first))
		}
		c.AppendBytes(cell)
		return nil
	})
}

// spanOf is where the elements of all lists of x lie among its values, which may be
// many more.
func spanOf(x array.ListLike) (first, last int64, err error) {
	n := int64(x.ListValues().Len())
	first = n
	for i := range x.Len() {
		if x.IsNull(i) {
			continue
		}
		from, to := x.ValueOffsets(i)
		if from < 0 || from > to || to > n {
			return 0, 0, errOffsets()
		}
		if from < to {
			first, last = min(first, from), max(last, to)
		}
	}
	return min(first, last), last, nil
}
