package expr

import (
	"github.com/ivmc/ivmc/zset"
)

// Filter appends to sel the positions, ascending, of the rows for which the
// program's one boolean expression is TRUE. A conjunction is taken one conjunct
// after the other, each over the rows that are left: a row for which a conjunct
// is FALSE or NULL is spared the errors of those after it. Errors as for Eval.
func (v *Evaluator) Filter(b *zset.Batch, sel []int32) (out []int32, err error) {
	defer caught(&err)
	if err := v.begin(b); err != nil {
		return sel, err
	}
	start := len(sel)
	sel = v.filter(v.p.roots[0], nil, sel)
	if err := v.failed(); err != nil {
		return sel[:start], err
	}
	return sel, nil
}

// filter appends the rows of in (nil: all) for which node id is TRUE.
func (v *Evaluator) filter(id int, in, out []int32) []int32 {
	nd := &v.p.nodes[id]
	switch nd.op {
	case OpAnd:
		return v.filterAnd(nd, in, out)
	case OpCall:
		if res, ok := v.filterCompare(nd, in, out); ok {
			return res
		}
	}
	c := v.whole(id, in)
	start := len(out)
	out = reserve(out, v.count(in))
	k := start
	buf := out[:cap(out)]
	if in == nil {
		for i, x := range c.I64[:v.n] {
			buf[k] = int32(i)
			k += int(x & 1)
		}
	} else {
		for _, i := range in {
			buf[k] = i
			k += int(c.I64[i] & 1)
		}
	}
	return buf[:k]
}

// filterAnd narrows the selection by every conjunct in turn. The last one
// writes to out, the others to two buffers in turn.
func (v *Evaluator) filterAnd(nd *node, in, out []int32) []int32 {
	last := len(nd.args) - 1
	for k, id := range nd.args[:last] {
		buf := v.sels[k&1][:0]
		buf = v.filter(id, in, buf)
		v.sels[k&1] = buf
		if len(buf) == 0 {
			return out
		}
		in = buf
	}
	return v.filter(nd.args[last], in, out)
}

func (v *Evaluator) count(in []int32) int {
	if in == nil {
		return v.n
	}
	return len(in)
}

// reserve makes room for n more positions and one past them.
func reserve(s []int32, n int) []int32 {
	if cap(s)-len(s) > n {
		return s
	}
	r := make([]int32, len(s), len(s)+n+n/8+1)
	copy(r, s)
	return r
}

// filterCompare serves a comparison of a fixed-width column with a constant or
// another column: straight into the selection, without a boolean column.
func (v *Evaluator) filterCompare(nd *node, in, out []int32) ([]int32, bool) {
	op, ok := cmpOps[nd.fn.Name]
	if !ok || len(nd.args) != 2 {
		return out, false
	}
	x, y := &v.p.nodes[nd.args[0]], &v.p.nodes[nd.args[1]]
	if x.op == OpConst {
		x, y, op = y, x, op.flip()
	}
	if x.op != OpCol || y.op != OpConst && y.op != OpCol || !sameForm(x.typ, y.typ) {
		return out, false
	}
	a := &v.b.Cols[x.col]
	if y.op == OpCol {
		b := &v.b.Cols[y.col]
		switch x.typ.Phys() {
		case zset.PhysI64:
			out = reserve(out, v.count(in))
			start := len(out)
			out = selectColumns(a.I64[:v.n], b.I64[:v.n], op, in, out)
			return dropNulls(dropNulls(out, start, a.Null), start, b.Null), true
		}
		return out, false
	}
	if y.konst.Null != nil {
		return out, true // a comparison with NULL is never TRUE
	}
	start := len(out)
	switch {
	case x.typ.Phys() == zset.PhysI64:
		out = selectConst(a.I64[:v.n], y.konst.I64[0], op, in, reserve(out, v.count(in)))
	case x.typ.Phys() == zset.PhysF64 && y.konst.F64[0] == y.konst.F64[0]:
		out = selectConst(a.F64[:v.n], y.konst.F64[0], op, in, reserve(out, v.count(in)))
	default:
		return out, false
	}
	return dropNulls(out, start, a.Null), true
}

// dropNulls removes the positions from start on that are NULL.
func dropNulls(sel []int32, start int, null []bool) []int32 {
	if null == nil {
		return sel
	}
	k := start
	for _, i := range sel[start:] {
		sel[k] = i
		k += 1 - int(bit(null[i]))
	}
	return sel[:k]
}

// selectConst appends the positions whose cell compares so with c, without a
// branch per row. out has room for all of them and one more.
func selectConst[T int64 | float64](a []T, c T, op cmpOp, in, out []int32) []int32 {
	k := 0
	buf := out[len(out):cap(out)]
	if in != nil {
		return out[:len(out)+selectConstIn(a, c, op, in, buf)]
	}
	switch op {
	case lt:
		for i, x := range a {
			buf[k] = int32(i)
			k += int(bit(x < c))
		}
	case le:
		for i, x := range a {
			buf[k] = int32(i)
			k += int(bit(x <= c))
		}
	case eq:
		for i, x := range a {
			buf[k] = int32(i)
			k += int(bit(x == c))
		}
	case ne:
		for i, x := range a {
			buf[k] = int32(i)
			k += int(bit(x != c))
		}
	case ge:
		for i, x := range a {
			buf[k] = int32(i)
			k += int(bit(!(x < c)))
		}
	case gt:
		for i, x := range a {
			buf[k] = int32(i)
			k += int(bit(!(x <= c)))
		}
	}
	return out[:len(out)+k]
}

func selectConstIn[T int64 | float64](a []T, c T, op cmpOp, in, buf []int32) (k int) {
	less, equal, greater := bit(op&isLess != 0), bit(op&isEqual != 0), bit(op&isGreater != 0)
	for _, i := range in {
		x := a[i]
		buf[k] = i
		l, e := bit(x < c), bit(x == c)
		k += int(l&less | e&equal | (1-l-e)&greater)
	}
	return k
}

func selectColumns(a, b []int64, op cmpOp, in, out []int32) []int32 {
	less, equal, greater := bit(op&isLess != 0), bit(op&isEqual != 0), bit(op&isGreater != 0)
	k, buf := 0, out[len(out):cap(out)]
	if in == nil {
		b = b[:len(a)]
		for i, x := range a {
			y := b[i]
			buf[k] = int32(i)
			l, e := bit(x < y), bit(x == y)
			k += int(l&less | e&equal | (1-l-e)&greater)
		}
		return out[:len(out)+k]
	}
	for _, i := range in {
		x, y := a[i], b[i]
		buf[k] = i
		l, e := bit(x < y), bit(x == y)
		k += int(l&less | e&equal | (1-l-e)&greater)
	}
	return out[:len(out)+k]
}
