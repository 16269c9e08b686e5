package expr

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/ivmc/ivmc/zset"
)

// arrayFuncs are ARRAY[..], subscripts, and the functions and operators of arrays.
// An array has one dimension, from 1; one without elements has none.
func arrayFuncs() []Func {
	const arr, el, n, t = zset.Array, Element, zset.Int4, zset.Text
	whole := func(name string, strict bool, row rowFunc, args ...zset.Kind) Func {
		return Func{Name: name, Args: args, Result: arr, Strict: strict, Costly: true, result: sameAsArray, row: row}
	}
	loose := func(name string, result zset.Kind, row rowFunc, args ...zset.Kind) Func {
		return Func{Name: name, Args: args, Result: result, Costly: true, row: row}
	}
	texts := func([]zset.Type) zset.Type { return zset.ArrayOf(zset.TText) }
	rows := []Func{
		{Name: arrayName, Args: []zset.Kind{el}, Variadic: true, Result: arr, Costly: true, row: arrayRow,
			result: func(ts []zset.Type) zset.Type { return zset.ArrayBounded(ts[0]) }},
		{Name: subscriptName, Args: []zset.Kind{arr, n}, Result: el, Strict: true, Costly: true, row: subscriptRow,
			result: func(ts []zset.Type) zset.Type { return ts[0].Bounded() }},
		{Name: sliceName, Args: []zset.Kind{arr, n, n}, Result: arr, Strict: true, Costly: true, row: sliceRow,
			result: func(ts []zset.Type) zset.Type { return ts[0] }},
		whole("array_append", false, appendRow, arr, el),
		whole("array_prepend", false, prependRow, el, arr),
		whole("array_cat", false, catRow, arr, arr),
		whole("||", false, appendRow, arr, el),
		whole("||", false, prependRow, el, arr),
		whole("||", false, catRow, arr, arr),
		whole("array_remove", false, replacedRow(true), arr, el),
		whole("array_replace", false, replacedRow(false), arr, el, el),
		{Name: "trim_array", Args: []zset.Kind{arr, n}, Result: arr, Strict: true, Raises: true, Costly: true, row: trimArrayRow,
			result: sameAsArray},
		strict("array_length", n, boundRow(func(c int) int { return c }), arr, n),
		strict("array_upper", n, boundRow(func(c int) int { return c }), arr, n),
		strict("array_lower", n, boundRow(func(int) int { return 1 }), arr, n),
		strict("array_ndims", n, func(f *frame, i int) {
			if f.elements(0, i).Len() == 0 {
				f.setNull(i)
				return
			}
			f.setI(i, 1)
		}, arr),
		strict("array_dims", t, func(f *frame, i int) {
			c := f.elements(0, i).Len()
			if c == 0 {
				f.setNull(i)
				return
			}
			f.out.Buf = append(strconv.AppendInt(append(f.out.Buf, "[1:"...), int64(c), 10), ']')
		}, arr),
		strict("cardinality", n, func(f *frame, i int) { f.setI(i, int64(f.elements(0, i).Len())) }, arr),
		loose("array_position", n, positionRow, arr, el),
		{Name: "array_position", Args: []zset.Kind{arr, el, n}, Result: n, Raises: true, Costly: true, row: positionRow},
		{Name: "array_positions", Args: []zset.Kind{arr, el}, Result: arr, Costly: true, row: positionsRow,
			result: func([]zset.Type) zset.Type { return zset.ArrayOf(zset.TInt4) }},
		{Name: "array_to_string", Args: []zset.Kind{arr, t}, Result: t, Costly: true, zonedFor: ofMoments, row: joinRow(2)},
		{Name: "array_to_string", Args: []zset.Kind{arr, t, t}, Result: t, Costly: true, zonedFor: ofMoments, row: joinRow(3)},
		{Name: "string_to_array", Args: []zset.Kind{t, t}, Result: arr, Costly: true, result: texts, row: splitArrayRow},
		{Name: "string_to_array", Args: []zset.Kind{t, t, t}, Result: arr, Costly: true, result: texts, row: splitArrayRow},
	}
	for name, row := range map[string]rowFunc{
		"@>": func(f *frame, i int) { f.setBool(i, f.contains(i, 0, 1, true)) },
		"<@": func(f *frame, i int) { f.setBool(i, f.contains(i, 1, 0, true)) },
		"&&": func(f *frame, i int) { f.setBool(i, f.contains(i, 0, 1, false)) },
	} {
		r := strict(name, zset.Bool, row, arr, arr)
		r.sameArrays = true
		rows = append(rows, r)
	}
	return rows
}

func arrayRow(f *frame, i int) {
	for k := range f.args {
		a := &f.args[k]
		f.out.Buf = zset.AppendElement(f.out.Buf, a.Column, i&a.mask)
	}
}

func subscriptRow(f *frame, i int) {
	c, at := f.elements(0, i), f.i(1, i)
	if at < 1 || at > int64(c.Len()) {
		f.setNull(i)
		return
	}
	f.setCell(i, c, int(at-1))
}

func sliceRow(f *frame, i int) {
	c := f.elements(0, i)
	low, high := max(f.i(1, i), 1), min(f.i(2, i), int64(c.Len()))
	f.putElements(c, int(low-1), int(high))
}

// appendRow, prependRow and catRow: a NULL array is one without elements.
func appendRow(f *frame, i int) {
	if !f.isNull(0, i) {
		f.put(f.b(0, i))
	}
	f.out.Buf = zset.AppendElement(f.out.Buf, f.args[1].Column, i&f.args[1].mask)
}

func prependRow(f *frame, i int) {
	f.out.Buf = zset.AppendElement(f.out.Buf, f.args[0].Column, i&f.args[0].mask)
	if !f.isNull(1, i) {
		f.put(f.b(1, i))
	}
}

func catRow(f *frame, i int) {
	l, r := f.isNull(0, i), f.isNull(1, i)
	if l && r {
		f.setNull(i)
		return
	}
	if !l {
		f.put(f.b(0, i))
	}
	if !r {
		f.put(f.b(1, i))
	}
}

// replacedRow puts another element in the place of each that is not distinct from
// the second argument, or leaves those out.
func replacedRow(remove bool) rowFunc {
	return func(f *frame, i int) {
		if f.isNull(0, i) {
			f.setNull(i)
			return
		}
		c := f.elements(0, i)
		f.buf = f.elementKey(f.buf[:0], 1, i)
		n := len(f.buf)
		for j := range c.Len() {
			f.buf = zset.AppendElementKey(f.buf[:n], c, j)
			switch same := bytes.Equal(f.buf[:n], f.buf[n:]); {
			case !same:
				f.putElements(c, j, j+1)
			case !remove:
				f.out.Buf = zset.AppendElement(f.out.Buf, f.args[2].Column, i&f.args[2].mask)
			}
		}
	}
}

func trimArrayRow(f *frame, i int) {
	c, n := f.elements(0, i), f.i(1, i)
	if n < 0 || n > int64(c.Len()) {
		f.fail(i, "2202E", fmt.Sprintf("number of elements to trim must be between 0 and %d", c.Len()))
		return
	}
	f.putElements(c, 0, c.Len()-int(n))
}

// boundRow is NULL for dimensions that are not there.
func boundRow(bound func(n int) int) rowFunc {
	return func(f *frame, i int) {
		n := f.elements(0, i).Len()
		if f.i(1, i) != 1 || n == 0 {
			f.setNull(i)
			return
		}
		f.setI(i, int64(bound(n)))
	}
}

// positionRow finds the first element that is not distinct, from a place on.
func positionRow(f *frame, i int) {
	if f.isNull(0, i) {
		f.setNull(i)
		return
	}
	from := int64(1)
	if len(f.args) == 3 {
		if f.isNull(2, i) {
			f.fail(i, "22004", "initial position must not be null")
			return
		}
		from = max(from, f.i(2, i))
	}
	c := f.elements(0, i)
	f.buf = f.elementKey(f.buf[:0], 1, i)
	n := len(f.buf)
	for j := from - 1; j < int64(c.Len()); j++ {
		f.buf = zset.AppendElementKey(f.buf[:n], c, int(j))
		if bytes.Equal(f.buf[:n], f.buf[n:]) {
			f.setI(i, j+1)
			return
		}
	}
	f.setNull(i)
}

func positionsRow(f *frame, i int) {
	if f.isNull(0, i) {
		f.setNull(i)
		return
	}
	c := f.elements(0, i)
	f.buf = f.elementKey(f.buf[:0], 1, i)
	n := len(f.buf)
	at := zset.NewColumn(zset.TInt4, 0)
	for j := range c.Len() {
		f.buf = zset.AppendElementKey(f.buf[:n], c, j)
		if bytes.Equal(f.buf[:n], f.buf[n:]) {
			at.AppendI64(int64(j) + 1)
		}
	}
	f.putElements(&at, 0, at.Len())
}

// contains: all elements of argument small, or one of them, are elements of
// argument large; a NULL is none.
func (f *frame) contains(i, large, small int, all bool) bool {
	l, s := f.elements(large, i), f.elements(small, i)
	f.buf = f.buf[:0]
	for j := range s.Len() {
		f.buf = zset.AppendElementKey(f.buf[:0], s, j)
		n, found := len(f.buf), false
		for k := 0; k < l.Len() && !found && !s.IsNull(j); k++ {
			f.tick()
			f.buf = zset.AppendElementKey(f.buf[:n], l, k)
			found = bytes.Equal(f.buf[:n], f.buf[n:])
		}
		if found != all {
			return found
		}
	}
	return all
}

// joinRow prints the elements with a separator between them, NULLs as the third
// argument or not at all.
func joinRow(n int) rowFunc {
	return func(f *frame, i int) {
		if f.isNull(0, i) || f.isNull(1, i) {
			f.setNull(i)
			return
		}
		c, z, first := f.elements(0, i), f.zone(n, i), true
		for j := range c.Len() {
			null := c.IsNull(j)
			if null && (n == 2 || f.isNull(2, i)) {
				continue
			}
			f.tick()
			if !first {
				f.room(len(f.b(1, i)))
				f.put(f.b(1, i))
			}
			first = false
			if null {
				f.put(f.b(2, i))
				continue
			}
			f.out.Buf = zset.AppendTextIn(f.out.Buf, c, j, z)
		}
	}
}

// splitArrayRow cuts a text at a separator: NULL between all characters, an empty one
// nowhere. Parts that are the third argument are NULL.
func splitArrayRow(f *frame, i int) {
	if f.isNull(0, i) {
		f.setNull(i)
		return
	}
	s := f.b(0, i)
	c := zset.NewColumn(zset.TText, 0)
	part := func(p []byte) {
		if len(f.args) == 3 && !f.isNull(2, i) && bytes.Equal(p, f.b(2, i)) {
			c.AppendNull()
			return
		}
		c.AppendBytes(p)
	}
	switch {
	case len(s) == 0:
	case f.isNull(1, i):
		for len(s) > 0 {
			_, w := utf8.DecodeRune(s)
			part(s[:w])
			s = s[w:]
		}
	case len(f.b(1, i)) == 0:
		part(s)
	default:
		for {
			at := bytes.Index(s, f.b(1, i))
			if at < 0 {
				break
			}
			part(s[:at])
			s = s[at+len(f.b(1, i)):]
		}
		part(s)
	}
	f.putElements(&c, 0, c.Len())
}
