package expr

import (
	"math"
	"math/bits"

	"github.com/ivmc/ivmc/zset"
)

// intFuncs are the functions of SMALLINT, INTEGER and BIGINT. Every result that leaves
// the type's range is an error, as in PostgreSQL; division truncates.
func intFuncs() []Func {
	var rows []Func
	for _, k := range []zset.Kind{zset.Int2, zset.Int4, zset.Int8} {
		w := widths[k]
		two, one := []zset.Kind{k, k}, []zset.Kind{k}
		rows = append(rows,
			Func{Name: "+", Args: two, Result: k, Strict: true, Raises: true, row: w.rowAdd, dense: w.denseAdd},
			Func{Name: "-", Args: two, Result: k, Strict: true, Raises: true, row: w.rowSub, dense: w.denseSub},
			Func{Name: "*", Args: two, Result: k, Strict: true, Raises: true, row: w.rowMul, dense: w.denseMul},
			Func{Name: "/", Args: two, Result: k, Strict: true, Raises: true, spares: safeDivisor, row: w.rowDiv, dense: denseDiv},
			Func{Name: "%", Args: two, Result: k, Strict: true, Raises: true, spares: anyDivisor, row: rowMod, dense: denseMod},
			Func{Name: "-", Args: one, Result: k, Strict: true, Raises: true, row: w.rowNeg},
			Func{Name: "+", Args: one, Result: k, Strict: true, row: castI64, dense: denseCopyI64},
			Func{Name: "abs", Args: one, Result: k, Strict: true, Raises: true, row: w.rowAbs},
		)
	}
	return rows
}

// width is an integer type's range and the words of its error.
type width struct {
	min, max int64
	msg      string
}

var widths = map[zset.Kind]*width{
	zset.Int2: {math.MinInt16, math.MaxInt16, "smallint out of range"},
	zset.Int4: {math.MinInt32, math.MaxInt32, "integer out of range"},
	zset.Int8: {math.MinInt64, math.MaxInt64, "bigint out of range"},
}

// put writes r unless it overflowed 64 bits or leaves the range.
func (w *width) put(f *frame, i int, r int64, ok bool) {
	if !ok || r < w.min || r > w.max {
		f.fail(i, zset.CodeOutOfRange, w.msg)
		r = 0
	}
	f.setI(i, r)
}

func addInt(a, b int64) (int64, bool) {
	c := a + b
	return c, (a^c)&(b^c) >= 0
}

func subInt(a, b int64) (int64, bool) {
	c := a - b
	return c, (a^b)&(a^c) >= 0
}

func mulInt(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	h := int64(hi) - a>>63&b - b>>63&a // high word of the signed product
	return int64(lo), h == int64(lo)>>63
}

func (w *width) rowAdd(f *frame, i int) {
	r, ok := addInt(f.i(0, i), f.i(1, i))
	w.put(f, i, r, ok)
}

func (w *width) rowSub(f *frame, i int) {
	r, ok := subInt(f.i(0, i), f.i(1, i))
	w.put(f, i, r, ok)
}

func (w *width) rowMul(f *frame, i int) {
	r, ok := mulInt(f.i(0, i), f.i(1, i))
	w.put(f, i, r, ok)
}

// rowDiv: the least integer divided by -1 is out of range.
func (w *width) rowDiv(f *frame, i int) {
	a, b := f.i(0, i), f.i(1, i)
	if b == 0 {
		f.fail(i, zset.CodeDivisionByZero, "division by zero")
		return
	}
	w.put(f, i, a/b, !(b == -1 && a == math.MinInt64))
}

// rowMod: the least integer modulo -1 is 0, no error.
func rowMod(f *frame, i int) {
	b := f.i(1, i)
	if b == 0 {
		f.fail(i, zset.CodeDivisionByZero, "division by zero")
		return
	}
	f.setI(i, f.i(0, i)%b)
}

func (w *width) rowNeg(f *frame, i int) {
	a := f.i(0, i)
	w.put(f, i, -a, a != math.MinInt64)
}

func (w *width) rowAbs(f *frame, i int) {
	a := f.i(0, i)
	if a < 0 {
		a = -a
	}
	w.put(f, i, a, a != math.MinInt64)
}

// safeDivisor: division by a constant other than 0 and -1 cannot fail.
func safeDivisor(e *Expr) bool {
	d := e.Args[1]
	return d.Op == OpConst && (d.Val.Null || d.Val.I != 0 && d.Val.I != -1)
}

func anyDivisor(e *Expr) bool {
	d := e.Args[1]
	return d.Op == OpConst && (d.Val.Null || d.Val.I != 0)
}

// The dense forms add up overflow flags over the batch (negative: some row
// overflowed) and look for the row only where one was set.

func (w *width) denseAdd(f *frame) bool {
	a, b, c, ok := intOperands(f, true)
	if !ok {
		return false
	}
	out, flag := f.out.I64[:len(a)], int64(0)
	if b == nil {
		for i, x := range a {
			r := x + c
			out[i] = r
			flag |= (x ^ r) & (c ^ r)
		}
	} else {
		b = b[:len(a)]
		for i, x := range a {
			y := b[i]
			r := x + y
			out[i] = r
			flag |= (x ^ r) & (y ^ r)
		}
	}
	return w.settle(f, flag|w.outside(out), addInt)
}

func (w *width) denseSub(f *frame) bool {
	a, b, c, ok := intOperands(f, false)
	if !ok {
		return false
	}
	out, flag := f.out.I64[:len(a)], int64(0)
	if b == nil {
		for i, x := range a {
			r := x - c
			out[i] = r
			flag |= (x ^ c) & (x ^ r)
		}
	} else {
		b = b[:len(a)]
		for i, x := range a {
			y := b[i]
			r := x - y
			out[i] = r
			flag |= (x ^ y) & (x ^ r)
		}
	}
	return w.settle(f, flag|w.outside(out), subInt)
}

func (w *width) denseMul(f *frame) bool {
	a, b, c, ok := intOperands(f, true)
	if !ok {
		return false
	}
	out, flag := f.out.I64[:len(a)], int64(0)
	if b == nil {
		for i, x := range a {
			r, good := mulInt(x, c)
			out[i] = r
			flag |= bit(good) - 1
		}
	} else {
		b = b[:len(a)]
		for i, x := range a {
			r, good := mulInt(x, b[i])
			out[i] = r
			flag |= bit(good) - 1
		}
	}
	return w.settle(f, flag|w.outside(out), mulInt)
}

// outside is negative if some result left the range of a type below BIGINT.
func (w *width) outside(out []int64) (flag int64) {
	if w.max == math.MaxInt64 {
		return 0
	}
	for _, r := range out {
		flag |= (r - w.min) | (w.max - r)
	}
	return flag
}

// settle finds the failing row, if any row to be computed did fail.
func (w *width) settle(f *frame, flag int64, op func(a, b int64) (int64, bool)) bool {
	if flag < 0 {
		f.firstBad(func(i int) bool {
			r, ok := op(f.i(0, i), f.i(1, i))
			return !ok || r < w.min || r > w.max
		}, zset.CodeOutOfRange, w.msg)
	}
	return true
}

// intOperands gives the cells of a binary call as two columns, or as a column
// and a constant (b nil); a commutative one may have its sides exchanged.
func intOperands(f *frame, commutes bool) (a, b []int64, c int64, ok bool) {
	x, y := &f.args[0], &f.args[1]
	if x.mask == 0 && commutes {
		x, y = y, x
	}
	switch {
	case x.mask == 0:
		return nil, nil, 0, false
	case y.mask == 0:
		return x.I64[:f.n], nil, y.I64[0], true
	}
	return x.I64[:f.n], y.I64[:f.n], 0, true
}

// denseDiv and denseMod serve constant divisors that cannot fail.
func denseDiv(f *frame) bool {
	a, b, c, ok := intOperands(f, false)
	if !ok || b != nil || c == 0 || c == -1 {
		return false
	}
	for i, x := range a {
		f.out.I64[i] = x / c
	}
	return true
}

func denseMod(f *frame) bool {
	a, b, c, ok := intOperands(f, false)
	if !ok || b != nil || c == 0 || c == -1 {
		return false
	}
	for i, x := range a {
		f.out.I64[i] = x % c
	}
	return true
}

func denseCopyI64(f *frame) bool {
	if f.args[0].mask == 0 {
		return false
	}
	copy(f.out.I64[:f.n], f.args[0].I64[:f.n])
	return true
}

func denseIntFloat(f *frame) bool {
	if f.args[0].mask == 0 {
		return false
	}
	out := f.out.F64[:f.n]
	for i, x := range f.args[0].I64[:f.n] {
		out[i] = float64(x)
	}
	return true
}
