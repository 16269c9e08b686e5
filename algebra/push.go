package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// push is the rows of n for every row of the domain, beside it: the columns of the
// domain, then those of n, which reads the domain's columns for the params.
func (d *domain) push(n Node) Node {
	if !d.reads(n) || d.d.crowded() {
		return &Join{Ins: []Node{d.node(), n}}
	}
	switch n := n.(type) {
	case *Filter:
		return &Filter{Input: d.push(n.Input), Pred: d.over(n.Pred)}
	case *Project:
		return d.project(d.push(n.Input), d.overAll(n.Exprs), n.Names)
	case *Values:
		return d.values(n)
	case *Join:
		return d.join(n)
	case *Outer:
		return d.outer(n)
	case *Match:
		l := d.push(n.L)
		r, on := d.second(l, n.L, n.R, n.On)
		return &Match{L: l, R: r, On: on, Anti: n.Anti}
	case *UnionAll:
		ins := make([]Node, len(n.Ins))
		for i, in := range n.Ins {
			ins[i] = d.push(in)
		}
		return &UnionAll{Ins: ins}
	case *Aggregate:
		return d.aggregate(n)
	case *GroupingSets:
		return d.push(n.Sum())
	case *Combine:
		return &Combine{L: d.push(n.L), R: d.push(n.R), Except: n.Except, All: n.All}
	case *Window:
		return d.window(n)
	case *Unnest:
		out := *n
		out.Input, out.Lists = d.push(n.Input), d.overAll(n.Lists)
		return &out
	case *Sort:
		return d.push(n.Input)
	case *Limit:
		t, ord, _ := d.list(n)
		return first(t, ord)
	}
	return &Join{Ins: []Node{d.node(), n}}
}

// project is the domain's columns of t, and es.
func (d *domain) project(t Node, es []*expr.Expr, names []string) *Project {
	return &Project{Input: t, Exprs: append(d.columns(0), es...), Names: append(slices.Clone(d.keys.Names), names...)}
}

func (d *domain) values(n *Values) Node {
	names := make([]string, len(n.Fields))
	for i, f := range n.Fields {
		names[i] = f.Name
	}
	u := &UnionAll{}
	for _, row := range n.Rows {
		u.Ins = append(u.Ins, d.project(d.node(), d.overAll(row), names))
	}
	if len(u.Ins) == 1 {
		return u.Ins[0]
	}
	return u
}

// join pushes the domain into the inputs that read it: their rows belong together
// where they are for one row of it.
func (d *domain) join(n *Join) Node {
	out := &Join{}
	var places, doms []int
	at := 0
	add := func(in Node) {
		out.Ins = append(out.Ins, in)
		at += len(in.Schema())
	}
	if !slices.ContainsFunc(n.Ins, d.reads) {
		doms = []int{0}
		add(d.node())
	}
	for _, in := range n.Ins {
		width := len(in.Schema())
		if d.reads(in) {
			in = d.push(in)
			doms = append(doms, at)
		}
		places = append(places, span(at+len(in.Schema())-width, at+len(in.Schema()))...)
		add(in)
	}
	for _, other := range doms[1:] {
		out.On = append(out.On, d.same(doms[0], other)...)
	}
	for _, c := range n.On {
		out.On = append(out.On, d.place(c, doms[0], func(i int) int { return places[i] }))
	}
	return picked(out, append(span(doms[0], doms[0]+d.width()), places...))
}

// picked is n with the columns at, in that order.
func picked(n Node, at []int) Node {
	s := n.Schema()
	p := &Project{Input: n}
	for _, c := range at {
		p.Exprs, p.Names = append(p.Exprs, expr.Col(c, s[c].Type)), append(p.Names, s[c].Name)
	}
	return p
}

// second is the other input of a join of l, which has been pushed into and was
// was, and the conditions of the join.
func (d *domain) second(l, was, r Node, on []*expr.Expr) (Node, []*expr.Expr) {
	lw, w := len(was.Schema()), len(l.Schema())
	shift := w - lw // of columns of r
	var conds []*expr.Expr
	if d.reads(r) {
		r = d.push(r)
		conds = d.same(0, w)
		shift += d.width()
	}
	for _, c := range on {
		conds = append(conds, d.place(c, 0, func(i int) int {
			if i < lw {
				return i + d.width()
			}
			return i + shift
		}))
	}
	return r, conds
}

// outer pushes into the side whose rows all show, and into the other if it reads.
func (d *domain) outer(n *Outer) Node {
	lw, rw, w := len(n.L.Schema()), len(n.R.Schema()), d.width()
	switch {
	case n.Left && !n.Right:
		l := d.push(n.L)
		r, on := d.second(l, n.L, n.R, n.On)
		at := w + lw
		if len(r.Schema()) > rw {
			at += w
		}
		return picked(&Outer{L: l, R: r, On: on, Left: true}, append(span(0, w+lw), span(at, at+rw)...))
	case n.Right && !n.Left:
		turned := make([]*expr.Expr, len(n.On))
		for i, c := range n.On {
			turned[i] = c.MapCols(func(i int) int {
				switch {
				case i >= outerBase:
					return i
				case i < lw:
					return i + rw
				}
				return i - lw
			})
		}
		t := d.outer(&Outer{L: n.R, R: n.L, On: turned, Left: true})
		return picked(t, append(append(span(0, w), span(w+rw, w+rw+lw)...), span(w, w+rw)...))
	}
	l, r := d.push(n.L), d.push(n.R)
	o := &Outer{L: l, R: r, On: d.same(0, w+lw), Left: true, Right: true}
	for _, c := range n.On {
		o.On = append(o.On, d.place(c, 0, func(i int) int {
			if i < lw {
				return i + w
			}
			return i + 2*w
		}))
	}
	p := picked(o, append(span(0, w+lw), span(2*w+lw, 2*w+lw+rw)...)).(*Project)
	for i, c := range d.columns(w + lw) {
		p.Exprs[i] = known("coalesce", p.Exprs[i], c)
	}
	return p
}

// aggregate groups by the domain too. An aggregate of all rows has one row for each
// row of the domain.
func (d *domain) aggregate(n *Aggregate) Node {
	out := &Aggregate{Input: d.push(n.Input), Keys: append(d.columns(0), d.overAll(n.Keys)...), Names: append(slices.Clone(d.keys.Names), n.Names...)}
	for _, a := range n.Aggs {
		out.Aggs = append(out.Aggs, a.Map(d.over))
	}
	if !n.Global {
		return out
	}
	w := d.width()
	es := make([]*expr.Expr, len(n.Aggs))
	for i, a := range n.Aggs {
		es[i] = orNothing(a, 2*w+i)
	}
	return d.project(&Outer{L: d.node(), R: out, On: d.same(0, w), Left: true}, es, n.Names)
}

func (d *domain) window(n *Window) Node {
	out := &Window{Input: d.push(n.Input), Calls: slices.Clone(n.Calls), Pos: n.Pos}
	over := mapExprs(n, d.over).(*Window)
	for i := range out.Calls {
		out.Calls[i] = over.Calls[i]
		out.Calls[i].Partition = append(d.columns(0), over.Calls[i].Partition...)
	}
	return out
}

// list is push(n) of a list, and the column behind it that orders the rows for a row of
// the domain; dense: it numbers them, 1, 2, 3 and so on.
func (d *domain) list(n Node) (t Node, ord int, dense bool) {
	switch n := n.(type) {
	case *Limit:
		t, at, dense := d.list(n.Input)
		number := expr.Col(at, zset.TInt8)
		if !dense {
			t = d.numbered(t, []SortKey{{Expr: number}})
			number = expr.Col(at+1, zset.TInt8)
		}
		limit := func(op string, v int64) *expr.Expr { return known(op, number, expr.Const(zset.IntValue(v))) }
		if n.Offset > 0 {
			t = &Filter{Input: t, Pred: limit(">", n.Offset)}
		}
		if n.Count != NoCount {
			t = &Filter{Input: t, Pred: limit("<=", n.Count+n.Offset)}
		}
		if !dense {
			t = first(t, at+1)
		}
		return t, at, dense && n.Offset == 0
	case *Sort:
		by := make([]SortKey, len(n.By))
		for i, k := range n.By {
			by[i] = SortKey{Expr: d.over(k.Expr), Desc: k.Desc, NullsFirst: k.NullsFirst}
		}
		return d.numbered(d.push(n.Input), by), d.width() + len(n.Schema()), true
	case *Project:
		in, at, dense := d.list(n.Input)
		p := d.project(in, d.overAll(n.Exprs), n.Names)
		p.Exprs, p.Names = append(p.Exprs, expr.Col(at, zset.TInt8)), append(p.Names, "ord")
		return p, len(p.Exprs) - 1, dense
	case *Filter:
		in, at, _ := d.list(n.Input)
		return &Filter{Input: in, Pred: d.over(n.Pred)}, at, false
	}
	return d.list(&Sort{Input: n})
}

// numbered is t with the place of each row among those for its row of the domain.
func (d *domain) numbered(t Node, by []SortKey) Node {
	return &Window{Input: t, Calls: []WindowCall{{Name: "row_number", Partition: d.columns(0), By: by, Frame: expr.DefaultFrame(), Typ: zset.TInt8}}}
}
