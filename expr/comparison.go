package expr

import (
	"bytes"
	"cmp"

	"github.com/ivmc/ivmc/zset"
)

// cmpOp is a comparison. The bits say which outcomes of a three-way comparison are TRUE.
type cmpOp uint8

const (
	isLess    cmpOp = 1
	isEqual   cmpOp = 2
	isGreater cmpOp = 4

	lt = isLess
	le = isLess | isEqual
	eq = isEqual
	ne = isLess | isGreater
	ge = isGreater | isEqual
	gt = isGreater
)

// flip is the comparison with its sides exchanged.
func (op cmpOp) flip() cmpOp {
	f := op & isEqual
	if op&isLess != 0 {
		f |= isGreater
	}
	if op&isGreater != 0 {
		f |= isLess
	}
	return f
}

func (op cmpOp) holds(c int) bool { return op>>uint(c+1)&1 != 0 }

// cmpOps are the comparison operators by name.
var cmpOps = map[string]cmpOp{"<": lt, "<=": le, "=": eq, "<>": ne, ">=": ge, ">": gt}

// comparable are the kinds that have comparisons of their own; the others are
// cast to one of them.
var comparable = []zset.Kind{zset.Bool, zset.Int4, zset.Int8, zset.Float8, zset.Numeric, zset.Text, zset.Date, zset.Timestamp,
	zset.Int2, zset.Float4, zset.Char, zset.Bytea, zset.Time, zset.Interval, zset.UUID, zset.Array, zset.TimestampTZ}

// comparisonFuncs are the comparisons between cells of one kind. Both sides of
// a NUMERIC comparison have the same form after Comparison; the row function
// takes any.
func comparisonFuncs() []Func {
	var rows []Func
	for _, name := range []string{"=", "<>", "<", "<=", ">", ">="} {
		op := cmpOps[name]
		for _, k := range comparable {
			rows = append(rows, Func{Name: name, Args: []zset.Kind{k, k}, Result: zset.Bool, Strict: true,
				row:   func(f *frame, i int) { f.setBool(i, op.holds(compareCells(&f.args[0], &f.args[1], i))) },
				dense: func(f *frame) bool { return denseCompare(f, op) }})
		}
	}
	for _, k := range comparable {
		rows = append(rows,
			Func{Name: "is distinct from", Args: []zset.Kind{k, k}, Result: zset.Bool,
				row: func(f *frame, i int) { f.setBool(i, distinct(f, i)) }},
			Func{Name: "is not distinct from", Args: []zset.Kind{k, k}, Result: zset.Bool,
				row: func(f *frame, i int) { f.setBool(i, !distinct(f, i)) }})
	}
	for name, want := range map[string]int64{"is true": 1, "is false": 0} {
		rows = append(rows,
			Func{Name: name, Args: []zset.Kind{zset.Bool}, Result: zset.Bool,
				row: func(f *frame, i int) { f.setBool(i, !f.isNull(0, i) && f.i(0, i) == want) }},
			Func{Name: "is not " + name[len("is "):], Args: []zset.Kind{zset.Bool}, Result: zset.Bool,
				row: func(f *frame, i int) { f.setBool(i, f.isNull(0, i) || f.i(0, i) != want) }})
	}
	return rows
}

func distinct(f *frame, i int) bool {
	x, y := f.isNull(0, i), f.isNull(1, i)
	if x || y {
		return x != y
	}
	return compareCells(&f.args[0], &f.args[1], i) != 0
}

// compareCells orders cell i of two columns of one kind, neither NULL.
func compareCells(a, b *vec, i int) int {
	switch {
	case a.Type.Kind == zset.Numeric && !(a.Type.Fixed() && b.Type.Fixed() && a.Type.Scale == b.Type.Scale):
		return compareNumeric(a, b, i)
	case a.Type.Phys() == zset.PhysI64:
		return cmp.Compare(a.I64[i&a.mask], b.I64[i&b.mask])
	case a.Type.Phys() == zset.PhysF64:
		return compareFloats(a.F64[i&a.mask], b.F64[i&b.mask])
	}
	return compareBytes(a.Type, a.Column.Bytes(i&a.mask), b.Column.Bytes(i&b.mask))
}

// compareBytes orders two cells of a type of PhysBytes other than NUMERIC.
func compareBytes(t zset.Type, a, b []byte) int {
	switch t.Kind {
	case zset.Char:
		return bytes.Compare(zset.TrimChar(a), zset.TrimChar(b))
	case zset.Interval:
		return zset.IntervalOf(a).Cmp(zset.IntervalOf(b))
	case zset.Array:
		if zset.KeyExact(t) { // a cell is the rows of its elements
			return bytes.Compare(a, b)
		}
		return bytes.Compare(cellKey(t, a), cellKey(t, b))
	}
	return bytes.Compare(a, b)
}

// identityDecides: equal cells of a type of PhysBytes have equal bytes.
func identityDecides(t zset.Type) bool { return zset.KeyExact(t) }

// cellRow is the row encoding of a cell of PhysBytes.
func cellRow(t zset.Type, cell []byte) []byte {
	c := zset.Column{Type: t, Off: []uint32{0, uint32(len(cell))}, Buf: cell}
	return zset.AppendRow(nil, &c, 0)
}

// cellKey is the key encoding of a cell of PhysBytes.
func cellKey(t zset.Type, cell []byte) []byte {
	c := zset.Column{Type: t, Off: []uint32{0, uint32(len(cell))}, Buf: cell}
	return zset.AppendKey(nil, &c, 0)
}

func compareNumeric(a, b *vec, i int) int {
	x, sx, ok := fixedCell(a, i)
	y, sy, ok2 := fixedCell(b, i)
	if ok && ok2 {
		if p, q, _, ok := align(x, y, sx, sy); ok {
			return cmp.Compare(p, q)
		}
	}
	return cmp.Compare(decCell(a, i).Cmp(decCell(b, i)), 0)
}

func decCell(a *vec, i int) zset.Decimal {
	if a.Type.Fixed() {
		return zset.FromFixed(a.I64[i&a.mask], int(a.Type.Scale))
	}
	return zset.DecodeDecimal(a.Column.Bytes(i & a.mask))
}

// compareFloats: NaN equals NaN and is above everything; -0.0 equals 0.0.
func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b || a != a && b != b:
		return 0
	case a != a:
		return 1
	}
	return -1
}

// denseCompare compares whole columns of one fixed-width form, and text with a
// constant for equality.
func denseCompare(f *frame, op cmpOp) bool {
	a, b := &f.args[0], &f.args[1]
	if a.mask == 0 {
		a, b, op = b, a, op.flip()
	}
	if a.mask == 0 {
		return false
	}
	out := f.out.I64[:f.n]
	switch a.Type.Phys() {
	case zset.PhysI64:
		if b.Type.Phys() != zset.PhysI64 || a.Type.Fixed() && a.Type.Scale != b.Type.Scale {
			return false
		}
		if b.mask == 0 {
			compareConst(out, a.I64[:f.n], b.I64[0], op)
		} else {
			compareColumns(out, a.I64[:f.n], b.I64[:f.n], op)
		}
	case zset.PhysF64:
		if b.mask == 0 {
			if b.F64[0] != b.F64[0] {
				return false
			}
			compareConst(out, a.F64[:f.n], b.F64[0], op)
		} else {
			compareColumns(out, a.F64[:f.n], b.F64[:f.n], op)
		}
	default:
		if !identityDecides(a.Type) || b.mask != 0 || op != eq && op != ne {
			return false
		}
		equalConst(out, a.Column, b.Column.Bytes(0), op)
	}
	return true
}

// compareConst compares with a constant that is not NaN. The negated forms
// make a NaN cell greater than any number.
func compareConst[T int64 | float64](out []int64, a []T, c T, op cmpOp) {
	out = out[:len(a)]
	switch op {
	case lt:
		for i, x := range a {
			out[i] = bit(x < c)
		}
	case le:
		for i, x := range a {
			out[i] = bit(x <= c)
		}
	case eq:
		for i, x := range a {
			out[i] = bit(x == c)
		}
	case ne:
		for i, x := range a {
			out[i] = bit(x != c)
		}
	case ge:
		for i, x := range a {
			out[i] = bit(!(x < c))
		}
	case gt:
		for i, x := range a {
			out[i] = bit(!(x <= c))
		}
	}
}

func compareColumns[T int64 | float64](out []int64, a, b []T, op cmpOp) {
	if op == gt || op == ge {
		a, b, op = b, a, op.flip()
	}
	out, b = out[:len(a)], b[:len(a)]
	switch op {
	case lt:
		for i, x := range a {
			out[i] = bit(x == x) & bit(!(x >= b[i]))
		}
	case le:
		for i, x := range a {
			y := b[i]
			out[i] = bit(y != y) | bit(y >= x)
		}
	case eq:
		for i, x := range a {
			y := b[i]
			out[i] = bit(x == y) | bit(x != x)&bit(y != y)
		}
	case ne:
		for i, x := range a {
			y := b[i]
			out[i] = bit(x != y) & (bit(x == x) | bit(y == y))
		}
	}
}

// equalConst compares the lengths first: they lie side by side.
func equalConst(out []int64, a *zset.Column, c []byte, op cmpOp) {
	hit, miss := int64(1), int64(0)
	if op == ne {
		hit, miss = 0, 1
	}
	off, n := a.Off[:len(out)+1], uint32(len(c))
	start := off[0]
	for i := range out {
		end := off[i+1]
		r := miss
		if end-start == n && string(a.Buf[start:end]) == string(c) {
			r = hit
		}
		out[i] = r
		start = end
	}
}

func bit(b bool) int64 {
	var x int64
	if b {
		x = 1
	}
	return x
}
