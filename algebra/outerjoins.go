package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/expr"
)

// pushConjunctIntoOuter (PushConjunctIntoOuter) filters the side of an outer,
// semi or anti join whose unmatched rows do not show by the conjuncts of ON that
// read it alone. Legal because such a row only counts where it matches; those
// that can raise stay. Must not fire:
//
//	SELECT * FROM t LEFT JOIN u ON t.k = u.k AND t.a > 0   -- rows of t stay, padded
func pushConjunctIntoOuter(n Node) Node {
	var l, r Node
	var on []*expr.Expr
	var padL, padR bool
	switch n := n.(type) {
	case *Outer:
		l, r, on, padL, padR = n.L, n.R, n.On, n.Left, n.Right
	case *Match:
		l, r, on, padL = n.L, n.R, n.On, n.Anti
	default:
		return n
	}
	width := len(l.Schema())
	var toL, toR, stay []*expr.Expr
	for _, c := range on {
		cols := c.Cols()
		switch {
		case !fixed(c) || len(cols) == 0:
			stay = append(stay, c)
		case !padR && cols[0] >= width:
			toR = append(toR, c.MapCols(func(i int) int { return i - width }))
		case !padL && cols[len(cols)-1] < width:
			toL = append(toL, c)
		default:
			stay = append(stay, c)
		}
	}
	if len(toL)+len(toR) == 0 {
		return n
	}
	return onOver(n, filtered(l, toL), filtered(r, toR), stay)
}

// onOver is an outer, semi or anti join over other inputs, with other conjuncts.
func onOver(n Node, l, r Node, on []*expr.Expr) Node {
	if o, ok := n.(*Outer); ok {
		return &Outer{L: l, R: r, On: on, Left: o.Left, Right: o.Right}
	}
	return &Match{L: l, R: r, On: on, Anti: n.(*Match).Anti}
}

// pushFilterBelowOuter (PushFilterBelowOuter) filters the side of a left or right
// join, or the left side of a semi or anti join, that shows all its rows as they
// are. Legal because every row of the result carries one row of that side, and
// the fate of one does not touch another. Must not fire:
//
//	SELECT * FROM t LEFT JOIN u ON t.k = u.k WHERE u.a > 0   -- a padded row has no u
//	SELECT * FROM t LEFT JOIN u ON 1 / t.a = u.a WHERE ..    -- it may, and spares an error
func pushFilterBelowOuter(n Node) Node {
	f, ok := n.(*Filter)
	if !ok {
		return n
	}
	var left, right bool // which side may be filtered
	var on []*expr.Expr
	switch j := f.Input.(type) {
	case *Outer:
		left, right, on = !j.Right, !j.Left, j.On
	case *Match:
		left, on = true, j.On
	default:
		return n
	}
	ins := f.Input.Inputs()
	width := len(ins[0].Schema())
	var toL, toR, stay []*expr.Expr
	for _, c := range conjuncts(f.Pred) {
		cols := c.Cols()
		switch {
		case !fixed(c) || len(cols) == 0:
			stay = append(stay, c)
		case left && cols[len(cols)-1] < width:
			toL = append(toL, c)
		case right && cols[0] >= width:
			toR = append(toR, c.MapCols(func(i int) int { return i - width }))
		default:
			stay = append(stay, c)
		}
	}
	if len(toL)+len(toR) == 0 {
		return n
	}
	return filtered(onOver(f.Input, filtered(ins[0], toL), filtered(ins[1], toR), on), stay)
}

// pruneSides prunes the inputs of an outer, semi or anti join. All columns of the
// sides that the rows of the result are told apart by may be read: ON, and what
// is above.
func pruneSides(n Node, on []*expr.Expr, need []bool) (Node, columnMap) {
	ins := n.Inputs()
	wl, wr := len(ins[0].Schema()), len(ins[1].Schema())
	all := make([]bool, wl+wr)
	copy(all, need)
	want(all, on...)
	l, lm := prune(ins[0], all[:wl])
	r, rm := prune(ins[1], all[wl:])
	m := slices.Clone(lm)
	at := len(l.Schema())
	for _, p := range rm {
		if p >= 0 {
			p += at
		}
		m = append(m, p)
	}
	if l == ins[0] && r == ins[1] {
		return n, m[:len(need)]
	}
	var out []*expr.Expr
	for _, c := range on {
		out = append(out, c.MapCols(m.of))
	}
	return onOver(n, l, r, out), m[:len(need)]
}
