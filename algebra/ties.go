package algebra

import (
	"strings"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// tie is a condition between the rows of L and R of an Apply: an equality of an
// expression over each, or any condition over both.
type tie struct {
	eq           *expr.Expr // the equality, of other sides; nil: cond
	turned       bool       // inner stands to the left
	outer, inner *expr.Expr
	cond         *expr.Expr
}

type tieList []tie

func (t tie) expr() *expr.Expr {
	if t.eq == nil {
		return t.cond
	}
	e := *t.eq
	e.Args = []*expr.Expr{t.outer, t.inner}
	if t.turned {
		e.Args = []*expr.Expr{t.inner, t.outer}
	}
	return &e
}

// conds is the ties as conjuncts.
func (ts tieList) conds() []*expr.Expr {
	var out []*expr.Expr
	for _, t := range ts {
		out = append(out, t.expr())
	}
	return out
}

// shifted is equalities with R behind width columns.
func (ts tieList) shifted(width int) tieList {
	out := make(tieList, len(ts))
	for i, t := range ts {
		t.inner = t.inner.MapCols(func(c int) int { return moved(c, width) })
		out[i] = t
	}
	return out
}

// moved is column c of a node that stands behind by others; a column of a query
// around stays.
func moved(c, by int) int {
	if c >= outerBase {
		return c
	}
	return c + by
}

// over is the ties of a with its params in place; with keys, what is over R stays
// so, else R stands behind width columns of L.
func (ts tieList) over(a *Apply, width int, keys bool) tieList {
	out := make(tieList, len(ts))
	for i, t := range ts {
		if t.eq == nil {
			t.cond = a.beside(t.cond, width)
		} else {
			t.outer = a.beside(t.outer, width)
		}
		out[i] = t
	}
	if keys {
		return out
	}
	for i, t := range out {
		if t.eq != nil {
			out[i] = tieList{t}.shifted(width)[0]
		}
	}
	return out
}

// puller takes the conditions that read the n params from base on out of the R of
// an Apply. With keys, only equalities of an expression over the params and one
// over R will do.
type puller struct {
	base, n int
	keys    bool
}

func (p *puller) reads(e *expr.Expr) bool { return reads(e, p.base, p.n) }

func (p *puller) any(es []*expr.Expr) bool {
	for _, e := range es {
		if p.reads(e) {
			return true
		}
	}
	return false
}

// pull is n without the conditions that read params, which it returns. It has the
// columns of n, and behind them those that the conditions read. Not ok: n reads
// params in other ways, or an expression that can raise would see rows that the
// conditions keep from it.
func (p *puller) pull(n Node) (m Node, ts tieList, ok bool) {
	if !readsAny(n, p.base, p.n) {
		return n, nil, true
	}
	switch n := n.(type) {
	case *Filter:
		return p.filter(n)
	case *Project:
		if p.any(n.Exprs) || raisesAny(n.Exprs) {
			return nil, nil, false
		}
		in, ts, ok := p.pull(n.Input)
		if !ok {
			return nil, nil, false
		}
		out := &Project{Input: in, Exprs: n.Exprs[:len(n.Exprs):len(n.Exprs)], Names: n.Names[:len(n.Names):len(n.Names)]}
		return out, p.show(out, ts), true
	case *Sort:
		return p.pull(n.Input)
	case *Join:
		return p.join(n)
	case *Outer:
		if !n.Left || n.Right || p.any(n.On) || readsAny(n.R, p.base, p.n) || raisesAny(n.On) {
			return nil, nil, false
		}
		return p.left(n, len(n.R.Schema()))
	case *Match:
		if p.any(n.On) || readsAny(n.R, p.base, p.n) || raisesAny(n.On) {
			return nil, nil, false
		}
		return p.left(n, 0)
	case *Aggregate:
		return p.aggregate(n)
	}
	return nil, nil, false
}

func raisesAny(es []*expr.Expr) bool {
	for _, e := range es {
		if e.Raises() || e.Volatile() {
			return true
		}
	}
	return false
}

func (p *puller) filter(n *Filter) (Node, tieList, bool) {
	tied, own := split(conjuncts(n.Pred), p.reads)
	if raisesAny(tied) || raisesAny(own) {
		return nil, nil, false
	}
	in, ts, ok := p.pull(n.Input)
	if !ok {
		return nil, nil, false
	}
	m := filtered(in, own)
	for _, c := range tied {
		t, ok := p.tie(c)
		if !ok {
			return nil, nil, false
		}
		ts = append(ts, t)
	}
	return m, ts, true
}

// tie is c as a tie. What reads params alone is equal to a column that is TRUE.
func (p *puller) tie(c *expr.Expr) (tie, bool) {
	inner := func(e *expr.Expr) bool { // reads columns of R
		cols := e.Cols()
		return len(cols) > 0 && cols[0] < outerBase
	}
	if !inner(c) {
		t := expr.Const(zset.BoolValue(true))
		return tie{eq: known("=", c, t), outer: c, inner: t}, true
	}
	if isComparison(c) && strings.HasPrefix(c.Fn, "=(") {
		l, r := c.Args[0], c.Args[1]
		switch {
		case !inner(l) && !p.reads(r):
			return tie{eq: c, outer: l, inner: r}, true
		case !inner(r) && !p.reads(l):
			return tie{eq: c, turned: true, outer: r, inner: l}, true
		}
	}
	return tie{cond: c}, !p.keys
}

// show makes columns of n of what the ties, over its input, read there.
func (p *puller) show(n *Project, ts tieList) tieList {
	in := n.Input.Schema()
	add := func(e *expr.Expr, name string) *expr.Expr {
		n.Exprs, n.Names = append(n.Exprs, e), append(n.Names, name)
		return expr.Col(len(n.Exprs)-1, e.Typ).At(int(e.Pos))
	}
	out := make(tieList, len(ts))
	for i, t := range ts {
		switch {
		case t.eq == nil:
			places := map[int]*expr.Expr{}
			t.cond = t.cond.ReplaceCols(func(x *expr.Expr) *expr.Expr {
				if x.Col >= outerBase {
					return x
				}
				if places[x.Col] == nil {
					places[x.Col] = add(expr.Col(x.Col, x.Typ), in[x.Col].Name)
				}
				return places[x.Col].At(int(x.Pos))
			})
		case t.inner.Op == expr.OpCol:
			t.inner = add(t.inner, in[t.inner.Col].Name)
		default:
			t.inner = add(t.inner, "key")
		}
		out[i] = t
	}
	return out
}

// join takes the conditions out of a join and its inputs. The columns that come
// to an input stand behind all others.
func (p *puller) join(n *Join) (Node, tieList, bool) {
	if raisesAny(n.On) {
		return nil, nil, false
	}
	out := &Join{}
	off := n.Offsets()
	var ts tieList
	places := make([]int, 0, off[len(n.Ins)]) // of the columns of n
	at := 0
	for k, in := range n.Ins {
		m, its, ok := p.pull(in)
		if !ok {
			return nil, nil, false
		}
		for i := range off[k+1] - off[k] {
			places = append(places, at+i)
		}
		ts = append(ts, its.moved(at)...)
		out.Ins = append(out.Ins, m)
		at += len(m.Schema())
	}
	place := func(c int) int {
		if c >= outerBase {
			return c
		}
		return places[c]
	}
	for _, on := range n.On {
		for _, c := range conjuncts(on) {
			c = c.MapCols(place)
			if !p.reads(c) {
				out.On = append(out.On, c)
				continue
			}
			t, ok := p.tie(c)
			if !ok {
				return nil, nil, false
			}
			ts = append(ts, t)
		}
	}
	m, ts := p.behind(out, places, ts)
	return m, ts, true
}

// moved is the ties over a node that stands behind by columns.
func (ts tieList) moved(by int) tieList {
	out := make(tieList, len(ts))
	for i, t := range ts {
		if t.eq == nil {
			t.cond = t.cond.MapCols(func(c int) int { return moved(c, by) })
			out[i] = t
			continue
		}
		out[i] = tieList{t}.shifted(by)[0]
	}
	return out
}

// behind is n with its columns at places, and what the ties read behind them.
func (p *puller) behind(n Node, places []int, ts tieList) (Node, tieList) {
	s := n.Schema()
	out := &Project{Input: n}
	for _, c := range places {
		out.Exprs, out.Names = append(out.Exprs, expr.Col(c, s[c].Type)), append(out.Names, s[c].Name)
	}
	ts = p.show(out, ts)
	return out, ts
}

// left takes the conditions out of the first input of n, whose rows all have their
// own fate; n shows so many columns of its second.
func (p *puller) left(n Node, others int) (Node, tieList, bool) {
	ins := n.Inputs()
	l, ts, ok := p.pull(ins[0])
	if !ok {
		return nil, nil, false
	}
	was, is := len(ins[0].Schema()), len(l.Schema())
	place := func(c int) int {
		if c >= was && c < outerBase {
			return c + is - was
		}
		return c
	}
	var on []*expr.Expr
	if o, ok := n.(*Outer); ok {
		on = o.On
	} else {
		on = n.(*Match).On
	}
	moved := make([]*expr.Expr, len(on))
	for i, c := range on {
		moved[i] = c.MapCols(place)
	}
	m, ts := p.behind(onOver(n, l, ins[1], moved), append(span(0, was), span(is, is+others)...), ts)
	return m, ts, true
}

// aggregate groups by what the rows are tied by too. Only equalities have one value
// for a group.
func (p *puller) aggregate(n *Aggregate) (Node, tieList, bool) {
	var es []*expr.Expr
	for _, a := range n.Aggs {
		es = append(es, a.Exprs()...)
	}
	es = append(es, n.Keys...)
	for _, e := range es {
		if e != nil && (p.reads(e) || e.Raises() || e.Volatile()) {
			return nil, nil, false
		}
	}
	if n.Global {
		return nil, nil, false
	}
	in, ts, ok := (&puller{base: p.base, n: p.n, keys: true}).pull(n.Input)
	if !ok {
		return nil, nil, false
	}
	keys := len(n.Keys)
	out := &Aggregate{Input: in, Keys: n.Keys[:keys:keys], Aggs: n.Aggs, Names: n.Names[:keys:keys]}
	for i := range ts {
		out.Keys, out.Names = append(out.Keys, ts[i].inner), append(out.Names, "key")
		ts[i].inner = expr.Col(keys+i, ts[i].inner.Typ)
	}
	out.Names = append(out.Names, n.Names[keys:]...)
	m, ts := p.behind(out, append(span(0, keys), span(keys+len(ts), len(out.Names))...), ts)
	return m, ts, true
}
