package algebra

import (
	"slices"

	"github.com/ivmc/ivmc/expr"
	"github.com/ivmc/ivmc/zset"
)

// Decorrelate makes joins of every [Apply] in n. The value stays what it was.
//
// What ties R to L is found in one of two ways. Where R filters by conditions that
// reach its top, they become conditions of a join (see ties): an aggregate of all
// rows is then grouped by what its rows are compared with. Else R is computed for
// every different value of Params at once (see domain) and joined by them.
//
// What reads params, or stands above what does, is not computed for rows for which
// Apply would not have done so, if it can raise. But the rest of R is computed if L
// has no row too, as in a join, and the sum of a group that no row of L asks for may
// overflow.
func Decorrelate(n Node) Node {
	d := &decorrelator{}
	return d.node(n)
}

// decorrelator counts the nodes that are written more than once.
type decorrelator struct{ extra int }

func (d *decorrelator) node(n Node) Node {
	n = mapInputs(n, d.node)
	if a, ok := n.(*Apply); ok {
		return d.joins(a)
	}
	return n
}

// crowded reports whether the copies are too many; then the result is of no use.
func (d *decorrelator) crowded() bool { return d.extra > maxNodes }

func (d *decorrelator) joins(a *Apply) Node {
	switch a.Kind {
	case Some, None:
		return d.match(a)
	case Mark:
		return d.mark(a)
	}
	return d.each(a)
}

// match is the rows of L for which R has a row, or has none.
func (d *decorrelator) match(a *Apply) Node {
	r := presence(a.R)
	if oneRow(r) {
		if a.Kind == Some {
			return a.L
		}
		return &Filter{Input: a.L, Pred: expr.Const(zset.BoolValue(false))}
	}
	r, on := d.related(a, r, false)
	return &Match{L: a.L, R: r, On: on.conds(), Anti: a.Kind == None}
}

// mark is the rows of L, and whether R has a row: whether the key that R is found
// by is one of those that R has.
func (d *decorrelator) mark(a *Apply) Node {
	r := presence(a.R)
	p := identity(a.L)
	p.Names = append(p.Names, "mark")
	if oneRow(r) {
		p.Exprs = append(p.Exprs, expr.Const(zset.BoolValue(true)))
		return p
	}
	width := len(p.Exprs)
	r, on := d.related(a, r, true)
	keys := &Aggregate{Input: r}
	for i := range on {
		keys.Keys, keys.Names = append(keys.Keys, on[i].inner), append(keys.Names, "key")
		on[i].inner = expr.Col(i, on[i].inner.Typ)
	}
	if len(on) == 0 {
		keys.Keys, keys.Names = []*expr.Expr{expr.Const(zset.BoolValue(true))}, []string{"any"}
	}
	p.Input = &Outer{L: a.L, R: keys, On: on.shifted(width).conds(), Left: true}
	p.Exprs = append(p.Exprs, known("is not null", expr.Col(width, keys.Keys[0].Typ)))
	return p
}

// each is the rows of L, beside the rows that R has for each.
func (d *decorrelator) each(a *Apply) Node {
	width := columnsOf(a.L)
	if a.Kind == Each || oneRow(a.R) {
		switch r := a.R.(type) {
		case *Aggregate:
			if r.Global {
				return d.grouped(a, r)
			}
		case *Project:
			in := *a
			in.Kind, in.R = Each, r.Input
			out := identity(a.L)
			for i, e := range r.Exprs {
				out.Exprs, out.Names = append(out.Exprs, a.beside(e, width)), append(out.Names, r.Names[i])
			}
			out.Input = d.each(&in)
			return out
		case *Join:
			if len(r.On) == 0 && oneRow(r) {
				n := a.L
				for _, in := range r.Ins {
					one := *a
					one.L, one.R, one.Kind = n, in, Each
					n = d.each(&one)
				}
				return n
			}
		}
	}
	if n := d.unnested(a); n != nil {
		return n
	}
	r, on := d.related(a, a.R, false)
	var both Node = &Join{Ins: []Node{a.L, r}, On: on.conds()}
	if a.Kind == EachOrNull {
		both = &Outer{L: a.L, R: r, On: on.conds(), Left: true}
	}
	return first(both, width+len(a.R.Schema()))
}

// unnested is the rows of L beside lists made of each: those of R, where it is lists
// over a row of no columns; else nil.
func (d *decorrelator) unnested(a *Apply) Node {
	u, ok := a.R.(*Unnest)
	if !ok {
		return nil
	}
	if v, ok := u.Input.(*Values); !ok || len(v.Fields) > 0 || len(v.Rows) != 1 {
		return nil
	}
	out := *u
	out.Input, out.OrNulls = a.L, u.OrNulls || a.Kind == EachOrNull
	out.Lists = make([]*expr.Expr, len(u.Lists))
	for i, l := range u.Lists {
		out.Lists[i] = a.beside(l, columnsOf(a.L))
	}
	return &out
}

// first is n with its first width columns.
func first(n Node, width int) Node {
	p := identity(n)
	if len(p.Exprs) == width {
		return n
	}
	return &Project{Input: n, Exprs: p.Exprs[:width], Names: p.Names[:width]}
}

// beside is e, over R, over L with R behind it.
func (a *Apply) beside(e *expr.Expr, width int) *expr.Expr {
	return e.ReplaceCols(func(x *expr.Expr) *expr.Expr {
		switch k := x.Col - a.Base; {
		case k >= 0 && k < len(a.Params):
			return a.Params[k]
		case x.Col < outerBase:
			return expr.Col(x.Col+width, x.Typ).At(int(x.Pos))
		}
		return x
	})
}

// grouped is the rows of L, beside the aggregates g of all rows: those of the group
// of a row or, where there is no group, of no rows.
func (d *decorrelator) grouped(a *Apply, g *Aggregate) Node {
	width := columnsOf(a.L)
	groups := &Aggregate{}
	var on tieList
	if a.needsDomain(g) {
		dom := d.domain(a)
		groups.Input, groups.Keys, groups.Names = dom.push(g.Input), dom.columns(0), slices.Clone(dom.keys.Names)
		for _, agg := range g.Aggs {
			groups.Aggs = append(groups.Aggs, agg.Map(dom.over))
		}
		on = dom.ties(0)
	} else {
		groups.Input, on = d.related(a, g.Input, true)
		if len(on) == 0 {
			return &Join{Ins: []Node{a.L, g}}
		}
		groups.Aggs = g.Aggs
		for i := range on {
			groups.Keys, groups.Names = append(groups.Keys, on[i].inner), append(groups.Names, "key")
			on[i].inner = expr.Col(i, on[i].inner.Typ)
		}
	}
	groups.Names = append(groups.Names, g.Names...)
	out := identity(a.L)
	for i, agg := range g.Aggs {
		out.Exprs = append(out.Exprs, orNothing(agg, width+len(groups.Keys)+i))
		out.Names = append(out.Names, g.Names[i])
	}
	out.Input = &Outer{L: a.L, R: groups, On: on.shifted(width).conds(), Left: true}
	return out
}

// orNothing is the column that holds g of a group, or g of no rows where that is
// not NULL.
func orNothing(g expr.AggCall, col int) *expr.Expr {
	e := expr.Col(col, g.Typ)
	var none []zset.Column
	for _, in := range inputs(g) {
		none = append(none, zset.NewColumn(in.Typ, 0))
	}
	v, err := definition(g, none, nil)
	if err != nil || v.Null {
		return e
	}
	return known("coalesce", e, expr.Const(v))
}

// related is r, the R of a, without params: its columns, then others, and what
// ties it to L. With keys, that is equalities alone.
func (d *decorrelator) related(a *Apply, r Node, keys bool) (Node, tieList) {
	p := &puller{base: a.Base, n: len(a.Params), keys: keys}
	if n, ts, ok := p.pull(r); ok {
		return n, ts.over(a, columnsOf(a.L), keys)
	}
	dom := d.domain(a)
	t := dom.push(r)
	w := dom.width()
	s := t.Schema()
	back := &Project{Input: t}
	for _, i := range append(span(w, len(s)), span(0, w)...) {
		back.Exprs, back.Names = append(back.Exprs, expr.Col(i, s[i].Type)), append(back.Names, s[i].Name)
	}
	ts := dom.ties(len(s) - w)
	if !keys {
		ts = ts.shifted(columnsOf(a.L))
	}
	return back, ts
}

// span is from, .., to-1.
func span(from, to int) []int {
	var out []int
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// presence is n for a reader that asks only whether it has a row.
func presence(n Node) Node {
	for {
		switch m := n.(type) {
		case *Sort:
			n = m.Input
		case *Project:
			n = m.Input
		case *Limit:
			if m.Offset > 0 || m.Count == 0 {
				return n
			}
			n = m.Input
		case *Aggregate:
			if m.Global || len(m.Aggs) > 0 {
				return n
			}
			n = m.Input
		default:
			return n
		}
	}
}

// known calls a function that is there for these arguments.
func known(name string, args ...*expr.Expr) *expr.Expr {
	e, err := expr.Call(name, args, -1)
	if err != nil {
		return expr.Const(zset.NullOf(zset.TBool))
	}
	return e
}

// readsAny reports whether anything in n reads one of the count columns from base on.
func readsAny(n Node, base, count int) bool {
	found := false
	Walk(n, func(m Node) bool {
		mapExprs(m, func(e *expr.Expr) *expr.Expr {
			found = found || reads(e, base, count)
			return e
		})
		return !found
	})
	return found
}

func reads(e *expr.Expr, base, count int) bool {
	found := false
	if e != nil {
		e.Walk(func(x *expr.Expr) bool {
			found = found || x.Op == expr.OpCol && x.Col >= base && x.Col < base+count
			return !found
		})
	}
	return found
}

// needsDomain reports whether the aggregates g, of R, read the params beside the
// rows, or can raise over rows that the ties would have kept from them.
func (a *Apply) needsDomain(g *Aggregate) bool {
	found := false
	for _, agg := range g.Aggs {
		for _, e := range agg.Exprs() {
			found = found || e != nil && (e.Raises() || reads(e, a.Base, len(a.Params)))
		}
	}
	return found
}
