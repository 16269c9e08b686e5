package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// vec is one argument of a call: a column with a cell per row (mask -1), or a
// constant of one cell (mask 0). Cell i of the batch is cell i&mask.
type vec struct {
	*zset.Column
	mask int
}

// frame is what a row function or a dense function works on: the arguments and
// the result column of one call over one batch. It lives in the evaluator's
// scratch, so it costs nothing per row.
type frame struct {
	n    int
	sel  []int32 // rows to compute; nil: all
	args []vec
	out  *zset.Column
	null []bool // rows whose result is NULL because an argument is; nil: none
	pos  int
	err  *failure

	watch *Watch
	ticks int // small steps since the beginning
	held  int // bytes of out that were counted

	buf               []byte   // scratch of a row function
	like              *pattern // of the last row, with what it was made of
	likeText, likeEsc []byte
	regex             regexCell // of the last row whose pattern was no constant

	cells    []zset.Column // elements of the arrays among the arguments
	same     zset.Column   // a cell beside each element
	each     *each         // of a call that is elementwise
	zoneCell *zset.Zone
}

// failure is the least failing row of an evaluation so far. Evaluation goes on
// after an error, because a later node may fail at an earlier row.
type failure struct {
	row int // no failure: the number of rows
	err *zset.Error
}

func (f *frame) i(k, i int) int64 {
	a := &f.args[k]
	return a.I64[i&a.mask]
}

func (f *frame) f(k, i int) float64 {
	a := &f.args[k]
	return a.F64[i&a.mask]
}

func (f *frame) b(k, i int) []byte {
	a := &f.args[k]
	return a.Column.Bytes(i & a.mask)
}

func (f *frame) isNull(k, i int) bool {
	a := &f.args[k]
	return a.Null != nil && a.Null[i&a.mask]
}

// dec is a NUMERIC cell of either physical form.
func (f *frame) dec(k, i int) zset.Decimal {
	a := &f.args[k]
	if a.Type.Fixed() {
		return zset.FromFixed(a.I64[i&a.mask], int(a.Type.Scale))
	}
	return zset.DecodeDecimal(a.Column.Bytes(i & a.mask))
}

func (f *frame) setI(i int, v int64)   { f.out.I64[i] = v }
func (f *frame) setF(i int, v float64) { f.out.F64[i] = v }

func (f *frame) setBool(i int, v bool) {
	f.out.I64[i] = 0
	if v {
		f.out.I64[i] = 1
	}
}

func (f *frame) setInt4(i int, v int64) {
	if v != int64(int32(v)) {
		f.fail(i, zset.CodeOutOfRange, "integer out of range")
	}
	f.out.I64[i] = v
}

// setDec writes a NUMERIC cell, in the result's physical form; it rounds to the
// scale of a DECIMAL(p,s) and fails where p digits do not hold the value.
func (f *frame) setDec(i int, d zset.Decimal) {
	t := f.out.Type
	if t.Fixed() {
		if c, ok := d.ToFixed(int(t.Prec), int(t.Scale)); ok {
			f.out.I64[i] = c
			return
		}
	}
	d, err := d.Fit(t)
	if err != nil {
		f.failWith(i, positioned(err, -1))
		return
	}
	f.out.Buf = d.AppendTo(f.out.Buf)
}

// setFixed is setDec of coef times 10 to the power -scale.
func (f *frame) setFixed(i int, coef int64, scale int) {
	t := f.out.Type
	switch {
	case t.Prec == 0:
		f.out.Buf = zset.AppendFixed(f.out.Buf, coef, scale)
	case t.Fixed() && int(t.Scale) == scale && max(coef, -coef) < pow10[t.Prec]:
		f.out.I64[i] = coef
	default:
		f.setDec(i, zset.DecimalFromScaled(coef, scale))
	}
}

// setDecErr is setDec for an operation that may have failed.
func (f *frame) setDecErr(i int, d zset.Decimal, err error) {
	if err != nil {
		f.failWith(i, positioned(err, -1))
		return
	}
	f.setDec(i, d)
}

// setNull makes the cell NULL. A function that is called with no NULL may still yield one.
func (f *frame) setNull(i int) {
	if f.out.Null == nil {
		f.out.Null = make([]bool, f.n)
	}
	f.out.Null[i] = true
	switch f.out.Type.Phys() {
	case zset.PhysI64:
		f.out.I64[i] = 0
	case zset.PhysF64:
		f.out.F64[i] = 0
	}
}

// start is where the bytes of the cell being written begin: the cells before
// it are closed.
func (f *frame) start() int { return int(f.out.Off[len(f.out.Off)-1]) }

func (f *frame) fail(i int, code, msg string) {
	if i < f.err.row {
		f.err.row, f.err.err = i, &zset.Error{Code: code, Msg: msg, Pos: f.pos}
	}
}

func (f *frame) failWith(i int, e *zset.Error) {
	if i < f.err.row {
		c := *e
		c.Pos = f.pos
		f.err.row, f.err.err = i, &c
	}
}

// firstBad reports the least row to be computed, not NULL, for which bad holds.
// Dense functions that only know that some row failed use it.
func (f *frame) firstBad(bad func(i int) bool, code, msg string) {
	if f.sel != nil {
		for _, i := range f.sel {
			if !(f.null != nil && f.null[i]) && bad(int(i)) {
				f.fail(int(i), code, msg)
				return
			}
		}
		return
	}
	for i := range f.n {
		if !(f.null != nil && f.null[i]) && bad(i) {
			f.fail(i, code, msg)
			return
		}
	}
}
