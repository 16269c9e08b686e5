package expr

import (
	"fmt"
	"math"

	"github.com/ivmc/ivmc/zset"
)

// RowError is an error of one row: the least failing row of the batch.
type RowError struct {
	Row int
	Err *zset.Error
}

func (e *RowError) Error() string    { return e.Err.Error() }
func (e *RowError) Unwrap() error    { return e.Err }
func (e *RowError) SQLState() string { return e.Err.Code }

// Evaluator runs a program over batches. It owns the scratch columns, so it
// serves one goroutine, and what it returns is valid until its next call.
type Evaluator struct {
	p     *Program
	b     *zset.Batch
	n     int
	epoch uint32
	fail  failure
	state []state
	out   []zset.Column
	sels  [2][]int32
	watch *Watch
}

// state is the scratch of one node.
type state struct {
	col    zset.Column
	null   []bool      // memory for col.Null
	epoch  uint32      // col holds the cells of this batch (nodes that are always evaluated)
	held   bool        // col holds the cell of a node with a single one
	full   zset.Column // the cell of a single one, for each row
	rows   zset.Column // as many of them as there are rows
	spread bool        // full holds the cell that is held

	fullHeld int // bytes of full that were counted
	frame    frame
	sel      [3][]int32
	choice   []int32 // merge: source of each row
	best     []int32 // GREATEST, LEAST: argument of each row
	args     []vec
}

// New makes an evaluator.
func (p *Program) New() *Evaluator {
	return &Evaluator{p: p, state: make([]state, len(p.nodes)), out: make([]zset.Column, len(p.roots))}
}

// Under makes evaluations end when w says so. It returns v.
func (v *Evaluator) Under(w *Watch) *Evaluator {
	v.watch = w
	return v
}

// Eval computes one column per expression, each of b.N cells. The columns may
// alias those of b and are valid until the next call. The error is a *RowError
// for the least row at which an expression fails; nothing else can fail but a
// batch that does not fit the program (XX000), and what the [Watch] ends.
func (v *Evaluator) Eval(b *zset.Batch) (out []zset.Column, err error) {
	defer caught(&err)
	if err := v.begin(b); err != nil {
		return nil, err
	}
	for k, r := range v.p.roots {
		v.out[k] = *v.whole(r, nil)
		v.out[k].Type = v.p.types[k]
	}
	if err := v.failed(); err != nil {
		return nil, err
	}
	return v.out, nil
}

// begin binds the evaluator to a batch and checks that its columns are those
// that the program was compiled for.
func (v *Evaluator) begin(b *zset.Batch) error {
	for _, u := range v.p.cols {
		if u.col >= len(b.Cols) {
			return zset.Errorf("XX000", -1, "expression reads column %d of a batch of %d columns", u.col, len(b.Cols))
		}
		t := b.Cols[u.col].Type
		if t.Phys() != u.typ.Phys() || t.Fixed() && t.Scale != u.typ.Scale {
			return zset.Errorf("XX000", -1, "expression expects column %d of type %s, the batch has %s", u.col, u.typ, t)
		}
	}
	v.b, v.n = b, b.N
	v.epoch++
	v.fail = failure{row: b.N}
	return nil
}

func (v *Evaluator) failed() error {
	if v.fail.err == nil {
		return nil
	}
	return &RowError{Row: v.fail.row, Err: v.fail.err}
}

// eval computes node id for the rows of sel (nil: all) and returns its column.
// Only the cells of sel are meaningful, except that bytes columns are always
// well formed. A constant has one cell.
func (v *Evaluator) eval(id int, sel []int32) *zset.Column {
	nd := &v.p.nodes[id]
	switch nd.op {
	case OpCol:
		return &v.b.Cols[nd.col]
	case OpConst:
		return nd.konst
	}
	st := &v.state[id]
	if nd.single {
		v.evalSingle(nd, st, sel)
		return &st.col
	}
	if nd.always {
		if st.epoch == v.epoch {
			return &st.col
		}
		st.epoch, sel = v.epoch, nil
	}
	st.col.Type = nd.typ
	switch nd.op {
	case OpCall:
		evalCall(v, nd, st, sel)
	case OpAnd, OpOr:
		evalJunction(v, nd, st, sel)
	case OpNot:
		evalNot(v, nd, st, sel)
	case OpIsNull, OpIsNotNull:
		evalIsNull(v, nd, st, sel)
	case OpCase:
		evalCase(v, nd, st, sel)
	case OpCoalesce:
		evalCoalesce(v, nd, st, sel)
	case OpIn:
		evalIn(v, nd, st, sel)
	case OpGreatest, OpLeast:
		evalExtreme(v, nd, st, sel)
	}
	return &st.col
}

// evalSingle calls a function whose arguments are constants: once, for the first
// batch with a row that wants it. Its error is that of the first such row.
func (v *Evaluator) evalSingle(nd *node, st *state, sel []int32) {
	if st.held {
		return
	}
	n, fail, first := v.n, v.fail, 0
	if sel != nil {
		if n = len(sel); n > 0 {
			first = int(sel[0])
		}
	}
	st.col.Type = nd.typ
	v.fail = failure{row: 1}
	rows := v.n
	v.n = 1
	if n > 0 {
		evalCall(v, nd, st, nil)
	} else {
		st.col = zset.NewColumn(nd.typ, 1)
		st.col.AppendNull()
	}
	e := v.fail.err
	v.n, v.fail = rows, fail
	if st.held = n > 0 && e == nil; !st.held && e != nil && first < v.fail.row {
		v.fail = failure{row: first, err: e}
	}
}

// whole is eval with a cell per row, also for a constant.
func (v *Evaluator) whole(id int, sel []int32) *zset.Column {
	c := v.eval(id, sel)
	nd, st := &v.p.nodes[id], &v.state[id]
	if !nd.single {
		return c
	}
	full := &st.full
	if full.Type != c.Type || nd.op != OpConst && !st.spread {
		*full = zset.NewColumn(c.Type, v.n)
	}
	st.spread = nd.op == OpConst || st.held
	if c.Type.Phys() == zset.PhysBytes && len(c.Buf)*v.n > maxBatchBytes {
		fail := failure{err: zset.Errorf("54000", int(nd.pos), "result of a batch exceeds %d bytes", maxBatchBytes)}
		if v.fail.row > 0 {
			v.fail = fail
		}
		c = &zset.Column{Type: c.Type, Off: []uint32{0, 0}}
		*full = zset.NewColumn(c.Type, v.n)
		st.spread = false
	}
	if need := len(c.Buf) * v.n; need > st.fullHeld+heavy && v.watch != nil {
		st.fullHeld = v.watch.grow(st.fullHeld, need)
	}
	for have := full.Len(); have < v.n; have++ {
		full.AppendCell(c, 0)
	}
	st.rows = full.Slice(0, v.n)
	return &st.rows
}

// vec is eval as an argument of a call.
func (v *Evaluator) vec(id int, sel []int32) vec {
	if v.p.nodes[id].single {
		return vec{v.eval(id, sel), 0}
	}
	return vec{v.eval(id, sel), -1}
}

// prepare makes st.col ready for v.n cells without NULLs. A bytes column is
// empty, to be appended to.
func (v *Evaluator) prepare(st *state) *zset.Column {
	c := &st.col
	c.Null = nil
	switch c.Type.Phys() {
	case zset.PhysI64:
		c.I64 = grow(c.I64, v.n)
	case zset.PhysF64:
		c.F64 = grow(c.F64, v.n)
	default:
		c.Buf, c.Off = c.Buf[:0], append(c.Off[:0], 0)
	}
	return c
}

// grow is s with n cells of any content.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}

// nulls is st's NULL mask of v.n cells, all false.
func (v *Evaluator) nulls(st *state) []bool {
	st.null = grow(st.null, v.n)
	clear(st.null)
	return st.null
}

// evalCall runs a function: the NULLs of a strict one first, then the dense
// function if there is one and it takes the case, else the row function.
func evalCall(v *Evaluator, nd *node, st *state, sel []int32) {
	f := &st.frame
	if f.args == nil {
		f.args = make([]vec, len(nd.args))
		if nd.each != nil {
			f.each = newEach(nd.each, v.watch)
		}
		f.watch = v.watch
	}
	for k, a := range nd.args {
		f.args[k] = v.vec(a, sel)
	}
	f.n, f.sel, f.pos, f.err = v.n, sel, int(nd.pos), &v.fail
	f.out, f.null = v.prepare(st), nil
	if nd.fn.Strict {
		f.null = v.strictNulls(st, f.args)
		f.out.Null = f.null
	} else {
		f.out.Null = v.nulls(st)
	}
	switch {
	case nd.fn.custom != nil:
		f.out.Null = v.nulls(st)
		evalCustom(f, nd.fn.custom)
	case nd.dense != nil && nd.dense(f):
		clearNulls(f.out, f.null)
	case f.out.Type.Phys() == zset.PhysBytes:
		runBytes(f, nd.row)
	default:
		clearNulls(f.out, f.null)
		runFixed(f, nd.row)
	}
}

// strictNulls merges the NULLs of the arguments; nil if there is none.
func (v *Evaluator) strictNulls(st *state, args []vec) []bool {
	var merged []bool
	for k := range args {
		null := args[k].Null
		switch {
		case null == nil:
		case args[k].mask == 0:
			if null[0] {
				merged = v.nulls(st)
				for i := range merged {
					merged[i] = true
				}
				return merged
			}
		case merged == nil:
			merged = v.nulls(st)
			copy(merged, null)
		default:
			for i, x := range null[:len(merged)] {
				merged[i] = bit(merged[i])|bit(x) != 0
			}
		}
	}
	return merged
}

// clearNulls gives the NULL cells of a fixed-width column their content, 0,
// without a branch per row.
func clearNulls(c *zset.Column, null []bool) {
	if null == nil {
		return
	}
	if c.Type.Phys() == zset.PhysF64 {
		cells := c.F64[:len(null)]
		for i, x := range null {
			cells[i] = math.Float64frombits(math.Float64bits(cells[i]) & uint64(bit(x)-1))
		}
		return
	}
	cells := c.I64[:len(null)]
	for i, x := range null {
		cells[i] &= bit(x) - 1
	}
}

// runFixed calls row for the selected rows that are not NULL. Rows from the
// least failing one on are left alone: their arguments may be garbage, and
// nobody will see their results.
func runFixed(f *frame, row rowFunc) {
	end, every := min(f.n, f.err.row), f.every()
	if f.sel == nil {
		for i := range end {
			if i&every == every {
				f.watch.poll()
			}
			if f.null == nil || !f.null[i] {
				row(f, i)
			}
		}
		return
	}
	for k, i := range f.sel {
		if int(i) >= end {
			return
		}
		if k&every == every {
			f.watch.poll()
		}
		if f.null == nil || !f.null[i] {
			row(f, int(i))
		}
	}
}

// maxBatchBytes bounds the bytes of one computed column: offsets are 32 bits.
const maxBatchBytes = 1 << 31

// runBytes is runFixed for a bytes result: unselected rows get empty cells.
func runBytes(f *frame, row rowFunc) {
	out, next, end, every := f.out, 0, min(f.n, f.err.row), f.every()
	for i := range f.n {
		if i&every == every {
			f.watch.poll()
		}
		chosen := f.sel == nil && i < end
		if next < len(f.sel) && int(f.sel[next]) == i {
			chosen = i < end
			next++
		}
		if chosen && (f.null == nil || !f.null[i]) {
			start := len(out.Buf)
			row(f, i)
			if len(out.Buf) > f.held+heavy {
				f.bound(0)
			}
			if len(out.Buf) > maxBatchBytes {
				f.fail(i, "54000", fmt.Sprintf("result of a batch exceeds %d bytes", maxBatchBytes))
				out.Buf = out.Buf[:start]
			}
		}
		out.Off = append(out.Off, uint32(len(out.Buf)))
	}
}
