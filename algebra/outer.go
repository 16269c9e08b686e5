package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Outer is an outer join of two inputs: the pairs for which every conjunct of On
// is TRUE, as in a Join; with Left, each row of L without such a pair, padded
// with NULLs; with Right, each such row of R. A pair's weight is the product, a
// padded row keeps its own.
type Outer struct {
	L, R        Node
	On          []*expr.Expr // over the columns of L, then those of R
	Left, Right bool

	memo schemaMemo
}

// Schema is the columns of L, then of R; those of a side that can be padded may
// be NULL.
func (j *Outer) Schema() zset.Schema {
	l, r := j.L.Schema(), j.R.Schema()
	if s := j.memo.of(l, r, nil, nil); s != nil {
		return s
	}
	s := make(zset.Schema, 0, len(l)+len(r))
	for _, f := range l {
		f.NotNull = f.NotNull && !j.Right
		s = append(s, f)
	}
	for _, f := range r {
		f.NotNull = f.NotNull && !j.Left
		s = append(s, f)
	}
	return j.memo.keep(l, r, nil, nil, s)
}

// Inputs is L and R.
func (j *Outer) Inputs() []Node { return []Node{j.L, j.R} }

func (j *Outer) with(ins []Node) Node {
	return &Outer{L: ins[0], R: ins[1], On: j.On, Left: j.Left, Right: j.Right}
}

func (j *Outer) eval(o *oracle) (*zset.Batch, error) {
	p, err := o.pairs(j.L, j.R, j.On)
	if err != nil {
		return nil, err
	}
	out := zset.NewBatch(j.Schema().Types(), 0)
	right := make([]bool, p.r.N)
	nl, nr := nulls(j.L.Schema()), nulls(j.R.Schema())
	for i := range p.l.N {
		left := false
		for k := range p.r.N {
			ok, err := p.holds(i, k)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			left, right[k] = true, true
			w, err := product(p.l.Weight(i), p.r.Weight(k))
			if err != nil {
				return nil, err
			}
			appendRow(out, p.row(p.left[i], p.right[k]), w)
		}
		if j.Left && !left {
			appendRow(out, p.row(p.left[i], nr), p.l.Weight(i))
		}
	}
	for k := range p.r.N {
		if j.Right && !right[k] {
			appendRow(out, p.row(nl, p.right[k]), p.r.Weight(k))
		}
	}
	return out, nil
}

// nulls is one row of NULLs.
func nulls(s zset.Schema) []zset.Column {
	cols := make([]zset.Column, len(s))
	for i, f := range s {
		cols[i] = zset.NewColumn(f.Type, 1)
		cols[i].AppendValue(zset.NullOf(f.Type))
	}
	return cols
}

func (j *Outer) line() string {
	kind := "full"
	switch {
	case !j.Right:
		kind = "left"
	case !j.Left:
		kind = "right"
	}
	if len(j.On) == 0 {
		return kind + " join"
	}
	col := columns(&Join{Ins: j.Inputs()})
	return kind + " join on " + list(len(j.On), " and ", func(i int) string { return j.On[i].Format(col) })
}

// pairs is the rows of two inputs and the question which belong together.
type pairs struct {
	l, r        *zset.Batch
	left, right [][]zset.Column // their rows
	on          []rowwise       // those that can raise last: they see what the others let through
	both        []zset.Column   // the pair at hand
}

// rowsOf is the rows of b, each as columns of one cell: many loops read them, and
// each is cut out once.
func rowsOf(b *zset.Batch) [][]zset.Column {
	rows := make([][]zset.Column, b.N)
	for i := range rows {
		rows[i] = b.Slice(i, i+1).Cols
	}
	return rows
}

func (o *oracle) pairs(l, r Node, on []*expr.Expr) (p pairs, err error) {
	if p.l, err = o.set(l); err != nil {
		return p, err
	}
	if p.r, err = o.set(r); err != nil {
		return p, err
	}
	p.left, p.right = rowsOf(p.l), rowsOf(p.r)
	calm, raising := split(on, func(e *expr.Expr) bool { return !e.Raises() })
	for _, e := range append(calm, raising...) {
		run, err := newRowwise([]*expr.Expr{e})
		if err != nil {
			return p, err
		}
		p.on = append(p.on, run)
	}
	return p, nil
}

// row is l and r side by side, valid until the next call.
func (p *pairs) row(l, r []zset.Column) []zset.Column {
	p.both = append(append(p.both[:0], l...), r...)
	return p.both
}

// holds reports whether every conjunct is TRUE for rows i and k.
func (p *pairs) holds(i, k int) (bool, error) {
	b := &zset.Batch{Cols: p.row(p.left[i], p.right[k]), N: 1}
	for _, c := range p.on {
		v, err := c.v.Eval(b)
		if err != nil {
			return false, err
		}
		if !isTrue(&v[0]) {
			return false, nil
		}
	}
	return true, nil
}
