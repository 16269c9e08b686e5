package algebra

import (
	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// domain is the different values of the params of an Apply: what its R is computed
// for, all at once. Its rows are told apart by identity, since R may tell 1.0 from
// 1.00: where equal values need not be identical, or may be NULL, the first column
// is the row encoding of the others.
type domain struct {
	d     *decorrelator
	a     *Apply
	keys  *Aggregate
	at    []int // column of each param; -1: R does not read it
	exact bool  // told apart by = of all columns
	size  int
	read  map[Node]bool
}

func (d *decorrelator) domain(a *Apply) *domain {
	base, params := narrowed(a.L, a.Params, calm(a.R))
	dom := &domain{d: d, a: a, exact: true, read: map[Node]bool{}, keys: &Aggregate{}}
	s := base.Schema()
	var cols []*expr.Expr
	for k, e := range params {
		dom.at = append(dom.at, -1)
		if !readsAny(a.R, a.Base+k, 1) {
			continue
		}
		dom.at[k] = len(cols)
		cols = append(cols, e)
		dom.exact = dom.exact && zset.KeyExact(e.Typ) && notNull(e, s)
		dom.keys.Names = append(dom.keys.Names, "outer")
	}
	if !dom.exact {
		dom.keys.Names = append([]string{"row"}, dom.keys.Names...)
		cols = append([]*expr.Expr{expr.RowBytes(cols)}, cols...)
		for k := range dom.at {
			if dom.at[k] >= 0 {
				dom.at[k]++
			}
		}
	}
	dom.keys.Input, dom.keys.Keys = base, cols
	dom.size = size(dom.keys)
	return dom
}

// calm reports whether nothing in n can raise.
func calm(n Node) bool {
	raises := false
	Walk(n, func(m Node) bool {
		mapExprs(m, func(e *expr.Expr) *expr.Expr {
			raises = raises || e != nil && e.Raises()
			return e
		})
		return !raises
	})
	return !raises
}

// narrowed is a node below n in which params, written over it, have the same values;
// with more, it may have others too.
func narrowed(n Node, params []*expr.Expr, more bool) (Node, []*expr.Expr) {
	reads := func(from, to int) bool { // nothing but columns from up to to of n
		for _, e := range params {
			for _, c := range e.Cols() {
				if c < outerBase && (c < from || c >= to) {
					return false
				}
			}
		}
		return true
	}
	switch m := n.(type) {
	case *Project:
		for _, e := range params {
			for _, c := range e.Cols() {
				if c < outerBase && m.Exprs[c].Op != expr.OpCol {
					return n, params
				}
			}
		}
		under := make([]*expr.Expr, len(params))
		for i, e := range params {
			under[i] = e.ReplaceCols(func(x *expr.Expr) *expr.Expr {
				if x.Col >= outerBase {
					return x
				}
				return m.Exprs[x.Col]
			})
		}
		return narrowed(m.Input, under, more)
	case *Match:
		if more {
			return narrowed(m.L, params, more)
		}
	case *Outer:
		if m.Left && !m.Right && reads(0, len(m.L.Schema())) {
			return narrowed(m.L, params, more)
		}
	case *Join:
		for _, in := range m.Ins[1:] {
			if !oneRow(in) {
				return n, params
			}
		}
		if len(m.On) == 0 && reads(0, len(m.Ins[0].Schema())) {
			return narrowed(m.Ins[0], params, more)
		}
	}
	return n, params
}

func (d *domain) width() int { return len(d.keys.Keys) }

// node is the domain, each time as nodes of its own.
func (d *domain) node() Node {
	d.d.extra += d.size
	if d.d.crowded() {
		return &Values{Fields: d.keys.Schema()}
	}
	return clone(d.keys)
}

// columns is the columns of the domain where they begin at column at.
func (d *domain) columns(at int) []*expr.Expr {
	out := make([]*expr.Expr, d.width())
	for i, k := range d.keys.Keys {
		out[i] = expr.Col(at+i, k.Typ)
	}
	return out
}

// ties is what ties the rows of L to the domain, of which the columns begin at
// column at of R.
func (d *domain) ties(at int) tieList {
	var out tieList
	cols := d.columns(at)
	if !d.exact {
		var es []*expr.Expr
		for k, e := range d.a.Params {
			if d.at[k] >= 0 {
				es = append(es, e)
			}
		}
		return tieList{equality(expr.RowBytes(es), cols[0])}
	}
	for k, e := range d.a.Params {
		if d.at[k] >= 0 {
			out = append(out, equality(e, cols[d.at[k]]))
		}
	}
	return out
}

func equality(outer, inner *expr.Expr) tie {
	return tie{eq: known("=", outer, inner), outer: outer, inner: inner}
}

// same is that two nodes, of which the columns begin at l and r, have one row of
// the domain.
func (d *domain) same(l, r int) []*expr.Expr {
	lc, rc := d.columns(l), d.columns(r)
	if !d.exact {
		return []*expr.Expr{known("=", lc[0], rc[0])}
	}
	var out []*expr.Expr
	for i := range lc {
		out = append(out, known("=", lc[i], rc[i]))
	}
	return out
}

// over is e, over a node of R, where that stands behind the domain.
func (d *domain) over(e *expr.Expr) *expr.Expr {
	return d.place(e, 0, func(c int) int { return c + d.width() })
}

// place is e with the domain at column at, and every other column c at f(c).
func (d *domain) place(e *expr.Expr, at int, f func(int) int) *expr.Expr {
	return e.ReplaceCols(func(x *expr.Expr) *expr.Expr {
		switch k := x.Col - d.a.Base; {
		case k >= 0 && k < len(d.at):
			return expr.Col(at+d.at[k], x.Typ).At(int(x.Pos))
		case x.Col < outerBase:
			return expr.Col(f(x.Col), x.Typ).At(int(x.Pos))
		}
		return x
	})
}

func (d *domain) overAll(es []*expr.Expr) []*expr.Expr {
	out := make([]*expr.Expr, len(es))
	for i, e := range es {
		out[i] = d.over(e)
	}
	return out
}

// reads reports whether n reads params.
func (d *domain) reads(n Node) bool {
	r, ok := d.read[n]
	if !ok {
		mapExprs(n, func(e *expr.Expr) *expr.Expr {
			r = r || reads(e, d.a.Base, len(d.at))
			return e
		})
		for _, in := range n.Inputs() {
			r = d.reads(in) || r
		}
		d.read[n] = r
	}
	return r
}
