package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// copyBool makes st.col an own copy of the boolean column of argument id.
func (v *Evaluator) copyBool(st *state, id int, sel []int32) {
	a := v.whole(id, sel)
	c := v.prepare(st)
	copy(c.I64, a.I64)
	if a.Null != nil {
		c.Null = v.nulls(st)
		copy(c.Null, a.Null)
	}
}

// evalJunction is AND and OR. An argument that may fail, or is dear, is computed
// only for rows that the arguments before it left open: not FALSE for AND, not
// TRUE for OR.
func evalJunction(v *Evaluator, nd *node, st *state, sel []int32) {
	v.copyBool(st, nd.args[0], sel)
	for _, id := range nd.args[1:] {
		arg := &v.p.nodes[id]
		if !arg.narrow || arg.always {
			v.join(st, nd.op, v.whole(id, sel))
			continue
		}
		st.sel[0] = openRows(st.sel[0][:0], &st.col, nd.op, sel, v.n)
		if len(st.sel[0]) == 0 {
			return
		}
		v.joinSel(st, nd.op, v.whole(id, st.sel[0]), st.sel[0])
	}
}

// openRows lists the rows of sel that the cell so far does not decide.
func openRows(dst []int32, c *zset.Column, op Op, sel []int32, n int) []int32 {
	decided := int64(0)
	if op == OpOr {
		decided = 1
	}
	if sel == nil {
		for i := range n {
			if c.I64[i] != decided || c.IsNull(i) {
				dst = append(dst, int32(i))
			}
		}
		return dst
	}
	for _, i := range sel {
		if c.I64[i] != decided || c.IsNull(int(i)) {
			dst = append(dst, i)
		}
	}
	return dst
}

// join merges b into st.col, all rows.
func (v *Evaluator) join(st *state, op Op, b *zset.Column) {
	c := &st.col
	if c.Null == nil && b.Null == nil {
		x, y := c.I64[:v.n], b.I64[:v.n]
		if op == OpAnd {
			for i := range x {
				x[i] &= y[i]
			}
		} else {
			for i := range x {
				x[i] |= y[i]
			}
		}
		return
	}
	if c.Null == nil {
		c.Null = v.nulls(st)
	}
	for i := range v.n {
		joinCell(c, b, op, i)
	}
}

func (v *Evaluator) joinSel(st *state, op Op, b *zset.Column, sel []int32) {
	if st.col.Null == nil {
		st.col.Null = v.nulls(st)
	}
	for _, i := range sel {
		joinCell(&st.col, b, op, int(i))
	}
}

// joinCell is the truth table, without a branch: the content of a NULL is 0, so
// AND is TRUE where both contents are 1, and OR where one is. AND is NULL where
// one side is and none is FALSE, OR where one side is and none is TRUE.
func joinCell(c, b *zset.Column, op Op, i int) {
	x, y, xn, yn := c.I64[i], b.I64[i], bit(c.Null[i]), int64(0)
	if b.Null != nil {
		yn = bit(b.Null[i])
	}
	if op == OpAnd {
		c.I64[i] = x & y
		c.Null[i] = (xn|yn)&(x|xn)&(y|yn) != 0
	} else {
		c.I64[i] = x | y
		c.Null[i] = (xn|yn)&^(x|y) != 0
	}
}

func evalNot(v *Evaluator, nd *node, st *state, sel []int32) {
	v.copyBool(st, nd.args[0], sel)
	c := &st.col
	for i := range c.I64 {
		c.I64[i] ^= 1
	}
	clearNulls(c, c.Null)
}

func evalIsNull(v *Evaluator, nd *node, st *state, sel []int32) {
	a := v.whole(nd.args[0], sel)
	c := v.prepare(st)
	is := int64(0)
	if nd.op == OpIsNull {
		is = 1
	}
	for i := range c.I64 {
		c.I64[i] = 1 - is
	}
	for i, null := range a.Null {
		if null {
			c.I64[i] = is
		}
	}
}

// evalCase picks an arm for every row, computing each condition only for rows
// still without an arm and each arm only for its rows.
func evalCase(v *Evaluator, nd *node, st *state, sel []int32) {
	last := len(nd.args) - 1
	m := v.startMerge(st)
	rest, spare := v.allRows(st.sel[0][:0], sel), st.sel[1][:0]
	taken := st.sel[2][:0]
	for k := 0; k+1 < len(nd.args) && len(rest) > 0; k += 2 {
		cond := v.whole(nd.args[k], rest)
		taken, spare = split(rest, taken, spare, func(i int32) int64 { return cond.I64[i] })
		rest, spare = spare, rest
		if len(taken) > 0 {
			m.take(v.vec(nd.args[k+1], taken), taken)
		}
	}
	if len(rest) > 0 {
		m.take(v.vec(nd.args[last], rest), rest)
	}
	m.finish()
	st.sel[0], st.sel[1], st.sel[2] = rest, spare, taken
}

// evalCoalesce takes the first argument that is not NULL.
func evalCoalesce(v *Evaluator, nd *node, st *state, sel []int32) {
	m := v.startMerge(st)
	rest, spare, taken := v.allRows(st.sel[0][:0], sel), st.sel[1][:0], st.sel[2][:0]
	for k, id := range nd.args {
		if len(rest) == 0 {
			break
		}
		a := v.vec(id, rest)
		null := a.Null
		if null == nil {
			taken, spare = append(taken[:0], rest...), spare[:0]
		} else {
			taken, spare = split(rest, taken, spare, func(i int32) int64 { return 1 - bit(null[int(i)&a.mask]) })
		}
		if k == len(nd.args)-1 {
			taken = append(taken[:0], rest...)
		}
		if len(taken) > 0 {
			m.take(a, taken)
		}
		rest, spare = spare, rest
	}
	m.finish()
	st.sel[0], st.sel[1], st.sel[2] = rest, spare, taken
}

// split deals the rows of sel to two lists by a bit, without a branch per row.
func split(sel, ones, zeros []int32, bitOf func(int32) int64) ([]int32, []int32) {
	ones, zeros = grow(ones, len(sel)), grow(zeros, len(sel))
	k := 0
	for j, i := range sel {
		ones[k], zeros[j-k] = i, i
		k += int(bitOf(i))
	}
	return ones[:k], zeros[:len(sel)-k]
}

// allRows is sel, or all rows, in memory that may be overwritten.
func (v *Evaluator) allRows(dst []int32, sel []int32) []int32 {
	if sel != nil {
		return append(dst, sel...)
	}
	dst = grow(dst, v.n)
	for i := range dst {
		dst[i] = int32(i)
	}
	return dst
}

// merge builds a column whose cells come from several columns. Fixed-width
// cells are copied at once; for bytes it notes the source of each row and
// copies at the end, because cells have to be appended in order.
type merge struct {
	v    *Evaluator
	st   *state
	srcs []vec
}

func (v *Evaluator) startMerge(st *state) merge {
	c := v.prepare(st)
	if c.Type.Phys() == zset.PhysBytes {
		st.choice = grow(st.choice, v.n)
		for i := range st.choice {
			st.choice[i] = -1
		}
	}
	return merge{v: v, st: st, srcs: st.frame.args[:0]}
}

// take takes the cells of rows from a, which stays as it is until finish.
func (m *merge) take(a vec, rows []int32) {
	c := &m.st.col
	if a.Null != nil && c.Null == nil {
		c.Null = m.v.nulls(m.st)
	}
	if a.Null != nil {
		for _, i := range rows {
			c.Null[i] = a.Null[int(i)&a.mask]
		}
	}
	switch c.Type.Phys() {
	case zset.PhysI64:
		for _, i := range rows {
			c.I64[i] = a.I64[int(i)&a.mask]
		}
	case zset.PhysF64:
		for _, i := range rows {
			c.F64[i] = a.F64[int(i)&a.mask]
		}
	default:
		for _, i := range rows {
			m.st.choice[i] = int32(len(m.srcs))
		}
		m.srcs = append(m.srcs, a)
	}
}

func (m *merge) finish() {
	c := &m.st.col
	m.st.frame.args = m.srcs
	if c.Type.Phys() != zset.PhysBytes {
		return
	}
	for i, k := range m.st.choice {
		if k >= 0 {
			a := &m.srcs[k]
			c.Buf = append(c.Buf, a.Column.Bytes(i&a.mask)...)
		}
		c.Off = append(c.Off, uint32(len(c.Buf)))
	}
}

// evalExtreme is GREATEST and LEAST: NULLs do not count; the first of equals stays.
func evalExtreme(v *Evaluator, nd *node, st *state, sel []int32) {
	m := v.startMerge(st)
	want := 1
	if nd.op == OpLeast {
		want = -1
	}
	rows := v.allRows(st.sel[0][:0], sel)
	best := grow(st.best, v.n)
	for i := range best {
		best[i] = 0
	}
	args := st.args[:0]
	for _, id := range nd.args {
		args = append(args, v.vec(id, sel))
	}
	for k := 1; k < len(args); k++ {
		for _, i := range rows {
			b := int(best[i])
			switch {
			case args[k].null(int(i)):
			case args[b].null(int(i)), compareCells(&args[k], &args[b], int(i)) == want:
				best[i] = int32(k)
			}
		}
	}
	taken := st.sel[1]
	for k := range args {
		taken = taken[:0]
		for _, i := range rows {
			if int(best[i]) == k {
				taken = append(taken, i)
			}
		}
		if len(taken) > 0 {
			m.take(args[k], taken)
		}
	}
	m.finish()
	st.sel[0], st.sel[1], st.best, st.args = rows, taken, best, args
}

func (a *vec) null(i int) bool { return a.Null != nil && a.Null[i&a.mask] }
